//! ZREMRANGEBYRANK key start stop, ZREMRANGEBYSCORE key min max, ZREMRANGEBYLEX key min max

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::sorted_set::SortedSet;

use super::range::{By, Kind};

pub(super) const ZREMRANGEBYRANK: Command = Command::new(&ZREMRANGEBYRANK_SPEC, |ctx, args| {
    run(ctx, args, Kind::Rank, "zremrangebyrank")
});
pub(super) const ZREMRANGEBYSCORE: Command = Command::new(&ZREMRANGEBYSCORE_SPEC, |ctx, args| {
    run(ctx, args, Kind::Score, "zremrangebyscore")
});
pub(super) const ZREMRANGEBYLEX: Command = Command::new(&ZREMRANGEBYLEX_SPEC, |ctx, args| {
    run(ctx, args, Kind::Lex, "zremrangebylex")
});

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::SortedSet)
    .exactly(4)
    .flags(flags::WRITE)
    .keys(&[KeySpec::first(access::RW | access::DELETE)])
    .syntax("key min max")
    .complexity("O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements removed by the operation.");

const ZREMRANGEBYRANK_SPEC: CommandSpec = CommandSpec { name: "ZREMRANGEBYRANK", ..BASE }
    .since("2.0.0")
    .syntax("key start stop")
    .summary("Removes members in a sorted set within a range of indexes. Deletes the sorted set if all members were removed.");

const ZREMRANGEBYSCORE_SPEC: CommandSpec = CommandSpec { name: "ZREMRANGEBYSCORE", ..BASE }
    .since("1.2.0")
    .summary("Removes members in a sorted set within a range of scores. Deletes the sorted set if all members were removed.");

const ZREMRANGEBYLEX_SPEC: CommandSpec = CommandSpec { name: "ZREMRANGEBYLEX", ..BASE }
    .since("2.8.9")
    .summary("Removes members in a sorted set within a lexicographical range. Deletes the sorted set if all members were removed.");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>, kind: Kind, event: &'static str) -> CommandResult {
    let range = By::parse(kind, args.at(2), args.at(3))?;
    let key = args.at(1);
    let Some(mut set) = ctx.db.collection_mut::<SortedSet>(key)? else {
        ctx.reply.integer(0);
        return DONE;
    };
    let ranks = range.ranks(&set);
    let removed = ranks.len();
    if removed == set.len() {
        // The guard goes unused; the key goes as a whole, freed elsewhere if it is big.
        set.commit_if(false, Event::DEL);
        ctx.db.remove(key, Event::sorted_set(event));
    } else {
        set.remove_range(ranks, |_, _| ());
        set.commit_if(removed > 0, Event::sorted_set(event));
    }
    ctx.reply.count(removed);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    fn on_abc(command: &str, want: &str) {
        check(
            &format!("ZADD z 1 a 2 b 3 c ; {command} ; ZRANGE z 0 -1"),
            &format!(":3 ; {want}"),
        );
    }

    #[test]
    fn by_rank() {
        on_abc("ZREMRANGEBYRANK z 0 0", ":1 ; [$b $c]");
        on_abc("ZREMRANGEBYRANK z -2 -1", ":2 ; [$a]");
        on_abc("ZREMRANGEBYRANK z 10 20", ":0 ; [$a $b $c]");
        on_abc("ZREMRANGEBYRANK z 2 0", ":0 ; [$a $b $c]");
        on_abc("ZREMRANGEBYRANK z -100 -50", ":0 ; [$a $b $c]");
        on_abc(
            "ZREMRANGEBYRANK z -9223372036854775808 9223372036854775807",
            ":3 ; []",
        );
    }

    #[test]
    fn by_score_and_by_member() {
        on_abc("ZREMRANGEBYSCORE z (1 2", ":1 ; [$a $c]");
        on_abc("ZREMRANGEBYSCORE z -inf +inf", ":3 ; []");
        on_abc("ZREMRANGEBYSCORE z 5 1", ":0 ; [$a $b $c]");
        check(
            "ZADD z 0 a 0 b 0 c ; ZREMRANGEBYLEX z (a [b ; ZRANGE z 0 -1",
            ":3 ; :1 ; [$a $c]",
        );
        check("ZREMRANGEBYLEX none - +", ":0");
    }

    #[test]
    fn bad_input() {
        check("ZREMRANGEBYSCORE z a 1", "-ERR min or max is not a float");
        check(
            "ZREMRANGEBYLEX z a b",
            "-ERR min or max not valid string range item",
        );
        check(
            "ZREMRANGEBYRANK z 0 x",
            "-ERR value is not an integer or out of range",
        );
        check(
            "SET z v ; ZREMRANGEBYRANK z 0 1",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn all_of_a_large_set_and_some_of_it() {
        let mut fixture = fixture();
        for i in 0..300 {
            fixture.run(&format!("ZADD z {i} m{i}"));
        }
        fixture.check(
            "ZREMRANGEBYSCORE z 100 (200 ; ZCARD z ; ZRANK z m200 ; ZREMRANGEBYRANK z 0 -1 ; EXISTS z",
            ":100 ; :200 ; :100 ; :200 ; :0",
        );
    }
}
