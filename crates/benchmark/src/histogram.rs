//! Latencies in a log-linear histogram.
//!
//! The layout is that of an HDR histogram: up to `2 * half` microseconds every value has its own
//! count, and each further doubling of the range has `half` counts, so that any value is known to
//! the wanted number of significant figures. The `hdrhistogram` crate has the same layout; what
//! redis-benchmark prints needs an iteration whose step changes on the way, which that crate does
//! not offer, and the rest is a page of code.
//!
//! | index | values of one count |
//! |---|---|
//! | `0 .. 2h` | the index itself |
//! | `2h + k*h .. 3h + k*h` | `2^(k+1)` neighbours, from `2h * 2^k` on |

/// Values above this (71 minutes) are counted as this.
const VALUE_MAX: u64 = u32::MAX as u64;

/// Counts of latencies in microseconds.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    /// log2 of `half`.
    half_bits: u32,
    total: u64,
    sum: u64,
    min: u64,
    max: u64,
}

/// One line of a distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) percentile: f64,
    pub(crate) value_us: u64,
    /// How many values are not above `value_us`.
    pub(crate) cumulative: u64,
}

impl Histogram {
    /// `figures` significant decimal figures, 1 to 4.
    pub(crate) fn new(figures: u32) -> Self {
        let resolution = 2 * 10_u64.pow(figures.clamp(1, 4));
        let half_bits = resolution.next_power_of_two().trailing_zeros() - 1;
        let mut new = Self {
            counts: Vec::new(),
            half_bits,
            total: 0,
            sum: 0,
            min: u64::MAX,
            max: 0,
        };
        new.counts = vec![0; new.index(VALUE_MAX) + 1];
        new
    }

    fn index(&self, value: u64) -> usize {
        let linear = 2_u64 << self.half_bits;
        let shift = (value | (linear - 1)).ilog2() - self.half_bits;
        (u64::from(shift) << self.half_bits) as usize + (value >> shift) as usize
    }

    /// The largest value that is counted at `index`.
    fn highest(&self, index: usize) -> u64 {
        let half = 1_usize << self.half_bits;
        if index < 2 * half {
            return index as u64;
        }
        let shift = index / half - 1;
        let sub = (index % half + half) as u64;
        ((sub + 1) << shift) - 1
    }

    /// Counts `times` requests that took `value_us` each.
    pub(crate) fn record(&mut self, value_us: u64, times: u64) {
        let value = value_us.min(VALUE_MAX);
        let index = self.index(value);
        self.counts[index] += times;
        self.total += times;
        self.sum += value * times;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    /// Adds the counts of another histogram of the same precision.
    pub(crate) fn merge(&mut self, other: &Self) {
        debug_assert_eq!(self.half_bits, other.half_bits);
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.total += other.total;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    pub(crate) const fn total(&self) -> u64 {
        self.total
    }

    pub(crate) const fn sum_us(&self) -> u64 {
        self.sum
    }

    pub(crate) fn mean_us(&self) -> f64 {
        if self.total == 0 {
            0.0
        } else {
            self.sum as f64 / self.total as f64
        }
    }

    pub(crate) const fn min_us(&self) -> u64 {
        if self.total == 0 { 0 } else { self.min }
    }

    pub(crate) const fn max_us(&self) -> u64 {
        self.max
    }

    /// The value that `percentile` of 100 requests did not exceed.
    pub(crate) fn percentile_us(&self, percentile: f64) -> u64 {
        let wanted = ((percentile / 100.0 * self.total as f64 + 0.5) as u64).max(1);
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return self.highest(index).min(self.max);
            }
        }
        self.max
    }

    /// The distribution at 0, 50, 75, 87.5 ... percent: each step halves what is left. Steps that
    /// add no request are left out; the last step is 100 %.
    pub(crate) fn halving_percentiles(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let (mut cumulative, mut wanted, mut left) = (0, 0.0, 100.0);
        for (index, &count) in self.counts.iter().enumerate() {
            cumulative += count;
            let reached = cumulative as f64 * 100.0 / self.total as f64;
            if count == 0 || wanted > reached {
                continue;
            }
            let value_us = self.highest(index).min(self.max);
            steps.push(Step {
                percentile: wanted,
                value_us,
                cumulative,
            });
            if cumulative == self.total {
                steps.push(Step {
                    percentile: 100.0,
                    value_us,
                    cumulative,
                });
                break;
            }
            while wanted <= reached {
                left /= 2.0;
                wanted = 100.0 - left;
            }
        }
        steps
    }

