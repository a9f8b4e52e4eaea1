//! From registers to the number of elements: the improved estimator of Otmar Ertl, "New cardinality
//! estimation algorithms for HyperLogLog sketches", 2017 (arXiv:1702.01284), section 2. It needs no
//! table of corrections, and no special case for few elements.
//!
//! The sums go in the paper's order, which is Redis's, for the estimate is cached inside the value and
//! so has to be the same everywhere.

use super::{RANK_MAX, REGISTERS};

/// The limit of the bias correction for many registers, 1 / (2 ln 2).
const ALPHA: f64 = 0.721_347_520_444_481_7;

/// The ranks that six bits can hold, also those that no hash has.
const RANKS: usize = 64;

/// How many registers have each rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: [u32; RANKS],
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: [0; RANKS] }
    }
}

impl Histogram {
    /// Counts ranks that are given a byte each.
    pub(super) fn of(ranks: &[u8]) -> Histogram {
        let mut counters = Counters::default();
        let (blocks, rest) = ranks.as_chunks::<32>();
        blocks.iter().for_each(|block| counters.add(block));
        let mut histogram = counters.sum();
        for rank in rest {
            histogram.add(*rank, 1);
        }
        histogram
    }

    /// Counts `len` registers of a rank.
    pub(super) fn add(&mut self, rank: u8, len: usize) {
        self.counts[rank as usize % RANKS] += len as u32;
    }

    /// The estimate of the number of elements.
    pub fn estimate(&self) -> u64 {
        let m = REGISTERS as f64;
        let count = |rank: u8| self.counts[rank as usize] as f64;
        let mut z = m * tau((m - count(RANK_MAX)) / m);
        for rank in (1..RANK_MAX).rev() {
            z = (z + count(rank)) * 0.5;
        }
        z += m * sigma(count(0) / m);
        (ALPHA * m * m / z).round() as u64
    }
}

/// Several counts of the same, because a counter that is raised twice in a row waits for itself.
#[derive(Default)]
pub(super) struct Counters {
    histograms: [Histogram; 4],
}

impl Counters {
    pub(super) fn add(&mut self, ranks: &[u8; 32]) {
        for four in ranks.as_chunks::<4>().0 {
            for (histogram, rank) in self.histograms.iter_mut().zip(four) {
                histogram.counts[*rank as usize % RANKS] += 1;
            }
        }
    }

    pub(super) fn sum(&self) -> Histogram {
        let mut sum = Histogram::default();
        for histogram in &self.histograms {
            for (sum, count) in sum.counts.iter_mut().zip(&histogram.counts) {
                *sum += count;
            }
        }
        sum
    }
}

/// x + the sum of x^(2^k) * 2^(k-1) for k from 1 on.
fn sigma(mut x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z == before {
            return z;
        }
    }
}

/// (1 - x - the sum of (1 - x^(2^-k))^2 * 2^-k for k from 1 on) / 3.
fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z == before {
            return z / 3.0;
        }
    }
}
