//! Strings as arrays of bits, the most significant bit of a byte first: counting, searching and
//! combining, many bytes at a time, and integers of any width at any bit.
#![allow(unsafe_code)] // inside `wide!`, which says why it is safe

use std::ops::Range;

use crate::simd::wide;

wide! {
    /// The number of bits that are set.
    pub fn count_ones(bytes: &[u8]) -> u64 {
        // Independent sums, so that several vectors of them are in the making at a time.
        const SUMS: usize = 16;
        let mut sums = [0u64; SUMS];
        let (blocks, rest) = bytes.as_chunks::<{ SUMS * 8 }>();
        for block in blocks {
            for (sum, word) in sums.iter_mut().zip(block.as_chunks::<8>().0) {
                *sum += u64::from_le_bytes(*word).count_ones() as u64;
            }
        }
        let mut count: u64 = sums.iter().sum();
        let (words, rest) = rest.as_chunks::<8>();
        for word in words {
            count += u64::from_le_bytes(*word).count_ones() as u64;
        }
        for byte in rest {
            count += byte.count_ones() as u64;
        }
        count
    }
}

/// The number of bits of `range` that are set; the range lies inside `bytes`.
pub fn count_ones_in(bytes: &[u8], range: Range<u64>) -> u64 {
    if range.is_empty() {
        return 0;
    }
    let (first, last) = ((range.start / 8) as usize, ((range.end - 1) / 8) as usize);
    let before = bytes[first] & !first_mask(range.start);
    let behind = bytes[last] & !last_mask(range.end - 1);
    let around = before.count_ones() + behind.count_ones();
    count_ones(&bytes[first..=last]) - around as u64
}

/// The bits of a byte from `position` on.
fn first_mask(position: u64) -> u8 {
    0xff >> (position % 8)
}

/// The bits of a byte up to `position`, which is one of them.
fn last_mask(position: u64) -> u8 {
    !(0x7f >> (position % 8))
}

wide! {
    /// The index of the first byte that is not `skipped`.
    fn first_other(bytes: &[u8], skipped: u8) -> Option<usize> {
        let (blocks, _) = bytes.as_chunks::<64>();
        let mut start = 0;
        for block in blocks {
            // Without a branch for each byte, so that it is a few wide instructions.
            if block.iter().fold(0, |others, byte| others | (byte ^ skipped)) != 0 {
                break;
            }
            start += block.len();
        }
        let found = bytes[start..].iter().position(|byte| *byte != skipped);
        found.map(|index| start + index)
    }
}

/// The position of the first bit of `range` that is `wanted` (0 or 1); the range lies inside `bytes`.
pub fn first_bit(bytes: &[u8], range: Range<u64>, wanted: u8) -> Option<u64> {
    if range.is_empty() {
        return None;
    }
    // Turned so that it is a set bit that is looked for.
    let turned = if wanted == 0 { 0xff } else { 0 };
    let (first, last) = ((range.start / 8) as usize, ((range.end - 1) / 8) as usize);
    let at = |index: usize, found: u8| Some(index as u64 * 8 + found.leading_zeros() as u64);
    let last_only = last_mask(range.end - 1);
    let mut found = (bytes[first] ^ turned) & first_mask(range.start);
    if first == last {
        found &= last_only;
    }
    if found != 0 {
        return at(first, found);
    }
    if first == last {
        return None;
    }
    if let Some(index) = first_other(&bytes[first + 1..last], turned) {
        let index = first + 1 + index;
        return at(index, bytes[index] ^ turned);
    }
    match (bytes[last] ^ turned) & last_only {
        0 => None,
        found => at(last, found),
    }
}

/// How strings of bits are combined. What a string lacks in length is zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// The bits that are set in all.
    And,
    /// The bits that are set in any.
    Or,
    /// The bits that are set in an odd number of them.
    Xor,
    /// The bits that are not set in the first, which is the only one.
    Not,
    /// The bits of the first that are set in no other.
    FirstOnly,
    /// The bits that are set in any other and not in the first.
    NotFirst,
    /// The bits of the first that are set in any other.
    FirstAndAny,
    /// The bits that are set in exactly one.
    One,
}

