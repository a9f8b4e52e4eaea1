//! What a table holds: owned, thin pointers.

#![allow(unsafe_code)]

use std::ptr::NonNull;

/// An owned, thin pointer to the heap, of which the table keeps the address in 48 bits.
///
/// For a type that lives in a `Box`, implement [`Hashed`] instead, which is safe.
///
/// # Safety
///
/// - The address that `into_raw` answers fits in 48 bits, and stays the address of the element
///   until `from_raw`, which gives the same element back.
/// - `hash_of` is the same for an element as long as it lies in a table, and does not unwind.
/// - An element may be sent to another thread if the type is `Send`, views of it shared if it is
///   `Sync`.
pub unsafe trait Element: Sized + 'static {
    /// A view of an element in the table.
    type Ref<'a>: Copy;
    /// A view of an element in the table through which it can be changed, all but its hash and its
    /// place in memory.
    type Mut<'a>;

    /// Gives the element up as an address.
    fn into_raw(self) -> NonNull<u8>;

    /// Takes the element back.
    ///
    /// # Safety
    /// `raw` comes from `into_raw`, and this is the only call for it.
    unsafe fn from_raw(raw: NonNull<u8>) -> Self;

    /// A view of the element.
    ///
    /// # Safety
    /// `raw` comes from `into_raw`, and during `'a` the element is neither taken back nor changed.
    unsafe fn borrow<'a>(raw: NonNull<u8>) -> Self::Ref<'a>;

    /// A view for changing the element.
    ///
    /// # Safety
    /// `raw` comes from `into_raw`, and during `'a` the element is not taken back, and there is no
    /// other view.
    unsafe fn borrow_mut<'a>(raw: NonNull<u8>) -> Self::Mut<'a>;

    /// The hash of an element, computed again when its bucket is split. See [`hash`](crate::hash)
    /// for which bits are used.
    fn hash_of(view: Self::Ref<'_>) -> u64;
}

/// A type whose boxes can be the elements of a table.
pub trait Hashed: 'static {
    /// The hash of this element, always the same while it lies in a table.
    fn table_hash(&self) -> u64;
}

// SAFETY: a box is a thin pointer, for `T` is sized; user addresses have at most 48 bits on the
// supported machines, which the bucket asserts in debug builds. A changed or panicking hash loses
// elements or aborts, see `hash_of`.
unsafe impl<T: Hashed> Element for Box<T> {
    type Ref<'a> = &'a T;
    type Mut<'a> = &'a mut T;

    #[inline]
    fn into_raw(self) -> NonNull<u8> {
        NonNull::from(Box::leak(self)).cast()
    }

    #[inline]
    unsafe fn from_raw(raw: NonNull<u8>) -> Self {
        // SAFETY: it comes from a leaked box, once.
        unsafe { Box::from_raw(raw.cast().as_ptr()) }
    }

    #[inline]
    unsafe fn borrow<'a>(raw: NonNull<u8>) -> &'a T {
        // SAFETY: the caller's promise.
        unsafe { raw.cast().as_ref() }
    }

    #[inline]
    unsafe fn borrow_mut<'a>(raw: NonNull<u8>) -> &'a mut T {
        // SAFETY: the caller's promise.
        unsafe { raw.cast().as_mut() }
    }

    #[inline]
    fn hash_of(view: &T) -> u64 {
        view.table_hash()
    }
}
