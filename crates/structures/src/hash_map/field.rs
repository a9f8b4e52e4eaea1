//! A field of a big hash: name and value in one thin allocation.
//!
//! | block | bytes |
//! |---|---|
//! | length of the name (below) | 1, 3 or 5 |
//! | length of the value (`packed/length.rs`) | 1, 3 or 5 |
//! | name, value | |
//!
//! | first byte of a name's length | meaning |
//! |---|---|
//! | bit 7 | kept clear; set, it shall say that an expiry precedes the name |
//! | `0..=0x7D` in the other bits | the length itself |
//! | `0x7E`, `0x7F` | 2 or 4 bytes follow, little endian |
//!
//! The block's size follows from the lengths. A value is rewritten in place as long as the block
//! keeps its size class, so that a counter that is set again and again allocates nothing.
#![allow(unsafe_code)]

use crate::block::{self, MAX_ITEM_BYTES};
use crate::hash::hash;
use crate::packed::length;
use crate::table::Element;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::slice;

const TWO: u8 = 0x7E;
const FOUR: u8 = 0x7F;

pub(super) struct Field(NonNull<u8>);

// SAFETY: a field owns its block alone.
unsafe impl Send for Field {}
// SAFETY: nothing is changed through a shared reference.
unsafe impl Sync for Field {}

/// The name and the value of a field.
pub(super) type Pair<'a> = (&'a [u8], &'a [u8]);

const fn name_size(n: usize) -> usize {
    if n < TWO as usize {
        1
    } else if n <= u16::MAX as usize {
        3
    } else {
        5
    }
}

/// The allocated bytes of a field.
#[inline]
pub(super) fn block_size((name, value): Pair<'_>) -> usize {
    let lengths = name_size(name.len()) + length::size(value.len());
    block::rounded(lengths + name.len() + value.len())
}

impl Field {
    #[inline]
    pub(super) fn new(pair: Pair<'_>) -> Field {
        let (name, value) = pair;
        assert!(
            name.len() <= MAX_ITEM_BYTES && value.len() <= MAX_ITEM_BYTES,
            "a name or a value is longer than 32 bits of length allow"
        );
        let block = block::allocate(block_size(pair));
        // SAFETY: the block has room for the lengths and the bytes, and is new.
        unsafe {
            let at = block.as_ptr();
            let n = name.len();
            match name_size(n) {
                1 => *at = n as u8,
                3 => {
                    *at = TWO;
                    at.add(1).cast::<u16>().write_unaligned((n as u16).to_le());
                }
                _ => {
                    *at = FOUR;
                    at.add(1).cast::<u32>().write_unaligned((n as u32).to_le());
                }
            }
            let lengths = name_size(n) + length::write(at.add(name_size(n)), value.len());
            at.add(lengths).copy_from_nonoverlapping(name.as_ptr(), n);
            at.add(lengths + n)
                .copy_from_nonoverlapping(value.as_ptr(), value.len());
        }
        Field(block)
    }

    #[inline]
    pub(super) fn pair(&self) -> Pair<'_> {
        // SAFETY: the block lives as long as the field does.
        unsafe { read(self.0) }
    }
}

impl Drop for Field {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the block has the size of its content, and the field is gone.
        unsafe { block::release(self.0, block_size(self.pair())) }
    }
}

/// # Safety
/// A field's block, which stays during `'a`.
#[inline(always)]
unsafe fn read<'a>(block: NonNull<u8>) -> Pair<'a> {
    // SAFETY: a block begins with the two lengths, and what they measure follows.
    unsafe {
        let at = block.as_ptr().cast_const();
        let (name, first) = match *at {
            TWO => (
                u16::from_le(at.add(1).cast::<u16>().read_unaligned()) as usize,
                3,
            ),
            FOUR => (
                u32::from_le(at.add(1).cast::<u32>().read_unaligned()) as usize,
                5,
            ),
            n => (n as usize, 1),
        };
        let (value, second) = length::read(at.add(first));
        let at = at.add(first + second);
        (
            slice::from_raw_parts(at, name),
            slice::from_raw_parts(at.add(name), value),
        )
    }
}

/// A field in the table, whose value can be changed.
pub(super) struct FieldMut<'a> {
    block: NonNull<u8>,
    field: PhantomData<&'a mut [u8]>,
}

impl FieldMut<'_> {
    /// Rewrites the value if the block stays of the same size class, and says whether it did.
    #[inline]
    pub(super) fn rewrite(&mut self, value: &[u8]) -> bool {
        // SAFETY: the view is the only one of a field that is not taken back meanwhile.
        let (name, old) = unsafe { read(self.block) };
        if value.len() > MAX_ITEM_BYTES || block_size((name, value)) != block_size((name, old)) {
            return false;
        }
        let (n, first) = (name.len(), name_size(name.len()));
        let (old, new) = (length::size(old.len()), length::size(value.len()));
        // SAFETY: the block has room for the new lengths and bytes; the name makes way for a length
        // of another size.
        unsafe {
            let at = self.block.as_ptr().add(first);
            if old != new {
                at.add(old).copy_to(at.add(new), n);
            }
            length::write(at, value.len());
            at.add(new + n)
                .copy_from_nonoverlapping(value.as_ptr(), value.len());
        }
        true
    }
}

// SAFETY: the raw pointer is the block's address, which the allocator takes from the lower 48 bits;
// the hash depends on the name alone, and it does not change.
unsafe impl Element for Field {
    type Ref<'a> = Pair<'a>;
    type Mut<'a> = FieldMut<'a>;

    #[inline]
    fn into_raw(self) -> NonNull<u8> {
        ManuallyDrop::new(self).0
    }

    #[inline]
    unsafe fn from_raw(raw: NonNull<u8>) -> Field {
        Field(raw)
    }

    #[inline]
    unsafe fn borrow<'a>(raw: NonNull<u8>) -> Pair<'a> {
        // SAFETY: the caller's promise.
        unsafe { read(raw) }
    }

    #[inline]
    unsafe fn borrow_mut<'a>(raw: NonNull<u8>) -> FieldMut<'a> {
        FieldMut {
            block: raw,
            field: PhantomData,
        }
    }

    #[inline]
    fn hash_of((name, _): Pair<'_>) -> u64 {
        hash(name)
    }
}
