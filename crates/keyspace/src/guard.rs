//! The write guards: the only way to change a value.
//!
//! A guard is committed with the event that describes the change. Committing does what must never
//! be forgotten: it keeps the shard's books, removes a collection that has become empty, and
//! records the change, from which WATCH, tracking, events, wake-ups and the journal are served.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use structures::table::{Occupied, Slot};

use crate::change::{ChangeLog, Event};
use crate::entry::{Collection, Entry, INLINE_MAX, Kind, Text};
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
                    let text = occupied.get().as_text().map(|text| text.to_vec());
                    let text = text.unwrap_or_default();
                    let expiry = occupied.get().expiry();
                    occupied.update(|old| old.with_growing(text, expiry));
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

    /// The bytes, to change them where they are. There are at least `len_min`: zeros stand for what
    /// is missing. The expiry stays.
    ///
    /// A string that is long enough is neither copied nor moved; one that has to grow gets room to
    /// grow further; a new one is stored as if it had been set.
    pub fn into_bytes(self, len_min: usize) -> BytesMut<'d> {
        let (occupied, is_grown) = match self.slot {
            Slot::Occupied(mut occupied) => {
                let is_grown = grow(&mut occupied, len_min, self.books, self.hash);
                (occupied, is_grown)
            }
            Slot::Vacant(vacant) => {
                // Zeroed by the allocator, which for long strings means not yet touched.
                let bytes = vec![0; len_min];
                let entry = if len_min <= INLINE_MAX {
                    Entry::text(self.key, &bytes, None)
                } else {
                    Entry::growing(self.key, bytes, None)
                };
                self.books.entered(entry.view(), self.hash, self.usage);
                (vacant.insert(entry), true)
            }
        };
        BytesMut {
            occupied,
            changes: self.changes,
            database: self.database,
            is_grown,
            is_open: is_grown,
        }
    }
}

/// Makes the string of an entry one of bytes, of which there are at least `len_min`. Returns whether
/// there were fewer.
fn grow(occupied: &mut Occupied<'_, Entry>, len_min: usize, books: &mut Books, hash: u64) -> bool {
    let len = match occupied.get().as_text() {
        Some(Text::Bytes(bytes)) => Some(bytes.len()),
        _ => None,
    };
    if len.is_some_and(|len| len >= len_min) {
        return false;
    }
    let before = Shape::of(occupied.get());
    let expiry = occupied.get().expiry();
    let old_len;
    if let Some(bytes) = occupied.as_mut().into_raw_text() {
        old_len = bytes.len();
        bytes.resize(len_min, 0);
    } else {
        let mut bytes = occupied
            .get()
            .as_text()
            .map_or(Vec::new(), |text| text.to_vec());
        old_len = bytes.len();
        bytes.resize(old_len.max(len_min), 0);
        occupied.update(|old| old.with_growing(bytes, expiry));
    }
    books.changed(before, Shape::of(occupied.get()), hash);
    old_len < len_min
}

/// The bytes of a string that is being changed.
///
/// Dropped without a commit after a change, it panics in debug builds.
#[must_use]
pub struct BytesMut<'d> {
    /// The entry of a string of bytes.
    occupied: Occupied<'d, Entry>,
    changes: &'d mut ChangeLog,
    database: usize,
    is_grown: bool,
    /// Whether there is something to commit.
    is_open: bool,
}

impl BytesMut<'_> {
    /// Ends the change if the bytes are changed or there are more of them; `event` describes it.
    pub fn commit_if(mut self, is_changed: bool, event: Event) {
        self.is_open = false;
        if is_changed || self.is_grown {
            let key = self.occupied.get().key();
            self.changes.add(self.database, key, event);
        }
    }
}

impl Deref for BytesMut<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self.occupied.get().as_text() {
            Some(Text::Bytes(bytes)) => bytes,
            _ => unreachable!("the guard was made of a string of bytes"),
        }
    }
}

impl DerefMut for BytesMut<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.is_open = true;
        self.occupied
            .as_mut()
            .into_bytes()
            .expect("the guard was made of a string of bytes")
    }
}

impl Drop for BytesMut<'_> {
    fn drop(&mut self) {
        debug_assert!(
            !self.is_open || std::thread::panicking(),
            "a string was changed and the change not committed"
        );
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Db, Event, Expiry, Keyspace};

    const EVENT: Event = Event::string("test");

    fn string() -> impl Strategy<Value = Option<Vec<u8>>> {
        proptest::option::of(prop_oneof![
            any::<i64>().prop_map(|number| number.to_string().into_bytes()),
            proptest::collection::vec(any::<u8>(), 0..50),
            (4000usize..5000).prop_map(|len| vec![b'x'; len]),
        ])
    }

    proptest! {
        /// Bytes that are changed in place are what a vector would be, and the books stay right.
        #[test]
        fn bytes(
            first in string(),
            expiry in proptest::option::of(10u64..20),
            steps in proptest::collection::vec((0usize..6000, any::<usize>(), any::<u8>()), 1..10),
        ) {
            let keyspace = Keyspace::new(1, 0);
            let mut db = Db::new(&keyspace, 0);
            db.hold_all(std::iter::once(&b"k"[..]));
            if let Some(first) = &first {
                db.set_text(b"k", first, expiry.map_or(Expiry::Never, Expiry::At), EVENT);
            }
            let mut model = first.clone().unwrap_or_default();
            for (len_min, at, byte) in steps {
                let before = db.changes().count();
                let mut bytes = db.text_mut(b"k").unwrap().into_bytes(len_min);
                let is_longer = model.len() < len_min || first.is_none() && before == 0;
                model.resize(model.len().max(len_min), 0);
                prop_assert_eq!(&bytes[..], &model[..]);
                let mut is_changed = false;
                if !model.is_empty() {
                    let at = at % model.len();
                    is_changed = model[at] != byte;
                    (bytes[at], model[at]) = (byte, byte);
                }
                bytes.commit_if(is_changed, EVENT);
                prop_assert_eq!(db.changes().count() - before, (is_changed || is_longer) as u64);
                let entry = db.peek(b"k").unwrap();
                prop_assert_eq!(entry.as_text().unwrap().to_vec(), &model[..]);
                prop_assert_eq!(entry.expiry(), first.as_ref().and(expiry));
            }
            let entry_bytes = db.peek(b"k").unwrap().heap_bytes();
            db.release();
            let shards = keyspace.shards(0).iter();
            let with_key: Vec<usize> = shards
                .map(|shard| shard.lock())
                .filter(|data| data.len() == 1)
                .map(|data| {
                    let besides = data.table.heap_bytes() + data.books.deadlines.heap_bytes();
                    data.heap_bytes() - besides
                })
                .collect();
            prop_assert_eq!(with_key, [entry_bytes]);
        }
    }
}
