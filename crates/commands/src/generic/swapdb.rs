//! SWAPDB index1 index2
//!
//! Two numbers are exchanged; no key is touched. Clients of the one database see the keys of the
//! other from then on.

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use resp::number::parse_i64;

use super::parse_database;

pub(super) const SWAPDB: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SWAPDB")
    .group(Group::Server)
    .exactly(3)
    .flags(flags::WRITE | flags::FAST | flags::DANGEROUS | flags::KEYSPACE | flags::EXCLUSIVE)
    .since("4.0.0")
    .syntax("index1 index2")
    .summary("Swaps two databases.")
    .complexity("O(1)");

const BAD_FIRST: CommandError = CommandError::Fixed("ERR invalid first DB index");
const BAD_SECOND: CommandError = CommandError::Fixed("ERR invalid second DB index");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let number = |text| parse_i64(text).filter(|number| i32::try_from(*number).is_ok());
    let one = number(args.at(1)).ok_or(BAD_FIRST)?;
    let other = number(args.at(2)).ok_or(BAD_SECOND)?;
    let (one, other) = (parse_database(ctx, one)?, parse_database(ctx, other)?);
    ctx.db.swap(one, other);
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn swaps() {
        check(
            "SET k v ; SWAPDB 0 1 ; GET k ; SELECT 1 ; GET k ; SET k w ; SWAPDB 1 0 ; GET k ; SELECT 0 ; GET k",
            "+OK ; +OK ; _ ; +OK ; $v ; +OK ; +OK ; _ ; +OK ; $w",
        );
        check(
            "SET k v ; SWAPDB 0 0 ; GET k ; SWAPDB 0 1 ; SWAPDB 1 2 ; SELECT 2 ; DBSIZE ; GET k",
            "+OK ; +OK ; $v ; +OK ; +OK ; +OK ; :1 ; $v",
        );
    }

    #[test]
    fn bad_databases() {
        check(
            "SWAPDB x 1 ; SWAPDB 1 x ; SWAPDB 0 99 ; SWAPDB 0 -1",
            "-ERR invalid first DB index ; -ERR invalid second DB index ; -ERR DB index is out of range ; -ERR DB index is out of range",
        );
        check(
            "SWAPDB 4294967296 1 ; SWAPDB 1 -4294967296",
            "-ERR invalid first DB index ; -ERR invalid second DB index",
        );
    }

    #[test]
    fn what_expires_does_so_under_the_new_number() {
        let mut fixture = fixture();
        fixture.run("SET k v PX 100 ; SWAPDB 0 5");
        fixture.advance_ms(1000);
        fixture.sweep();
        assert_eq!(
            fixture.effects(),
            ["SET k v PXAT 1000000000100", "SWAPDB 0 5", "DEL k"]
        );
    }
}
