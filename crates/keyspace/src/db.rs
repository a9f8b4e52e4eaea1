//! A database as a command sees it: the keys whose shards the engine holds for it.
//!
//! Shards are taken in one of two ways. [`Db::hold_all`] waits for the shards of one command, in
//! ascending order, holding nothing else. [`Db::try_hold`] takes shards for a run of pipelined
//! commands in whatever order they come, and never waits; so neither way can deadlock. Who is alone
//! inside the gate waits for nobody, and takes shards as it needs them (`alone.rs`).

use std::cell::Cell;

use smallvec::SmallVec;
use structures::table::{Slot, Table};

use crate::change::{ChangeLog, Event};
use crate::entry::{Collection, Entry, EntryRef, INLINE_MAX, Text};
use crate::guard::{EntryMut, TextMut};
use crate::keyspace::Keyspace;
use crate::shard::{SHARDS, Shape, Shard, ShardData, shard_of};
use crate::sync::LockGuard;
use crate::usage::Usage;

/// The most shards that a run of pipelined commands holds at a time.
pub const RUN_SHARDS_MAX: usize = 16;

/// The value has another type than the command works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongType;

/// What becomes of a key's expiry when its value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// It stays.
    Keep,
    /// The key lives for ever.
    Never,
    /// The key dies at this time, in Unix milliseconds.
    At(u64),
}

/// Where a key is: found out once, used for every access of the command.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    hash: u64,
    held: usize,
}

/// The shards held, and the way to their keys.
pub struct Db<'k> {
    pub(crate) keyspace: &'k Keyspace,
    pub(crate) database: usize,
    pub(crate) shards: &'k [Shard],
    pub(crate) held: SmallVec<[Held<'k>; RUN_SHARDS_MAX]>,
    /// The key that the command at hand is about, by address and length, and its place.
    focus: (usize, usize, Place),
    pub(crate) is_alone: bool,
    pub(crate) now_ms: u64,
    /// How lookups mark the keys that they find.
    usage: Usage,
    /// By how many bytes the entries of shards that were let go of have grown.
    growth: isize,
    pub(crate) changes: ChangeLog,
    saw_expired: Cell<bool>,
    hits: Cell<u64>,
    misses: Cell<u64>,
    expired: Cell<u64>,
}

/// Numbers of keys.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Found by reads.
    pub hits: u64,
    /// Not found by reads.
    pub misses: u64,
    /// Found dead and removed.
    pub expired: u64,
}

pub(crate) struct Held<'k> {
    /// The number of the database times [`SHARDS`], and that of the shard.
    pub(crate) index: usize,
    /// Whether something may have changed.
    is_written: bool,
    pub(crate) data: LockGuard<'k, ShardData>,
}

impl<'k> Held<'k> {
    #[inline]
    pub(crate) fn new(index: usize, data: LockGuard<'k, ShardData>) -> Self {
        Held {
            index,
            is_written: false,
            data,
        }
    }
}

impl<'k> Db<'k> {
    /// Database 0, holding nothing.
    pub fn new(keyspace: &'k Keyspace, now_ms: u64) -> Self {
        Db {
            keyspace,
            database: 0,
            shards: keyspace.shards(0),
            held: SmallVec::new(),
            focus: (0, 0, Place { hash: 0, held: 0 }),
            is_alone: false,
            now_ms,
            usage: Usage::recency(now_ms),
            growth: 0,
            changes: ChangeLog::default(),
            saw_expired: Cell::new(false),
            hits: Cell::new(0),
            misses: Cell::new(0),
            expired: Cell::new(0),
        }
    }

