//! SISMEMBER key member

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::set::Set;

pub(super) const SISMEMBER: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SISMEMBER")
    .group(Group::Set)
    .exactly(3)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO)])
    .syntax("key member")
    .summary("Determines whether a member belongs to a set.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let set = ctx.db.collection::<Set>(args.at(1))?;
    ctx.reply
        .integer(set.is_some_and(|set| set.contains(args.at(2))) as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn sismember() {
        check(
            "SISMEMBER s a ; SADD s a ; SISMEMBER s a ; SISMEMBER s b",
            ":0 ; :1 ; :1 ; :0",
        );
    }
}
