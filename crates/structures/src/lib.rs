//! The data structures behind every value: table, lists, sets, hashes, sorted sets.

pub mod block;
pub mod intset;
pub mod item;
pub mod list;
pub mod packed;
