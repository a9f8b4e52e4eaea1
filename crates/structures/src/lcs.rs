//! The longest common subsequence of two strings.
//!
//! `L(i, j)` is the length for the first `i` bytes of one and the first `j` bytes of the other. A row
//! of it grows by 0 or 1 with each `j`, so a row is a bit for each `j`, and the next row follows from
//! it for 64 `j` at a time with an addition, whose carries do what a loop over `j` would do (Crochemore,
//! Iliopoulos, Pinzon and Reid, 2001). In these rows a bit is 0 where the length grows. The table of
//! plain dynamic programming was rejected: it takes 32 times the memory, and about as many times longer.
//!
//! Of several subsequences of the same length the one is taken that goes, from the ends, to a shorter
//! second string unless only a shorter first one keeps the length: Redis's choice.

/// A part that two strings share: consecutive bytes of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins in the first string.
    pub first: usize,
    /// Where it begins in the second string.
    pub second: usize,
    /// Its length.
    pub len: usize,
}

const WORD: usize = 64;

/// The bytes that [`runs`] needs beside the strings, roughly.
pub fn table_bytes(first: usize, second: usize) -> u128 {
    first as u128 * second.div_ceil(WORD) as u128 * 8
}

/// For each byte value that `of` has, a bit for each place where `within` has it.
struct Masks {
    index: [Option<u8>; 256],
    words: Vec<u64>,
    width: usize,
}

impl Masks {
    fn new(of: &[u8], within: &[u8]) -> Masks {
        let mut index = [None; 256];
        let mut count = 0;
        for byte in of {
            index[*byte as usize].get_or_insert_with(|| {
                count += 1;
                (count - 1) as u8
            });
        }
        let width = within.len().div_ceil(WORD);
        let mut words = vec![0; count * width];
        for (position, byte) in within.iter().enumerate() {
            if let Some(index) = index[*byte as usize] {
                words[index as usize * width + position / WORD] |= 1 << (position % WORD);
            }
        }
        Masks {
            index,
            words,
            width,
        }
    }

    fn of(&self, byte: u8) -> &[u64] {
        let start = self.index[byte as usize].map_or(0, |index| index as usize * self.width);
        &self.words[start..start + self.width]
    }
}

/// Makes `row` the row of one more byte, which has `mask` in the second string.
fn advance(row: &mut [u64], mask: &[u64]) {
    let mut carry = false;
    for (row, mask) in row.iter_mut().zip(mask) {
        let (sum, first) = row.overflowing_add(*row & mask);
        let (sum, second) = sum.overflowing_add(carry as u64);
        carry = first || second;
        *row = sum | (*row & !mask);
    }
}

/// The number of places below `len` where the length grows.
fn growth(row: &[u64], len: usize) -> usize {
    let zeros: usize = row.iter().map(|word| word.count_zeros() as usize).sum();
    // The bits behind the end are never in a mask, so they stay set.
    debug_assert!(zeros <= len);
    zeros
}

/// The length of the longest common subsequence.
pub fn length(first: &[u8], second: &[u8]) -> usize {
    let (long, short) = if first.len() >= second.len() {
        (first, second)
    } else {
        (second, first)
    };
    let masks = Masks::new(long, short);
    let mut row = vec![u64::MAX; masks.width];
    for byte in long {
        advance(&mut row, masks.of(*byte));
    }
    growth(&row, short.len())
}

/// The longest common subsequence as runs, the last first.
pub fn runs(first: &[u8], second: &[u8]) -> Vec<Run> {
    let masks = Masks::new(first, second);
    let width = masks.width;
    let mut rows = Vec::with_capacity(first.len() * width);
    let mut row = vec![u64::MAX; width];
    for byte in first {
        advance(&mut row, masks.of(*byte));
        rows.extend_from_slice(&row);
    }
    let mut runs: Vec<Run> = Vec::new();
    let (mut i, mut j) = (first.len(), second.len());
    while i > 0 && j > 0 {
        if first[i - 1] == second[j - 1] {
            (i, j) = (i - 1, j - 1);
            match runs.last_mut() {
                Some(run) if run.first == i + 1 && run.second == j + 1 => {
                    run.first = i;
                    run.second = j;
                    run.len += 1;
                }
                _ => runs.push(Run {
                    first: i,
                    second: j,
                    len: 1,
                }),
            }
            continue;
        }
        // Where the bytes differ, a length that grows with this `j` comes from a smaller `i`.
        let word = rows[(i - 1) * width + (j - 1) / WORD];
        if word >> ((j - 1) % WORD) & 1 == 0 {
            i -= 1;
        } else {
            j -= 1;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The table of plain dynamic programming, and Redis's way back through it.
    fn plain(a: &[u8], b: &[u8]) -> (usize, Vec<(usize, usize)>) {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 1..=a.len() {
            for j in 1..=b.len() {
                table[i][j] = if a[i - 1] == b[j - 1] {
                    table[i - 1][j - 1] + 1
                } else {
                    table[i - 1][j].max(table[i][j - 1])
                };
            }
        }
        let (mut i, mut j) = (a.len(), b.len());
        let mut pairs = Vec::new();
        while i > 0 && j > 0 {
            if a[i - 1] == b[j - 1] {
                (i, j) = (i - 1, j - 1);
                pairs.push((i, j));
            } else if table[i - 1][j] > table[i][j - 1] {
                i -= 1;
            } else {
                j -= 1;
            }
        }
        (table[a.len()][b.len()], pairs)
    }

    proptest! {
        #[test]
        fn as_plain_dynamic_programming(a in "[a-d]{0,200}", b in "[a-e]{0,200}") {
            let (a, b) = (a.as_bytes(), b.as_bytes());
            let (len, pairs) = plain(a, b);
            prop_assert_eq!(length(a, b), len);
            let runs = runs(a, b);
            let from_runs: Vec<_> = runs
                .iter()
                .flat_map(|run| (0..run.len).rev().map(|at| (run.first + at, run.second + at)))
                .collect();
            prop_assert_eq!(from_runs, pairs);
            for two in runs.windows(2) {
                let touch = two[1].first + two[1].len == two[0].first
                    && two[1].second + two[1].len == two[0].second;
                prop_assert!(!touch, "runs are as long as they can be");
            }
        }
    }
}
