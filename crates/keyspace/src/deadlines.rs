//! When keys of a shard are due to expire.
//!
//! A binary heap of eight-byte records: a coarse time and 32 bits of the key's hash, which lead to
//! the bucket of the table where the key is. No record points to an entry, so entries may move and
//! go as they like; a record whose key is gone or lives longer is dropped or put back when its time
//! comes. The rejected alternatives: sampling keys at random, as Redis does, which finds the last
//! expired keys late or never; an ordered map of keys, which costs 50 bytes a key.
//!
//! Invariant: for every key with an expiry there is a record with its hash that is not later than
//! the expiry. So a key whose expiry moves into the future needs no new record, and a session that
//! is refreshed every second has one. Records without a key are bounded by rebuilding: when the heap
//! is twice as long as the keys with an expiry are many.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The milliseconds of one step of the coarse time; 2^32 of them are eight years, beyond which the
/// time saturates and the record is put back when it comes up.
const TICK_MS: u64 = 64;

/// The records of one shard.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    heap: BinaryHeap<Reverse<u64>>,
}

fn record(hash: u64, expiry_ms: u64, epoch_ms: u64) -> u64 {
    // Rounded down, so that the record is never later than the expiry.
    let tick = (expiry_ms.saturating_sub(epoch_ms) / TICK_MS).min(u32::MAX as u64);
    tick << 32 | hash & 0xffff_ffff
}

/// A time with the hash of a key that may expire then.
#[derive(Clone, Copy)]
pub(crate) struct Record(u64);

impl Record {
    /// The low 32 bits of the key's hash.
    pub(crate) fn hash_part(self) -> u64 {
        self.0 & 0xffff_ffff
    }

    /// Whether its time is that of this expiry, and not an earlier one that the key once had.
    pub(crate) fn is_of(self, expiry_ms: u64, epoch_ms: u64) -> bool {
        self.0 >> 32 == record(0, expiry_ms, epoch_ms) >> 32
    }
}

impl Deadlines {
    /// Notes that the key with this hash is to expire at `expiry_ms`; `epoch_ms` is when the
    /// process started.
    #[inline]
    pub(crate) fn add(&mut self, hash: u64, expiry_ms: u64, epoch_ms: u64) {
        if self.heap.len() == self.heap.capacity() {
            // A quarter more at a time: doubling would make a record cost up to 16 bytes.
            self.heap.reserve_exact(self.heap.len() / 4 + 4);
        }
        self.heap.push(Reverse(record(hash, expiry_ms, epoch_ms)));
    }

    /// The time, in milliseconds, at which the first record comes up: at the end of its step of
    /// coarse time, when every expiry that it can stand for has passed.
    #[inline]
    pub(crate) fn next_ms(&self, epoch_ms: u64) -> Option<u64> {
        self.heap
            .peek()
            .map(|Reverse(first)| epoch_ms + ((first >> 32) + 1) * TICK_MS)
    }

    /// Takes out a record that has come up, and gives its 32 bits of hash.
    pub(crate) fn pop_due(&mut self, now_ms: u64, epoch_ms: u64) -> Option<u64> {
        if self.next_ms(epoch_ms)? > now_ms {
            return None;
        }
        self.heap.pop().map(|Reverse(first)| first & 0xffff_ffff)
    }

    /// The record that comes up first.
    pub(crate) fn first(&self) -> Option<Record> {
        self.heap.peek().map(|Reverse(first)| Record(*first))
    }

    /// Takes out the record that comes up first.
    pub(crate) fn drop_first(&mut self) {
        self.heap.pop();
    }

    /// The number of records.
    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    /// The 32 bits of hash of the record at `index`, in no order.
    pub(crate) fn hash_part(&self, index: usize) -> u64 {
        Record(self.heap.as_slice()[index].0).hash_part()
    }

    /// Takes out all records.
    pub(crate) fn clear(&mut self) {
        self.heap = BinaryHeap::new();
    }

    /// The bytes allocated.
    #[inline]
    pub(crate) fn heap_bytes(&self) -> usize {
        self.heap.capacity() * size_of::<u64>()
    }

    /// Whether more records are without a key than with one.
    #[inline]
    pub(crate) fn is_stale(&self, keys_with_expiry: usize) -> bool {
        self.heap.len() > 2 * keys_with_expiry + 64
    }

    /// Replaces all records by those of `keys`, pairs of hash and expiry.
    pub(crate) fn rebuild(&mut self, keys: impl Iterator<Item = (u64, u64)>, epoch_ms: u64) {
        let records: Vec<_> = keys
            .map(|(hash, expiry)| Reverse(record(hash, expiry, epoch_ms)))
            .collect();
        self.heap = BinaryHeap::from(records);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_up_in_order_and_never_late() {
        let mut deadlines = Deadlines::default();
        let epoch = 1_000_000;
        for (hash, expiry) in [
            (3, epoch + 640),
            (1, epoch + 5),
            (2, epoch + 100),
            (4, u64::MAX),
        ] {
            deadlines.add(hash | 0xdead << 32, expiry, epoch);
        }
        let mut due =
            |now| std::iter::from_fn(|| deadlines.pop_due(now, epoch)).collect::<Vec<_>>();
        assert_eq!(due(epoch - 1), []);
        assert_eq!(due(epoch + 64), [1]);
        assert_eq!(due(epoch + 128), [2]);
        assert_eq!(due(epoch + 704), [3]);
        assert_eq!(due(u64::MAX), [4]);
    }

    #[test]
    fn growth_wastes_little() {
        let mut deadlines = Deadlines::default();
        for i in 0..10_000 {
            deadlines.add(i, i * 1000, 0);
        }
        assert!(deadlines.heap_bytes() <= 10_000 * 10 + 64);
    }
}
