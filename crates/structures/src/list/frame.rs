//! An item of a list in its node: its length on both sides, so that it can be read from both.
//!
//! | item | bytes |
//! |---|---|
//! | length of the bytes, forward form (`packed/length.rs`) | 1, 3 or 5 |
//! | the bytes | |
//! | length of the two above, backward form | 1, 3 or 5 |
//!
//! A short item thus takes two bytes more than it has. The backward length spares an index of the
//! items, and lets an item be dropped at either end without a look at the others.
#![allow(unsafe_code)]

use crate::block::MAX_ITEM_BYTES;
use crate::packed::length;
use std::slice;

/// The bytes that an item of `n` bytes takes in a node.
#[inline]
pub(super) fn framed(n: usize) -> u32 {
    assert!(
        n <= MAX_ITEM_BYTES,
        "an item is longer than 32 bits of length allow"
    );
    let forward = length::size(n) + n;
    (forward + length::size(forward)) as u32
}

/// # Safety
/// `at` is valid for writes of the framed item.
#[inline]
pub(super) unsafe fn write_item(at: *mut u8, item: &[u8]) {
    // SAFETY: the caller's promise; an item is never inside the node that it is written to, since
    // writing takes a unique borrow of that.
    unsafe {
        let prefix = length::write(at, item.len());
        let bytes = at.add(prefix);
        bytes.copy_from_nonoverlapping(item.as_ptr(), item.len());
        length::write_back(bytes.add(item.len()), prefix + item.len());
    }
}

/// The item at `at`, and where the next begins.
///
/// # Safety
/// A framed item begins at `at`, and stays as it is during `'a`.
#[inline(always)]
pub(super) unsafe fn forward<'a>(at: *const u8) -> (&'a [u8], *const u8) {
    // SAFETY: the caller's promise.
    unsafe {
        let (n, prefix) = length::read(at);
        let bytes = at.add(prefix);
        let back = if prefix == 1 && n < 0xFD {
            1
        } else {
            length::size(prefix + n)
        };
        (slice::from_raw_parts(bytes, n), bytes.add(n + back))
    }
}

/// The item that ends before `end`, and where it begins.
///
/// # Safety
/// A framed item ends there, and stays as it is during `'a`.
#[inline(always)]
pub(super) unsafe fn backward<'a>(end: *const u8) -> (&'a [u8], *const u8) {
    // SAFETY: the caller's promise.
    unsafe {
        let (n, back) = length::read_back(end);
        let at = end.sub(back + n);
        let (n, prefix) = length::read(at);
        (slice::from_raw_parts(at.add(prefix), n), at)
    }
}
