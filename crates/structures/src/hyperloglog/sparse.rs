//! Sparse registers: a sequence of runs, for HyperLogLogs of few elements.
//!
//! | bytes               | run                                                              |
//! |---------------------|------------------------------------------------------------------|
//! | `00nnnnnn`          | n + 1 registers of rank 0                                         |
//! | `01nnnnnn nnnnnnnn` | n + 1 registers of rank 0, the first byte being the higher one    |
//! | `1rrrrrnn`          | n + 1 registers of rank r + 1                                     |
//!
//! The runs make up all registers. Equal registers may stand in more runs than they need: how they are
//! split depends on the order in which they came, and that order's result is the same as Redis's, so
//! that a value does not tell which server made it.

use super::{Corrupt, Histogram, Mark, REGISTERS};

/// The greatest rank that a run can have.
const RANK_MAX: u8 = 32;
/// The longest run of a rank.
const RANKED_MAX: usize = 4;
/// The longest run of zeros in one byte.
const SHORT_MAX: usize = 64;
/// How many runs are looked at for neighbours to join, from the one before a change on.
const JOINED_RUNS: usize = 5;

/// Some equal registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    rank: u8,
    len: usize,
    /// The number of bytes it was read from.
    width: usize,
}

impl Run {
    /// The run at the beginning of `bytes`; `None` if it is not whole, or if there is none.
    #[inline]
    fn read(bytes: &[u8]) -> Option<Run> {
        let first = *bytes.first()?;
        let (rank, len, width) = if first & 0x80 != 0 {
            ((first >> 2 & 0x1f) + 1, (first & 3) as usize + 1, 1)
        } else if first & 0x40 == 0 {
            (0, first as usize + 1, 1)
        } else {
            let second = *bytes.get(1)?;
            (0, ((first & 0x3f) as usize) << 8 | second as usize, 2)
        };
        let len = if width == 2 { len + 1 } else { len };
        Some(Run { rank, len, width })
    }
}

/// The runs of `bytes`; the last item is an error if the bytes do not end with a run.
fn runs(mut bytes: &[u8]) -> impl Iterator<Item = Result<Run, Corrupt>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let run = Run::read(bytes);
        bytes = run.map_or(&[], |run| &bytes[run.width..]);
        Some(run.ok_or(Corrupt))
    })
}

/// The byte of a run of a rank.
fn ranked(rank: u8, len: usize) -> u8 {
    0x80 | (rank - 1) << 2 | (len - 1) as u8
}

/// Appends a run of zeros, unless it has no length; the longest has [`REGISTERS`].
pub(super) fn push_zeros(bytes: &mut impl Extend<u8>, len: usize) {
    match len {
        0 => {}
        1..=SHORT_MAX => bytes.extend([(len - 1) as u8]),
        _ => bytes.extend([0x40 | ((len - 1) >> 8) as u8, (len - 1) as u8]),
    }
}

/// The width of a run of zeros.
fn zeros_width(len: usize) -> usize {
    match len {
        0 => 0,
        1..=SHORT_MAX => 1,
        _ => 2,
    }
}

/// What became of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Raised {
    /// It had the rank, or a greater one.
    Unchanged,
    /// It has the rank now.
    Changed,
    /// A sparse string cannot be so long, or hold the rank. It is as it was.
    NotSparse,
}

/// Sets a mark in a whole HyperLogLog, its header included.
///
/// # Errors
/// [`Corrupt`] if there is no such register.
pub(super) fn raise(string: &mut Vec<u8>, mark: Mark, len_max: usize) -> Result<Raised, Corrupt> {
    if mark.rank > RANK_MAX {
        return Ok(Raised::NotSparse);
    }
    // The run with the register, its first register, and the place of the run before it.
    let (mut at, mut first, mut before) = (super::HEADER, 0, None);
    let run = loop {
        let run = Run::read(&string[at..]).ok_or(Corrupt)?;
        if mark.register < first + run.len {
            break run;
        }
        before = Some(at);
        at += run.width;
        first += run.len;
    };
    if run.rank >= mark.rank {
        return Ok(Raised::Unchanged);
    }
    if run.len == 1 && run.width == 1 {
        string[at] = ranked(mark.rank, 1);
    } else {
        // The run in up to three parts: before the register, the register, behind it.
        let (less, more) = (mark.register - first, first + run.len - 1 - mark.register);
        let mut parts = smallvec::SmallVec::<[u8; 5]>::new();
        let push = |parts: &mut smallvec::SmallVec<[u8; 5]>, len: usize| match run.rank {
            0 => push_zeros(parts, len),
            _ if len > 0 => parts.push(ranked(run.rank, len)),
            _ => {}
        };
        push(&mut parts, less);
        parts.push(ranked(mark.rank, 1));
        push(&mut parts, more);
        if parts.len() > run.width && string.len() + parts.len() - run.width > len_max {
            return Ok(Raised::NotSparse);
        }
        string.splice(at..at + run.width, parts);
    }
    join(string, before.unwrap_or(super::HEADER));
    Ok(Raised::Changed)
}

