//! A compact sequence of byte strings in one allocation, for small sets and small hashes.
//!
//! The handle is one pointer; the block holds a short header and the items one after the other. A
//! lookup is a scan, which for the few dozen items that these hold beats hashing, and a set of four
//! short words fits in 32 bytes. No capacity is stored: it is the size class of the content, so the
//! block moves whenever an item crosses a class. A stored capacity would save some of these moves
//! and cost a size class on most small values. Items are read forwards only; lists, which need both
//! directions, have their own nodes.
//!
//! | narrow block | bytes | | wide block | bytes |
//! |---|---|---|---|---|
//! | bytes of items | 2 | | `0xFFFF`, then 2 unused | 4 |
//! | count of items | 2 | | bytes of items | 4 |
//! | items | | | count of items | 4 |
//! | | | | items | |
//!
//! An item is its length (`length.rs`) and its bytes. Numbers are little endian.
//!
//! Invariants: without items there is no block (the pointer is that of a shared, empty, narrow
//! header); a block is narrow while both numbers fit, and once wide it stays so until it is empty;
//! its size is the size class of header and items.
#![allow(unsafe_code)]

pub(crate) mod length;

use crate::block;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::slice;

const NARROW: usize = 4;
const WIDE: usize = 12;
const MARKER: u16 = u16::MAX;

/// A compact sequence of byte strings.
pub struct Packed {
    block: NonNull<u8>,
}

// SAFETY: a sequence owns its block alone, and the shared empty header is never written.
unsafe impl Send for Packed {}
// SAFETY: as above; nothing is changed through a shared reference.
unsafe impl Sync for Packed {}

/// Where an item begins, in bytes from the first item. It goes stale with the next change of the
/// sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset(usize);

#[derive(Clone, Copy)]
struct Header {
    size: usize,
    used: usize,
    count: usize,
}

impl Packed {
    /// A sequence without items; it allocates nothing.
    #[inline]
    pub const fn new() -> Packed {
        Packed {
            block: block::EMPTY.address(),
        }
    }

    /// The number of items.
    #[inline]
    pub fn len(&self) -> usize {
        self.header().count
    }

