//! When, or how often, a key was used: the meaning of the 24 access bits of its entry.
//!
//! ```text
//! bits    23                     8 7             0
//!        +------------------------+---------------+
//!        | seconds of the last use, modulo 2^24   |   recency: what LRU policies compare
//!        +------------------------+---------------+
//!        | minutes of the last use| counter       |   frequency: what LFU policies compare
//!        +------------------------+---------------+
//! ```
//!
//! Which of the two it is depends on the policy, and an entry does not say: after a change of policy
//! the bits mean something else until their key is used again, as in Redis. Seconds wrap after half
//! a year. The counter is logarithmic: each use raises it with a probability that falls as it
//! grows, and each `lfu-decay-time` minutes without use lower it by one.
//!
//! Marking a lookup under recency is one comparison with the header that the lookup has read, and a
//! store when the second has changed. A [`Usage`] is made once a batch, so nothing is configured or
//! asked for in between.

use crate::entry::EntryRef;
use crate::random;

const BITS: u32 = 0xff_ffff;

/// No access bits: what they are compared with when every lookup counts.
const NEVER: u32 = u32::MAX;

/// The milliseconds of one step of recency.
const STEP_MS: u64 = 1000;

/// The access bits of a key that is used at this time.
fn stamp_of(now_s: u64) -> u32 {
    now_s as u32 & BITS
}

/// The counter of a key that is new, so that it is not the first to go.
const COUNTER_AT_FIRST: u8 = 5;

/// How lookups mark the keys that they find, at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The access bits that need no change.
    stamp: u32,
    /// Whether lookups leave marks.
    is_marking: bool,
    measure: Measure,
}

#[derive(Clone, Copy, Debug)]
enum Measure {
    Recency {
        now_s: u64,
    },
    Frequency {
        now_minutes: u16,
        log_factor: u32,
        decay_minutes: u32,
    },
}

impl Usage {
    /// Marks say when a key was used.
    pub fn recency(now_ms: u64) -> Usage {
        let now_s = now_ms / STEP_MS;
        Usage {
            stamp: stamp_of(now_s),
            is_marking: true,
            measure: Measure::Recency { now_s },
        }
    }

    /// Marks say how often a key was used. A greater `log_factor` makes the counter grow more
    /// slowly; it falls by one each `decay_minutes`, and not at all if they are 0.
    pub fn frequency(now_ms: u64, log_factor: u32, decay_minutes: u32) -> Usage {
        Usage {
            stamp: NEVER,
            is_marking: true,
            measure: Measure::Frequency {
                now_minutes: (now_ms / 60_000) as u16,
                log_factor,
                decay_minutes,
            },
        }
    }

    /// The same, with lookups that leave no marks. Keys that are new have theirs all the same.
    pub fn without_marks(self) -> Usage {
        Usage {
            stamp: NEVER,
            is_marking: false,
            ..self
        }
    }

    /// The same, with lookups that leave marks.
    pub(crate) fn with_marks(self) -> Usage {
        let stamp = match self.measure {
            Measure::Recency { now_s } => stamp_of(now_s),
            Measure::Frequency { .. } => NEVER,
        };
        Usage {
            stamp,
            is_marking: true,
            ..self
        }
    }

    /// Notes that the entry is used.
    #[inline]
    pub(crate) fn mark(&self, entry: EntryRef<'_>) {
        if entry.access() != self.stamp {
            self.mark_changed(entry);
        }
    }

    #[inline]
    fn mark_changed(&self, entry: EntryRef<'_>) {
        if !self.is_marking {
            return;
        }
        match self.measure {
            Measure::Recency { now_s } => entry.set_access(stamp_of(now_s)),
            Measure::Frequency { .. } => self.count(entry),
        }
    }

    #[inline(never)]
    fn count(&self, entry: EntryRef<'_>) {
        if let Measure::Frequency {
            now_minutes,
            log_factor,
            ..
        } = self.measure
        {
            let counter = self.counter(entry.access());
            entry.set_access(joined(now_minutes, raised(counter, log_factor)));
        }
    }

    /// Notes that the entry is new.
    #[inline]
    pub(crate) fn begin(&self, entry: EntryRef<'_>) {
        entry.set_access(match self.measure {
            Measure::Recency { now_s } => stamp_of(now_s),
            Measure::Frequency { now_minutes, .. } => joined(now_minutes, COUNTER_AT_FIRST),
        });
    }

    /// The milliseconds since the entry was used; `None` if that is not kept.
    pub fn idle_ms(&self, entry: EntryRef<'_>) -> Option<u64> {
        match self.measure {
            Measure::Recency { now_s } => Some(idle_s(entry.access(), now_s) * STEP_MS),
            Measure::Frequency { .. } => None,
        }
    }

