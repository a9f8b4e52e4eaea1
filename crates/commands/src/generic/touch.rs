//! TOUCH key [key ...]

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const TOUCH: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("TOUCH")
    .at_least(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::from(1, access::RO)])
    .since("3.2.1")
    .syntax("key [key ...]")
    .summary("Returns the number of existing keys out of those specified after updating the time they were last accessed.")
    .complexity("O(N) where N is the number of keys that will be touched.")
    .tips(&["request_policy:multi_shard", "response_policy:agg_sum"]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let keys = args.rest().iter();
    let found = keys.filter(|key| ctx.db.touch(key).is_some()).count();
    ctx.reply.count(found);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn touch() {
        check("TOUCH k ; SET k v ; TOUCH k x k", ":0 ; +OK ; :2");
        check(
            "TOUCH",
            "-ERR wrong number of arguments for 'touch' command",
        );
        check("SET a 1 ; TOUCH a none a ; TOUCH none", "+OK ; :2 ; :0");
    }
}
