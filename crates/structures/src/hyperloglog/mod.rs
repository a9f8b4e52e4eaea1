//! HyperLogLogs: about how many different elements were added, in 12 KB at the most.
//!
//! An element's hash chooses one of 16,384 registers, and the register keeps the longest run of zeros
//! that any hash of its had, plus one (the *rank*). From how often each rank occurs the number of
//! elements is estimated, with a standard error of 0.81 %.
//!
//! A HyperLogLog is a string in Redis's format, byte for byte, for it travels to other servers and back:
//!
//! ```text
//! offset  0        4          5          8                     16
//!        +--------+----------+----------+---------------------+-----------+
//!        | "HYLL" | encoding | not used | cached estimate     | registers |
//!        | 4      | u8       | 3        | u64, little endian  |           |
//!        +--------+----------+----------+---------------------+-----------+
//! ```
//!
//! `encoding` is 0 for [`dense`] registers and 1 for [`sparse`] ones. The topmost bit of the estimate is
//! set while it is out of date.
//!
//! The functions here work on such strings. A string of another length or header is refused by
//! [`check`]; sparse registers may be damaged all the same, which is found when they are read and is
//! [`Corrupt`]. Nothing that a string can hold makes a function panic.

pub mod dense;
mod estimate;
mod murmur;
pub mod sparse;

pub use estimate::Histogram;

/// The number of registers.
pub const REGISTERS: usize = 1 << INDEX_BITS;

/// How many bits of a hash choose the register; the others make the rank.
const INDEX_BITS: u32 = 14;

/// The greatest rank that a hash can have.
pub const RANK_MAX: u8 = (64 - INDEX_BITS + 1) as u8;

/// The length of the header.
pub const HEADER: usize = 16;

const MAGIC: &[u8] = b"HYLL";
const ENCODING_AT: usize = 4;
const ESTIMATE_AT: usize = 8;
const OUT_OF_DATE: u8 = 0x80;

/// How the registers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Six bits a register.
    Dense,
    /// Runs of equal registers.
    Sparse,
}

impl Encoding {
    /// The name that PFDEBUG shows.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Dense => "dense",
            Encoding::Sparse => "sparse",
        }
    }
}

/// The registers are not those of a HyperLogLog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrupt;

/// The encoding of a HyperLogLog; `None` if the string is none.
pub fn check(string: &[u8]) -> Option<Encoding> {
    if string.len() < HEADER || !string.starts_with(MAGIC) {
        return None;
    }
    match string[ENCODING_AT] {
        0 if string.len() == HEADER + dense::LEN => Some(Encoding::Dense),
        1 => Some(Encoding::Sparse),
        _ => None,
    }
}

/// A HyperLogLog without elements.
pub fn empty() -> Vec<u8> {
    let mut string = vec![0; HEADER];
    string[..MAGIC.len()].copy_from_slice(MAGIC);
    string[ENCODING_AT] = 1;
    sparse::push_zeros(&mut string, REGISTERS);
    string
}

/// What an element does: a register, and the rank that it has at least from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The register, below [`REGISTERS`].
    pub register: usize,
    /// The rank, from 1 to [`RANK_MAX`].
    pub rank: u8,
}

impl Mark {
    /// The mark of an element.
    pub fn of(element: &[u8]) -> Mark {
        let hash = murmur::hash(element);
        let rest = hash >> INDEX_BITS | 1 << (64 - INDEX_BITS);
        Mark {
            register: hash as usize % REGISTERS,
            rank: rest.trailing_zeros() as u8 + 1,
        }
    }
}

/// Sets marks in a HyperLogLog, which becomes dense when its sparse form would be longer than
/// `sparse_len_max` or cannot hold a rank. Returns whether a register changed; the estimate is out of
/// date then. On an error nothing can be said of what the string holds.
///
/// # Errors
/// [`Corrupt`] if the registers are not those of a HyperLogLog.
pub fn add(
    string: &mut Vec<u8>,
    marks: impl IntoIterator<Item = Mark>,
    sparse_len_max: usize,
) -> Result<bool, Corrupt> {
    let mut marks = marks.into_iter();
    let mut is_changed = false;
    while string[ENCODING_AT] != 0 {
        let Some(mark) = marks.next() else {
            break;
        };
        match sparse::raise(string, mark, sparse_len_max)? {
            sparse::Raised::Unchanged => {}
            sparse::Raised::Changed => is_changed = true,
            sparse::Raised::NotSparse => {
                *string = to_dense(string)?;
                is_changed |= dense::raise(dense_mut(string)?, mark);
            }
        }
    }
    if string[ENCODING_AT] == 0 {
        is_changed |= add_to_dense(string, marks)?;
    }
    if is_changed {
        put_out_of_date(string);
    }
    Ok(is_changed)
}

/// As [`add`], for a HyperLogLog that is dense.
///
/// # Errors
/// [`Corrupt`] if it is not.
pub fn add_to_dense(
    string: &mut [u8],
    marks: impl IntoIterator<Item = Mark>,
) -> Result<bool, Corrupt> {
    let registers = dense_mut(string)?;
    let mut is_changed = false;
    for mark in marks {
        is_changed |= dense::raise(registers, mark);
    }
    if is_changed {
        put_out_of_date(string);
    }
    Ok(is_changed)
}

