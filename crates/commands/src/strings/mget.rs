//! MGET key [key ...]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};

use super::reply_text;

pub(super) const MGET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("MGET")
    .group(Group::String)
    .at_least(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::from(1, access::RO | access::ACCESS)])
    .syntax("key [key ...]")
    .summary("Atomically returns the string values of one or more keys.")
    .complexity("O(N) where N is the number of keys to retrieve")
    .tips(&["request_policy:multi_shard"]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let keys = args.rest();
    ctx.reply.array(keys.len());
    for key in keys {
        // Another type is no error here: the value is missing.
        let text = ctx.db.find(key).and_then(|entry| entry.as_text());
        reply_text(&mut ctx.reply, text);
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn mget() {
        check(
            "SET a 1 ; LPUSH l x ; MGET a none l a",
            "+OK ; :1 ; [$1 _ _ $1]",
        );
    }
}
