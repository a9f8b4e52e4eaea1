//! All elements: borrowed, or taken out one by one.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ptr::NonNull;

use super::bucket::Elements;
use super::{Element, Table, prefetch};

/// The elements of a table, in no order. See [`Table::iter`].
pub struct Iter<'a, E: Element> {
    table: &'a Table<E>,
    next_index: u32,
    bucket: Option<Elements<'a>>,
    left: usize,
}

impl<'a, E: Element> Iter<'a, E> {
    pub(super) fn new(table: &'a Table<E>) -> Self {
        Self {
            table,
            next_index: 0,
            bucket: None,
            left: table.len,
        }
    }
}

impl<'a, E: Element> Iterator for Iter<'a, E> {
    type Item = E::Ref<'a>;

    #[inline]
    fn next(&mut self) -> Option<E::Ref<'a>> {
        loop {
            if let Some(raw) = self.bucket.as_mut().and_then(Elements::next) {
                self.left -= 1;
                // SAFETY: the element lives in the table, which is borrowed for `'a`.
                return Some(unsafe { E::borrow(raw) });
            }
            if self.next_index == self.table.segments.count() {
                return None;
            }
            self.bucket = Some(self.table.segments.bucket(self.next_index).elements());
            self.next_index += 1;
            // While these are looked at, those of the next bucket come.
            if self.next_index < self.table.segments.count() {
                let next = self.table.segments.bucket(self.next_index);
                next.elements().for_each(|raw| prefetch(raw.as_ptr()));
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<E: Element> ExactSizeIterator for Iter<'_, E> {}

/// The elements taken out of a table, in no order; it owns the buckets, and drops what is left of
/// the elements. See [`Table::drain`].
pub struct IntoIter<E: Element> {
    table: Table<E>,
    next_index: u32,
    /// The elements of one bucket, already out of the table.
    pending: Vec<NonNull<u8>>,
    elements: PhantomData<E>,
}

// SAFETY: it owns the elements, as the table does.
unsafe impl<E: Element + Send> Send for IntoIter<E> {}
// SAFETY: a shared one gives out nothing.
unsafe impl<E: Element + Sync> Sync for IntoIter<E> {}

impl<E: Element> IntoIter<E> {
    pub(super) fn new(mut table: Table<E>) -> Self {
        table.walk = None;
        Self {
            table,
            next_index: 0,
            pending: Vec::new(),
            elements: PhantomData,
        }
    }

    #[cold]
    fn refill(&mut self) -> bool {
        while self.pending.is_empty() {
            if self.next_index == self.table.segments.count() {
                return false;
            }
            let all = self.table.segments.take(self.next_index);
            self.next_index += 1;
            self.pending.extend(all.elements());
            self.table.len -= self.pending.len();
        }
        true
    }
}

impl<E: Element> Iterator for IntoIter<E> {
    type Item = E;

    #[inline]
    fn next(&mut self) -> Option<E> {
        if self.pending.is_empty() && !self.refill() {
            return None;
        }
        let raw = self.pending.pop()?;
        // SAFETY: it has left the table, which owned it, and is taken back once.
        Some(unsafe { E::from_raw(raw) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.table.len + self.pending.len();
        (left, Some(left))
    }
}

impl<E: Element> ExactSizeIterator for IntoIter<E> {}

impl<E: Element> Drop for IntoIter<E> {
    fn drop(&mut self) {
        while let Some(raw) = self.pending.pop() {
            // SAFETY: as in `next`.
            drop(unsafe { E::from_raw(raw) });
        }
    }
}