/// Joins neighbours of the same rank where a run can be as long as both, from `at` on.
fn join(string: &mut Vec<u8>, mut at: usize) {
    for _ in 0..JOINED_RUNS {
        let Some(run) = string.get(at..).and_then(Run::read) else {
            return;
        };
        let next = string.get(at + run.width..).and_then(Run::read);
        match next {
            Some(next)
                if run.rank != 0 && next.rank == run.rank && run.len + next.len <= RANKED_MAX =>
            {
                string[at] = ranked(run.rank, run.len + next.len);
                string.remove(at + 1);
            }
            _ => at += run.width,
        }
    }
}

/// The HyperLogLog that [`raise`] makes of an empty one with this header for marks of ascending
/// registers, without looking for each register anew. `None` if it does not stay sparse.
pub(super) fn of_marks(
    header: &[u8],
    marks: impl Iterator<Item = Mark>,
    len_max: usize,
) -> Option<Vec<u8>> {
    let mut string = header.to_vec();
    // The next register, and the last run if it is one of a rank, and ends before that register.
    let (mut next, mut last) = (0, None);
    for mark in marks {
        if mark.rank > RANK_MAX {
            return None;
        }
        let (less, more) = (mark.register - next, REGISTERS - 1 - mark.register);
        let old_width = zeros_width(REGISTERS - next);
        let width = zeros_width(less) + 1 + zeros_width(more);
        if width > old_width && string.len() + width > len_max {
            return None;
        }
        push_zeros(&mut string, less);
        last = match last {
            Some((rank, len)) if less == 0 && rank == mark.rank && len < RANKED_MAX => {
                string.pop();
                Some((rank, len + 1))
            }
            _ => Some((mark.rank, 1)),
        };
        if let Some((rank, len)) = last {
            string.push(ranked(rank, len));
        }
        next = mark.register + 1;
    }
    push_zeros(&mut string, REGISTERS - next);
    Some(string)
}

/// How many registers have each rank.
pub(super) fn histogram(bytes: &[u8]) -> Result<Histogram, Corrupt> {
    let (mut histogram, mut total) = (Histogram::default(), 0);
    for run in runs(bytes) {
        let run = run?;
        total += run.len;
        if total > REGISTERS {
            return Err(Corrupt);
        }
        histogram.add(run.rank, run.len);
    }
    if total == REGISTERS {
        Ok(histogram)
    } else {
        Err(Corrupt)
    }
}

/// Raises `ranks` to those of the runs.
pub(super) fn merge(ranks: &mut [u8; REGISTERS], bytes: &[u8]) -> Result<(), Corrupt> {
    let mut rest = &mut ranks[..];
    for run in runs(bytes) {
        let run = run?;
        let (own, behind) = rest.split_at_mut_checked(run.len).ok_or(Corrupt)?;
        if run.rank != 0 {
            for rank in own {
                *rank = (*rank).max(run.rank);
            }
        }
        rest = behind;
    }
    if rest.is_empty() {
        Ok(())
    } else {
        Err(Corrupt)
    }
}

/// The runs of a whole HyperLogLog as text: `z:len` and `Z:len` for zeros in one and two bytes,
/// `v:rank,len` for others. Stops at what is no run.
pub fn describe(string: &[u8]) -> String {
    let runs = runs(&string[super::HEADER..]).map_while(Result::ok);
    let words: Vec<String> = runs
        .map(|run| match (run.rank, run.width) {
            (0, 1) => format!("z:{}", run.len),
            (0, _) => format!("Z:{}", run.len),
            (rank, _) => format!("v:{rank},{}", run.len),
        })
        .collect();
    words.join(" ")
}
