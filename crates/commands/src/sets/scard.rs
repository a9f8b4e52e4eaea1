//! SCARD key

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::set::Set;

pub(super) const SCARD: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SCARD")
    .group(Group::Set)
    .exactly(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO)])
    .syntax("key")
    .summary("Returns the number of members in a set.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    ctx.reply
        .count(ctx.db.collection::<Set>(args.at(1))?.map_or(0, Set::len));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn scard() {
        check("SCARD s ; SADD s a b ; SCARD s", ":0 ; :2 ; :2");
    }
}
