//! The databases, and what is done to whole shards: sweeping, flushing, counting.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::entry::Entry;
use crate::shard::{SHARDS, Shard, ShardData};

/// Freeing a value that takes more allocations than this goes to the reaper.
const FREE_ON_THE_SPOT_MAX: usize = 64;

/// All keys of a server.
pub struct Keyspace {
    databases: Box<[Database]>,
    /// Which of `databases` goes by a number. Changed only while nobody else is inside the gate.
    order: Box<[AtomicUsize]>,
    epoch_ms: u64,
    reaper: Reaper,
}

/// One database.
#[derive(Default)]
pub(crate) struct Database {
    /// They come into being with the first use: most servers use one database.
    pub(crate) shards: OnceLock<Box<[Shard]>>,
    /// The number of shards that have keys. These two are counted when a hold ends, so that it can be
    /// told without locking any whether there is something to evict.
    pub(crate) shards_with_keys: AtomicIsize,
    /// The number of shards that have keys that will expire.
    pub(crate) shards_with_volatile: AtomicIsize,
}

/// What a database holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// The number of keys, those included that are expired and not yet removed.
    pub keys: usize,
    /// The number of keys with an expiry.
    pub expiring: usize,
    /// The bytes allocated for entries and their values.
    pub entry_bytes: usize,
    /// The bytes allocated for the tables in which keys are found.
    pub table_bytes: usize,
    /// The bytes allocated for records of when keys are due to expire.
    pub deadline_bytes: usize,
}

impl Census {
    /// All bytes allocated.
    pub fn heap_bytes(&self) -> usize {
        self.entry_bytes + self.table_bytes + self.deadline_bytes
    }
}

/// What a step of the sweep did.
#[derive(Clone, Copy, Debug)]
pub struct Swept {
    /// Whether more keys may be due.
    pub has_more: bool,
    /// The bytes by which the entries of the shard have grown: less than nothing.
    pub growth: isize,
}

impl Keyspace {
    /// An empty keyspace. `epoch_ms` is the time, in Unix milliseconds, near which expiries are
    /// expected: when the process started.
    pub fn new(databases: usize, epoch_ms: u64) -> Self {
        Keyspace {
            databases: (0..databases).map(|_| Database::default()).collect(),
            order: (0..databases).map(AtomicUsize::new).collect(),
            epoch_ms,
            reaper: Reaper::start(),
        }
    }

    /// The number of databases.
    pub fn databases(&self) -> usize {
        self.databases.len()
    }

    /// The shards of a database, which there are [`SHARDS`] of.
    ///
    /// # Panics
    /// If there is no such database.
    #[inline]
    pub fn shards(&self, database: usize) -> &[Shard] {
        self.databases[self.place(database)]
            .shards
            .get_or_init(|| (0..SHARDS).map(|_| Shard::new(self.epoch_ms)).collect())
    }

    /// The shards of a database that has ever been used.
    pub fn used_shards(&self, database: usize) -> Option<&[Shard]> {
        self.database(database)?
            .shards
            .get()
            .map(|shards| &**shards)
    }

    /// The place among `databases` of the one that goes by this number.
    #[inline]
    fn place(&self, database: usize) -> usize {
        // The gate orders this with `swap`.
        self.order[database].load(Ordering::Relaxed)
    }

    /// Exchanges the numbers of two databases. The caller is alone inside the gate.
    pub(crate) fn swap(&self, one: usize, other: usize) {
        let place = self.order[one].swap(self.place(other), Ordering::Relaxed);
        self.order[other].store(place, Ordering::Relaxed);
    }

    pub(crate) fn database(&self, database: usize) -> Option<&Database> {
        let place = self.order.get(database)?.load(Ordering::Relaxed);
        self.databases.get(place)
    }

    /// What a database holds. Shard by shard, so under concurrent writes the sums may never have
    /// been true at any instant.
    pub fn count(&self, database: usize) -> Census {
        let mut census = Census::default();
        for shard in self.used_shards(database).unwrap_or_default() {
            shard.lock().add_to(&mut census);
        }
        census
    }

    /// The mean of the milliseconds that the keys with an expiry in a database have to live, estimated
    /// by some of each shard; exact for few keys.
    pub fn mean_ttl_ms(&self, database: usize, now_ms: u64) -> u64 {
        let (mut keys, mut sum) = (0, 0u128);
        for shard in self.used_shards(database).unwrap_or_default() {
            let data = shard.lock();
            if let Some(mean) = data.mean_expiry_ms() {
                keys += data.expiring() as u128;
                sum += u128::from(mean) * data.expiring() as u128;
            }
        }
        let mean = sum.checked_div(keys).unwrap_or(0) as u64;
        mean.saturating_sub(now_ms)
    }

