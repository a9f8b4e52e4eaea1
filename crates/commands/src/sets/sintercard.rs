//! SINTERCARD numkeys key [key ...] [LIMIT limit]

use std::ops::ControlFlow;

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use structures::set::algebra;

use super::sets_of;

pub(super) const SINTERCARD: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SINTERCARD")
    .group(Group::Set)
    .at_least(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::counted(1, access::RO | access::ACCESS)])
    .since("7.0.0")
    .syntax("numkeys key [key ...] [LIMIT limit]")
    .summary("Returns the number of members of the intersect of multiple sets.")
    .complexity("O(N*M) worst case where N is the cardinality of the smallest set and M is the number of sets.");

const TOO_MANY_KEYS: CommandError =
    CommandError::Fixed("ERR Number of keys can't be greater than number of args");
const NEGATIVE_LIMIT: CommandError = CommandError::Fixed("ERR LIMIT can't be negative");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let keys = args.counted_keys(TOO_MANY_KEYS)?;
    let mut limit = usize::MAX;
    while !args.is_done() {
        if !args.eat("LIMIT") || args.is_done() {
            return Err(CommandError::Syntax);
        }
        // None at all means no limit.
        limit = match args.count().map_err(|_| NEGATIVE_LIMIT)? {
            0 => usize::MAX,
            limit => limit,
        };
    }
    let sets = sets_of(&ctx.db, keys)?;
    let mut count = 0;
    let _ = algebra::intersection(&sets, |_| {
        count += 1;
        if count < limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    ctx.reply.count(count);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn sintercard() {
        check(
            "SADD a 1 2 3 x ; SADD b 2 3 x y ; SINTERCARD 2 a b ; SINTERCARD 2 a b LIMIT 2 ; SINTERCARD 2 a b LIMIT 0 ; SINTERCARD 1 a ; SINTERCARD 2 a none",
            ":4 ; :4 ; :3 ; :2 ; :3 ; :4 ; :0",
        );
    }

    #[test]
    fn bad_words() {
        check(
            "SINTERCARD 0 k ; SINTERCARD x k ; SINTERCARD -1 k ; SINTERCARD 2 k",
            "-ERR numkeys should be greater than 0 ; -ERR numkeys should be greater than 0 ; -ERR numkeys should be greater than 0 ; -ERR Number of keys can't be greater than number of args",
        );
        check(
            "SINTERCARD 1 k LIMIT ; SINTERCARD 1 k LIMIT -1 ; SINTERCARD 1 k LIMIT x ; SINTERCARD 1 k FOO 1",
            "-ERR syntax error ; -ERR LIMIT can't be negative ; -ERR LIMIT can't be negative ; -ERR syntax error",
        );
        check(
            "SET k v ; SINTERCARD 2 none k",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
