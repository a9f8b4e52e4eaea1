//! What SCAN has in common with its like for the elements of one key: the cursor, and the options
//! that choose among what a step visits.

use config::glob::{self, Case};
use engine::{Args, CommandError};

const INVALID_CURSOR: CommandError = CommandError::Fixed("ERR invalid cursor");

/// The next word as a cursor.
pub(crate) fn parse_cursor(args: &mut Args<'_>) -> Result<u64, CommandError> {
    std::str::from_utf8(args.required()?)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or(INVALID_CURSOR)
}

/// MATCH and COUNT.
#[derive(Debug)]
pub(crate) struct ScanOptions<'a> {
    pattern: Option<&'a [u8]>,
    /// How many elements a step should visit, of which it may return fewer.
    pub(crate) count: usize,
}

impl<'a> ScanOptions<'a> {
    /// Parses the rest of the words. What is neither MATCH nor COUNT is for `other`, which says
    /// whether it took something.
    pub(crate) fn parse(
        args: &mut Args<'a>,
        mut other: impl FnMut(&mut Args<'a>) -> Result<bool, CommandError>,
    ) -> Result<ScanOptions<'a>, CommandError> {
        let mut options = ScanOptions {
            pattern: None,
            count: 10,
        };
        while !args.is_done() {
            if args.eat("MATCH") {
                options.pattern = Some(args.required()?).filter(|pattern| *pattern != b"*");
            } else if args.eat("COUNT") {
                let count = args.integer()?;
                if count < 1 {
                    return Err(CommandError::Syntax);
                }
                options.count = count as usize;
            } else if !other(args)? {
                return Err(CommandError::Syntax);
            }
        }
        Ok(options)
    }

    /// Whether the name of an element is one that was asked for.
    #[inline]
    pub(crate) fn allow(&self, name: &[u8]) -> bool {
        self.pattern
            .is_none_or(|pattern| glob::matches(pattern, name, Case::Exact))
    }

    /// Makes steps, each with the cursor that the one before answered, until enough elements have
    /// been seen, and returns the next cursor. `step` returns the cursor and how many it has seen.
    ///
    /// A step sees about six elements. Few or none come from a table that has lost most of them, so
    /// the number of steps has a bound too.
    pub(crate) fn steps(&self, cursor: u64, mut step: impl FnMut(u64) -> (u64, usize)) -> u64 {
        let (mut cursor, mut seen) = (cursor, 0);
        for _ in 0..self.count.saturating_mul(10) {
            let (next, count) = step(cursor);
            cursor = next;
            seen += count;
            if cursor == 0 || seen >= self.count {
                break;
            }
        }
        cursor
    }
}
