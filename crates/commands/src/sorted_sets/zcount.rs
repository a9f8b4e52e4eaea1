//! ZCOUNT key min max, ZLEXCOUNT key min max

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::sorted_set::SortedSet;

use super::range::{By, Kind};

pub(super) const ZCOUNT: Command =
    Command::new(&ZCOUNT_SPEC, |ctx, args| run(ctx, args, Kind::Score));
pub(super) const ZLEXCOUNT: Command =
    Command::new(&ZLEXCOUNT_SPEC, |ctx, args| run(ctx, args, Kind::Lex));

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::SortedSet)
    .exactly(4)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .syntax("key min max")
    .complexity("O(log(N)) with N being the number of elements in the sorted set.");

const ZCOUNT_SPEC: CommandSpec = CommandSpec {
    name: "ZCOUNT",
    ..BASE
}
.since("2.0.0")
.summary("Returns the count of members in a sorted set that have scores within a range.");

const ZLEXCOUNT_SPEC: CommandSpec = CommandSpec {
    name: "ZLEXCOUNT",
    ..BASE
}
.since("2.8.9")
.summary("Returns the number of members in a sorted set within a lexicographical range.");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>, kind: Kind) -> CommandResult {
    let range = By::parse(kind, args.at(2), args.at(3))?;
    let set = ctx.db.collection::<SortedSet>(args.at(1))?;
    ctx.reply.count(set.map_or(0, |set| range.ranks(set).len()));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn counts() {
        check(
            "ZADD z 1 a 2 b 3 c ; ZCOUNT z (1 3 ; ZCOUNT z -inf +inf ; ZCOUNT z 3 1 ; ZCOUNT none 0 1",
            ":3 ; :2 ; :3 ; :0 ; :0",
        );
        check(
            "ZADD z 0 a 0 b 0 c ; ZLEXCOUNT z - + ; ZLEXCOUNT z (a [c ; ZLEXCOUNT z + -",
            ":3 ; :3 ; :2 ; :0",
        );
    }

    #[test]
    fn bad_input() {
        check("ZCOUNT z a 1", "-ERR min or max is not a float");
        check(
            "ZLEXCOUNT z a +",
            "-ERR min or max not valid string range item",
        );
    }
}
