//! The data structures behind every value: table, lists, sets, hashes, sorted sets, and what is done
//! with the bytes of strings: bits, HyperLogLogs, common subsequences.
//!
//! This is the only data crate that may open `unsafe`; it does so at the top of the modules that
//! need it. Nothing here knows the names of keys, expiry, replies or the time.

pub mod bits;
pub mod block;
pub mod hash;
pub mod hash_map;
pub mod hyperloglog;
pub mod intset;
pub mod item;
pub mod lcs;
pub mod list;
pub mod packed;
mod sample;
pub mod set;
pub mod simd;
pub mod sorted_set;
pub mod table;
