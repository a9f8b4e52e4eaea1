//! The global allocator: jemalloc with size classes 8 bytes apart, made safe for 16-byte alignment.
//!
//! With a quantum of 8 bytes (`.cargo/config.toml`) a small allocation is aligned to 8. The bindings
//! assume 16, as with jemalloc's default, and ask for no alignment up to that; a value aligned to 16
//! could then end up where an aligned vector instruction faults. So an alignment of 16 is asked for
//! as 32, which the bindings do pass on. Few types need it: the standard hash tables are the ones
//! that matter.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::CStr;

use tikv_jemallocator::Jemalloc;

/// See the module.
pub(crate) struct Allocator;

/// The layout to ask for in place of `layout`: never less aligned, never smaller.
#[inline(always)]
fn widened(layout: Layout) -> Layout {
    if layout.align() == 16 {
        // Falls back to the original where rounding up to 32 would overflow, which then fails.
        Layout::from_size_align(layout.size(), 32).unwrap_or(layout)
    } else {
        layout
    }
}

// SAFETY: every call goes to jemalloc with a layout that only depends on the caller's, so what was
// allocated with one layout is reallocated and freed with the same; a wider alignment satisfies the
// caller's.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the size is the caller's, who promises that it is not zero.
        unsafe { Jemalloc.alloc(widened(layout)) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        unsafe { Jemalloc.alloc_zeroed(widened(layout)) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` with the same widened layout.
        unsafe { Jemalloc.dealloc(pointer, widened(layout)) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as in `dealloc`; the new size is the caller's promise.
        unsafe { Jemalloc.realloc(pointer, widened(layout), new_size) }
    }
}

/// Gives free pages of all arenas back to the system. Returns whether that went well.
pub(crate) fn purge() -> bool {
    // The number stands for all arenas.
    const PURGE: &CStr = c"arena.4096.purge";
    // SAFETY: the name is a C string; this operation neither reads nor writes a value, and says so by
    // null pointers.
    let error = unsafe {
        tikv_jemalloc_sys::mallctl(
            PURGE.as_ptr(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            0,
        )
    };
    error == 0
}

/// Bytes of free pages that the system may take but has not, as of the allocator's last epoch.
pub(crate) fn muzzy_bytes() -> usize {
    // SAFETY: the name ends with a null byte, and its value is a size.
    let pages = unsafe { tikv_jemalloc_ctl::raw::read::<usize>(b"stats.arenas.4096.pmuzzy\0") };
    pages.unwrap_or(0) * rustix::param::page_size()
}

#[cfg(test)]
mod tests {
    /// Aligned to 16 and of all small sizes: with the bindings alone every second one is not.
    #[test]
    fn values_are_aligned_to_16() {
        #[derive(Clone, Copy)]
        #[repr(align(16))]
        struct Aligned(#[allow(dead_code)] [u8; 16]);
        let mut all: Vec<Vec<Aligned>> = Vec::new();
        for count in 1..200 {
            for _ in 0..4 {
                // An odd word in between moves the next address.
                std::hint::black_box(Box::new([0u8; 24]));
                all.push(vec![Aligned([0; 16]); count % 40 + 1]);
            }
        }
        for values in &all {
            assert_eq!(values.as_ptr() as usize % 16, 0);
        }
    }
}
