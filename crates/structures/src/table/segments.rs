//! The memory of the buckets: segments of at most 512, and the rule that takes a hash to its
//! bucket.
//!
//! While one segment is enough it is reached through the table's header alone. It grows by
//! reallocation, in the steps of jemalloc's size classes (1, 2, 3 ... 8, 10, 12, 14, 16, 20 ...
//! buckets), so that nothing is lost to rounding. From 512 buckets on there is a directory of
//! segments, 32 KB each, the last of which grows by 4 KB at a time: no step of growth copies more
//! than 28 KB. (The directory, 8 bytes for about 3,300 elements, doubles.)
//!
//! Invariants: `mask` is the next power of two at or above `count`, less one. The directory is
//! empty, or holds all segments, the first one too. All segments but the last have the full size.
//! Buckets below `count` are initialised, those above are not.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::ptr::NonNull;

use super::bucket::Bucket;

const SEGMENT_BITS: u32 = 9;
const SEGMENT: u32 = 1 << SEGMENT_BITS;
/// By how many buckets the last of several segments grows and shrinks.
const SEGMENT_STEP: u32 = SEGMENT / 8;
const COUNT_MAX: u32 = 1 << 31;

pub(super) struct Segments {
    /// The first segment; dangling when there is none.
    first: NonNull<Bucket>,
    /// All segments, when there is more than one.
    directory: Vec<NonNull<Bucket>>,
    count: u32,
    mask: u32,
    /// The memory of all buckets' overflows, in words of 8 bytes.
    pub(super) overflow_words: u32,
    /// Buckets that fit into the last segment.
    last_capacity: u16,
    /// The parity with which a bucket is born: the one that counts as visited by the walk.
    pub(super) parity: u8,
}