    /// Whether there is no item.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The allocated bytes.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        let header = self.header();
        if header.count == 0 {
            0
        } else {
            block::rounded(header.size + header.used)
        }
    }

    /// The bytes of the items and their lengths.
    #[inline]
    pub fn used_bytes(&self) -> usize {
        self.header().used
    }

    /// Whether `more` bytes of items and lengths could still be held (a sequence ends at 1 GiB).
    #[inline]
    pub fn has_room(&self, more: usize) -> bool {
        self.used_bytes().saturating_add(more) <= 1 << 30
    }

    /// Asks for the first line of the block ahead of a lookup.
    #[inline]
    pub fn prefetch(&self) {
        block::prefetch(self.block.as_ptr());
    }

    /// Where the first item equal to `needle` begins. With a `STRIDE` of 2 only every other item is
    /// compared, from the first: the names of name and value pairs.
    #[inline]
    pub fn find<const STRIDE: usize>(&self, needle: &[u8]) -> Option<Offset> {
        let header = self.header();
        let (start, end) = self.bounds(header);
        let mut at = start;
        while at < end {
            // SAFETY: `at` is at the length of an item, and the item ends within the block. The
            // items of a block are a multiple of the stride that its owner uses, so that the
            // skipped ones are there.
            unsafe {
                let (n, prefix) = length::read(at);
                let bytes = at.add(prefix);
                if n == needle.len() && equal(bytes, needle) {
                    return Some(Offset(at.offset_from_unsigned(start)));
                }
                at = bytes.add(n);
                for _ in 1..STRIDE {
                    let (n, prefix) = length::read(at);
                    at = at.add(prefix + n);
                }
            }
        }
        None
    }

    /// The item at `offset` and where the next one begins.
    #[inline]
    pub fn item(&self, offset: Offset) -> (&[u8], Offset) {
        let header = self.header();
        assert!(offset.0 < header.used);
        // SAFETY: an offset comes from this sequence in its present state, so that an item begins
        // there.
        unsafe {
            let at = self.block.as_ptr().add(header.size + offset.0);
            let (n, prefix) = length::read(at);
            (
                slice::from_raw_parts(at.add(prefix), n),
                Offset(offset.0 + prefix + n),
            )
        }
    }

    /// Where item `index` begins.
    ///
    /// # Panics
    /// When there are not that many items.
    pub fn nth(&self, index: usize) -> Offset {
        let header = self.header();
        assert!(index < header.count);
        let (start, _) = self.bounds(header);
        let mut at = start;
        for _ in 0..index {
            // SAFETY: fewer than `count` items were passed, so that `at` is at one.
            unsafe {
                let (n, prefix) = length::read(at);
                at = at.add(prefix + n);
            }
        }
        // SAFETY: both pointers are in the block.
        Offset(unsafe { at.offset_from_unsigned(start) })
    }

    /// The items in their order.
    #[inline]
    pub fn iter(&self) -> Iter<'_> {
        let (at, end) = self.bounds(self.header());
        Iter {
            at,
            end,
            items: PhantomData,
        }
    }

    /// Appends items.
    ///
    /// # Panics
    /// When [`Packed::has_room`] would say no.
    pub fn push<const N: usize>(&mut self, items: [&[u8]; N]) {
        let header = self.header();
        let added: usize = items
            .iter()
            .map(|item| length::size(item.len()) + item.len())
            .sum();
        let new = self.resize(header, header.used + added, header.count + N);
        // SAFETY: `resize` made the room for the items behind the old ones.
        unsafe {
            let mut at = self.block.as_ptr().add(new.size + header.used);
            for item in items {
                at = write_item(at, item);
            }
        }
    }

    /// Removes `N` items, of which the first begins at `offset`.
    pub fn remove<const N: usize>(&mut self, offset: Offset) {
        let header = self.header();
        if header.count == N {
            assert!(offset.0 == 0);
            self.clear();
            return;
        }
        let mut end = offset;
        for _ in 0..N {
            end = self.item(end).1;
        }
        // SAFETY: both offsets are within the items.
        unsafe {
            let items = self.block.as_ptr().add(header.size);
            items
                .add(end.0)
                .copy_to(items.add(offset.0), header.used - end.0);
        }
        self.resize(header, header.used - (end.0 - offset.0), header.count - N);
    }

    /// Puts other bytes in the place of the item at `offset`.
    ///
    /// # Panics
    /// When the item is longer by more bytes than [`Packed::has_room`] allows.
    pub fn replace(&mut self, offset: Offset, item: &[u8]) {
        let header = self.header();
        let end = self.item(offset).1.0;
        let new_end = offset.0 + length::size(item.len()) + item.len();
        let used = header.used - end + new_end;
        let tail = header.used - end;
        // The tail has to move while the block is the larger of the two.
        let new = if new_end > end {
            self.resize(header, used, header.count)
        } else {
            header
        };
        // SAFETY: the block holds the old items and, since `resize`, the new length.
        unsafe {
            let items = self.block.as_ptr().add(new.size);
            if new_end != end {
                items.add(end).copy_to(items.add(new_end), tail);
            }
            write_item(items.add(offset.0), item);
        }
        if new_end < end {
            self.resize(header, used, header.count);
        }
    }

    /// Removes all items.
    #[inline]
    pub fn clear(&mut self) {
        let size = self.heap_bytes();
        if size != 0 {
            // SAFETY: the block has this size; the handle is replaced at once.
            unsafe { block::release(self.block, size) };
            self.block = block::EMPTY.address();
        }
    }

    #[inline]
    fn header(&self) -> Header {
        let block = self.block.as_ptr();
        // SAFETY: every block, and the shared empty header, begins with two numbers of 16 bits; a
        // wide one with the marker, and then has two of 32 bits.
        unsafe {
            let used = u16::from_le(block.cast::<u16>().read());
            if used != MARKER {
                let count = u16::from_le(block.cast::<u16>().add(1).read());
                return Header {
                    size: NARROW,
                    used: used.into(),
                    count: count.into(),
                };
            }
            let used = u32::from_le(block.cast::<u32>().add(1).read());
            let count = u32::from_le(block.cast::<u32>().add(2).read());
            Header {
                size: WIDE,
                used: used as usize,
                count: count as usize,
            }
        }
    }

    #[inline]
    fn bounds(&self, header: Header) -> (*const u8, *const u8) {
        // SAFETY: the items begin behind the header and are `used` bytes long.
        unsafe {
            let start = self.block.as_ptr().add(header.size);
            (start, start.add(header.used))
        }
    }

    /// Makes the block fit `used` bytes of items and writes the header. The first of the old and
    /// new bytes of items stay; what is behind them is for the caller to write.
    fn resize(&mut self, old: Header, used: usize, count: usize) -> Header {
        assert!(used <= 1 << 30, "a packed sequence ends at 1 GiB");
        let old_size = if old.count == 0 {
            0
        } else {
            block::rounded(old.size + old.used)
        };
        if count == 0 {
            self.clear();
            return Header {
                size: NARROW,
                used: 0,
                count: 0,
            };
        }
        let narrow = used < MARKER as usize && count <= u16::MAX as usize;
        let size = if narrow && old.size == NARROW {
            NARROW
        } else {
            WIDE
        };
        let new_size = block::rounded(size + used);
        // SAFETY: a block is present when the old size is not zero, and then has that size; the new
        // one has room for the header and `used` bytes.
        unsafe {
            if old_size == 0 {
                self.block = block::allocate(new_size);
            } else if new_size != old_size {
                self.block = block::reallocate(self.block, old_size, new_size);
            }
            let at = self.block.as_ptr();
            if size == NARROW {
                at.cast::<u16>().write((used as u16).to_le());
                at.cast::<u16>().add(1).write((count as u16).to_le());
            } else {
                if old.size == NARROW {
                    at.add(NARROW).copy_to(at.add(WIDE), old.used.min(used));
                }
                at.cast::<u16>().write(MARKER);
                at.cast::<u16>().add(1).write(0);
                at.cast::<u32>().add(1).write((used as u32).to_le());
                at.cast::<u32>().add(2).write((count as u32).to_le());
            }
        }
        Header { size, used, count }
    }
}