    /// The distribution over steps of 0.1 ms, and of 1 ms once 2 ms are passed. Steps that add no
    /// request are left out, but for the first.
    pub(crate) fn linear(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let (mut index, mut cumulative, mut level) = (0, 0, 100);
        while cumulative < self.total {
            let end = self.index(level);
            cumulative += self.counts[index..=end].iter().sum::<u64>();
            index = end + 1;
            if steps
                .last()
                .is_none_or(|last| last.cumulative != cumulative)
            {
                let percentile = cumulative as f64 * 100.0 / self.total as f64;
                steps.push(Step {
                    percentile,
                    value_us: self.highest(end),
                    cumulative,
                });
            }
            level = (level + if level > 2000 { 1000 } else { 100 }).min(VALUE_MAX);
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn percentiles_of_a_known_series() {
        let mut histogram = Histogram::new(3);
        for value in 1..=1000 {
            histogram.record(value, 1);
        }
        assert_eq!(histogram.percentile_us(50.0), 500);
        assert_eq!(histogram.percentile_us(99.0), 990);
        assert_eq!((histogram.min_us(), histogram.max_us()), (1, 1000));
        assert!((histogram.mean_us() - 500.5).abs() < 1e-9);
    }

    #[test]
    fn halving_steps_end_at_a_hundred() {
        let mut histogram = Histogram::new(3);
        histogram.record(231, 1);
        histogram.record(879, 1);
        let lines: Vec<_> = histogram
            .halving_percentiles()
            .iter()
            .map(|s| (s.percentile, s.value_us, s.cumulative))
            .collect();
        assert_eq!(lines, [(0.0, 231, 1), (75.0, 879, 2), (100.0, 879, 2)]);
        let one = {
            let mut histogram = Histogram::new(3);
            histogram.record(5, 7);
            histogram.halving_percentiles().len()
        };
        assert_eq!(one, 2);
    }

    #[test]
    fn linear_steps_widen_after_two_milliseconds() {
        let mut histogram = Histogram::new(3);
        for value in [50, 150, 1950, 2050, 2500, 9000] {
            histogram.record(value, 1);
        }
        let levels: Vec<_> = histogram
            .linear()
            .iter()
            .map(|s| (s.value_us, s.cumulative))
            .collect();
        assert_eq!(levels[..4], [(100, 1), (200, 2), (2000, 3), (2101, 4)]);
        assert_eq!(levels.last().unwrap().1, 6);
        assert!(Histogram::new(3).linear().is_empty());
    }

    proptest! {
        #[test]
        fn a_value_is_known_to_its_figures(value in 0..VALUE_MAX, figures in 1_u32..=4) {
            let histogram = Histogram::new(figures);
            let index = histogram.index(value);
            let highest = histogram.highest(index);
            prop_assert!(highest >= value);
            prop_assert!((highest - value) as f64 <= value as f64 / 10_f64.powi(figures as i32));
            prop_assert_eq!(histogram.index(highest), index);
            prop_assert!(highest >= VALUE_MAX || histogram.index(highest + 1) == index + 1);
        }

        #[test]
        fn merging_is_recording_both(
            a in proptest::collection::vec(0_u64..100_000, 0..50),
            b in proptest::collection::vec(0_u64..100_000, 1..50),
        ) {
            let mut both = Histogram::new(3);
            let (mut left, mut right) = (Histogram::new(3), Histogram::new(3));
            for &v in &a { left.record(v, 2); both.record(v, 2); }
            for &v in &b { right.record(v, 1); both.record(v, 1); }
            left.merge(&right);
            prop_assert_eq!(left.counts, both.counts);
            prop_assert_eq!((left.total, left.sum), (both.total, both.sum));
            prop_assert_eq!((left.min, left.max), (both.min, both.max));
        }
    }
}
