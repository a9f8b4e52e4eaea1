//! A set of integers: a sorted array in one allocation, as wide as its widest member needs.
//!
//! Membership is a binary search, a change moves the tail. For the few hundred members that these
//! sets hold, both are cheaper than hashing, and a member costs 2, 4 or 8 bytes. The width only
//! grows, as in Redis: narrowing would need a look at every member on each removal.
//!
//! | block | bytes |
//! |---|---|
//! | count * 4 + width code (0: 2 bytes a member, 1: 4, 2: 8) | 4 |
//! | members, ascending, little endian on little-endian machines | count * width |
//!
//! Invariants: ascending without equals; without members there is no block; the block's size is the
//! size class of header and members; at most 2^30 - 1 members.
#![allow(unsafe_code)]

use crate::block;
use std::ptr::NonNull;

const HEADER: usize = 4;

/// The most members that a set can hold.
pub const MAX_MEMBERS: usize = (1 << 30) - 1;

/// A sorted set of integers.
pub struct IntSet {
    block: NonNull<u8>,
}

// SAFETY: a set owns its block alone, and the shared empty header is never written.
unsafe impl Send for IntSet {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl Sync for IntSet {}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Width {
    Two = 0,
    Four = 1,
    Eight = 2,
}

impl Width {
    #[inline]
    const fn bytes(self) -> usize {
        2 << self as usize
    }

    #[inline]
    fn of(value: i64) -> Width {
        if i16::try_from(value).is_ok() {
            Width::Two
        } else if i32::try_from(value).is_ok() {
            Width::Four
        } else {
            Width::Eight
        }
    }
}

impl IntSet {
    /// A set without members; it allocates nothing.
    #[inline]
    pub const fn new() -> IntSet {
        IntSet {
            block: block::EMPTY.address(),
        }
    }

    /// The number of members.
    #[inline]
    pub fn len(&self) -> usize {
        (self.head() >> 2) as usize
    }

