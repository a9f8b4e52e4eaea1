//! The data structures behind every value: table, lists, sets, hashes, sorted sets.
