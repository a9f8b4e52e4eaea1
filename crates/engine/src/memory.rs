//! How much memory is used, for the limit that `maxmemory` sets.
//!
//! Asking the allocator is dear, so it is asked each tick, and only if there is a limit. In between
//! the figure moves by what the entries of the shards have grown: each worker counts that for itself,
//! so nobody writes a line that others write. What grows beside the entries, such as tables and the
//! buffers of connections, is in the figure from the next tick on.
//!
//! Memory that is on its way back, values that wait to be freed in the background, is not counted;
//! otherwise more would be evicted than is needed. But only up to a tenth of the limit: whoever
//! makes garbage faster than it can be freed must be slowed down by the limit.

use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed},
};

use config::parameter;

use crate::server::Server;

/// No figure of the allocator is known.
const UNKNOWN: i64 = i64::MIN;

/// The state of the limit, shared by all workers.
#[derive(Debug)]
pub struct MemoryLimit {
    /// What was used when the allocator was asked, less what the entries had grown until then.
    base: AtomicI64,
    /// When the allocator was asked, in Unix milliseconds.
    asked_ms: AtomicU64,
    /// Whether commands have left the rest of an eviction to the workers' ticks.
    pub(crate) is_evicting: AtomicBool,
    /// Since when more is used than is allowed, in Unix microseconds; 0 for not at all.
    over_since_us: AtomicU64,
    over_total_us: AtomicU64,
}

impl Default for MemoryLimit {
    fn default() -> Self {
        MemoryLimit {
            base: AtomicI64::new(UNKNOWN),
            asked_ms: AtomicU64::new(0),
            is_evicting: AtomicBool::new(false),
            over_since_us: AtomicU64::new(0),
            over_total_us: AtomicU64::new(0),
        }
    }
}

impl MemoryLimit {
    /// Notes that more is used than is allowed.
    pub(crate) fn note_over(&self, now_us: u64) {
        if self.over_since_us.load(Relaxed) == 0 {
            let _ = self
                .over_since_us
                .compare_exchange(0, now_us, AcqRel, Acquire);
        }
    }

    /// Notes that no more is used than is allowed.
    #[inline]
    pub(crate) fn note_under(&self, now_us: impl FnOnce() -> u64) {
        if self.over_since_us.load(Relaxed) != 0 {
            let since = self.over_since_us.swap(0, AcqRel);
            if since != 0 {
                let over = now_us().saturating_sub(since);
                self.over_total_us.fetch_add(over, Relaxed);
            }
        }
    }

    /// The milliseconds during which more was used than is allowed: in all, and of late.
    pub fn over_ms(&self, now_us: u64) -> (u64, u64) {
        let current = match self.over_since_us.load(Relaxed) {
            0 => 0,
            since => now_us.saturating_sub(since),
        };
        let total = self.over_total_us.load(Relaxed) + current;
        (total / 1000, current / 1000)
    }

    /// Forgets how long more was used than is allowed.
    pub fn reset(&self) {
        self.over_total_us.store(0, Relaxed);
        self.over_since_us.store(0, Relaxed);
    }
}

impl Server {
    /// The bytes that may be used; 0 for any number.
    #[inline]
    pub(crate) fn memory_limit(&self) -> i64 {
        self.config.read(parameter::MAXMEMORY)
    }

    /// The bytes that are used, as the limit counts them.
    #[inline]
    pub(crate) fn used_memory(&self) -> i64 {
        let base = match self.memory.base.load(Relaxed) {
            UNKNOWN => self.ask_allocator(),
            base => base,
        };
        base + self.growth()
    }

    /// The bytes by which entries have grown since the start.
    fn growth(&self) -> i64 {
        self.stats
            .iter()
            .map(|stats| stats.growth.load(Relaxed))
            .sum()
    }

    /// Asks the allocator again if it is time to. A limit needs it each tick; the greatest use, which
    /// INFO reports, is good enough once a second.
    pub(crate) fn watch_memory(&self) {
        const UNLIMITED_MS: u64 = 1000;
        if self.memory_limit() > 0 {
            self.ask_allocator();
            return;
        }
        self.memory.base.store(UNKNOWN, Relaxed);
        let now_ms = self.clock.now_ms();
        if now_ms.saturating_sub(self.memory.asked_ms.load(Relaxed)) >= UNLIMITED_MS {
            self.memory.asked_ms.store(now_ms, Relaxed);
            self.host.allocated();
        }
    }

    /// The bytes that are still allocated and not counted, as they wait to be freed.
    pub fn uncounted_memory(&self) -> i64 {
        let pending = self.keyspace.pending_free_bytes() as i64;
        pending.min(self.memory_limit() / 10)
    }

    #[cold]
    fn ask_allocator(&self) -> i64 {
        let growth = self.growth();
        let used = match self.host.allocated() {
            // A host without figures: the shards are all that is known.
            0 => self.keyspace.heap_bytes() as i64,
            allocated => allocated as i64 - self.uncounted_memory(),
        };
        let base = used - growth;
        self.memory.base.store(base, Relaxed);
        base
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_over_the_limit() {
        let limit = MemoryLimit::default();
        limit.note_under(|| 1_000);
        limit.note_over(5_000);
        limit.note_over(9_000);
        assert_eq!(limit.over_ms(15_000), (10, 10));
        limit.note_under(|| 25_000);
        assert_eq!(limit.over_ms(99_000), (20, 0));
        limit.note_over(100_000);
        assert_eq!(limit.over_ms(101_000), (21, 1));
        limit.reset();
        assert_eq!(limit.over_ms(200_000), (0, 0));
    }
}
