//! MSET key value [key value ...]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry};

pub(super) const MSET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("MSET")
    .group(Group::String)
    .at_least(3)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[KeySpec::range(1, -1, 2, access::OW | access::UPDATE)])
    .since("1.0.1")
    .syntax("key value [key value ...]")
    .summary("Atomically creates or modifies the string values of one or more keys.")
    .complexity("O(N) where N is the number of keys to set")
    .tips(&[
        "request_policy:multi_shard",
        "response_policy:all_succeeded",
    ]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let (pairs, []) = args.rest().as_chunks::<2>() else {
        return Err(CommandError::arity("mset"));
    };
    for [key, value] in pairs {
        ctx.db
            .set_text(key, value, Expiry::Never, Event::string("set"));
    }
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn mset() {
        check("MSET a 1 b 2 a 3 ; MGET a b", "+OK ; [$3 $2]");
        check(
            "MSET a 1 b",
            "-ERR wrong number of arguments for 'mset' command",
        );
    }
}