    /// The counter of uses, from 0 to 255; `None` if that is not kept.
    pub fn frequency_of(&self, entry: EntryRef<'_>) -> Option<u8> {
        match self.measure {
            Measure::Recency { .. } => None,
            Measure::Frequency { .. } => Some(self.counter(entry.access())),
        }
    }

    /// How little the key is worth keeping: the greater, the less. It never falls but by use. Keys of
    /// the same frequency are told apart by the minutes since their last use.
    pub fn staleness(&self, entry: EntryRef<'_>) -> u64 {
        let access = entry.access();
        match self.measure {
            // From the time of use, and not from the time since, so that what was found out
            // yesterday can be compared with what is found out today.
            Measure::Recency { now_s } => u64::MAX - now_s.saturating_sub(idle_s(access, now_s)),
            Measure::Frequency { now_minutes, .. } => {
                let counter = self.counter(access);
                u64::from(u8::MAX - counter) << 16 | u64::from(minutes_since(access, now_minutes))
            }
        }
    }

    /// The counter in `access`, lowered by what has decayed since the last use.
    fn counter(&self, access: u32) -> u8 {
        let counter = access as u8;
        match self.measure {
            Measure::Frequency {
                now_minutes,
                decay_minutes,
                ..
            } if decay_minutes > 0 => {
                let periods = u32::from(minutes_since(access, now_minutes)) / decay_minutes;
                counter.saturating_sub(periods.min(255) as u8)
            }
            _ => counter,
        }
    }
}

fn idle_s(access: u32, now_s: u64) -> u64 {
    u64::from(stamp_of(now_s).wrapping_sub(access) & BITS)
}

fn joined(minutes: u16, counter: u8) -> u32 {
    u32::from(minutes) << 8 | u32::from(counter)
}

fn minutes_since(access: u32, now_minutes: u16) -> u16 {
    now_minutes.wrapping_sub((access >> 8) as u16)
}

/// The counter after one more use: raised with the probability 1 / ((counter - 5) * factor + 1).
fn raised(counter: u8, log_factor: u32) -> u8 {
    let above = u64::from(counter.saturating_sub(COUNTER_AT_FIRST));
    let one_in = above * u64::from(log_factor) + 1;
    let is_raised = (u128::from(random::next()) * u128::from(one_in)) >> 64 == 0;
    counter.saturating_add(u8::from(is_raised))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Entry;

    const MINUTE_MS: u64 = 60_000;

    #[test]
    fn recency() {
        let entry = Entry::text(b"k", b"v", None);
        let start = 1_000_000_000_000;
        Usage::recency(start).begin(entry.view());
        let later = Usage::recency(start + 90_500);
        assert_eq!(later.idle_ms(entry.view()), Some(90_000));
        assert_eq!(later.frequency_of(entry.view()), None);
        later.without_marks().mark(entry.view());
        assert_eq!(later.idle_ms(entry.view()), Some(90_000));
        later.without_marks().with_marks().mark(entry.view());
        assert_eq!(later.idle_ms(entry.view()), Some(0));
        // Beyond the wrap.
        let wrapped = Usage::recency(start + 90_000 + (1 << 24) * 1000 - 5000);
        assert_eq!(wrapped.idle_ms(entry.view()), Some(((1 << 24) - 5) * 1000));
    }

    #[test]
    fn frequency_grows_slowly_and_decays() {
        let entry = Entry::text(b"k", b"v", None);
        let start = 1_000_000_000_000;
        let now = Usage::frequency(start, 10, 1);
        now.begin(entry.view());
        assert_eq!(now.frequency_of(entry.view()), Some(5));
        assert_eq!(now.idle_ms(entry.view()), None);
        now.mark(entry.view());
        assert_eq!(
            now.frequency_of(entry.view()),
            Some(6),
            "the first is certain"
        );
        for _ in 0..1000 {
            now.mark(entry.view());
        }
        // The table in Redis's documentation has 18 for a thousand hits at factor 10.
        let counter = now.frequency_of(entry.view()).unwrap();
        assert!((12..=25).contains(&counter), "{counter}");
        let later = Usage::frequency(start + 7 * MINUTE_MS, 10, 1);
        assert_eq!(later.frequency_of(entry.view()), Some(counter - 7));
        let slow = Usage::frequency(start + 7 * MINUTE_MS, 10, 3);
        assert_eq!(slow.frequency_of(entry.view()), Some(counter - 2));
        let never = Usage::frequency(start + 7 * MINUTE_MS, 10, 0);
        assert_eq!(never.frequency_of(entry.view()), Some(counter));
        let long = Usage::frequency(start + 1000 * MINUTE_MS, 10, 1);
        assert_eq!(long.frequency_of(entry.view()), Some(0));
        assert!(long.staleness(entry.view()) > later.staleness(entry.view()));
        let steep = Usage::frequency(start, 0, 1);
        for _ in 0..300 {
            steep.mark(entry.view());
        }
        assert_eq!(steep.frequency_of(entry.view()), Some(255));
    }
}
