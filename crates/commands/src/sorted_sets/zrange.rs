//! ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES], and its older
//! forms: ZREVRANGE, ZRANGEBYSCORE, ZREVRANGEBYSCORE, ZRANGEBYLEX and ZREVRANGEBYLEX

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::sorted_set::SortedSet;

use super::range::{Direction, Kind, Selection, Settled};
use super::reply_pairs;

pub(super) const ZRANGE: Command =
    Command::new(&ZRANGE_SPEC, |ctx, args| run(ctx, args, Settled::default()));
pub(super) const ZREVRANGE: Command = Command::new(&ZREVRANGE_SPEC, |ctx, args| {
    run(ctx, args, settled(Kind::Rank, Direction::Descending))
});
pub(super) const ZRANGEBYSCORE: Command = Command::new(&ZRANGEBYSCORE_SPEC, |ctx, args| {
    run(ctx, args, settled(Kind::Score, Direction::Ascending))
});
pub(super) const ZREVRANGEBYSCORE: Command = Command::new(&ZREVRANGEBYSCORE_SPEC, |ctx, args| {
    run(ctx, args, settled(Kind::Score, Direction::Descending))
});
pub(super) const ZRANGEBYLEX: Command = Command::new(&ZRANGEBYLEX_SPEC, |ctx, args| {
    run(ctx, args, settled(Kind::Lex, Direction::Ascending))
});
pub(super) const ZREVRANGEBYLEX: Command = Command::new(&ZREVRANGEBYLEX_SPEC, |ctx, args| {
    run(ctx, args, settled(Kind::Lex, Direction::Descending))
});

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::SortedSet)
    .at_least(4)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("1.2.0")
    .complexity("O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements returned");

const ZRANGE_SPEC: CommandSpec = CommandSpec {
    name: "ZRANGE",
    ..BASE
}
.syntax("key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]")
.summary("Returns members in a sorted set within a range of indexes.")
.history(&[(
    "6.2.0",
    "Added the `REV`, `BYSCORE`, `BYLEX` and `LIMIT` options.",
)]);

const ZREVRANGE_SPEC: CommandSpec = CommandSpec {
    name: "ZREVRANGE",
    ..BASE
}
.syntax("key start stop [WITHSCORES]")
.summary("Returns members in a sorted set within a range of indexes in reverse order.")
.deprecated("6.2.0", "`ZRANGE` with the `REV` argument");

const BY_BASE: CommandSpec = CommandSpec {
    complexity: "O(log(N)+M) with N being the number of elements in the sorted set and M the number of elements being returned. If M is constant (e.g. always asking for the first 10 elements with LIMIT), you can consider it O(log(N)).",
    ..BASE
}
.since("2.8.9");

const ZRANGEBYSCORE_SPEC: CommandSpec = CommandSpec {
    name: "ZRANGEBYSCORE",
    ..BY_BASE
}
.since("1.0.5")
.syntax("key min max [WITHSCORES] [LIMIT offset count]")
.summary("Returns members in a sorted set within a range of scores.")
.history(&[("2.0.0", "Added the `WITHSCORES` modifier.")])
.deprecated("6.2.0", "`ZRANGE` with the `BYSCORE` argument");

const ZREVRANGEBYSCORE_SPEC: CommandSpec = CommandSpec {
    name: "ZREVRANGEBYSCORE",
    ..BY_BASE
}
.since("2.2.0")
.syntax("key max min [WITHSCORES] [LIMIT offset count]")
.summary("Returns members in a sorted set within a range of scores in reverse order.")
.history(&[("2.1.6", "`min` and `max` can be exclusive.")])
.deprecated("6.2.0", "`ZRANGE` with the `REV` and `BYSCORE` arguments");

const ZRANGEBYLEX_SPEC: CommandSpec = CommandSpec {
    name: "ZRANGEBYLEX",
    ..BY_BASE
}
.syntax("key min max [LIMIT offset count]")
.summary("Returns members in a sorted set within a lexicographical range.")
.deprecated("6.2.0", "`ZRANGE` with the `BYLEX` argument");

const ZREVRANGEBYLEX_SPEC: CommandSpec = CommandSpec {
    name: "ZREVRANGEBYLEX",
    ..BY_BASE
}
.syntax("key max min [LIMIT offset count]")
.summary("Returns members in a sorted set within a lexicographical range in reverse order.")
.deprecated("6.2.0", "`ZRANGE` with the `REV` and `BYLEX` arguments");

