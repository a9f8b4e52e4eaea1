//! The memory of the buckets: segments of at most 512, and the rule that takes a hash to its
//! bucket.
//!
//! While one segment is enough it is reached through the table's header alone and grows by
//! reallocation, in the steps of jemalloc's size classes (1, 2, 3 ... 8, 10, 12, 14, 16, 20 ...
//! buckets), so that nothing is lost to rounding. From 512 buckets on there is a directory of
//! segments, each 32 KB: no step of growth copies or clears more than that (the directory itself, 8
//! bytes for about 3,200 elements, doubles).
//!
//! Invariants: `mask` is the next power of two at or above `count`, less one. The directory is
//! empty, or holds the first segment too. Buckets below `count` are initialised, those above are
//! not.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::ptr::NonNull;

use super::bucket::Bucket;

const SEGMENT_BITS: u32 = 9;
const SEGMENT: u32 = 1 << SEGMENT_BITS;
/// How far below the start of the last segment the count falls before that segment is freed.
const SEGMENT_SLACK: u32 = SEGMENT / 4;
const COUNT_MAX: u32 = 1 << 31;

pub(super) struct Segments {
    /// The only segment; dangling when there is none.
    first: NonNull<Bucket>,
    /// All segments, from the second on.
    directory: Vec<NonNull<Bucket>>,
    count: u32,
    mask: u32,
    /// Buckets at the ends of chains, outside the segments. Kept here because memory is counted
    /// here.
    pub(super) chains: u32,
    /// Buckets that fit into the only segment.
    capacity: u16,
    /// The parity with which a bucket is born: the one that counts as visited by the walk.
    pub(super) parity: u8,
}

