//! DEL key [key ...], UNLINK key [key ...]
//!
//! They are the same: a big value is freed elsewhere in any case.

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;

pub(super) const DEL: Command = Command::new(&DEL_SPEC, run);
pub(super) const UNLINK: Command = Command::new(&UNLINK_SPEC, run);

const BASE: CommandSpec = CommandSpec::new("")
    .at_least(2)
    .keys(&[KeySpec::from(1, access::RM | access::DELETE)])
    .syntax("key [key ...]")
    .tips(&["request_policy:multi_shard", "response_policy:agg_sum"]);

const DEL_SPEC: CommandSpec = CommandSpec {
    name: "DEL",
    ..BASE
}
.flags(flags::WRITE)
.summary("Deletes one or more keys.")
.complexity("O(N) where N is the number of keys; big values are freed in the background");

const UNLINK_SPEC: CommandSpec = CommandSpec {
    name: "UNLINK",
    ..BASE
}
.flags(flags::WRITE | flags::FAST)
.since("4.0.0")
.summary("Asynchronously deletes one or more keys.")
.complexity("O(N) where N is the number of keys; big values are freed in the background");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let removed = args
        .rest()
        .iter()
        .filter(|key| ctx.db.remove(key, Event::DEL))
        .count();
    ctx.reply.count(removed);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn del() {
        check(
            "MSET a 1 b 2 ; DEL a b a none ; EXISTS a b",
            "+OK ; :2 ; :0",
        );
        check("SADD s a ; UNLINK s ; TYPE s", ":1 ; :1 ; +none");
    }
}