    /// The keyspace, for what concerns more than the held shards.
    pub fn keyspace(&self) -> &'k Keyspace {
        self.keyspace
    }

    /// The number of the database.
    #[inline]
    pub fn database(&self) -> usize {
        self.database
    }

    /// Changes to another database, letting go of all shards.
    ///
    /// # Panics
    /// If there is no such database.
    #[inline]
    pub fn select(&mut self, database: usize) {
        if database != self.database {
            self.release();
            self.database = database;
            self.shards = self.keyspace.shards(database);
        }
    }

    /// The time of the command, in Unix milliseconds.
    #[inline]
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// How lookups mark the keys that they find.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Says how lookups mark the keys that they find from now on.
    pub fn set_usage(&mut self, usage: Usage) {
        self.usage = usage;
    }

    /// The bytes by which entries have grown under commands whose shards were let go of, since the
    /// last call.
    pub fn take_growth(&mut self) -> isize {
        std::mem::take(&mut self.growth)
    }

    /// The record of changes.
    #[inline]
    pub fn changes(&mut self) -> &mut ChangeLog {
        &mut self.changes
    }

    /// What was counted since the last call.
    pub fn take_counts(&self) -> Counts {
        Counts {
            hits: self.hits.take(),
            misses: self.misses.take(),
            expired: self.expired.take(),
        }
    }

    // ---- Holding shards ----

    /// Lets go of all shards.
    #[inline]
    pub fn release(&mut self) {
        for held in &mut self.held {
            if held.is_written {
                self.growth += self.keyspace.settle(held.index / SHARDS, &mut held.data);
            }
        }
        self.held.clear();
        self.forget_focus();
    }

    /// Where the key at hand is has to be found out again.
    #[inline]
    pub(crate) fn forget_focus(&mut self) {
        self.focus.0 = 0;
    }

    /// Takes the shard of `key` beside those held, if it is free and there is room, and starts
    /// fetching the key's bucket into the cache.
    #[inline]
    pub fn try_hold(&mut self, key: &[u8]) -> Option<Place> {
        let hash = structures::hash::hash(key);
        let index = self.index_of(hash);
        let held = match self.held.iter().rposition(|held| held.index == index) {
            Some(held) => held,
            None if self.held.len() == RUN_SHARDS_MAX => return None,
            None => {
                let data = self.shards[shard_of(hash)].try_lock()?;
                data.table.prefetch_bucket(hash);
                self.held.push(Held::new(index, data));
                return Some(Place {
                    hash,
                    held: self.held.len() - 1,
                });
            }
        };
        self.held[held].data.table.prefetch_bucket(hash);
        Some(Place { hash, held })
    }

    /// Starts fetching the entry into the cache; its bucket has been fetched.
    #[inline]
    pub fn prefetch(&self, place: Place) {
        self.held[place.held]
            .data
            .table
            .prefetch_element(place.hash);
    }

    /// Makes `key`, which is at `place`, the one that the next command is about.
    #[inline]
    pub fn focus(&mut self, key: &[u8], place: Place) {
        self.focus = (key.as_ptr() as usize, key.len(), place);
    }

    /// Lets go of all shards, then waits for those of `keys`, and starts fetching the entries of
    /// several keys into the cache.
    pub fn hold_all<'a>(&mut self, keys: impl Iterator<Item = &'a [u8]>) {
        self.release();
        // Ascending hashes are ascending shards.
        let mut hashes: SmallVec<[u64; RUN_SHARDS_MAX]> =
            keys.map(structures::hash::hash).collect();
        hashes.sort_unstable();
        for &hash in &hashes {
            let index = self.index_of(hash);
            if self.held.last().is_none_or(|held| held.index != index) {
                let data = self.shards[shard_of(hash)].lock();
                self.held.push(Held::new(index, data));
            }
        }
        if hashes.len() > 1 {
            self.fetch(&hashes, Table::prefetch_bucket);
            self.fetch(&hashes, Table::prefetch_element);
        }
    }

    /// Calls `fetch` for each of the ascending `hashes` with its table, which is held.
    fn fetch(&self, hashes: &[u64], fetch: impl Fn(&Table<Entry>, u64)) {
        let mut held = self.held.iter().peekable();
        for &hash in hashes {
            while held
                .next_if(|held| held.index < self.index_of(hash))
                .is_some()
            {}
            if let Some(held) = held.peek() {
                fetch(&held.data.table, hash);
            }
        }
    }

    /// The index of the shard of a hash among all shards of all databases.
    #[inline]
    pub(crate) fn index_of(&self, hash: u64) -> usize {
        self.database * SHARDS + shard_of(hash)
    }

    /// Where `key` is.
    ///
    /// # Panics
    /// If its shard is not held: the command's spec does not name that key.
    #[inline]
    fn place(&self, key: &[u8]) -> Place {
        let (address, len, place) = self.focus;
        if key.as_ptr() as usize == address && key.len() == len {
            return place;
        }
        let hash = structures::hash::hash(key);
        let index = self.index_of(hash);
        // A run holds no more than these; others hold shards in ascending order.
        let held = if self.held.len() <= RUN_SHARDS_MAX {
            self.held.iter().position(|held| held.index == index)
        } else {
            self.held
                .binary_search_by_key(&index, |held| held.index)
                .ok()
        };
        Place {
            hash,
            held: held.expect("a command touches only keys that its spec names"),
        }
    }

    // ---- Reading ----

    //
    // | method           | counts as a hit or a miss | marks the key as used |
    // |------------------|---------------------------|-----------------------|
    // | `find`           | yes                       | yes                   |
    // | `touch`          | yes                       | even if told not to   |
    // | `inspect`        | yes                       | no                    |
    // | `find_for_write` | no                        | yes                   |
    // | `peek`           | no                        | no                    |
    // | writes           | no                        | yes, the value        |

    /// The entry of `key`, unless it is dead, for a command that uses the value. Counts as a hit or a
    /// miss, and marks the key as used.
    #[inline]
    pub fn find(&self, key: &[u8]) -> Option<EntryRef<'_>> {
        let found = self.inspect(key)?;
        self.usage.mark(found);
        Some(found)
    }

    /// As [`find`](Self::find), but marks the key even if lookups should not leave marks.
    pub fn touch(&self, key: &[u8]) -> Option<EntryRef<'_>> {
        let found = self.inspect(key)?;
        self.usage.with_marks().mark(found);
        Some(found)
    }

    /// The entry of `key`, unless it is dead, for a command that asks about the key, which is no use of
    /// it. Counts as a hit or a miss.
    #[inline]
    pub fn inspect(&self, key: &[u8]) -> Option<EntryRef<'_>> {
        let found = self.peek(key);
        let counter = if found.is_some() {
            &self.hits
        } else {
            &self.misses
        };
        counter.set(counter.get() + 1);
        found
    }

    /// The entry of `key`, unless it is dead, without counting or marking.
    #[inline]
    pub fn peek(&self, key: &[u8]) -> Option<EntryRef<'_>> {
        let place = self.place(key);
        let table = &self.held[place.held].data.table;
        let found = table.find(place.hash, |entry| entry.key() == key)?;
        if found.is_expired(self.now_ms) {
            self.saw_expired.set(true);
            return None;
        }
        Some(found)
    }

    /// Whether `key` is there. Counts as a hit or a miss.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.inspect(key).is_some()
    }

    /// The entry of `key`, unless it is dead, for a write that depends on what is there. Marks the key
    /// as used.
    #[inline]
    pub fn find_for_write(&self, key: &[u8]) -> Option<EntryRef<'_>> {
        let found = self.peek(key)?;
        self.usage.mark(found);
        Some(found)
    }

    /// The string at `key`.
    ///
    /// # Errors
    /// [`WrongType`] if there is something else.
    #[inline]
    pub fn text(&self, key: &[u8]) -> Result<Option<Text<'_>>, WrongType> {
        match self.find(key) {
            None => Ok(None),
            Some(entry) => entry.as_text().map(Some).ok_or(WrongType),
        }
    }

    /// The collection at `key`, such as a `List`.
    ///
    /// # Errors
    /// [`WrongType`] if there is something else.
    #[inline]
    pub fn collection<T: Collection>(&self, key: &[u8]) -> Result<Option<&T>, WrongType> {
        match self.find(key) {
            None => Ok(None),
            Some(entry) => entry.collection().map(Some).ok_or(WrongType),
        }
    }

    // ---- Writing ----

    /// The string at `key`, to change it; it may be missing.
    ///
    /// # Errors
    /// [`WrongType`] if there is something else.
    #[inline]
    pub fn text_mut<'d>(&'d mut self, key: &'d [u8]) -> Result<TextMut<'d>, WrongType> {
        let place = self.bury(key);
        let database = self.database;
        let ShardData { table, books } = &mut *self.held[place.held].data;
        let slot = table.entry(place.hash, |entry| entry.key() == key);
        if let Slot::Occupied(occupied) = &slot {
            self.usage.mark(occupied.get());
            if occupied.get().as_text().is_none() {
                return Err(WrongType);
            }
        }
        Ok(TextMut::new(
            slot,
            books,
            &mut self.changes,
            key,
            database,
            place.hash,
            &self.usage,
        ))
    }

    /// The collection at `key`, to change it; `None` if it is missing.
    ///
    /// # Errors
    /// [`WrongType`] if there is something else.
    #[inline]
    pub fn collection_mut<'d, T: Collection>(
        &'d mut self,
        key: &'d [u8],
    ) -> Result<Option<EntryMut<'d, T>>, WrongType> {
        let place = self.bury(key);
        let database = self.database;
        let ShardData { table, books } = &mut *self.held[place.held].data;
        let Some(occupied) = table.find_mut(place.hash, |entry| entry.key() == key) else {
            return Ok(None);
        };
        self.usage.mark(occupied.get());
        if occupied.get().kind() != T::KIND {
            return Err(WrongType);
        }
        let before = Shape::of(occupied.get());
        let keyspace = self.keyspace;
        Ok(Some(EntryMut::new(
            occupied,
            before,
            books,
            &mut self.changes,
            keyspace,
            database,
        )))
    }

    /// The collection at `key`, to change it; an empty one is made if it is missing, and goes again
    /// if it is empty when the guard goes.
    ///
    /// # Errors
    /// [`WrongType`] if there is something else.
    #[inline]
    pub fn collection_or_new<'d, T: Collection>(
        &'d mut self,
        key: &'d [u8],
    ) -> Result<EntryMut<'d, T>, WrongType> {
        let place = self.bury(key);
        let database = self.database;
        let ShardData { table, books } = &mut *self.held[place.held].data;
        let (occupied, before) = match table.entry(place.hash, |entry| entry.key() == key) {
            Slot::Occupied(occupied) => {
                self.usage.mark(occupied.get());
                if occupied.get().kind() != T::KIND {
                    return Err(WrongType);
                }
                let before = Shape::of(occupied.get());
                (occupied, before)
            }
            Slot::Vacant(vacant) => {
                let entry = Entry::collection(key, T::default(), None);
                let shape = books.entered(entry.view(), place.hash, &self.usage);
                (vacant.insert(entry), shape)
            }
        };
        let keyspace = self.keyspace;
        Ok(EntryMut::new(
            occupied,
            before,
            books,
            &mut self.changes,
            keyspace,
            database,
        ))
    }

    /// Writes a string, whatever was at `key` before.
    #[inline]
    pub fn set_text(&mut self, key: &[u8], text: &[u8], expiry: Expiry, event: Event) {
        let place = self.bury(key);
        let held = &mut self.held[place.held];
        let ShardData { table, books } = &mut *held.data;
        let mut moved_deadline = matches!(expiry, Expiry::At(_));
        match table.entry(place.hash, |entry| entry.key() == key) {
            Slot::Occupied(mut occupied) => {
                self.usage.mark(occupied.get());
                let before = Shape::of(occupied.get());
                let old_expiry = occupied.get().expiry();
                let expiry = expiry.of(old_expiry);
                moved_deadline = expiry != old_expiry;
                if occupied.get().as_text().is_some() {
                    occupied.update(|entry| entry.with_text(text, expiry));
                } else {
                    let old = occupied.replace(Entry::text(key, text, expiry));
                    occupied.get().set_access(old.view().access());
                    self.keyspace.discard(old);
                }
                books.changed(before, Shape::of(occupied.get()), place.hash);
            }
            Slot::Vacant(vacant) => {
                let entry = Entry::text(key, text, expiry.of(None));
                books.entered(entry.view(), place.hash, &self.usage);
                vacant.insert(entry);
            }
        }
        if moved_deadline {
            held.data.tidy_deadlines();
            self.shards[held.index % SHARDS].publish_deadline(&held.data);
        }
        self.changes.add(self.database, key, event);
    }

    /// Makes `text` the string at `key`, whatever was there before, without an expiry. Many bytes are
    /// moved there and not copied.
    pub fn put_text(&mut self, key: &[u8], text: Vec<u8>, event: Event) {
        if text.len() <= INLINE_MAX {
            self.set_text(key, &text, Expiry::Never, event);
            return;
        }
        let place = self.bury(key);
        let held = &mut self.held[place.held];
        let ShardData { table, books } = &mut *held.data;
        let entry = Entry::growing(key, text, None);
        match table.entry(place.hash, |entry| entry.key() == key) {
            Slot::Occupied(mut occupied) => {
                self.usage.mark(occupied.get());
                let before = Shape::of(occupied.get());
                entry.view().set_access(occupied.get().access());
                self.usage.mark(entry.view());
                let old = occupied.replace(entry);
                occupied.get().set_access(old.view().access());
                self.keyspace.discard(old);
                books.changed(before, Shape::of(occupied.get()), place.hash);
            }
            Slot::Vacant(vacant) => {
                books.entered(entry.view(), place.hash, &self.usage);
                vacant.insert(entry);
            }
        }
        held.data.tidy_deadlines();
        self.shards[held.index % SHARDS].publish_deadline(&held.data);
        self.changes.add(self.database, key, event);
    }

    /// Puts a collection at `key`, whatever was there before. An empty one only removes.
    pub fn set_collection<T: Collection>(
        &mut self,
        key: &[u8],
        value: T,
        expiry: Expiry,
        event: Event,
    ) {
        if value.is_empty() {
            self.remove(key, Event::DEL);
            return;
        }
        let old_expiry = match expiry {
            Expiry::Keep => self.peek(key).and_then(|entry| entry.expiry()),
            _ => None,
        };
        self.put(Entry::collection(key, value, expiry.of(old_expiry)), event);
    }

    /// Puts an entry in, whatever was at its key before.
    pub(crate) fn put(&mut self, entry: Entry, event: Event) {
        let key = entry.view().key();
        let place = self.bury(key);
        let held = &mut self.held[place.held];
        let old = held.data.remove(place.hash, key);
        self.changes.add(self.database, key, event);
        let books = &mut held.data.books;
        // One that has moved here brings its own.
        let access = entry.view().access();
        books.entered(entry.view(), place.hash, &self.usage);
        if access != 0 {
            entry.view().set_access(access);
        } else if let Some(old) = &old {
            entry.keep_access_of(old);
            self.usage.mark(entry.view());
        }
        held.data.table.insert_unique(entry);
        held.data.tidy_deadlines();
        self.shards[held.index % SHARDS].publish_deadline(&held.data);
        if let Some(old) = old {
            self.keyspace.discard(old);
        }
    }

    /// Takes out the entry of `key`, which records no change yet.
    pub(crate) fn take(&mut self, key: &[u8]) -> Option<Entry> {
        let place = self.bury(key);
        let data = &mut self.held[place.held].data;
        let entry = data.remove(place.hash, key)?;
        if entry.view().expiry().is_some() {
            data.tidy_deadlines();
        }
        Some(entry)
    }

    /// Sets when `key` expires. Returns whether it is there. Does not mark it: whoever does this has
    /// looked the key up.
    pub fn set_expiry(&mut self, key: &[u8], expiry: Option<u64>, event: Event) -> bool {
        let place = self.bury(key);
        let held = &mut self.held[place.held];
        let ShardData { table, books } = &mut *held.data;
        let Some(mut occupied) = table.find_mut(place.hash, |entry| entry.key() == key) else {
            return false;
        };
        let before = Shape::of(occupied.get());
        occupied.update(|entry| entry.with_expiry(expiry));
        books.changed(before, Shape::of(occupied.get()), place.hash);
        held.data.tidy_deadlines();
        self.shards[held.index % SHARDS].publish_deadline(&held.data);
        self.changes.add(self.database, key, event);
        true
    }

    /// Removes `key`. Returns whether it was there.
    #[inline]
    pub fn remove(&mut self, key: &[u8], event: Event) -> bool {
        let Some(entry) = self.take(key) else {
            return false;
        };
        self.changes.add(self.database, key, event);
        self.keyspace.discard(entry);
        true
    }

    /// Removes the keys among `keys` that reads have found dead since the last call. Called by the
    /// engine when a command is done.
    #[inline]
    pub fn bury_seen<'a>(&mut self, keys: impl Iterator<Item = &'a [u8]>) {
        if self.saw_expired.take() {
            for key in keys {
                self.bury(key);
            }
        }
    }

    /// The place of `key`, whose entry is removed first if it is dead: a write must not see it.
    #[inline]
    fn bury(&mut self, key: &[u8]) -> Place {
        let place = self.place(key);
        let held = &mut self.held[place.held];
        held.is_written = true;
        let data = &mut held.data;
        if let Some(entry) = data.take_expired(place.hash, key, self.now_ms) {
            self.changes.add(self.database, key, Event::EXPIRED);
            self.expired.set(self.expired.get() + 1);
            self.keyspace.discard(entry);
        }
        place
    }

    // ---- The whole database ----

    /// Empties databases. Nothing may be held. Recorded as one change, even if there was no key, for
    /// the effect has to reach a replica that may be behind.
    pub fn flush(&mut self, databases: std::ops::Range<usize>) {
        assert!(self.held.is_empty(), "flushing takes one shard at a time");
        for database in databases {
            self.growth += self.keyspace.flush(database);
        }
        self.changes
            .add(self.database, b"", Event::generic("flush"));
    }

    /// Every live entry, shard by shard: `f` sees each shard at one instant, not all of them.
    /// Nothing may be held.
    pub fn for_each_entry(&self, mut f: impl FnMut(EntryRef<'_>)) {
        assert!(
            self.held.is_empty(),
            "walks of the keyspace take one shard at a time"
        );
        for shard in self.shards {
            let data = shard.lock();
            data.entries()
                .filter(|entry| !entry.is_expired(self.now_ms))
                .for_each(&mut f);
        }
    }

    /// A step of SCAN: calls `f` for about `count` live entries, all of some buckets, and returns
    /// the next cursor, 0 at the end. Nothing may be held.
    pub fn scan(&self, cursor: u64, count: usize, mut f: impl FnMut(EntryRef<'_>)) -> u64 {
        assert!(
            self.held.is_empty(),
            "walks of the keyspace take one shard at a time"
        );
        const SHARD_BITS: u32 = 10;
        let (mut shard, mut position) = (
            (cursor & ((1 << SHARD_BITS) - 1)) as usize,
            cursor >> SHARD_BITS,
        );
        // Empty shards and buckets count a little too, so that a step through an empty database
        // ends.
        let (mut seen, mut steps) = (0, 0);
        while seen < count && steps < count.saturating_add(100).saturating_mul(10) {
            let data = self.shards[shard].lock();
            position = data.scan(position, |entry| {
                seen += 1;
                if !entry.is_expired(self.now_ms) {
                    f(entry);
                }
            });
            steps += 1;
            if position == 0 {
                shard += 1;
                if shard == self.shards.len() {
                    return 0;
                }
            }
        }
        position << SHARD_BITS | shard as u64
    }
}

impl Expiry {
    fn of(self, old: Option<u64>) -> Option<u64> {
        match self {
            Expiry::Keep => old,
            Expiry::Never => None,
            Expiry::At(time) => Some(time),
        }
    }
}
