//! The walk: every element as it was at one moment, while the table goes on changing.
//!
//! Each bucket has a parity bit, and the segments have one that means "visited". Outside a walk
//! they are equal. Beginning a walk flips the segments' bit, so that all buckets become unvisited
//! at once; a bucket that is handed over, or born later, gets the new one. When all have it the
//! walk is over and the next can begin.

#![allow(unsafe_code)]

use std::ptr::NonNull;

use super::bucket::{Bucket, PARITY};
use super::{Element, Table, each};

/// Who receives the elements of a walk.
pub trait BucketSink<E: Element>: Send {
    /// Takes an element as it was when the walk began. The elements of one bucket come one after
    /// another.
    fn take(&mut self, element: E::Ref<'_>);
}

pub(super) struct Walk<E: Element> {
    sink: Box<dyn BucketSink<E>>,
    /// All buckets before this one are visited.
    next_index: u32,
}

impl<E: Element> Table<E> {
    /// Begins a walk: `sink` gets every element that is in the table now, exactly once and
    /// unchanged, in the course of the following steps and changes.
    ///
    /// # Panics
    /// If a walk is running.
    pub fn begin_walk(&mut self, sink: Box<dyn BucketSink<E>>) {
        assert!(self.walk.is_none(), "a walk is running");
        self.segments.parity ^= PARITY;
        self.walk = Some(Box::new(Walk {
            sink,
            next_index: 0,
        }));
    }

    /// Whether a walk has begun and not been ended.
    #[inline]
    pub fn is_walking(&self) -> bool {
        self.walk.is_some()
    }

    /// Visits up to `buckets_max` buckets that nothing has changed so far, and answers whether all
    /// have been visited: then it is time for [`Table::end_walk`]. Without a walk there is nothing
    /// to do.
    pub fn walk_step(&mut self, buckets_max: u32) -> bool {
        let Some(walk) = &mut self.walk else {
            return true;
        };
        let count = self.segments.count();
        let end = walk.next_index.saturating_add(buckets_max).min(count);
        for index in walk.next_index..end {
            let bucket = self.segments.at(index);
            // SAFETY: a bucket of this table, which is borrowed exclusively.
            unsafe { visit::<E>(walk, bucket, self.segments.parity) };
        }
        walk.next_index = walk.next_index.max(end);
        walk.next_index >= count
    }

    /// Ends the walk, before its time if need be, and gives the sink back. In the latter case the
    /// rest of the buckets is touched once, to mark them.
    pub fn end_walk(&mut self) -> Option<Box<dyn BucketSink<E>>> {
        let walk = self.walk.take()?;
        let parity = self.segments.parity;
        for index in walk.next_index..self.segments.count() {
            self.segments.bucket_mut(index).set_parity(parity);
        }
        Some(walk.sink)
    }

    /// Hands everything over that has not been yet.
    pub(super) fn walk_to_end(&mut self) {
        self.walk_step(u32::MAX);
    }

    /// To be called before anything changes in the bucket.
    #[inline(always)]
    pub(super) fn hand_over(&mut self, bucket: NonNull<Bucket>) {
        if let Some(walk) = &mut self.walk {
            // SAFETY: callers pass a bucket of this table, which is borrowed exclusively.
            unsafe { visit::<E>(walk, bucket, self.segments.parity) };
        }
    }
}

/// Hands the elements of a bucket over, unless that has been done.
///
/// # Safety
/// `bucket` is a valid bucket of live elements to which the caller has exclusive access.
#[cold]
#[inline(never)]
unsafe fn visit<E: Element>(walk: &mut Walk<E>, mut bucket: NonNull<Bucket>, parity: u8) {
    // SAFETY: the caller's promise.
    let bucket = unsafe { bucket.as_mut() };
    if bucket.parity() != parity {
        each::<E>(bucket, |element| walk.sink.take(element));
        bucket.set_parity(parity);
    }
}
