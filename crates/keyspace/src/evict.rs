//! Eviction, as far as it concerns shards: finding keys that may go, and removing one.
//!
//! Who goes is the caller's choice. It is offered a few random keys at a time, or for the policy by
//! time to live one of those that expire first, and remembers them by
//! their hash; that leads back to the key, or to nothing if it has gone meanwhile.
//!
//! Keys that will expire have no table of their own to draw from, but each has a record in its
//! shard's deadlines: a random record leads to a random such key.
//!
//! Nothing may be held by the caller, as shards are waited for here, one at a time.

use std::sync::atomic::Ordering::Relaxed;

use crate::entry::EntryRef;
use crate::keyspace::{Database, Keyspace};
use crate::random;
use crate::shard::{SHARDS, Shape, Shard, ShardData, shard_of};

/// Which keys may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All.
    All,
    /// Those that will expire.
    Volatile,
}

/// Shards whose first deadlines are compared to find an early one.
const DEADLINES_COMPARED: usize = 64;

/// Shards that are looked at until one is found whose first deadline is that of a key.
const SHARDS_A_SAMPLE: usize = 16;

/// Records that are looked at under one hold of a shard.
const RECORDS_A_HOLD: usize = 16;

impl Keyspace {
    /// Offers about `count` random keys of `database`, each with its hash: those of a random shard, and
    /// of the shards that follow where they have few. Returns whether there was any.
    pub fn sample(
        &self,
        database: usize,
        scope: Scope,
        count: usize,
        mut offer: impl FnMut(u64, EntryRef<'_>),
    ) -> bool {
        let Some((database, shards)) = self.populated(database, scope) else {
            return false;
        };
        let start = random::next() as usize % SHARDS;
        let turned = || {
            let turned = shards[start..].iter().chain(&shards[..start]);
            turned.filter(|shard| scope == Scope::All || shard.has_deadline())
        };
        let (mut offered, mut was_busy) = (0, false);
        for shard in turned() {
            match shard.try_lock() {
                Some(data) => offered += data.sample(scope, count - offered, &mut offer),
                None => was_busy = true,
            }
            if offered >= count {
                return true;
            }
        }
        if offered == 0 && was_busy && database.has(scope) {
            // Only then are the shards that somebody holds worth waiting for.
            for shard in turned() {
                offered += shard.lock().sample(scope, count, &mut offer);
                if offered > 0 {
                    break;
                }
            }
        }
        offered > 0
    }

    /// Offers a key of `database` that expires earlier than most, with its hash. Returns whether
    /// there was any.
    pub fn sample_soonest(
        &self,
        database: usize,
        mut offer: impl FnMut(u64, EntryRef<'_>),
    ) -> bool {
        let mut offered = 0;
        while let Some((_, shards)) = self.populated(database, Scope::Volatile) {
            let start = random::next() as usize % SHARDS;
            let turned = shards[start..].iter().chain(&shards[..start]);
            let first = turned
                .filter(|shard| shard.has_deadline())
                .take(DEADLINES_COMPARED)
                .min_by_key(|shard| shard.next_deadline_ms());
            let Some(shard) = first else { break };
            let mut data = shard.lock();
            let deadline_ms = shard.next_deadline_ms();
            let soonest = data.soonest();
            shard.publish_deadline(&data);
            if let Some((hash, expiry)) = soonest
                && let Some(entry) = data.table.find(hash, |entry| {
                    entry.expiry() == Some(expiry) && structures::hash::hash(entry.key()) == hash
                })
            {
                offer(hash, entry);
                offered += 1;
                // Otherwise the deadline was one that its key once had.
                if expiry <= deadline_ms || offered == SHARDS_A_SAMPLE {
                    break;
                }
            }
        }
        offered > 0
    }

    /// Removes the key of this hash if `is_right` says so of its entry, handing the key to `removed`
    /// while its shard is held. Returns the bytes by which the entries of the shard have grown, which
    /// is less than nothing; `None` if nothing was removed.
    pub fn evict(
        &self,
        database: usize,
        hash: u64,
        is_right: impl FnOnce(EntryRef<'_>) -> bool,
        removed: impl FnOnce(&[u8]),
    ) -> Option<isize> {
        let shard = &self.used_shards(database)?[shard_of(hash)];
        let mut data = shard.lock();
        let found = data
            .table
            .find_mut(hash, |entry| structures::hash::hash(entry.key()) == hash)?;
        if !is_right(found.get()) {
            return None;
        }
        let entry = found.remove();
        data.books.left(Shape::of(entry.view()));
        data.tidy_deadlines();
        removed(entry.view().key());
        self.discard(entry);
        Some(self.settle(database, &mut data))
    }

    fn populated(&self, database: usize, scope: Scope) -> Option<(&Database, &[Shard])> {
        let database = self.database(database)?;
        let shards = database.shards.get()?;
        database.has(scope).then_some((database, shards))
    }
}

impl Database {
    fn has(&self, scope: Scope) -> bool {
        let count = match scope {
            Scope::All => &self.shards_with_keys,
            Scope::Volatile => &self.shards_with_volatile,
        };
        count.load(Relaxed) > 0
    }
}

impl ShardData {
    /// Offers up to about `count` random keys. Returns how many.
    fn sample(
        &self,
        scope: Scope,
        count: usize,
        offer: &mut impl FnMut(u64, EntryRef<'_>),
    ) -> usize {
        let hash_of = |entry: EntryRef<'_>| structures::hash::hash(entry.key());
        if scope == Scope::Volatile {
            return self.sample_volatile(count, offer);
        }
        if self.table.len() <= count {
            self.table
                .iter()
                .for_each(|entry| offer(hash_of(entry), entry));
            return self.table.len();
        }
        for _ in 0..count {
            if let Some(entry) = self.table.random(random::next()) {
                offer(hash_of(entry), entry);
            }
        }
        count
    }

    /// Offers keys to which random records of the deadlines lead. Returns how many.
    pub(crate) fn sample_volatile(
        &self,
        count: usize,
        offer: &mut impl FnMut(u64, EntryRef<'_>),
    ) -> usize {
        let records = self.books.deadlines.len();
        if self.expiring() == 0 || records == 0 {
            return 0;
        }
        let count = count.min(self.expiring());
        let mut offered = 0;
        for _ in 0..2 * count {
            offered += self.offer_of_record(random::next() as usize % records, offer);
            if offered >= count {
                break;
            }
        }
        // Most records are of no use only where there are few.
        let mut index = 0;
        while offered == 0 && index < records {
            offered += self.offer_of_record(index, offer);
            index += 1;
        }
        offered
    }

    /// Offers the key to which a record leads. Returns how many there are: none if the key is gone.
    fn offer_of_record(&self, index: usize, offer: &mut impl FnMut(u64, EntryRef<'_>)) -> usize {
        let mut offered = 0;
        let hash_part = self.books.deadlines.hash_part(index);
        self.volatile_of(hash_part, |hash, entry| {
            offer(hash, entry);
            offered += 1;
        });
        offered
    }

    /// The keys that will expire and have these 32 bits of hash.
    fn volatile_of(&self, hash_part: u64, mut f: impl FnMut(u64, EntryRef<'_>)) {
        self.table.bucket_elements(hash_part, |entry| {
            if entry.expiry().is_some() {
                let hash = structures::hash::hash(entry.key());
                if hash & 0xffff_ffff == hash_part {
                    f(hash, entry);
                }
            }
        });
    }

    /// The hash and the expiry of a key that expires early: of the first if there are not many
    /// records for keys that now live longer, and of the first among those looked at otherwise.
    /// Records that are of no use are put right.
    fn soonest(&mut self) -> Option<(u64, u64)> {
        if self.expiring() == 0 {
            self.books.deadlines.clear();
            return None;
        }
        let epoch_ms = self.books.epoch_ms();
        let mut best: Option<(u64, u64)> = None;
        for _ in 0..RECORDS_A_HOLD {
            let Some(first) = self.books.deadlines.first() else {
                break;
            };
            let mut found: Option<(u64, u64)> = None;
            self.volatile_of(first.hash_part(), |hash, entry| {
                let expiry = entry.expiry().unwrap_or(u64::MAX);
                if found.is_none_or(|(_, other)| expiry < other) {
                    found = Some((hash, expiry));
                }
            });
            let Some((hash, expiry)) = found else {
                self.books.deadlines.drop_first();
                continue;
            };
            if best.is_none_or(|(_, other)| expiry < other) {
                best = found;
            }
            if first.is_of(expiry, epoch_ms) {
                break;
            }
            self.books.deadlines.drop_first();
            self.books.deadlines.add(hash, expiry, epoch_ms);
        }
        best
    }
}
