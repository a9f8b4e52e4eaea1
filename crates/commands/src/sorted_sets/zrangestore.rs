//! ZRANGESTORE dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::hash::hash;
use structures::sorted_set::SortedSet;

use super::range::{Selection, Settled};
use super::{limits, store};

pub(super) const ZRANGESTORE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZRANGESTORE")
    .group(Group::SortedSet)
    .at_least(5)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[
        KeySpec::at(1, access::OW | access::UPDATE),
        KeySpec::at(2, access::RO | access::ACCESS),
    ])
    .since("6.2.0")
    .syntax("dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count]")
    .summary("Stores a range of members from sorted set in a key.")
    .complexity("O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements stored into the destination key.");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let (destination, source) = (args.required()?, args.required()?);
    let settled = Settled {
        is_stored: true,
        ..Settled::default()
    };
    let selection = Selection::parse(args, settled)?;
    let limits = limits(ctx);
    let range = match ctx.db.collection::<SortedSet>(source)? {
        None => SortedSet::new(),
        Some(set) => {
            // The order in which the range is named makes no other set of it.
            let range = set.range_by_rank(selection.ranks(set));
            let items = range.map(|(member, score)| (hash(member), member, score));
            SortedSet::from_ordered(items, &limits)
        }
    };
    store(ctx, destination, range, "zrangestore");
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn stores_a_range() {
        check(
            "ZADD z 1 a 2 b 3 c ; ZRANGESTORE d z 0 1 ; ZRANGE d 0 -1 WITHSCORES",
            ":3 ; :2 ; [$a $1 $b $2]",
        );
        check(
            "ZADD z 1 a 2 b 3 c ; ZRANGESTORE z z +inf (1 BYSCORE REV LIMIT 1 5 ; ZRANGE z 0 -1",
            ":3 ; :1 ; [$b]",
        );
        check(
            "ZADD z 0 a 0 b ; ZRANGESTORE d z [b + BYLEX ; ZRANGE d 0 -1",
            ":2 ; :1 ; [$b]",
        );
    }

    #[test]
    fn an_empty_range_removes_the_destination() {
        check(
            "SET d v ; ZRANGESTORE d none 0 -1 ; EXISTS d",
            "+OK ; :0 ; :0",
        );
        check(
            "SET d v ; ZADD z 1 a ; ZRANGESTORE d z 5 6 ; EXISTS d",
            "+OK ; :1 ; :0 ; :0",
        );
    }

    #[test]
    fn bad_input_leaves_the_destination() {
        check(
            "SET d v ; ZRANGESTORE d z 0 -1 LIMIT 0 1 ; GET d",
            "+OK ; -ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX ; $v",
        );
        check("ZRANGESTORE d z 0 -1 WITHSCORES", "-ERR syntax error");
        check(
            "SET s v ; ZADD d 1 a ; ZRANGESTORE d s 0 -1 ; ZCARD d",
            "+OK ; :1 ; -WRONGTYPE Operation against a key holding the wrong kind of value ; :1",
        );
    }

    #[test]
    fn a_large_range() {
        let mut fixture = fixture();
        for i in 0..400 {
            fixture.run(&format!("ZADD z {i} m{i}"));
        }
        fixture.check(
            "ZRANGESTORE d z 10 309 ; OBJECT ENCODING d ; ZRANK d m100 ; ZSCORE d m309 ; ZREM d m10 ; ZCARD d",
            ":300 ; $skiplist ; :90 ; $309 ; :1 ; :299",
        );
        fixture.check(
            "ZRANGESTORE d z 10 19 ; OBJECT ENCODING d ; ZRANK d m15",
            ":10 ; $listpack ; :5",
        );
    }
}