/// Combines strings one after the other.
#[derive(Debug)]
pub struct Combiner {
    combination: Combination,
    strings: usize,
    /// The result so far; of the combinations that treat the first string apart, of all others.
    result: Vec<u8>,
    /// The first string, or the bits that are set in more than one, if the combination needs them.
    aside: Vec<u8>,
}

impl Combiner {
    /// Combines strings of which the longest has `len` bytes.
    pub fn new(combination: Combination, len: usize) -> Combiner {
        use Combination::{FirstAndAny, FirstOnly, NotFirst, One};
        let has_aside = matches!(combination, FirstOnly | NotFirst | FirstAndAny | One);
        Combiner {
            combination,
            strings: 0,
            result: vec![0; len],
            aside: vec![0; if has_aside { len } else { 0 }],
        }
    }

    /// The next string, which is no longer than was said.
    pub fn add(&mut self, string: &[u8]) {
        use Combination::{And, FirstAndAny, FirstOnly, Not, NotFirst, One, Or, Xor};
        let is_first = self.strings == 0;
        self.strings += 1;
        let (result, behind) = self.result.split_at_mut(string.len());
        match self.combination {
            And | Or | Xor if is_first => result.copy_from_slice(string),
            FirstOnly | NotFirst | FirstAndAny if is_first => {
                self.aside[..string.len()].copy_from_slice(string);
            }
            And => {
                zip(result, string, |result, byte| result & byte);
                behind.fill(0);
            }
            Or | FirstOnly | NotFirst | FirstAndAny => {
                zip(result, string, |result, byte| result | byte);
            }
            Xor => zip(result, string, |result, byte| result ^ byte),
            Not => {
                zip(result, string, |_, byte| !byte);
                behind.fill(0xff);
            }
            One => {
                let (several, _) = self.aside.split_at_mut(string.len());
                for ((several, any), byte) in several.iter_mut().zip(result).zip(string) {
                    *several |= *any & byte;
                    *any |= byte;
                }
            }
        }
    }

    /// The result.
    pub fn finish(mut self) -> Vec<u8> {
        use Combination::{FirstAndAny, FirstOnly, NotFirst, One};
        match self.combination {
            FirstOnly => zip(&mut self.result, &self.aside, |any, first| first & !any),
            NotFirst | One => zip(&mut self.result, &self.aside, |any, aside| any & !aside),
            FirstAndAny => zip(&mut self.result, &self.aside, |any, first| first & any),
            _ => {}
        }
        self.result
    }
}

fn zip(result: &mut [u8], others: &[u8], combine: impl Fn(u8, u8) -> u8) {
    for (result, other) in result.iter_mut().zip(others) {
        *result = combine(*result, *other);
    }
}

/// An integer of 1 to 64 bits at any position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The position of its first bit, the most significant one.
    pub position: u64,
    /// Its width.
    pub bits: u32,
}

impl Field {
    /// The number of bytes that a string needs to hold it.
    pub fn bytes_needed(self) -> usize {
        ((self.position + self.bits as u64 - 1) / 8 + 1) as usize
    }

    /// The integer, without a sign. What is behind the string's end is zeros.
    pub fn get(self, bytes: &[u8]) -> u64 {
        let window = self.window(bytes);
        ((window >> self.shift()) & self.mask()) as u64
    }

    /// Writes the lowest bits of `value`. The string holds the field.
    pub fn set(self, bytes: &mut [u8], value: u64) {
        let mask = self.mask() << self.shift();
        let window = self.window(bytes) & !mask | ((value as u128) << self.shift()) & mask;
        let (start, end) = ((self.position / 8) as usize, self.bytes_needed());
        bytes[start..end].copy_from_slice(&window.to_be_bytes()[..end - start]);
    }

    /// The sixteen bytes from the field's first on; nine of them can be the field's.
    fn window(self, bytes: &[u8]) -> u128 {
        let mut window = [0; 16];
        let start = usize::try_from(self.position / 8).unwrap_or(usize::MAX);
        let rest = bytes.get(start..).unwrap_or_default();
        let len = rest.len().min(9);
        window[..len].copy_from_slice(&rest[..len]);
        u128::from_be_bytes(window)
    }

    fn shift(self) -> u32 {
        128 - (self.position % 8) as u32 - self.bits
    }

    fn mask(self) -> u128 {
        (1 << self.bits) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Enabled, set_enabled};
    use proptest::prelude::*;

