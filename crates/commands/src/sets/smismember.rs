//! SMISMEMBER key member [member ...]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::set::Set;

pub(super) const SMISMEMBER: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SMISMEMBER")
    .group(Group::Set)
    .at_least(3)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("6.2.0")
    .syntax("key member [member ...]")
    .summary("Determines whether multiple members belong to a set.")
    .complexity("O(N) where N is the number of elements being checked for membership");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let set = ctx.db.collection::<Set>(args.at(1))?;
    let members = &args.words()[2..];
    ctx.reply.array(members.len());
    for member in members {
        let is_member = set.is_some_and(|set| set.contains(member));
        ctx.reply.integer(is_member as i64);
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn smismember() {
        check(
            "SMISMEMBER s a b ; SADD s a 1 ; SMISMEMBER s a b 1 a 01",
            "[:0 :0] ; :2 ; [:1 :0 :1 :1 :0]",
        );
    }
}
