//! ZCARD key

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::sorted_set::SortedSet;

pub(super) const ZCARD: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZCARD")
    .group(Group::SortedSet)
    .exactly(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO)])
    .since("1.2.0")
    .syntax("key")
    .summary("Returns the number of members in a sorted set.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    ctx.reply.count(
        ctx.db
            .collection::<SortedSet>(args.at(1))?
            .map_or(0, SortedSet::len),
    );
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn zcard() {
        check("ZCARD z ; ZADD z 1 a 2 b ; ZCARD z", ":0 ; :2 ; :2");
    }
}
