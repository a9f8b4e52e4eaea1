//! The words of a command, and a cursor over them.

use resp::number::{parse_f64, parse_i64};

use crate::error::CommandError;

/// The words of one command, the name being word 0, and a cursor that starts behind the name.
///
/// The reading methods move the cursor; what they cannot read is the error that Redis gives.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    words: &'a [&'a [u8]],
    at: usize,
}

impl<'a> Args<'a> {
    /// The words of a command, of which there is at least one.
    #[inline]
    pub fn new(words: &'a [&'a [u8]]) -> Self {
        Args { words, at: 1 }
    }

    /// All words.
    #[inline]
    pub fn words(&self) -> &'a [&'a [u8]] {
        self.words
    }

    /// The number of words, the name included.
    #[inline]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Word `index`; the spec's arity guarantees that it is there.
    #[inline]
    pub fn at(&self, index: usize) -> &'a [u8] {
        self.words[index]
    }

    /// The words from the cursor on.
    #[inline]
    pub fn rest(&self) -> &'a [&'a [u8]] {
        &self.words[self.at.min(self.words.len())..]
    }

    /// Whether the cursor is behind the last word.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.at >= self.words.len()
    }

    /// Skips `count` words.
    #[inline]
    pub fn skip(&mut self, count: usize) {
        self.at += count;
    }

    /// The next word.
    #[inline]
    #[allow(clippy::should_implement_trait)] // a cursor, which is looked at between its steps
    pub fn next(&mut self) -> Option<&'a [u8]> {
        let word = self.words.get(self.at).copied()?;
        self.at += 1;
        Some(word)
    }

    /// The next word.
    ///
    /// # Errors
    /// A syntax error if there is none.
    #[inline]
    pub fn required(&mut self) -> Result<&'a [u8], CommandError> {
        self.next().ok_or(CommandError::Syntax)
    }

    /// The word at the cursor, without moving it.
    #[inline]
    pub fn peek(&self) -> Option<&'a [u8]> {
        self.words.get(self.at).copied()
    }

    /// Moves over the next word if it is `keyword`, in any case.
    #[inline]
    pub fn eat(&mut self, keyword: &str) -> bool {
        let found = self
            .peek()
            .is_some_and(|word| word.eq_ignore_ascii_case(keyword.as_bytes()));
        self.at += found as usize;
        found
    }

    /// The next word as an integer.
    ///
    /// # Errors
    /// A syntax error if there is none, "not an integer or out of range" if it is no canonical one.
    #[inline]
    pub fn integer(&mut self) -> Result<i64, CommandError> {
        parse_i64(self.required()?).ok_or(CommandError::NotAnInteger)
    }

    /// The next word as an integer that has a negative: any but the smallest.
    ///
    /// # Errors
    /// As [`Args::integer`]; for the smallest one, the range that Redis names.
    pub fn negatable(&mut self) -> Result<i64, CommandError> {
        match self.integer()? {
            i64::MIN => Err(CommandError::Fixed(
                "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
            )),
            value => Ok(value),
        }
    }

    /// The next word as a count, of 0 or more.
    ///
    /// # Errors
    /// A syntax error if there is none, "must be positive" if it is negative or no integer.
    #[inline]
    pub fn count(&mut self) -> Result<usize, CommandError> {
        parse_i64(self.required()?)
            .and_then(|count| usize::try_from(count).ok())
            .ok_or(CommandError::NotPositive)
    }

    /// The next word as the number of keys that follow it, and the keys.
    ///
    /// # Errors
    /// Redis's if it is no positive number, `too_many` if it is greater than the number of words
    /// behind it.
    pub fn counted_keys(&mut self, too_many: CommandError) -> Result<&'a [&'a [u8]], CommandError> {
        let count = parse_i64(self.required()?).filter(|count| *count > 0);
        let count = count.ok_or(CommandError::Fixed("ERR numkeys should be greater than 0"))?;
        let keys = usize::try_from(count)
            .ok()
            .and_then(|count| self.rest().get(..count))
            .ok_or(too_many)?;
        self.skip(keys.len());
        Ok(keys)
    }

    /// The next word as a float.
    ///
    /// # Errors
    /// A syntax error if there is none, "not a valid float" if it is none.
    #[inline]
    pub fn float(&mut self) -> Result<f64, CommandError> {
        parse_f64(self.required()?).ok_or(CommandError::NotAFloat)
    }
}