impl Segments {
    pub(super) const fn new() -> Self {
        Self {
            first: NonNull::dangling(),
            directory: Vec::new(),
            count: 0,
            mask: 0,
            chains: 0,
            capacity: 0,
            parity: 0,
        }
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn heap_bytes(&self) -> usize {
        let in_segments = match self.directory.len() {
            0 => self.capacity as usize,
            segments => segments * SEGMENT as usize,
        };
        (in_segments + self.chains as usize) * size_of::<Bucket>()
            + self.directory.capacity() * size_of::<NonNull<Bucket>>()
    }

    /// The bucket of a hash: its low bits, one fewer of them where the bucket has not been split
    /// yet.
    #[inline(always)]
    pub(super) fn index_of(&self, hash: u64) -> u32 {
        let index = hash as u32 & self.mask;
        if index < self.count {
            index
        } else {
            index & (self.mask >> 1)
        }
    }

    /// How many low bits of the hash the elements of a bucket have in common.
    #[inline]
    pub(super) fn depth_of(&self, index: u32) -> u32 {
        let bits = self.mask.count_ones();
        let half = self.mask.div_ceil(2);
        // A bucket of the lower half whose partner does not exist yet still holds the elements of
        // both.
        if index < half && index + half >= self.count {
            bits - 1
        } else {
            bits
        }
    }

    /// The bucket that the next split divides, and whose partner is then the new last one. Also the
    /// one with which the last bucket merges, when asked for `count - 1`.
    #[inline]
    pub(super) fn partner_of(index: u32) -> u32 {
        debug_assert!(index > 0);
        index - (1 << index.ilog2())
    }

    #[inline(always)]
    pub(super) fn bucket(&self, index: u32) -> NonNull<Bucket> {
        debug_assert!(index < self.count);
        // SAFETY: the index is below the count, so its segment exists and is long enough.
        unsafe {
            if self.directory.is_empty() {
                self.first.add(index as usize)
            } else {
                let segment = *self
                    .directory
                    .get_unchecked((index >> SEGMENT_BITS) as usize);
                segment.add((index & (SEGMENT - 1)) as usize)
            }
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.count == COUNT_MAX
    }

    /// Adds an empty bucket at the end.
    pub(super) fn push(&mut self) {
        debug_assert!(!self.is_full());
        if self.directory.is_empty() {
            if self.count == SEGMENT {
                self.directory.reserve(4);
                self.directory.push(self.first);
                self.directory.push(allocate(SEGMENT));
            } else if self.count == u32::from(self.capacity) {
                self.resize(step(self.count + 1));
            }
        } else if self.count as usize == self.directory.len() << SEGMENT_BITS {
            self.directory.push(allocate(SEGMENT));
        }
        self.count += 1;
        self.mask = self.count.next_power_of_two() - 1;
        // SAFETY: the place exists now, and nothing lies in it.
        unsafe {
            self.bucket(self.count - 1)
                .write(Bucket::empty(self.parity))
        };
    }

    /// Gives up the last bucket, which is empty and without a chain.
    pub(super) fn pop(&mut self) {
        debug_assert!(self.count > 0);
        self.count -= 1;
        self.mask = self.count.next_power_of_two() - 1;
        match self.directory.len() {
            0 => {
                // Half empty, and not the swing of a bucket or two: give back all but an eighth.
                if self.count * 2 <= u32::from(self.capacity) {
                    self.resize(step(self.count + self.count / 8));
                }
            }
            segments => {
                let start = (segments as u32 - 1) << SEGMENT_BITS;
                if self.count + SEGMENT_SLACK <= start {
                    let last = self.directory.pop().expect("a directory has segments");
                    // SAFETY: it was allocated with this size, and all its buckets are above the
                    // count.
                    unsafe { free(last, SEGMENT) };
                    if self.directory.len() == 1 {
                        self.directory = Vec::new();
                    } else if self.directory.len() * 4 <= self.directory.capacity() {
                        self.directory.shrink_to(self.directory.len() * 2);
                    }
                }
            }
        }
    }

    /// Reallocates the only segment; 0 frees it.
    fn resize(&mut self, capacity: u32) {
        let old = u32::from(self.capacity);
        debug_assert!(capacity >= self.count && capacity <= SEGMENT);
        if capacity == old {
            return;
        }
        self.first = if old == 0 {
            allocate(capacity)
        } else if capacity == 0 {
            // SAFETY: it was allocated with this capacity, and the count is 0.
            unsafe { free(self.first, old) };
            NonNull::dangling()
        } else {
            let new = layout(capacity);
            // SAFETY: the segment was allocated with the old layout; the new size is not 0.
            let moved = unsafe { realloc(self.first.as_ptr().cast(), layout(old), new.size()) };
            NonNull::new(moved.cast()).unwrap_or_else(|| handle_alloc_error(new))
        };
        self.capacity = capacity as u16;
    }
}

impl Drop for Segments {
    /// Frees the segments, not the chains nor the elements: the table has done that.
    fn drop(&mut self) {
        if self.directory.is_empty() {
            if self.capacity > 0 {
                // SAFETY: it was allocated with this capacity.
                unsafe { free(self.first, u32::from(self.capacity)) };
            }
        } else {
            for &segment in &self.directory {
                // SAFETY: every segment of a directory has the full size.
                unsafe { free(segment, SEGMENT) };
            }
        }
    }
}

/// The smallest step of growth that holds `count` buckets: four of them to a doubling.
fn step(count: u32) -> u32 {
    if count <= 8 {
        return count;
    }
    let unit = 1 << (count - 1).ilog2().saturating_sub(2);
    count.next_multiple_of(unit).min(SEGMENT)
}

fn layout(buckets: u32) -> Layout {
    Layout::array::<Bucket>(buckets as usize).expect("at most a segment")
}

fn allocate(buckets: u32) -> NonNull<Bucket> {
    debug_assert!(buckets > 0);
    let layout = layout(buckets);
    // SAFETY: the layout is not empty.
    let segment = unsafe { alloc(layout) };
    NonNull::new(segment.cast()).unwrap_or_else(|| handle_alloc_error(layout))
}

/// # Safety
/// The segment was allocated with this many buckets, and nobody uses it any more.
unsafe fn free(segment: NonNull<Bucket>, buckets: u32) {
    // SAFETY: the caller's promise.
    unsafe { dealloc(segment.as_ptr().cast(), layout(buckets)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_four_to_a_doubling() {
        let mut steps: Vec<u32> = (1..=512).map(step).collect();
        steps.dedup();
        assert_eq!(
            steps[..16],
            [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32]
        );
        assert_eq!(steps.last(), Some(&512));
        assert!((1..=512).all(|count| step(count) >= count));
    }

    #[test]
    fn addresses_follow_the_splits() {
        let mut segments = Segments::new();
        for count in 1..1500u32 {
            segments.push();
            assert_eq!(segments.count(), count);
            for hash in [0, 1, 77, 0xdead_beef, u64::MAX, 0x1234_5678_9abc] {
                let index = segments.index_of(hash);
                let bits = (1u64 << segments.depth_of(index)) - 1;
                assert_eq!(
                    hash & bits,
                    u64::from(index),
                    "count {count}, hash {hash:x}"
                );
            }
            let covered: f64 = (0..count)
                .map(|i| 0.5f64.powi(segments.depth_of(i) as i32))
                .sum();
            assert_eq!(covered, 1.0, "count {count}");
        }
        for count in (0..1499).rev() {
            segments.pop();
            assert_eq!(segments.count(), count);
        }
        assert_eq!(segments.heap_bytes(), 0);
    }
}