    /// The bytes by which the entries of a shard have grown since the last call, when a hold ends in which something
    /// may have changed.
    #[inline]
    pub(crate) fn settle(&self, database: usize, data: &mut ShardData) -> isize {
        let Some(balance) = data.balance() else {
            return 0;
        };
        if balance.with_keys != 0 || balance.with_volatile != 0 {
            let database = &self.databases[self.place(database)];
            let count = |counter: &AtomicIsize, by| counter.fetch_add(by, Ordering::Relaxed);
            count(&database.shards_with_keys, balance.with_keys);
            count(&database.shards_with_volatile, balance.with_volatile);
        }
        balance.growth
    }

    /// The bytes allocated for keys and values, those still to be freed left out.
    pub fn heap_bytes(&self) -> usize {
        (0..self.databases.len())
            .map(|database| self.count(database).heap_bytes())
            .sum()
    }

    /// Removes up to `limit` dead keys of a shard of `database`, handing each key to `removed`.
    pub fn sweep(
        &self,
        database: usize,
        shard: &Shard,
        now_ms: u64,
        limit: usize,
        mut removed: impl FnMut(&[u8]),
    ) -> Swept {
        let mut data = shard.lock();
        let has_more = data.sweep(now_ms, limit, |entry| {
            removed(entry.view().key());
            self.discard(entry);
        });
        shard.publish_deadline(&data);
        let growth = self.settle(database, &mut data);
        Swept { has_more, growth }
    }

    /// Empties a database, the entries being freed by the reaper. Returns the bytes by which its
    /// entries have grown: less than nothing.
    pub fn flush(&self, database: usize) -> isize {
        let mut growth = 0;
        for shard in self.used_shards(database).unwrap_or_default() {
            let mut data = shard.lock();
            if data.is_empty() {
                continue;
            }
            let (len, bytes) = (data.len(), data.heap_bytes());
            let entries = data.take_all();
            shard.publish_deadline(&data);
            growth += self.settle(database, &mut data);
            drop(data);
            self.reaper.send(len, bytes, Box::new(entries));
        }
        growth
    }

    /// Frees an entry that has left its table, elsewhere if that takes long.
    #[inline]
    pub fn discard(&self, entry: Entry) {
        if entry.view().free_effort() > FREE_ON_THE_SPOT_MAX {
            let bytes = entry.view().heap_bytes();
            self.reaper.send(1, bytes, Box::new(std::iter::once(entry)));
        }
    }

    /// The number of entries that wait to be freed.
    pub fn pending_frees(&self) -> usize {
        self.reaper.counts.pending.load(Ordering::Relaxed)
    }

    /// The bytes that wait to be freed.
    pub fn pending_free_bytes(&self) -> usize {
        self.reaper.counts.pending_bytes.load(Ordering::Relaxed)
    }

    /// The number of entries that were freed in the background since the start or the last
    /// [`forget_lazy_frees`](Self::forget_lazy_frees).
    pub fn lazy_frees(&self) -> usize {
        self.reaper.counts.freed.load(Ordering::Relaxed)
    }

    /// Counts the entries freed in the background anew.
    pub fn forget_lazy_frees(&self) {
        self.reaper.counts.freed.store(0, Ordering::Relaxed);
    }

    /// Waits until everything that was discarded so far is freed.
    pub fn wait_for_frees(&self) {
        while self.pending_frees() > 0 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

type Garbage = Box<dyn Iterator<Item = Entry> + Send>;

/// A thread that frees big values, so that no command waits for it.
#[derive(Debug)]
struct Reaper {
    garbage: Sender<(usize, usize, Garbage)>,
    counts: Arc<ReaperCounts>,
}

#[derive(Debug, Default)]
struct ReaperCounts {
    pending: AtomicUsize,
    pending_bytes: AtomicUsize,
    freed: AtomicUsize,
}

impl Reaper {
    fn start() -> Self {
        let (garbage, received): (Sender<(usize, usize, Garbage)>, Receiver<_>) = channel();
        let counts = Arc::new(ReaperCounts::default());
        let shared = counts.clone();
        let body = move || {
            for (entries, bytes, garbage) in received {
                garbage.for_each(drop);
                shared.freed.fetch_add(entries, Ordering::Relaxed);
                shared.pending_bytes.fetch_sub(bytes, Ordering::Relaxed);
                shared.pending.fetch_sub(entries, Ordering::Relaxed);
            }
        };
        // Without the thread the channel is closed and `send` frees on the spot.
        if let Err(error) = std::thread::Builder::new()
            .name("reaper".into())
            .spawn(body)
        {
            debug_assert!(false, "no reaper: {error}");
        }
        Reaper { garbage, counts }
    }

    #[cold]
    fn send(&self, entries: usize, bytes: usize, garbage: Garbage) {
        let counts = &self.counts;
        counts.pending.fetch_add(entries, Ordering::Relaxed);
        counts.pending_bytes.fetch_add(bytes, Ordering::Relaxed);
        if self.garbage.send((entries, bytes, garbage)).is_err() {
            counts.pending.fetch_sub(entries, Ordering::Relaxed);
            counts.pending_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}
