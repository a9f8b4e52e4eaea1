//! How SRANDMEMBER and its like for other types read their count: a positive one asks for that many
//! different elements, a negative one for that many draws, which may repeat.

use engine::{Args, CommandError};

/// The most draws. A reply of more could not be held in memory.
const DRAWS_MAX: u64 = 1 << 28;

const OUT_OF_RANGE: CommandError = CommandError::Fixed("ERR value is out of range");

/// How many elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// Different ones, or all if there are fewer.
    Different(usize),
    /// As many draws, each from all.
    Draws(usize),
}

impl Count {
    /// The next word as a count of elements.
    pub(crate) fn parse(args: &mut Args<'_>) -> Result<Count, CommandError> {
        let count = args.negatable()?;
        let number = count.unsigned_abs();
        Ok(if count >= 0 {
            Count::Different(number as usize)
        } else {
            Count::Draws(number as usize)
        })
    }

    /// Refuses what no reply can hold, given how many words an element takes there.
    pub(crate) fn check(self, words: u64) -> Result<(), CommandError> {
        let (number, max) = match self {
            Count::Different(number) => (number, i64::MAX as u64 / words),
            Count::Draws(number) => (number, DRAWS_MAX),
        };
        if number as u64 <= max {
            Ok(())
        } else {
            Err(OUT_OF_RANGE)
        }
    }

    /// How many elements come of `len`, which is not 0.
    pub(crate) fn of(self, len: usize) -> usize {
        match self {
            Count::Different(number) => number.min(len),
            Count::Draws(number) => number,
        }
    }
}
