//! Random numbers for eviction and for commands such as SPOP: fast, well spread, and of no use for
//! secrets.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};

thread_local! {
    static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one(std::thread::current().id()));
}

/// The next number of this thread's sequence (wyrand: an addition and a wide multiplication).
#[inline]
pub fn next() -> u64 {
    STATE.with(|state| {
        let seed = state.get().wrapping_add(0xa076_1d64_78bd_642f);
        state.set(seed);
        let wide = seed as u128 * (seed ^ 0xe703_7ed1_a0b4_28db) as u128;
        (wide >> 64) as u64 ^ wide as u64
    })
}
