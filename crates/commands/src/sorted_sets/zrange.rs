//! ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES], and ZREVRANGE
//!
//! Every kind of range becomes a range of ranks first; direction, offset and limit are arithmetic on
//! those.

use std::ops::Range;

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use structures::sorted_set::{LexRange, ScoreRange, SortedSet};

use super::bounds::{self, Ranks};
use super::reply_pairs;

pub(super) const ZRANGE: Command = Command::new(&ZRANGE_SPEC, |ctx, args| run(ctx, parse(args)?));
pub(super) const ZREVRANGE: Command =
    Command::new(&ZREVRANGE_SPEC, |ctx, args| run(ctx, parse_reverse(args)?));

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

const LIMIT_NEEDS_BY: CommandError = CommandError::Fixed(
    "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
);
const NO_SCORES_BY_LEX: CommandError =
    CommandError::Fixed("ERR syntax error, WITHSCORES not supported in combination with BYLEX");

struct Zrange<'a> {
    key: &'a [u8],
    by: By<'a>,
    is_reverse: bool,
    /// Offset and count; a negative count is all.
    limit: Option<(i64, i64)>,
    with_scores: bool,
}

enum By<'a> {
    Rank(Ranks),
    Score(ScoreRange),
    Lex(LexRange<'a>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rank,
    Score,
    Lex,
}

fn parse<'a>(args: Args<'a>) -> Result<Zrange<'a>, CommandError> {
    parse_options(args, None, None)
}

fn parse_reverse<'a>(args: Args<'a>) -> Result<Zrange<'a>, CommandError> {
    parse_options(args, Some(Kind::Rank), Some(true))
}

/// The options of the whole family; what a command's name settles already is no option of it.
fn parse_options<'a>(
    mut args: Args<'a>,
    mut kind: Option<Kind>,
    mut is_reverse: Option<bool>,
) -> Result<Zrange<'a>, CommandError> {
    let (key, start, stop) = (args.required()?, args.required()?, args.required()?);
    let (mut limit, mut with_scores) = (None, false);
    while !args.is_done() {
        if args.eat("WITHSCORES") {
            with_scores = true;
        } else if args.rest().len() > 2 && args.eat("LIMIT") {
            limit = Some((args.integer()?, args.integer()?));
        } else if is_reverse.is_none() && args.eat("REV") {
            is_reverse = Some(true);
        } else if kind.is_none() && args.eat("BYSCORE") {
            kind = Some(Kind::Score);
        } else if kind.is_none() && args.eat("BYLEX") {
            kind = Some(Kind::Lex);
        } else {
            return Err(CommandError::Syntax);
        }
    }
    let (kind, is_reverse) = (kind.unwrap_or(Kind::Rank), is_reverse.unwrap_or(false));
    // By rank, a limit of all is accepted and means nothing.
    if kind == Kind::Rank && limit.take().is_some_and(|(_, count)| count != -1) {
        return Err(LIMIT_NEEDS_BY);
    }
    if with_scores && kind == Kind::Lex {
        return Err(NO_SCORES_BY_LEX);
    }
    // Backwards, the greater end comes first.
    let (min, max) = if is_reverse {
        (stop, start)
    } else {
        (start, stop)
    };
    let by = match kind {
        Kind::Rank => By::Rank(Ranks::parse(start, stop)?),
        Kind::Score => By::Score(bounds::scores(min, max)?),
        Kind::Lex => By::Lex(bounds::members(min, max)?),
    };
    Ok(Zrange {
        key,
        by,
        is_reverse,
        limit,
        with_scores,
    })
}

impl Zrange<'_> {
    /// The ranks that are asked for, in ascending order.
    fn ranks(&self, set: &SortedSet) -> Range<usize> {
        let len = set.len();
        let mut ranks = match &self.by {
            // Backwards, ranks count from the last member.
            By::Rank(ranks) if self.is_reverse => {
                let Range { start, end } = ranks.resolve(len);
                len - end..len - start
            }
            By::Rank(ranks) => ranks.resolve(len),
            By::Score(range) => set.ranks_by_score(range),
            By::Lex(range) => set.ranks_by_lex(range),
        };
        if let Some((offset, count)) = self.limit {
            let Ok(offset) = usize::try_from(offset) else {
                return 0..0;
            };
            let offset = offset.min(ranks.len());
            let count = usize::try_from(count)
                .unwrap_or(usize::MAX)
                .min(ranks.len() - offset);
            if self.is_reverse {
                ranks = ranks.end - offset - count..ranks.end - offset;
            } else {
                ranks = ranks.start + offset..ranks.start + offset + count;
            }
        }
        ranks
    }
}

fn run(ctx: &mut Ctx<'_>, zrange: Zrange<'_>) -> CommandResult {
    let Some(set) = ctx.db.collection::<SortedSet>(zrange.key)? else {
        ctx.reply.array(0);
        return DONE;
    };
    let ranks = zrange.ranks(set);
    let len = ranks.len();
    let range = set.range_by_rank(ranks);
    match (zrange.with_scores, zrange.is_reverse) {
        (true, false) => reply_pairs(&mut ctx.reply, len, range),
        (true, true) => reply_pairs(&mut ctx.reply, len, range.rev()),
        (false, false) => {
            ctx.reply.array(len);
            range.for_each(|(member, _)| ctx.reply.bulk(member));
        }
        (false, true) => {
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
}
