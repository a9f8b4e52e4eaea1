//! The place of an element, found or vacant: the ways to change a table.

#![allow(unsafe_code)]

use std::ptr::NonNull;

use super::{Element, Place, Table};

/// What [`Table::entry`] finds.
pub enum Slot<'a, E: Element> {
    /// The element is there.
    Occupied(Occupied<'a, E>),
    /// It is not.
    Vacant(Vacant<'a, E>),
}

/// The place of an element in the table. While it exists nothing else changes the table, and a walk
/// already has the bucket, so anything may be done with the element.
pub struct Occupied<'a, E: Element> {
    table: &'a mut Table<E>,
    place: Place,
}

impl<'a, E: Element> Occupied<'a, E> {
    /// `place` is valid, and a walk has its bucket.
    #[inline(always)]
    pub(super) fn new(table: &'a mut Table<E>, place: Place) -> Self {
        Self { table, place }
    }

    #[inline(always)]
    fn raw(&self) -> NonNull<u8> {
        // SAFETY: the bucket belongs to the table, which is borrowed.
        unsafe { self.place.bucket.as_ref() }.element(self.place.lane)
    }

    /// The element.
    #[inline]
    pub fn get(&self) -> E::Ref<'_> {
        // SAFETY: it lives in the table, which is borrowed.
        unsafe { E::borrow(self.raw()) }
    }

    /// The element, for as long as the table is borrowed.
    #[inline]
    pub fn into_ref(self) -> E::Ref<'a> {
        // SAFETY: as for `get`.
        unsafe { E::borrow(self.raw()) }
    }

    /// The element, to change it where it is.
    #[inline]
    pub fn as_mut(&mut self) -> E::Mut<'_> {
        // SAFETY: the table is borrowed exclusively, and this place with it.
        unsafe { E::borrow_mut(self.raw()) }
    }

    /// The element, to change it where it is, for as long as the table is borrowed.
    #[inline]
    pub fn into_mut(self) -> E::Mut<'a> {
        // SAFETY: as for `as_mut`.
        unsafe { E::borrow_mut(self.raw()) }
    }

    /// Puts another element with the same hash into this place.
    #[inline]
    pub fn replace(&mut self, element: E) -> E {
        let old = self.raw();
        // SAFETY: the bucket belongs to the table, which is borrowed exclusively.
        unsafe { self.place.bucket.as_mut() }.replace(self.place.lane, element.into_raw());
        // SAFETY: it has left the table, which owned it.
        unsafe { E::from_raw(old) }
    }

    /// Takes the element out and puts what `change` makes of it, something with the same hash, back
    /// into this place: the way to reallocate it. When `change` unwinds the table has lost the
    /// element, and is otherwise whole.
    #[inline]
    pub fn update(&mut self, change: impl FnOnce(E) -> E) {
        let raw = self.raw();
        let vacated = Vacated { occupied: self };
        // SAFETY: the element is out of the table: either the new one takes its place or `vacated`
        // clears it.
        let changed = change(unsafe { E::from_raw(raw) }).into_raw();
        std::mem::forget(vacated);
        if changed != raw {
            // SAFETY: the bucket belongs to the table, which is borrowed exclusively.
            unsafe { self.place.bucket.as_mut() }.replace(self.place.lane, changed);
        }
    }

    /// Takes the element out of the table.
    #[inline]
    pub fn remove(self) -> E {
        let element = self.table.take_out(self.place);
        self.table.merge_if_sparse();
        element
    }
}

/// Clears the place of an element that was lost while it was out of the table.
struct Vacated<'v, 'a, E: Element> {
    occupied: &'v mut Occupied<'a, E>,
}

impl<E: Element> Drop for Vacated<'_, '_, E> {
    #[cold]
    fn drop(&mut self) {
        self.occupied.table.vacate(self.occupied.place);
        self.occupied.table.merge_if_sparse();
    }
}

/// The place for an element that is not in the table yet.
pub struct Vacant<'a, E: Element> {
    table: &'a mut Table<E>,
    hash: u64,
}

impl<'a, E: Element> Vacant<'a, E> {
    #[inline(always)]
    pub(super) fn new(table: &'a mut Table<E>, hash: u64) -> Self {
        Self { table, hash }
    }

    /// The hash that was looked for.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Puts the element in, which has the hash that was looked for.
    #[inline]
    pub fn insert(self, element: E) -> Occupied<'a, E> {
        let raw = element.into_raw();
        // SAFETY: just made from an element.
        let view = unsafe { E::borrow(raw) };
        debug_assert_eq!(E::hash_of(view), self.hash, "an element with another hash");
        self.table.insert_raw(self.hash, raw)
    }
}
