//! A shard: one part of a database's keys behind one lock.

use std::sync::atomic::{AtomicU64, Ordering};

use structures::table::Table;

use crate::deadlines::Deadlines;
use crate::entry::{Entry, EntryRef};
use crate::keyspace::Census;
use crate::sync::{Lock, LockGuard};
use crate::usage::Usage;

/// The number of shards of a database: enough that two workers rarely meet, few enough that their
/// headers stay in the second-level cache.
pub const SHARDS: usize = 1024;

/// The shard of a key's hash. The table inside uses the low bits, so this uses the high ones.
#[inline]
pub fn shard_of(hash: u64) -> usize {
    (hash >> 54) as usize
}

/// A lock with the data behind it, alone on its cache lines.
#[repr(align(128))]
pub struct Shard {
    data: Lock<ShardData>,
    /// When the first deadline of the shard comes up, in milliseconds; `u64::MAX` for never. The
    /// sweep reads it without the lock.
    next_deadline_ms: AtomicU64,
}

/// What a shard's lock protects.
#[repr(C)]
pub struct ShardData {
    pub(crate) table: Table<Entry>,
    pub(crate) books: Books,
}

/// What a shard knows of its entries without looking at them. Apart from the table, so that a guard
/// on one entry can keep the books.
///
/// The table fills the first cache line of a shard; the books and the lock share the second, so that a
/// write takes no more lines than a read.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Books {
    pub(crate) deadlines: Deadlines,
    /// When the process started: the origin of coarse time.
    epoch_ms: u64,
    /// The bytes allocated for entries and their values.
    entry_bytes: usize,
    /// What `entry_bytes` was when the shard was last asked for its balance.
    settled_bytes: usize,
    /// The number of keys with an expiry.
    expiring: u32,
    /// What `expiring` was when the shard was last asked for its balance.
    settled_expiring: u32,
}

const _: () = assert!(size_of::<ShardData>() < 128, "the lock has room beside");

/// By what a shard has changed since it was last asked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Balance {
    /// Bytes of entries more than before.
    pub(crate) growth: isize,
    /// 1 if the first key has come, -1 if the last has gone, and 0 otherwise.
    pub(crate) with_keys: isize,
    /// The same for keys that will expire.
    pub(crate) with_volatile: isize,
}

impl Shard {
    /// An empty shard; `epoch_ms` is when the process started.
    pub(crate) fn new(epoch_ms: u64) -> Self {
        let books = Books {
            epoch_ms,
            ..Books::default()
        };
        Shard {
            data: Lock::new(ShardData {
                table: Table::new(),
                books,
            }),
            next_deadline_ms: AtomicU64::new(u64::MAX),
        }
    }

    /// Waits for the shard.
    #[inline]
    pub fn lock(&self) -> LockGuard<'_, ShardData> {
        self.data.lock()
    }

    /// Takes the shard if nobody has it.
    #[inline]
    pub fn try_lock(&self) -> Option<LockGuard<'_, ShardData>> {
        self.data.try_lock()
    }

    /// Whether a deadline has come up.
    #[inline]
    pub fn is_due(&self, now_ms: u64) -> bool {
        self.next_deadline_ms() <= now_ms
    }

    /// When the first deadline comes up; `u64::MAX` for never.
    #[inline]
    pub(crate) fn next_deadline_ms(&self) -> u64 {
        self.next_deadline_ms.load(Ordering::Relaxed)
    }

    /// Whether there may be a key that will expire.
    #[inline]
    pub(crate) fn has_deadline(&self) -> bool {
        self.next_deadline_ms() != u64::MAX
    }

    /// Publishes the first deadline of `data`, which is this shard's, for [`is_due`](Self::is_due).
    #[inline]
    pub(crate) fn publish_deadline(&self, data: &ShardData) {
        let next = data
            .books
            .deadlines
            .next_ms(data.books.epoch_ms)
            .unwrap_or(u64::MAX);
        self.next_deadline_ms.store(next, Ordering::Relaxed);
    }
}