fn settled(kind: Kind, direction: Direction) -> Settled {
    Settled {
        kind: Some(kind),
        direction: Some(direction),
        is_stored: false,
    }
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>, settled: Settled) -> CommandResult {
    let key = args.required()?;
    let selection = Selection::parse(args, settled)?;
    let Some(set) = ctx.db.collection::<SortedSet>(key)? else {
        ctx.reply.array(0);
        return DONE;
    };
    let ranks = selection.ranks(set);
    let len = ranks.len();
    let range = set.range_by_rank(ranks);
    match (selection.with_scores, selection.direction) {
        (true, Direction::Ascending) => reply_pairs(&mut ctx.reply, len, range),
        (true, Direction::Descending) => reply_pairs(&mut ctx.reply, len, range.rev()),
        (false, Direction::Ascending) => {
            ctx.reply.array(len);
            range.for_each(|(member, _)| ctx.reply.bulk(member));
        }
        (false, Direction::Descending) => {
            ctx.reply.array(len);
            range.rev().for_each(|(member, _)| ctx.reply.bulk(member));
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    fn on_abc(range: &str, want: &str) {
        check(
            &format!("ZADD z 1 a 2 b 3 c ; ZRANGE z {range}"),
            &format!(":3 ; {want}"),
        );
    }

    #[test]
    fn by_rank() {
        on_abc("0 -1", "[$a $b $c]");
        on_abc("1 1 WITHSCORES", "[$b $2]");
        on_abc("0 1 REV", "[$c $b]");
        on_abc("-1 -1 REV", "[$a]");
        on_abc("5 9", "[]");
        on_abc("0 9223372036854775807", "[$a $b $c]");
        on_abc("-9223372036854775808 0", "[$a]");
        check(
            "ZADD z 1 a 2 b ; ZREVRANGE z 0 0 WITHSCORES ; ZREVRANGE z 0 -1",
            ":2 ; [$b $2] ; [$b $a]",
        );
    }

    #[test]
    fn by_score() {
        on_abc("1 2 BYSCORE", "[$a $b]");
        on_abc("(1 +inf BYSCORE", "[$b $c]");
        on_abc("(3 1 BYSCORE REV", "[$b $a]");
        on_abc("-inf inf BYSCORE LIMIT 1 1", "[$b]");
        on_abc(
            "+inf -inf BYSCORE REV LIMIT 0 2 WITHSCORES",
            "[$c $3 $b $2]",
        );
        on_abc("-inf inf BYSCORE LIMIT -1 1", "[]");
        on_abc("-inf inf BYSCORE LIMIT 1 -1", "[$b $c]");
        on_abc("3 1 BYSCORE", "[]");
    }

    #[test]
    fn by_lex() {
        let on = |range: &str, want: &str| {
            check(
                &format!("ZADD z 0 a 0 b 0 c ; ZRANGE z {range}"),
                &format!(":3 ; {want}"),
            )
        };
        on("- + BYLEX", "[$a $b $c]");
        on("[b + BYLEX", "[$b $c]");
        on("(b (c BYLEX", "[]");
        on("+ (a BYLEX REV LIMIT 0 1", "[$c]");
    }

    #[test]
    fn resp3_nests_pairs() {
        check3(
            "ZADD z 1 a 2 b ; ZRANGE z 0 -1 WITHSCORES",
            ":2 ; [[$a ,1] [$b ,2]]",
        );
    }

    #[test]
    fn bad_input() {
        check(
            "ZRANGE z 0 -1 LIMIT 0 1",
            "-ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
        );
        check(
            "ZRANGE z - + BYLEX WITHSCORES",
            "-ERR syntax error, WITHSCORES not supported in combination with BYLEX",
        );
        check("ZRANGE z 0 1 BYSCORE LIMIT 0", "-ERR syntax error");
        check(
            "ZRANGE z a 1",
            "-ERR value is not an integer or out of range",
        );
        check("ZRANGE z a 1 BYSCORE", "-ERR min or max is not a float");
        check(
            "ZRANGE z a + BYLEX",
            "-ERR min or max not valid string range item",
        );
        check("ZREVRANGE z 0 1 REV", "-ERR syntax error");
        check("ZRANGE z 0 1 REV REV", "-ERR syntax error");
        check("ZRANGE z 0 1 BYLEX BYSCORE", "-ERR syntax error");
        check("ZRANGE z 0 -1 LIMIT 0 -1", "[]");
    }

    #[test]
    fn older_forms() {
        let on = |command: &str, want: &str| {
            check(
                &format!("ZADD z 1 a 2 b 3 c ; {command}"),
                &format!(":3 ; {want}"),
            )
        };
        on("ZRANGEBYSCORE z (1 3 LIMIT 1 5", "[$c]");
        on("ZRANGEBYSCORE z -inf +inf WITHSCORES LIMIT 0 1", "[$a $1]");
        on("ZREVRANGEBYSCORE z 3 (1", "[$c $b]");
        on("ZREVRANGEBYSCORE z +inf -inf LIMIT 1 1", "[$b]");
        on("ZREVRANGEBYSCORE z 1 3", "[]");
        on("ZREVRANGEBYSCORE z inf -inf LIMIT -1 2", "[]");
        let on = |command: &str, want: &str| {
            check(
                &format!("ZADD z 0 a 0 b 0 c ; {command}"),
                &format!(":3 ; {want}"),
            )
        };
        on("ZRANGEBYLEX z [b +", "[$b $c]");
        on("ZRANGEBYLEX z - (c LIMIT 1 9", "[$b]");
        on("ZREVRANGEBYLEX z + - LIMIT 0 2", "[$c $b]");
        on("ZREVRANGEBYLEX z (c [a", "[$b $a]");
        check("ZRANGEBYSCORE z 1 2 BYSCORE", "-ERR syntax error");
        check("ZREVRANGEBYLEX z + - REV", "-ERR syntax error");
        check(
            "ZRANGEBYLEX z - + WITHSCORES",
            "-ERR syntax error, WITHSCORES not supported in combination with BYLEX",
        );
        check("ZRANGEBYSCORE z a 2", "-ERR min or max is not a float");
    }
}
