//! The ends of ranges, as the commands' arguments name them: `5`, `(5`, `-inf`, `[member`, `(member`,
//! `-`, `+`, and ranks that count from the end if negative.

use std::ops::{Bound, Range};

use engine::CommandError;
use resp::number::{parse_f64_loosely, parse_i64};
use structures::sorted_set::{LexBound, LexRange, ScoreRange};

const NOT_A_SCORE: CommandError = CommandError::Fixed("ERR min or max is not a float");
const NOT_A_LEX_BOUND: CommandError =
    CommandError::Fixed("ERR min or max not valid string range item");

/// The range of scores from `min` to `max`.
pub(super) fn scores(min: &[u8], max: &[u8]) -> Result<ScoreRange, CommandError> {
    let bound = |text: &[u8]| -> Result<Bound<f64>, CommandError> {
        let (text, is_excluded) = match text.strip_prefix(b"(") {
            Some(text) => (text, true),
            None => (text, false),
        };
        let score = parse_f64_loosely(text).ok_or(NOT_A_SCORE)?;
        Ok(if is_excluded {
            Bound::Excluded(score)
        } else {
            Bound::Included(score)
        })
    };
    Ok(ScoreRange {
        min: bound(min)?,
        max: bound(max)?,
    })
}

/// The range of members from `min` to `max`.
pub(super) fn members<'a>(min: &'a [u8], max: &'a [u8]) -> Result<LexRange<'a>, CommandError> {
    let bound = |text: &'a [u8]| match text {
        b"-" => Ok(LexBound::Min),
        b"+" => Ok(LexBound::Max),
        [b'[', member @ ..] => Ok(LexBound::Included(member)),
        [b'(', member @ ..] => Ok(LexBound::Excluded(member)),
        _ => Err(NOT_A_LEX_BOUND),
    };
    Ok(LexRange {
        min: bound(min)?,
        max: bound(max)?,
    })
}

/// First and last rank, from the end if negative.
#[derive(Clone, Copy)]
pub(super) struct Ranks {
    start: i64,
    stop: i64,
}

impl Ranks {
    pub(super) fn parse(start: &[u8], stop: &[u8]) -> Result<Ranks, CommandError> {
        let rank = |text| parse_i64(text).ok_or(CommandError::NotAnInteger);
        Ok(Ranks {
            start: rank(start)?,
            stop: rank(stop)?,
        })
    }

    /// The ranks among `len`.
    pub(super) fn resolve(self, len: usize) -> Range<usize> {
        let len = len as i64;
        let absolute = |rank: i64| {
            if rank < 0 {
                rank.saturating_add(len)
            } else {
                rank
            }
        };
        let start = absolute(self.start).clamp(0, len);
        let end = absolute(self.stop).saturating_add(1).clamp(start, len);
        start as usize..end as usize
    }
}
