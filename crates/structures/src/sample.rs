//! Random samples of collections.
//!
//! Two ways to draw some items without repetition. *Selection* passes over all items once and takes
//! each with the probability that is still due (Knuth's algorithm S): every subset is equally
//! likely, the order is that of the collection, and nothing is kept on the side. *Rejection* draws
//! single items and forgets those that came before; it looks at a few items only, and is the better
//! way when a few are wanted of many and a single one can be drawn in O(1). Copying the collection
//! and removing from the copy was rejected: it allocates what selection does without.

use crate::item::below;
use std::collections::HashSet;

/// Rejection is the better way while at most one item of this many is wanted: then at most a third
/// of the draws is in vain.
const REJECTION_SHARE: usize = 3;

/// Whether to draw `count` of `len` items by [`reject`], if a single one can be drawn in O(1).
#[inline]
pub(crate) fn is_sparse(count: usize, len: usize) -> bool {
    count <= len / REJECTION_SHARE
}

/// Visits `count` of the `len` items, each subset with the same probability, in their order.
pub(crate) fn select<T>(
    items: impl Iterator<Item = T>,
    len: usize,
    count: usize,
    mut random: impl FnMut() -> u64,
    mut visit: impl FnMut(T),
) {
    let (mut left, mut wanted) = (len, count.min(len));
    for item in items {
        if wanted == 0 {
            break;
        }
        if below(random(), left) < wanted {
            visit(item);
            wanted -= 1;
        }
        left -= 1;
    }
}

/// Visits `count` different items that `draw` gives; two are the same if `identity` is. There have
/// to be more than `count`.
pub(crate) fn reject<T: Copy>(
    count: usize,
    mut draw: impl FnMut() -> Option<T>,
    identity: impl Fn(T) -> u64,
    mut visit: impl FnMut(T),
) {
    let mut seen = HashSet::new();
    while seen.len() < count {
        let Some(item) = draw() else { return };
        if seen.insert(identity(item)) {
            visit(item);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Panics if the counts, which should be equal, differ by more than chance explains: the sum of
    /// squares is within six standard deviations of what it should be.
    #[track_caller]
    pub(crate) fn assert_uniform(counts: &[u64]) {
        let total: u64 = counts.iter().sum();
        let mean = total as f64 / counts.len() as f64;
        let chi_square: f64 = counts
            .iter()
            .map(|&count| (count as f64 - mean).powi(2) / mean)
            .sum();
        let freedom = counts.len() as f64 - 1.0;
        assert!(
            chi_square < freedom + 6.0 * (2.0 * freedom).sqrt(),
            "chi-square {chi_square} with {freedom} degrees of freedom"
        );
    }

    /// A sequence of numbers that is the same in each run.
    pub(crate) fn numbers(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }
    }

    #[test]
    fn every_subset_is_equally_likely() {
        let mut random = numbers(1);
        let mut by_selection = [0u64; 32];
        let mut by_rejection = [0u64; 32];
        for _ in 0..20_000 {
            let mut subset = 0usize;
            select(0..5, 5, 2, &mut random, |i| subset |= 1 << i);
            by_selection[subset] += 1;
            subset = 0;
            let draw = || Some(below(random(), 5) as u64);
            reject(2, draw, |i| i, |i| subset |= 1 << i);
            by_rejection[subset] += 1;
        }
        for counts in [by_selection, by_rejection] {
            let pairs: Vec<u64> = (0..32usize)
                .filter(|subset| subset.count_ones() == 2)
                .map(|subset| counts[subset])
                .collect();
            assert_eq!(pairs.iter().sum::<u64>(), 20_000);
            assert_uniform(&pairs);
        }
    }

    #[test]
    fn selection_takes_exactly_as_many() {
        let mut random = numbers(2);
        for len in 0..20 {
            for count in 0..=len + 2 {
                let mut taken = Vec::new();
                select(0..len, len, count, &mut random, |i| taken.push(i));
                assert_eq!(taken.len(), count.min(len));
                assert!(taken.is_sorted());
            }
        }
    }
}