/// Whether setting marks would change a dense HyperLogLog; `None` if it is sparse.
pub fn would_change(string: &[u8], marks: impl IntoIterator<Item = Mark>) -> Option<bool> {
    let registers = dense(string)?;
    let mut marks = marks.into_iter();
    Some(marks.any(|mark| dense::get(registers, mark.register) < mark.rank))
}

/// The same HyperLogLog in dense form.
///
/// # Errors
/// [`Corrupt`] if the registers are not those of a HyperLogLog.
pub fn to_dense(string: &[u8]) -> Result<Vec<u8>, Corrupt> {
    let mut registers = Registers::default();
    registers.merge(string)?;
    Ok(with_dense(&string[..HEADER], &registers))
}

fn with_dense(header: &[u8], registers: &Registers) -> Vec<u8> {
    let mut string = Vec::with_capacity(HEADER + dense::LEN);
    string.extend_from_slice(header);
    string[ENCODING_AT] = 0;
    dense::push(&mut string, &registers.ranks);
    string
}

/// The HyperLogLog `string` with the ranks of `registers`, which are its own or greater, in the form
/// in which Redis writes the result of PFMERGE; the estimate is out of date.
///
/// # Errors
/// [`Corrupt`] if the registers are not those of a HyperLogLog.
pub fn raised_to(
    string: &[u8],
    registers: &Registers,
    form: Encoding,
    sparse_len_max: usize,
) -> Result<Vec<u8>, Corrupt> {
    let mut result = match form {
        Encoding::Dense => with_dense(&string[..HEADER], registers),
        Encoding::Sparse => {
            let mut own = Registers::default();
            own.merge(string)?;
            let changed = own.ranks.iter().zip(registers.ranks.iter()).enumerate();
            let changed = changed.filter(|(_, (own, rank))| own < rank);
            let marks = changed.map(|(register, (_, rank))| Mark {
                register,
                rank: *rank,
            });
            if own.ranks.iter().all(|rank| *rank == 0) && string.len() == HEADER + 2 {
                // One run of zeros, as most destinations of PFMERGE are.
                sparse::of_marks(&string[..HEADER], marks, sparse_len_max)
                    .unwrap_or_else(|| with_dense(&string[..HEADER], registers))
            } else {
                let mut result = string.to_vec();
                add(&mut result, marks, sparse_len_max)?;
                result
            }
        }
    };
    put_out_of_date(&mut result);
    Ok(result)
}

/// The cached estimate, if it is up to date.
pub fn cached(string: &[u8]) -> Option<u64> {
    let bytes: [u8; 8] = string[ESTIMATE_AT..HEADER].try_into().ok()?;
    let estimate = u64::from_le_bytes(bytes);
    (estimate >> 63 == 0).then_some(estimate)
}

/// Caches an estimate.
pub fn set_cached(string: &mut [u8], estimate: u64) {
    string[ESTIMATE_AT..HEADER].copy_from_slice(&estimate.to_le_bytes());
}

/// Says that the cached estimate is out of date.
pub fn put_out_of_date(string: &mut [u8]) {
    string[HEADER - 1] |= OUT_OF_DATE;
}

/// The estimate, whether or not one is cached.
///
/// # Errors
/// [`Corrupt`] if the registers are not those of a HyperLogLog.
pub fn estimate(string: &[u8]) -> Result<u64, Corrupt> {
    let histogram = match dense(string) {
        Some(registers) => dense::histogram(registers),
        None => sparse::histogram(&string[HEADER..])?,
    };
    Ok(histogram.estimate())
}

/// The dense registers of a HyperLogLog that has such.
fn dense(string: &[u8]) -> Option<&[u8; dense::LEN]> {
    match string[ENCODING_AT] {
        0 => string[HEADER..].try_into().ok(),
        _ => None,
    }
}

fn dense_mut(string: &mut [u8]) -> Result<&mut [u8; dense::LEN], Corrupt> {
    (&mut string[HEADER..]).try_into().map_err(|_| Corrupt)
}

/// All registers, a byte each.
#[derive(Clone, Debug)]
pub struct Registers {
    ranks: Box<[u8; REGISTERS]>,
}

impl Default for Registers {
    fn default() -> Self {
        Registers {
            ranks: Box::new([0; REGISTERS]),
        }
    }
}

impl Registers {
    /// Raises each register to what it is in a HyperLogLog.
    ///
    /// # Errors
    /// [`Corrupt`] if the registers are not those of a HyperLogLog.
    pub fn merge(&mut self, string: &[u8]) -> Result<(), Corrupt> {
        match dense(string) {
            Some(registers) => {
                dense::merge(&mut self.ranks, registers);
                Ok(())
            }
            None => sparse::merge(&mut self.ranks, &string[HEADER..]),
        }
    }

    /// The ranks.
    pub fn ranks(&self) -> &[u8] {
        &self.ranks[..]
    }

    /// The estimate of the number of elements.
    pub fn estimate(&self) -> u64 {
        Histogram::of(&self.ranks[..]).estimate()
    }
}

#[cfg(test)]
mod tests;