impl ShardData {
    /// The number of keys, those included that are expired and not yet removed.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The number of keys with an expiry.
    pub fn expiring(&self) -> usize {
        self.books.expiring as usize
    }

    /// The mean of the expiries of some of the keys that have one, in Unix milliseconds.
    pub(crate) fn mean_expiry_ms(&self) -> Option<u64> {
        /// Shards of so few keys are gone through.
        const FEW: usize = 16;
        const SAMPLES: usize = 4;
        let (mut count, mut sum) = (0, 0u128);
        let mut add = |entry: EntryRef<'_>| {
            if let Some(expiry) = entry.expiry() {
                count += 1;
                sum += u128::from(expiry);
            }
        };
        if self.table.len() <= FEW {
            self.table.iter().for_each(add);
        } else {
            self.sample_volatile(SAMPLES, &mut |_, entry| add(entry));
        }
        (count > 0).then(|| (sum / count) as u64)
    }

    /// Adds what the shard holds.
    pub(crate) fn add_to(&self, census: &mut Census) {
        census.keys += self.len();
        census.expiring += self.expiring();
        census.entry_bytes += self.books.entry_bytes;
        census.table_bytes += self.table.heap_bytes();
        census.deadline_bytes += self.books.deadlines.heap_bytes();
    }

    /// All bytes allocated for the shard.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        self.books.entry_bytes + self.table.heap_bytes() + self.books.deadlines.heap_bytes()
    }

    /// By what the shard has changed since the last call; `None` for by nothing. To be asked when a
    /// hold ends in which something may have changed.
    #[inline]
    pub(crate) fn balance(&mut self) -> Option<Balance> {
        let books = &mut self.books;
        let (bytes, expiring) = (books.settled_bytes, books.settled_expiring);
        if books.entry_bytes == bytes && books.expiring == expiring {
            return None;
        }
        books.settled_bytes = books.entry_bytes;
        books.settled_expiring = books.expiring;
        let arrival = |before: bool, now: bool| now as isize - before as isize;
        Some(Balance {
            growth: books.entry_bytes as isize - bytes as isize,
            with_keys: arrival(bytes > 0, books.entry_bytes > 0),
            with_volatile: arrival(expiring > 0, books.expiring > 0),
        })
    }

    /// Every entry, the expired ones included.
    pub fn entries(&self) -> impl Iterator<Item = EntryRef<'_>> {
        self.table.iter()
    }

    /// A step of SCAN: see [`Table::scan`].
    pub fn scan(&self, cursor: u64, f: impl FnMut(EntryRef<'_>)) -> u64 {
        self.table.scan(cursor, f)
    }

    /// Takes everything out.
    pub(crate) fn take_all(&mut self) -> impl Iterator<Item = Entry> + Send + use<> {
        self.books = Books {
            epoch_ms: self.books.epoch_ms,
            settled_bytes: self.books.settled_bytes,
            settled_expiring: self.books.settled_expiring,
            ..Books::default()
        };
        self.table.drain()
    }

    /// Drops the deadlines that belong to no key, when they have become many.
    #[inline]
    pub(crate) fn tidy_deadlines(&mut self) {
        if self.books.deadlines.is_stale(self.expiring()) {
            self.rebuild_deadlines();
        }
    }

    #[cold]
    fn rebuild_deadlines(&mut self) {
        let keys = self
            .table
            .iter()
            .filter_map(|entry| Some((structures::hash::hash(entry.key()), entry.expiry()?)));
        self.books.deadlines.rebuild(keys, self.books.epoch_ms);
    }

    /// Removes at most `limit` keys that are dead at `now_ms`, handing each to `removed`. Returns
    /// whether more may be due.
    pub(crate) fn sweep(
        &mut self,
        now_ms: u64,
        limit: usize,
        mut removed: impl FnMut(Entry),
    ) -> bool {
        for _ in 0..limit {
            let books = &mut self.books;
            let due = books.deadlines.pop_due(now_ms, books.epoch_ms);
            let Some(hash_part) = due else { return false };
            // The record leads to a bucket; whatever is dead there goes, and what this record stood
            // for gets a new one if it lives on.
            let (mut dead, mut alive) = (Vec::new(), None);
            self.table.bucket_elements(hash_part, |entry| {
                let Some(expiry) = entry.expiry() else { return };
                let hash = structures::hash::hash(entry.key());
                if expiry <= now_ms {
                    dead.push(hash);
                } else if hash & 0xffff_ffff == hash_part {
                    alive = Some((
                        hash,
                        alive.map_or(expiry, |(_, other): (u64, u64)| other.min(expiry)),
                    ));
                }
            });
            for hash in dead {
                let entry = self.table.find_mut(hash, |entry| entry.is_expired(now_ms));
                if let Some(entry) = entry.map(|occupied| occupied.remove()) {
                    self.books.left(Shape::of(entry.view()));
                    removed(entry);
                }
            }
            if let Some((hash, expiry)) = alive {
                self.books.deadlines.add(hash, expiry, self.books.epoch_ms);
            }
        }
        true
    }

    /// Takes out the entry of `key` if it is dead at `now_ms`.
    #[inline]
    pub(crate) fn take_expired(&mut self, hash: u64, key: &[u8], now_ms: u64) -> Option<Entry> {
        if self.books.expiring == 0 {
            return None;
        }
        self.take_expired_slowly(hash, key, now_ms)
    }

    fn take_expired_slowly(&mut self, hash: u64, key: &[u8], now_ms: u64) -> Option<Entry> {
        let found = self.table.find(hash, |entry| entry.key() == key)?;
        if !found.is_expired(now_ms) {
            return None;
        }
        self.remove(hash, key)
    }

    /// Takes out the entry of `key`.
    pub(crate) fn remove(&mut self, hash: u64, key: &[u8]) -> Option<Entry> {
        let entry = self
            .table
            .find_mut(hash, |entry| entry.key() == key)?
            .remove();
        self.books.left(Shape::of(entry.view()));
        Some(entry)
    }
}