impl Default for Packed {
    fn default() -> Packed {
        Packed::new()
    }
}

impl Clone for Packed {
    fn clone(&self) -> Packed {
        let header = self.header();
        if header.count == 0 {
            return Packed::new();
        }
        let block = block::allocate(self.heap_bytes());
        // SAFETY: both blocks have the size class of header and items.
        unsafe {
            self.block
                .as_ptr()
                .copy_to(block.as_ptr(), header.size + header.used)
        };
        Packed { block }
    }
}

impl Drop for Packed {
    #[inline]
    fn drop(&mut self) {
        self.clear();
    }
}

/// The items of a [`Packed`], in their order.
#[derive(Clone)]
pub struct Iter<'a> {
    at: *const u8,
    end: *const u8,
    items: PhantomData<&'a Packed>,
}

// SAFETY: it is a shared borrow of the sequence.
unsafe impl Send for Iter<'_> {}
// SAFETY: as above.
unsafe impl Sync for Iter<'_> {}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.at == self.end {
            return None;
        }
        // SAFETY: `at` is at an item that ends at or before `end`; the borrow keeps the block as it
        // is.
        unsafe {
            let (n, prefix) = length::read(self.at);
            let item = slice::from_raw_parts(self.at.add(prefix), n);
            self.at = self.at.add(prefix + n);
            Some(item)
        }
    }
}

/// # Safety
/// `at` is valid for writes of the item and its length.
#[inline]
unsafe fn write_item(at: *mut u8, item: &[u8]) -> *mut u8 {
    // SAFETY: the caller's promise; an item is never inside the block that it is written to, since
    // writing takes a unique borrow of that.
    unsafe {
        let bytes = at.add(length::write(at, item.len()));
        bytes.copy_from_nonoverlapping(item.as_ptr(), item.len());
        bytes.add(item.len())
    }
}

/// # Safety
/// `bytes` is valid for reads of as many bytes as `needle` has.
#[inline]
unsafe fn equal(bytes: *const u8, needle: &[u8]) -> bool {
    // Names of one length often differ in the last byte: a look at it saves most calls of the
    // comparison.
    // SAFETY: the caller's promise.
    unsafe {
        let n = needle.len();
        n == 0 || (*bytes.add(n - 1) == needle[n - 1] && slice::from_raw_parts(bytes, n) == needle)
    }
}

#[cfg(test)]
mod tests;
