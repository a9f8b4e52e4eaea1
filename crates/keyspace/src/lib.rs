//! Entries, shards, locks, expiry and the one guard through which values change.