impl Books {
    /// When the process started, in Unix milliseconds: the origin of coarse time.
    pub(crate) fn epoch_ms(&self) -> u64 {
        self.epoch_ms
    }

    /// Accounts for an entry that has come into the table, or is about to, and gives it its first
    /// access bits.
    #[inline]
    pub(crate) fn entered(&mut self, entry: EntryRef<'_>, hash: u64, usage: &Usage) -> Shape {
        usage.begin(entry);
        let shape = Shape::of(entry);
        self.entry_bytes += shape.bytes;
        if let Some(expiry) = shape.expiry {
            self.expiring += 1;
            self.deadlines.add(hash, expiry, self.epoch_ms);
        }
        shape
    }

    /// Accounts for an entry that has left the table.
    #[inline]
    pub(crate) fn left(&mut self, shape: Shape) {
        self.entry_bytes -= shape.bytes;
        self.expiring -= shape.expiry.is_some() as u32;
    }

    /// Accounts for an entry that was `before` and is `after` now.
    #[inline]
    pub(crate) fn changed(&mut self, before: Shape, after: Shape, hash: u64) {
        self.entry_bytes = self.entry_bytes - before.bytes + after.bytes;
        if before.expiry != after.expiry {
            self.expiring -= before.expiry.is_some() as u32;
            self.expiring += after.expiry.is_some() as u32;
            if let Some(expiry) = after.expiry
                && before.expiry.is_none_or(|before| expiry < before)
            {
                self.deadlines.add(hash, expiry, self.epoch_ms);
            }
        }
    }
}

/// What a shard accounts of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    bytes: usize,
    expiry: Option<u64>,
}

impl Shape {
    #[inline]
    pub(crate) fn of(entry: EntryRef<'_>) -> Shape {
        Shape {
            bytes: entry.heap_bytes(),
            expiry: entry.expiry(),
        }
    }
}