    /// Whether there is no member.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The allocated bytes.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        if self.is_empty() {
            0
        } else {
            block_size(self.len(), self.width())
        }
    }

    /// Asks for the first line of the block ahead of a lookup.
    #[inline]
    pub fn prefetch(&self) {
        block::prefetch(self.block.as_ptr());
    }

    /// The member at `index` in ascending order.
    ///
    /// # Panics
    /// When there are not that many members.
    #[inline]
    pub fn get(&self, index: usize) -> i64 {
        assert!(index < self.len());
        self.read(self.width(), index)
    }

    /// The smallest and the largest member.
    #[inline]
    pub fn bounds(&self) -> Option<(i64, i64)> {
        let len = self.len();
        (len > 0).then(|| (self.get(0), self.get(len - 1)))
    }

    /// Whether `value` is a member.
    #[inline]
    pub fn contains(&self, value: i64) -> bool {
        self.search(value).is_ok()
    }

    /// Whether `value` is a member, for values that come in ascending order: `at`, which begins with
    /// 0, keeps the place where the search goes on. A search costs the logarithm of the distance.
    pub fn seek(&self, at: &mut usize, value: i64) -> bool {
        let (len, width) = (self.len(), self.width());
        let (mut low, mut high, mut step) = (*at, *at, 1);
        while high < len && self.read(width, high) < value {
            low = high + 1;
            high += step;
            step *= 2;
        }
        high = high.min(len);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.read(width, middle) < value {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        *at = low;
        low < len && self.read(width, low) == value
    }

    /// Adds `value` and says whether it was new.
    ///
    /// # Panics
    /// When the set has [`MAX_MEMBERS`] already.
    pub fn insert(&mut self, value: i64) -> bool {
        let Err(index) = self.search(value) else {
            return false;
        };
        let (len, old) = (self.len(), self.width());
        if len == 0 {
            // Sets of one member come and go.
            self.resize(0, old, 1, Width::of(value));
            self.write(Width::of(value), 0, value);
            return true;
        }
        let width = old.max(Width::of(value));
        assert!(len < MAX_MEMBERS);
        if width == old {
            self.resize(len, old, len + 1, width);
            if index < len {
                // SAFETY: the block has room for one more member than there were.
                unsafe {
                    let at = self.member(width, index);
                    at.copy_to(at.add(width.bytes()), (len - index) * width.bytes());
                }
            }
        } else {
            // A value that needs a wider member lies at one of the ends.
            let mut wide = IntSet::new();
            wide.resize(0, width, len + 1, width);
            for i in 0..len {
                wide.write(width, i + usize::from(i >= index), self.read(old, i));
            }
            *self = wide;
        }
        self.write(width, index, value);
        true
    }

    /// Removes `value` and says whether it was a member.
    pub fn remove(&mut self, value: i64) -> bool {
        match self.search(value) {
            Ok(index) => {
                self.remove_at(index);
                true
            }
            Err(_) => false,
        }
    }

    /// Removes the member at `index` in ascending order and answers it.
    ///
    /// # Panics
    /// When there are not that many members.
    pub fn remove_at(&mut self, index: usize) -> i64 {
        let value = self.get(index);
        let (len, width) = (self.len(), self.width());
        if index + 1 < len {
            // SAFETY: the members behind `index` are in the block.
            unsafe {
                let at = self.member(width, index);
                at.add(width.bytes())
                    .copy_to(at, (len - index - 1) * width.bytes());
            }
        }
        self.resize(len, width, len - 1, width);
        value
    }

    /// The members in ascending order.
    #[inline]
    pub fn iter(&self) -> Iter<'_> {
        Iter {
            set: self,
            width: self.width(),
            at: 0,
            end: self.len(),
        }
    }

    #[inline]
    fn head(&self) -> u32 {
        // SAFETY: every block, and the shared empty header, begins with these four aligned bytes.
        unsafe { self.block.cast::<u32>().read() }
    }

    #[inline]
    fn width(&self) -> Width {
        match self.head() & 3 {
            0 => Width::Two,
            1 => Width::Four,
            _ => Width::Eight,
        }
    }

    /// The index of `value`, or the one that it would have.
    #[inline]
    fn search(&self, value: i64) -> Result<usize, usize> {
        let (len, width) = (self.len(), self.width());
        if len == 0 {
            return Err(0);
        }
        // Counters come in ascending order: the last member is worth a look first.
        match self.read(width, len - 1).cmp(&value) {
            std::cmp::Ordering::Less => return Err(len),
            std::cmp::Ordering::Equal => return Ok(len - 1),
            std::cmp::Ordering::Greater => {}
        }
        let (mut low, mut size) = (0, len - 1);
        while size > 0 {
            let half = size / 2;
            let middle = self.read(width, low + half);
            if middle < value {
                low += half + 1;
                size -= half + 1;
            } else {
                size = half;
            }
        }
        if self.read(width, low) == value {
            Ok(low)
        } else {
            Err(low)
        }
    }

    /// # Safety
    /// `index` is at most the number of members that the block has room for.
    #[inline]
    unsafe fn member(&self, width: Width, index: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.block.as_ptr().add(HEADER + index * width.bytes()) }
    }

    #[inline]
    fn read(&self, width: Width, index: usize) -> i64 {
        debug_assert!(index < self.len() && width == self.width());
        // SAFETY: callers stay below the number of members and pass the set's width.
        unsafe {
            let at = self.member(width, index);
            match width {
                Width::Two => at.cast::<i16>().read_unaligned().into(),
                Width::Four => at.cast::<i32>().read_unaligned().into(),
                Width::Eight => at.cast::<i64>().read_unaligned(),
            }
        }
    }

    #[inline]
    fn write(&mut self, width: Width, index: usize, value: i64) {
        debug_assert!(index < self.len() && width == self.width() && Width::of(value) <= width);
        // SAFETY: as for `read`; the unique borrow is of a set with members, which has a block of
        // its own.
        unsafe {
            let at = self.member(width, index);
            match width {
                Width::Two => at.cast::<i16>().write_unaligned(value as i16),
                Width::Four => at.cast::<i32>().write_unaligned(value as i32),
                Width::Eight => at.cast::<i64>().write_unaligned(value),
            }
        }
    }

    /// Makes the block fit `len` members, keeping the bytes that are there, and writes the header.
    #[inline]
    fn resize(&mut self, old_len: usize, old_width: Width, len: usize, width: Width) {
        let old_size = if old_len == 0 {
            0
        } else {
            block_size(old_len, old_width)
        };
        // SAFETY: a set with members has a block of that size.
        unsafe {
            if len == 0 {
                if old_size != 0 {
                    block::release(self.block, old_size);
                }
                self.block = block::EMPTY.address();
                return;
            }
            let size = block_size(len, width);
            if old_size == 0 {
                self.block = block::allocate(size);
            } else if size != old_size {
                self.block = block::reallocate(self.block, old_size, size);
            }
            self.block
                .cast::<u32>()
                .write((len as u32) << 2 | width as u32);
        }
    }
}

