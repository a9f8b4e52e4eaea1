//! MOVE key db

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use resp::number::parse_i64;

use super::{SAME_OBJECT, parse_database};

pub(super) const MOVE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("MOVE")
    .exactly(3)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::UPDATE)])
    .also_in(|words| usize::try_from(parse_i64(words[2])?).ok())
    .syntax("key db")
    .summary("Moves a key to another database.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let (key, database) = (args.required()?, args.integer()?);
    let database = parse_database(ctx, database)?;
    if database == ctx.db.database() {
        return Err(SAME_OBJECT);
    }
    let is_moved = !ctx.db.contains_in(database, key) && ctx.db.move_to(key, database);
    ctx.reply.integer(is_moved as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn moves() {
        check(
            "SET a v EX 10 ; MOVE a 1 ; EXISTS a ; SELECT 1 ; GET a ; TTL a ; SELECT 0 ; SET a w ; MOVE a 1 ; GET a ; MOVE none 1",
            "+OK ; :1 ; :0 ; +OK ; $v ; :10 ; +OK ; +OK ; :0 ; $w ; :0",
        );
    }

    #[test]
    fn bad_databases() {
        check(
            "MOVE a 0 ; MOVE a 99 ; MOVE a -1 ; MOVE a x ; MOVE a 9223372036854775808",
            "-ERR source and destination objects are the same ; -ERR DB index is out of range ; -ERR DB index is out of range ; -ERR value is not an integer or out of range ; -ERR value is not an integer or out of range",
        );
        check(
            "MOVE a 4294967296",
            "-ERR value is out of range, value must between -2147483648 and 2147483647",
        );
    }

    #[test]
    fn a_dead_key_is_no_obstacle() {
        let mut fixture = fixture();
        fixture.run("SELECT 1 ; SET a old PX 100 ; SELECT 0 ; SET a new");
        fixture.advance_ms(100);
        fixture.effects();
        fixture.check(
            "MOVE a 1 ; SELECT 1 ; GET a ; TTL a",
            ":1 ; +OK ; $new ; :-1",
        );
        assert_eq!(fixture.effects(), ["DEL a", "MOVE a 1"]);
    }
}
