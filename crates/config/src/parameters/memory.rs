//! How much memory the data may take, what goes when it is full, and expiry.

use super::bounds::*;
use super::reasons::*;
use crate::choices::*;
use crate::definition::*;
use crate::handle::*;

super::section! { Memory, from super::limits::END;
    /// Memory that the data may take; 0 is no limit.
    MAXMEMORY: Integer = memory("maxmemory", 0..=MAX, 0);
    /// What goes when the memory is full.
    MAXMEMORY_POLICY: Choice<MaxmemoryPolicy> = choice("maxmemory-policy", "noeviction");
    /// Keys compared to find one to evict.
    MAXMEMORY_SAMPLES: Integer = integer("maxmemory-samples", 1..=64, 5);
    /// How much time evictions may take, from 0 to 100.
    MAXMEMORY_EVICTION_TENACITY: Integer = integer("maxmemory-eviction-tenacity", 0..=100, 10);
    /// How slowly the counter of accesses grows under the LFU policies.
    LFU_LOG_FACTOR: Integer = integer("lfu-log-factor", 0..=INT_MAX, 10);
    /// Minutes after which that counter is lowered; 0 is never.
    LFU_DECAY_TIME: Integer = integer("lfu-decay-time", 0..=INT_MAX, 1);
    /// Effort to find expired keys before they are asked for, from 1 to 10.
    ACTIVE_EXPIRE_EFFORT: Integer = integer("active-expire-effort", 1..=10, 1).accepted_only(Meaning::AcceptedOnly("expired keys go when they are due, whatever the effort"));
    /// Let an expired key go in nested access to keys that were not declared.
    LAZYEXPIRE_NESTED_ARBITRARY_KEYS: Boolean =
        boolean("lazyexpire-nested-arbitrary-keys", true).hidden().accepted_only(NOT_YET);
    /// Runs of periodic work in a second.
    HZ: Integer = integer("hz", 0..=INT_MAX, 10).clamped(1..=500).accepted_only(NO_CRON);
    /// Raise `hz` with the number of clients.
    DYNAMIC_HZ: Boolean = boolean("dynamic-hz", true).accepted_only(NO_CRON);
    /// Free evicted values in the background.
    LAZYFREE_LAZY_EVICTION: Boolean =
        boolean("lazyfree-lazy-eviction", false).accepted_only(ALWAYS_LAZY);
    /// Free expired values in the background.
    LAZYFREE_LAZY_EXPIRE: Boolean =
        boolean("lazyfree-lazy-expire", false).accepted_only(ALWAYS_LAZY);
    /// Free overwritten values in the background.
    LAZYFREE_LAZY_SERVER_DEL: Boolean =
        boolean("lazyfree-lazy-server-del", false).accepted_only(ALWAYS_LAZY);
    /// Make DEL free in the background, as UNLINK does.
    LAZYFREE_LAZY_USER_DEL: Boolean =
        boolean("lazyfree-lazy-user-del", false).accepted_only(ALWAYS_LAZY);
    /// Make FLUSHALL and FLUSHDB free in the background when they do not say.
    LAZYFREE_LAZY_USER_FLUSH: Boolean =
        boolean("lazyfree-lazy-user-flush", false).accepted_only(ALWAYS_LAZY);
    /// Rehash tables in idle time.
    ACTIVEREHASHING: Boolean = boolean("activerehashing", true).accepted_only(NO_REHASH);
    /// Give unused memory back from a thread of the allocator.
    JEMALLOC_BG_THREAD: Boolean = boolean("jemalloc-bg-thread", true).accepted_only(NOT_YET);
    /// Move values together while the server runs.
    ACTIVEDEFRAG: Boolean = boolean("activedefrag", false).accepted_only(NO_DEFRAG);
    /// Wasted bytes below which nothing is moved.
    ACTIVE_DEFRAG_IGNORE_BYTES: Integer =
        memory("active-defrag-ignore-bytes", 1..=MAX, 100 * MB).accepted_only(NO_DEFRAG);
    /// Percentage of waste at which moving starts.
    ACTIVE_DEFRAG_THRESHOLD_LOWER: Integer =
        integer("active-defrag-threshold-lower", 0..=1000, 10).accepted_only(NO_DEFRAG);
    /// Percentage of waste at which moving takes most time.
    ACTIVE_DEFRAG_THRESHOLD_UPPER: Integer =
        integer("active-defrag-threshold-upper", 0..=1000, 100).accepted_only(NO_DEFRAG);
    /// Percentage of time that moving takes at least.
    ACTIVE_DEFRAG_CYCLE_MIN: Integer =
        integer("active-defrag-cycle-min", 1..=99, 1).accepted_only(NO_DEFRAG);
    /// Percentage of time that moving takes at most.
    ACTIVE_DEFRAG_CYCLE_MAX: Integer =
        integer("active-defrag-cycle-max", 1..=99, 25).accepted_only(NO_DEFRAG);
    /// Microseconds that one step of moving takes.
    ACTIVE_DEFRAG_CYCLE_US: Integer =
        integer("active-defrag-cycle-us", 0..=100_000, 500).accepted_only(NO_DEFRAG);
    /// Elements of a collection that are moved in one step.
    ACTIVE_DEFRAG_MAX_SCAN_FIELDS: Integer =
        integer("active-defrag-max-scan-fields", 1..=MAX, 1000).accepted_only(NO_DEFRAG);
}