impl Segments {
    pub(super) const fn new(parity: u8) -> Self {
        Self {
            first: NonNull::dangling(),
            directory: Vec::new(),
            count: 0,
            mask: 0,
            overflow_words: 0,
            last_capacity: 0,
            parity,
        }
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The buckets for which there is memory.
    #[inline]
    pub(super) fn capacity(&self) -> u32 {
        ((self.directory.len().saturating_sub(1) as u32) << SEGMENT_BITS)
            + u32::from(self.last_capacity)
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.capacity() as usize * size_of::<Bucket>()
            + self.overflow_words as usize * 8
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
        // A bucket of the lower half whose partner does not exist yet still holds what is to go
        // there.
        if index < half && index + half >= self.count {
            bits - 1
        } else {
            bits
        }
    }

    /// The bucket whose split brings `index` into being, and with which it is merged later.
    #[inline]
    pub(super) fn partner_of(index: u32) -> u32 {
        debug_assert!(index > 0);
        index - (1 << index.ilog2())
    }

    #[inline(always)]
    pub(super) fn at(&self, index: u32) -> NonNull<Bucket> {
        debug_assert!(index < self.capacity());
        // SAFETY: the index is below the capacity, so its segment exists and is long enough.
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

    #[inline(always)]
    pub(super) fn bucket(&self, index: u32) -> &Bucket {
        debug_assert!(index < self.count);
        // SAFETY: below the count buckets are initialised, and they belong to the segments.
        unsafe { self.at(index).as_ref() }
    }

    #[inline(always)]
    pub(super) fn bucket_mut(&mut self, index: u32) -> &mut Bucket {
        debug_assert!(index < self.count);
        // SAFETY: as in `bucket`.
        unsafe { self.at(index).as_mut() }
    }

    /// Puts an element into a bucket, and answers its lane.
    #[inline]
    pub(super) fn insert(&mut self, index: u32, fingerprint: u8, element: NonNull<u8>) -> u32 {
        // SAFETY: as in `bucket`.
        let bucket = unsafe { self.at(index).as_mut() };
        bucket.insert(fingerprint, element, &mut self.overflow_words)
    }

    /// Takes everything out of a bucket.
    pub(super) fn take(&mut self, index: u32) -> Bucket {
        // SAFETY: as in `bucket`.
        let bucket = unsafe { self.at(index).as_mut() };
        bucket.take(&mut self.overflow_words)
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.count == COUNT_MAX
    }

    /// Adds an empty bucket at the end.
    pub(super) fn push(&mut self) {
        debug_assert!(!self.is_full());
        if self.count == self.capacity() {
            self.grow();
        }
        // SAFETY: there is memory for it, in which nothing lies.
        unsafe { self.at(self.count).write(Bucket::new(self.parity)) };
        self.set_count(self.count + 1);
    }

    /// Gives up the last bucket, and the memory when a good part of it has become idle.
    pub(super) fn pop(&mut self) -> Bucket {
        debug_assert!(self.count > 0);
        self.set_count(self.count - 1);
        // SAFETY: it was initialised, and as of now is not one of the buckets any more.
        let last = unsafe { self.at(self.count).read() };
        if self.directory.is_empty() {
            if self.count * 4 <= u32::from(self.last_capacity) * 3 {
                self.resize_last(step(self.count));
            }
        } else if self.count + 2 * SEGMENT_STEP <= self.capacity() {
            self.resize_last(u32::from(self.last_capacity) - SEGMENT_STEP);
        }
        last
    }

    fn set_count(&mut self, count: u32) {
        self.count = count;
        self.mask = count.next_power_of_two() - 1;
    }

    #[cold]
    fn grow(&mut self) {
        let last = u32::from(self.last_capacity);
        if last == SEGMENT {
            if self.directory.is_empty() {
                self.directory.reserve_exact(4);
                self.directory.push(self.first);
            }
            self.directory.push(allocate(SEGMENT_STEP));
            self.last_capacity = SEGMENT_STEP as u16;
        } else if self.directory.is_empty() {
            self.resize_last(step(last + 1));
        } else {
            self.resize_last(last + SEGMENT_STEP);
        }
    }

    /// Reallocates the last segment; a capacity of 0 frees it.
    #[cold]
    fn resize_last(&mut self, capacity: u32) {
        let old = u32::from(self.last_capacity);
        debug_assert!(capacity <= SEGMENT);
        if capacity == old {
            return;
        }
        let last = self.directory.last_mut().unwrap_or(&mut self.first);
        if capacity > 0 {
            *last = if old == 0 {
                allocate(capacity)
            } else {
                // SAFETY: it was allocated with the old capacity.
                unsafe { reallocate(*last, old, capacity) }
            };
            self.last_capacity = capacity as u16;
            return;
        }
        // SAFETY: it was allocated with this capacity, and the count ends before it.
        unsafe { free(*last, old) };
        if self.directory.is_empty() {
            self.first = NonNull::dangling();
            self.last_capacity = 0;
            return;
        }
        self.directory.pop();
        self.last_capacity = SEGMENT as u16;
        if self.directory.len() == 1 {
            self.first = self.directory[0];
            self.directory = Vec::new();
        } else if self.directory.len() * 4 <= self.directory.capacity() {
            self.directory.shrink_to(self.directory.len() * 2);
        }
    }
}

impl Drop for Segments {
    fn drop(&mut self) {
        for index in 0..self.count {
            // SAFETY: it is initialised, and not used any more.
            unsafe { self.at(index).drop_in_place() };
        }
        let Some((&last, full)) = self.directory.split_last() else {
            if self.last_capacity > 0 {
                // SAFETY: it was allocated with this capacity.
                unsafe { free(self.first, u32::from(self.last_capacity)) };
            }
            return;
        };
        for &segment in full {
            // SAFETY: all segments but the last have the full size.
            unsafe { free(segment, SEGMENT) };
        }
        // SAFETY: it was allocated with this capacity.
        unsafe { free(last, u32::from(self.last_capacity)) };
    }
}

/// The smallest step of growth that holds `count` buckets: four of them to a doubling.
fn step(count: u32) -> u32 {
    if count <= 8 {
        return count;
    }
    let unit = 1 << (count - 1).ilog2().saturating_sub(2);
    count.next_multiple_of(unit)
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
/// The segment was allocated with `old` buckets, and its address is not used any more.
unsafe fn reallocate(segment: NonNull<Bucket>, old: u32, new: u32) -> NonNull<Bucket> {
    debug_assert!(old > 0 && new > 0);
    // SAFETY: the caller's promise; the new size is not 0.
    let moved = unsafe { realloc(segment.as_ptr().cast(), layout(old), layout(new).size()) };
    NonNull::new(moved.cast()).unwrap_or_else(|| handle_alloc_error(layout(new)))
}

/// # Safety
/// The segment was allocated with this many buckets, and its address is not used any more.
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
        let mut segments = Segments::new(0);
        for count in 1..2500u32 {
            segments.push();
            assert_eq!(segments.count(), count);
            assert!(
                segments.capacity() <= count + (count / 4).clamp(1, SEGMENT_STEP.max(count / 8))
            );
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
        for count in (0..2499).rev() {
            segments.pop();
            assert_eq!(segments.count(), count);
            assert!(segments.capacity() <= (count + count / 3 + 1).max(count + 2 * SEGMENT_STEP));
        }
        assert_eq!(segments.heap_bytes(), 0);
    }
}