#[inline]
fn block_size(len: usize, width: Width) -> usize {
    block::rounded(HEADER + len * width.bytes())
}

impl Default for IntSet {
    fn default() -> IntSet {
        IntSet::new()
    }
}

impl Clone for IntSet {
    fn clone(&self) -> IntSet {
        let mut copy = IntSet::new();
        let (len, width) = (self.len(), self.width());
        copy.resize(0, width, len, width);
        if len > 0 {
            // SAFETY: both blocks have room for the members.
            unsafe {
                self.member(width, 0)
                    .copy_to(copy.member(width, 0), len * width.bytes())
            };
        }
        copy
    }
}

impl Drop for IntSet {
    #[inline]
    fn drop(&mut self) {
        let width = self.width();
        self.resize(self.len(), width, 0, width);
    }
}

/// The members of an [`IntSet`] in ascending order.
#[derive(Clone)]
pub struct Iter<'a> {
    set: &'a IntSet,
    width: Width,
    at: usize,
    end: usize,
}

impl Iterator for Iter<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        if self.at == self.end {
            return None;
        }
        self.at += 1;
        Some(self.set.read(self.width, self.at - 1))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.at, Some(self.end - self.at))
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn value() -> impl Strategy<Value = i64> {
        prop_oneof![
            8 => -20i64..20,
            2 => -40_000i64..40_000,
            1 => any::<i64>(),
            1 => proptest::sample::select(vec![
                i16::MIN.into(), i16::MAX.into(), i32::MIN.into(), i32::MAX.into(),
                i64::MIN, i64::MAX,
                i64::from(i16::MAX) + 1, i64::from(i32::MIN) - 1,
            ]),
        ]
    }

    proptest! {
        #[test]
        fn behaves_like_a_tree(ops in proptest::collection::vec((any::<bool>(), value()), 0..200)) {
            let mut set = IntSet::new();
            let mut model = BTreeSet::new();
            for (add, value) in ops {
                if add {
                    prop_assert_eq!(set.insert(value), model.insert(value));
                } else {
                    prop_assert_eq!(set.remove(value), model.remove(&value));
                }
                prop_assert_eq!(set.contains(value), model.contains(&value));
                prop_assert_eq!(set.len(), model.len());
                prop_assert_eq!(set.bounds(), model.first().copied().zip(model.last().copied()));
            }
            prop_assert!(set.iter().eq(model.iter().copied()));
            let mut at = 0;
            let around = model.iter().flat_map(|value| [value.saturating_sub(1), *value]);
            let mut around: Vec<i64> = around.collect();
            around.sort();
            for value in around {
                prop_assert_eq!(set.seek(&mut at, value), model.contains(&value));
            }
            prop_assert!(set.clone().iter().eq(model.iter().copied()));
            while let Some(first) = model.pop_first() {
                prop_assert_eq!(set.remove_at(0), first);
            }
            prop_assert_eq!(set.heap_bytes(), 0);
        }
    }

    #[test]
    fn one_short_member_takes_eight_bytes() {
        let mut set = IntSet::new();
        set.insert(7);
        assert_eq!(set.heap_bytes(), 8);
        set.insert(i64::MAX);
        assert_eq!(set.heap_bytes(), 24);
    }
}
