//! ZSCORE key member

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::sorted_set::SortedSet;

pub(super) const ZSCORE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZSCORE")
    .group(Group::SortedSet)
    .exactly(3)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("1.2.0")
    .syntax("key member")
    .summary("Returns the score of a member in a sorted set.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    match ctx
        .db
        .collection::<SortedSet>(args.at(1))?
        .and_then(|set| set.score(args.at(2)))
    {
        Some(score) => ctx.reply.double(score),
        None => ctx.reply.null(),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn zscore() {
        check(
            "ZSCORE z a ; ZADD z 1.5 a ; ZSCORE z a ; ZSCORE z b",
            "_ ; :1 ; $1.5 ; _",
        );
        check3("ZADD z 3.1 a ; ZSCORE z a", ":1 ; ,3.1");
    }
}