    fn bit(bytes: &[u8], position: u64) -> u8 {
        bytes[position as usize / 8] >> (7 - position % 8) & 1
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let byte = prop_oneof![Just(0u8), Just(0xffu8), any::<u8>()];
        let run = (byte, 1usize..200).prop_map(|(byte, len)| vec![byte; len]);
        let noise = proptest::collection::vec(any::<u8>(), 0..1200);
        prop_oneof![
            proptest::collection::vec(run, 0..6).prop_map(|runs| runs.concat()),
            noise
        ]
    }

    proptest! {
        #[test]
        fn counting_and_searching(bytes in bytes(), from in any::<u64>(), to in any::<u64>(), wanted in 0u8..2) {
            let bits = bytes.len() as u64 * 8;
            let (from, to) = (from % (bits + 1), to % (bits + 1));
            let range = from.min(to)..from.max(to);
            let ones = range.clone().filter(|at| bit(&bytes, *at) == 1).count() as u64;
            let all = (0..bits).filter(|at| bit(&bytes, *at) == 1).count() as u64;
            let first = range.clone().find(|at| bit(&bytes, *at) == wanted);
            for enabled in [Enabled::No, Enabled::Yes] {
                set_enabled(enabled);
                prop_assert_eq!(count_ones_in(&bytes, range.clone()), ones);
                prop_assert_eq!(count_ones(&bytes), all);
                prop_assert_eq!(first_bit(&bytes, range.clone(), wanted), first);
            }
        }

        #[test]
        fn combining(strings in proptest::collection::vec(bytes(), 1..5)) {
            use Combination::*;
            let len = strings.iter().map(Vec::len).max().unwrap();
            for combination in [And, Or, Xor, Not, FirstOnly, NotFirst, FirstAndAny, One] {
                let mut combiner = Combiner::new(combination, len);
                let strings = if combination == Not { &strings[..1] } else { &strings[..] };
                strings.iter().for_each(|string| combiner.add(string));
                let result = combiner.finish();
                prop_assert_eq!(result.len(), len);
                for (index, byte) in result.iter().enumerate() {
                    for shift in 0..8 {
                        let at = |string: &Vec<u8>| string.get(index).is_some_and(|byte| byte >> shift & 1 == 1);
                        let set = strings.iter().filter(|string| at(string)).count();
                        let others = strings[1..].iter().any(at);
                        let want = match combination {
                            And => set == strings.len(),
                            Or => set > 0,
                            Xor => set % 2 == 1,
                            Not => !at(&strings[0]),
                            FirstOnly => at(&strings[0]) && !others,
                            NotFirst => !at(&strings[0]) && others,
                            FirstAndAny => at(&strings[0]) && others,
                            One => set == 1,
                        };
                        prop_assert_eq!(byte >> shift & 1 == 1, want, "{:?}", combination);
                    }
                }
            }
        }

        #[test]
        fn fields(mut bytes in proptest::collection::vec(any::<u8>(), 20), position in 0u64..90, bits in 1u32..=64, value in any::<u64>()) {
            let field = Field { position, bits };
            let read = |bytes: &[u8]| (position..position + bits as u64).fold(0, |value, at| value << 1 | bit(bytes, at) as u64);
            prop_assert_eq!(field.get(&bytes), read(&bytes));
            let before = bytes.clone();
            field.set(&mut bytes, value);
            let kept = value & (u64::MAX >> (64 - bits));
            prop_assert_eq!(read(&bytes), kept);
            prop_assert_eq!(field.get(&bytes), kept);
            for at in (0..160).filter(|at| !(position..position + bits as u64).contains(at)) {
                prop_assert_eq!(bit(&bytes, at), bit(&before, at));
            }
            // Behind the end there are zeros.
            let cut = (position / 8) as usize + 1;
            let padded: Vec<u8> = bytes.iter().take(cut).copied().chain([0; 20]).collect();
            prop_assert_eq!(field.get(&bytes[..cut]), read(&padded));
        }
    }

    #[test]
    fn a_field_far_behind_the_end() {
        let field = Field {
            position: u64::MAX - 64,
            bits: 64,
        };
        assert_eq!(field.get(b"abc"), 0);
    }
}
