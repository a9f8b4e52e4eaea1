//! A member of a big set: one thin allocation, its length (`packed/length.rs`) and its bytes.
//!
//! The block's size follows from the length, so a table of members needs nothing but their
//! addresses: 17 bytes take one length byte and a block of 24.
#![allow(unsafe_code)]

use crate::block::{self, MAX_ITEM_BYTES};
use crate::hash::hash;
use crate::packed::length;
use crate::table::Element;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::slice;

pub(super) struct Member(NonNull<u8>);

// SAFETY: a member owns its block alone.
unsafe impl Send for Member {}
// SAFETY: a member is never changed.
unsafe impl Sync for Member {}

/// The allocated bytes of a member of `n` bytes.
#[inline]
pub(super) fn block_size(n: usize) -> usize {
    block::rounded(length::size(n) + n)
}

impl Member {
    #[inline]
    pub(super) fn new(bytes: &[u8]) -> Member {
        let n = bytes.len();
        assert!(
            n <= MAX_ITEM_BYTES,
            "a member is longer than 32 bits of length allow"
        );
        let block = block::allocate(block_size(n));
        // SAFETY: the block has room for the length and the bytes, and is new.
        unsafe {
            let at = block.as_ptr().add(length::write(block.as_ptr(), n));
            at.copy_from_nonoverlapping(bytes.as_ptr(), n);
        }
        Member(block)
    }

    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the block lives as long as the member does.
        unsafe { read(self.0) }
    }
}

impl Drop for Member {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the block has the size of its content, and the member is gone.
        unsafe { block::release(self.0, block_size(self.bytes().len())) }
    }
}

/// # Safety
/// A member's block, which stays during `'a`.
#[inline(always)]
unsafe fn read<'a>(block: NonNull<u8>) -> &'a [u8] {
    // SAFETY: a block begins with the length of the bytes behind it.
    unsafe {
        let (n, prefix) = length::read(block.as_ptr());
        slice::from_raw_parts(block.as_ptr().add(prefix), n)
    }
}

// SAFETY: the raw pointer is the block's address, which the allocator takes from the lower 48 bits;
// the hash depends on the bytes alone, and they do not change.
unsafe impl Element for Member {
    type Ref<'a> = &'a [u8];
    type Mut<'a> = &'a [u8];

    #[inline]
    fn into_raw(self) -> NonNull<u8> {
        ManuallyDrop::new(self).0
    }

    #[inline]
    unsafe fn from_raw(raw: NonNull<u8>) -> Member {
        Member(raw)
    }

    #[inline]
    unsafe fn borrow<'a>(raw: NonNull<u8>) -> &'a [u8] {
        // SAFETY: the caller's promise.
        unsafe { read(raw) }
    }

    #[inline]
    unsafe fn borrow_mut<'a>(raw: NonNull<u8>) -> &'a [u8] {
        // SAFETY: the caller's promise; nothing of a member can be changed.
        unsafe { read(raw) }
    }

    #[inline]
    fn hash_of(view: &[u8]) -> u64 {
        hash(view)
    }
}
