//! The grammar of ranges, shared by ZRANGE, its older forms and ZRANGESTORE:
//! `start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count]`.
//!
//! Every kind of range becomes a range of ranks first; direction, offset and limit are arithmetic on
//! those.

use std::ops::Range;

use engine::{Args, CommandError};
use structures::sorted_set::{LexRange, ScoreRange, SortedSet};

use super::bounds::{self, Ranks};

const LIMIT_NEEDS_BY: CommandError = CommandError::Fixed(
    "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
);
const NO_SCORES_BY_LEX: CommandError =
    CommandError::Fixed("ERR syntax error, WITHSCORES not supported in combination with BYLEX");

/// What the ends of a range are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Rank,
    Score,
    Lex,
}

/// In which order a range is named and read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Ascending,
    Descending,
}

/// What a command's name settles already, and so is no option of it.
#[derive(Clone, Copy, Default)]
pub(super) struct Settled {
    pub(super) kind: Option<Kind>,
    pub(super) direction: Option<Direction>,
    /// WITHSCORES is no option, for the result is a set.
    pub(super) is_stored: bool,
}

/// A range of a set that is known only later.
pub(super) struct Selection<'a> {
    by: By<'a>,
    pub(super) direction: Direction,
    /// Offset and count; a negative count is all.
    limit: Option<(i64, i64)>,
    pub(super) with_scores: bool,
}

/// The ends of a range.
pub(super) enum By<'a> {
    Rank(Ranks),
    Score(ScoreRange),
    Lex(LexRange<'a>),
}

impl<'a> By<'a> {
    /// The range from `min` to `max`.
    pub(super) fn parse(kind: Kind, min: &'a [u8], max: &'a [u8]) -> Result<Self, CommandError> {
        Ok(match kind {
            Kind::Rank => By::Rank(Ranks::parse(min, max)?),
            Kind::Score => By::Score(bounds::scores(min, max)?),
            Kind::Lex => By::Lex(bounds::members(min, max)?),
        })
    }

    /// The ranks in `set`, counted from its first member.
    pub(super) fn ranks(&self, set: &SortedSet) -> Range<usize> {
        match self {
            By::Rank(ranks) => ranks.resolve(set.len()),
            By::Score(range) => set.ranks_by_score(range),
            By::Lex(range) => set.ranks_by_lex(range),
        }
    }
}

impl<'a> Selection<'a> {
    /// Parses the two ends and the options behind them.
    pub(super) fn parse(mut args: Args<'a>, settled: Settled) -> Result<Self, CommandError> {
        let Settled {
            mut kind,
            mut direction,
            is_stored,
        } = settled;
        let (start, stop) = (args.required()?, args.required()?);
        let (mut limit, mut with_scores) = (None, false);
        while !args.is_done() {
            if !is_stored && args.eat("WITHSCORES") {
                with_scores = true;
            } else if args.rest().len() > 2 && args.eat("LIMIT") {
                limit = Some((args.integer()?, args.integer()?));
            } else if direction.is_none() && args.eat("REV") {
                direction = Some(Direction::Descending);
            } else if kind.is_none() && args.eat("BYSCORE") {
                kind = Some(Kind::Score);
            } else if kind.is_none() && args.eat("BYLEX") {
                kind = Some(Kind::Lex);
            } else {
                return Err(CommandError::Syntax);
            }
        }
        let kind = kind.unwrap_or(Kind::Rank);
        let direction = direction.unwrap_or(Direction::Ascending);
        // By rank, a limit of all is accepted and means nothing.
        if kind == Kind::Rank && limit.take().is_some_and(|(_, count)| count != -1) {
            return Err(LIMIT_NEEDS_BY);
        }
        if with_scores && kind == Kind::Lex {
            return Err(NO_SCORES_BY_LEX);
        }
        // Backwards, the greater end comes first; ranks are counted backwards instead.
        let by = if direction == Direction::Descending && kind != Kind::Rank {
            By::parse(kind, stop, start)?
        } else {
            By::parse(kind, start, stop)?
        };
        Ok(Selection {
            by,
            direction,
            limit,
            with_scores,
        })
    }

    /// The ranks that are asked for, counted from the first member of `set`.
    pub(super) fn ranks(&self, set: &SortedSet) -> Range<usize> {
        let is_descending = self.direction == Direction::Descending;
        let mut ranks = self.by.ranks(set);
        if is_descending && matches!(self.by, By::Rank(_)) {
            ranks = set.len() - ranks.end..set.len() - ranks.start;
        }
        if let Some((offset, count)) = self.limit {
            let Ok(offset) = usize::try_from(offset) else {
                return 0..0;
            };
            let offset = offset.min(ranks.len());
            let count = usize::try_from(count)
                .unwrap_or(usize::MAX)
                .min(ranks.len() - offset);
            if is_descending {
                ranks = ranks.end - offset - count..ranks.end - offset;
            } else {
                ranks = ranks.start + offset..ranks.start + offset + count;
            }
        }
        ranks
    }
}
