//! EXISTS key [key ...]

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const EXISTS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("EXISTS")
    .at_least(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::from(1, access::RO)])
    .syntax("key [key ...]")
    .summary("Determines whether one or more keys exist.")
    .complexity("O(N) where N is the number of keys to check.")
    .tips(&["request_policy:multi_shard", "response_policy:agg_sum"]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let found = args
        .rest()
        .iter()
        .filter(|key| ctx.db.contains(key))
        .count();
    ctx.reply.count(found);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn exists() {
        check("SET a 1 ; EXISTS a none a", "+OK ; :2");
    }
}
