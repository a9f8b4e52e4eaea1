//! The write guards: the only way to change a value.
//!
//! A guard is committed with the event that describes the change. Committing does what must never
//! be forgotten: it keeps the shard's books, removes a collection that has become empty, and
//! records the change, from which WATCH, tracking, events, wake-ups and the journal are served.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use structures::table::{Occupied, Slot};

use crate::change::{ChangeLog, Event};
use crate::entry::{Collection, Entry, Kind, Text};
use crate::keyspace::Keyspace;
use crate::shard::{Books, Shape};
use crate::usage::Usage;

/// A collection that is being changed.
///
/// Dropped without a commit, it keeps the books all the same; in debug builds that panics if the
/// value was borrowed mutably.
#[must_use]
pub struct EntryMut<'d, T: Collection> {
    /// `None` once the guard has ended.
    slot: Option<Occupied<'d, Entry>>,
    before: Shape,
    books: &'d mut Books,
    changes: &'d mut ChangeLog,
    keyspace: &'d Keyspace,
    database: usize,
    is_mutated: bool,
    collection: PhantomData<T>,
}

impl<'d, T: Collection> EntryMut<'d, T> {
    /// `slot` holds a `T`.
    #[inline]
    pub(crate) fn new(
        slot: Occupied<'d, Entry>,
        before: Shape,
        books: &'d mut Books,
        changes: &'d mut ChangeLog,
        keyspace: &'d Keyspace,
        database: usize,
    ) -> Self {
        EntryMut {
            slot: Some(slot),
            before,
            books,
            changes,
            keyspace,
            database,
            is_mutated: false,
            collection: PhantomData,
        }
    }

    /// Ends the change, which is described by `event`. An empty collection is removed, which is a
    /// second event.
    #[inline]
    pub fn commit(mut self, event: Event) {
        if let Some(slot) = self.slot.take() {
            self.changes.add(self.database, slot.get().key(), event);
            self.end(slot);
        }
    }

    /// As [`commit`](Self::commit) if the value `is_changed`; if it is what it was, there is no
    /// event and nothing to undo.
    #[inline]
    pub fn commit_if(mut self, is_changed: bool, event: Event) {
        if is_changed {
            self.commit(event);
        } else {
            self.is_mutated = false;
        }
    }

    #[inline]
    fn end(&mut self, slot: Occupied<'d, Entry>) {
        let entry = slot.get();
        let is_empty = entry.collection::<T>().is_none_or(Collection::is_empty);
        if is_empty {
            self.books.left(self.before);
            let entry = slot.remove();
            self.changes
                .add(self.database, entry.view().key(), Event::DEL);
            // Emptied, but it may still have its last allocations.
            self.keyspace.discard(entry);
        } else {
            // A guard never changes the expiry, so no deadline and no hash is needed.
            self.books.changed(self.before, Shape::of(entry), 0);
        }
    }
}

impl<T: Collection> Deref for EntryMut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        let slot = self.slot.as_ref().expect("a guard that has ended is gone");
        slot.get()
            .collection()
            .expect("the kind was checked when the guard was made")
    }
}

impl<T: Collection> DerefMut for EntryMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.is_mutated = true;
        let slot = self.slot.as_mut().expect("a guard that has ended is gone");
        slot.as_mut()
            .into_collection()
            .expect("the kind was checked when the guard was made")
    }
}

impl<T: Collection> Drop for EntryMut<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            self.end(slot);
            debug_assert!(
                !self.is_mutated || std::thread::panicking(),
                "a value was changed and the change not committed"
            );
        }
    }
}

/// A string that is being changed, or made.
#[must_use]
pub struct TextMut<'d> {
    slot: Slot<'d, Entry>,
    books: &'d mut Books,
    changes: &'d mut ChangeLog,
    key: &'d [u8],
    database: usize,
    hash: u64,
    usage: &'d Usage,
}

impl<'d> TextMut<'d> {
    /// `slot` is that of `key`, and holds a string or nothing.
    #[inline]
    pub(crate) fn new(
        slot: Slot<'d, Entry>,
        books: &'d mut Books,
        changes: &'d mut ChangeLog,
        key: &'d [u8],
        database: usize,
        hash: u64,
        usage: &'d Usage,
    ) -> Self {
        TextMut {
            slot,
            books,
            changes,
            key,
            database,
            hash,
            usage,
        }
    }

    /// The string as it is; `None` if it is missing.
    #[inline]
    pub fn get(&self) -> Option<Text<'_>> {
        match &self.slot {
            Slot::Occupied(occupied) => occupied.get().as_text(),
            Slot::Vacant(_) => None,
        }
    }

    /// Makes the string that of an integer. The expiry stays.
    #[inline]
    pub fn set_int(self, value: i64, event: Event) {
        match self.slot {
            Slot::Occupied(mut occupied) => {
                if occupied.get().kind() == Kind::Int {
                    occupied.as_mut().set_int(value);
                } else {
                    let before = Shape::of(occupied.get());
                    occupied.update(|old| old.with_int(value));
                    self.books
                        .changed(before, Shape::of(occupied.get()), self.hash);
                }
            }
            Slot::Vacant(vacant) => {
                let entry = Entry::int(self.key, value, None);
                self.books.entered(entry.view(), self.hash, self.usage);
                vacant.insert(entry);
            }
        }
        self.changes.add(self.database, self.key, event);
    }

    /// Lets `edit` change the bytes, in an allocation with room to grow, and returns what it
    /// returns. The expiry stays.
    pub fn edit<R>(self, event: Event, edit: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        let result = match self.slot {
            Slot::Occupied(mut occupied) => {
                let before = Shape::of(occupied.get());
                if occupied.get().kind() != Kind::Raw {
                    occupied.update(Entry::with_room);
                }
                let bytes = occupied.as_mut().into_raw_text();
                let result = edit(bytes.expect("made so that it can grow"));
                self.books
                    .changed(before, Shape::of(occupied.get()), self.hash);
                result
            }
            Slot::Vacant(vacant) => {
                let mut bytes = Vec::new();
                let result = edit(&mut bytes);
                let entry = Entry::growing(self.key, bytes, None);
                self.books.entered(entry.view(), self.hash, self.usage);
                vacant.insert(entry);
                result
            }
        };
        self.changes.add(self.database, self.key, event);
        result
    }
}
