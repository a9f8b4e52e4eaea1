//! Raw heap blocks whose size is found again from what they hold.
//!
//! A short set member or a small hash must not pay for a pointer, a length and a capacity beside
//! its bytes. The owners of these blocks keep a bare pointer and derive the size from a header
//! inside the block, always rounded to the allocator's size class, so that "the room left" and "the
//! bytes to account for" are functions of the content. The rejected alternative, asking the
//! allocator for the usable size, costs a lookup per call and ties the crate to one allocator.
//!
//! Invariants: a block is at least 8 bytes, aligned to 8, and is released with the size it was
//! allocated with.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::ptr::NonNull;

/// The longest byte string that one item of a collection may hold: lengths and offsets inside
/// blocks are 32 bits wide, and the size class of the block has to be too.
pub const MAX_ITEM_BYTES: usize = 3 << 30;

/// A header of zeros for the owners that hold nothing: reading it needs no check for a missing
/// block. It is never written or released.
#[repr(align(8))]
pub(crate) struct Empty([u8; 8]);

pub(crate) static EMPTY: Empty = Empty([0; 8]);

impl Empty {
    #[inline]
    pub(crate) const fn address(&'static self) -> NonNull<u8> {
        // SAFETY: the address of a static is not null.
        unsafe { NonNull::new_unchecked(self.0.as_ptr().cast_mut()) }
    }
}

/// The bytes that an allocation of `size` occupies: jemalloc's size classes with an 8-byte quantum
/// (multiples of 8 up to 64, then four classes per doubling). With another allocator it is a close
/// estimate.
#[inline]
pub(crate) const fn rounded(size: usize) -> usize {
    if size <= 64 {
        return if size == 0 { 8 } else { (size + 7) & !7 };
    }
    let delta = 1usize << ((size - 1).ilog2() - 2);
    (size + delta - 1) & !(delta - 1)
}

/// Up to here a block of another size is another block: the allocator, asked to reallocate, would
/// look for a way to stay in place that there never is.
const IN_PLACE: usize = 16 * 1024;

#[inline]
fn layout(size: usize) -> Layout {
    debug_assert!(size >= 8 && size.is_multiple_of(8) && size <= isize::MAX as usize - 8);
    // SAFETY: the alignment is a power of two and a size past isize::MAX cannot come from lengths
    // of 32 bits.
    unsafe { Layout::from_size_align_unchecked(size, 8) }
}

/// Allocates a block of `size` bytes, which has to be a result of [`rounded`].
#[inline]
pub(crate) fn allocate(size: usize) -> NonNull<u8> {
    let layout = layout(size);
    // SAFETY: the layout's size is not zero.
    let raw = unsafe { alloc(layout) };
    NonNull::new(raw).unwrap_or_else(|| handle_alloc_error(layout))
}

/// Moves a block to another size, keeping the bytes that both sizes have.
///
/// # Safety
/// `block` came from this module with the size `old`, and is not used afterwards.
#[inline]
pub(crate) unsafe fn reallocate(block: NonNull<u8>, old: usize, new: usize) -> NonNull<u8> {
    if old.max(new) <= IN_PLACE {
        let moved = allocate(new);
        // SAFETY: the caller's promise; both blocks have as many bytes as are copied.
        unsafe {
            block
                .as_ptr()
                .copy_to_nonoverlapping(moved.as_ptr(), old.min(new));
            release(block, old);
        }
        return moved;
    }
    // SAFETY: the caller's promise; the new size is not zero.
    let raw = unsafe { realloc(block.as_ptr(), layout(old), new) };
    NonNull::new(raw).unwrap_or_else(|| handle_alloc_error(layout(new)))
}

/// Frees a block.
///
/// # Safety
/// `block` came from this module with the size `size`, and is not used afterwards.
#[inline]
pub(crate) unsafe fn release(block: NonNull<u8>, size: usize) {
    // SAFETY: the caller's promise.
    unsafe { dealloc(block.as_ptr(), layout(size)) }
}

/// Asks the processor to load the line at `address`; any address is fine, nothing is read.
#[inline]
pub(crate) fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults, whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn sizes_follow_the_allocator_classes() {
        for (size, class) in [
            (0, 8),
            (1, 8),
            (8, 8),
            (9, 16),
            (33, 40),
            (64, 64),
            (65, 80),
            (112, 112),
            (113, 128),
            (129, 160),
            (8192, 8192),
            (8193, 10240),
            (16385, 20480),
            (1 << 20, 1 << 20),
            ((1 << 20) + 1, (1 << 20) + (1 << 18)),
        ] {
            assert_eq!(rounded(size), class, "{size}");
        }
    }
}
