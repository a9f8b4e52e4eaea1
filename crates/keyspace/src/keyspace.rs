//! The databases, and what is done to whole shards: sweeping, flushing, counting.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use crate::entry::Entry;
use crate::shard::{SHARDS, Shard};

/// Freeing a value that takes more allocations than this goes to the reaper.
const FREE_ON_THE_SPOT_MAX: usize = 64;

/// All keys of a server.
pub struct Keyspace {
    /// The shards of a database come into being with its first use: most servers use one.
    databases: Box<[OnceLock<Box<[Shard]>>]>,
    /// Which of `databases` goes by a number. Changed only while nobody else is inside the gate.
    order: Box<[AtomicUsize]>,
    epoch_ms: u64,
    reaper: Reaper,
}

impl Keyspace {
    /// An empty keyspace. `epoch_ms` is the time, in Unix milliseconds, near which expiries are
    /// expected: when the process started.
    pub fn new(databases: usize, epoch_ms: u64) -> Self {
        Keyspace {
            databases: (0..databases).map(|_| OnceLock::new()).collect(),
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
            .get_or_init(|| (0..SHARDS).map(|_| Shard::new(self.epoch_ms)).collect())
    }

    /// The shards of a database that has ever been used.
    pub fn used_shards(&self, database: usize) -> Option<&[Shard]> {
        if database >= self.databases.len() {
            return None;
        }
        let shards = self.databases[self.place(database)].get()?;
        Some(shards)
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

    /// The number of keys in a database and of those with an expiry. Shard by shard, so under
    /// concurrent writes the sum may never have been true at any instant.
    pub fn count(&self, database: usize) -> (usize, usize) {
        let mut sum = (0, 0);
        for shard in self.used_shards(database).unwrap_or_default() {
            let data = shard.lock();
            sum = (sum.0 + data.len(), sum.1 + data.expiring());
        }
        sum
    }

    /// The bytes allocated for keys and values, those still to be freed left out.
    pub fn heap_bytes(&self) -> usize {
        let shards = self.databases.iter().filter_map(|database| database.get());
        shards
            .flat_map(|shards| shards.iter())
            .map(|shard| shard.lock().heap_bytes())
            .sum()
    }

    /// Removes up to `limit` dead keys of a shard, handing each key to `removed`. Returns whether
    /// more may be due.
    pub fn sweep(
        &self,
        shard: &Shard,
        now_ms: u64,
        limit: usize,
        mut removed: impl FnMut(&[u8]),
    ) -> bool {
        let mut data = shard.lock();
        let more = data.sweep(now_ms, limit, |entry| {
            removed(entry.view().key());
            self.discard(entry);
        });
        shard.publish_deadline(&data);
        more
    }

    /// Empties a database. The entries are freed by the reaper.
    pub fn flush(&self, database: usize) -> usize {
        let mut removed = 0;
        for shard in self.used_shards(database).unwrap_or_default() {
            let mut data = shard.lock();
            if data.is_empty() {
                continue;
            }
            removed += data.len();
            let len = data.len();
            let entries = data.take_all();
            shard.publish_deadline(&data);
            drop(data);
            self.reaper.send(len, Box::new(entries));
        }
        removed
    }

    /// Frees an entry that has left its table, elsewhere if that takes long.
    #[inline]
    pub fn discard(&self, entry: Entry) {
        if entry.view().free_effort() > FREE_ON_THE_SPOT_MAX {
            self.reaper.send(1, Box::new(std::iter::once(entry)));
        }
    }

    /// The number of entries that wait to be freed.
    pub fn pending_frees(&self) -> usize {
        self.reaper.pending.load(Ordering::Relaxed)
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
    garbage: Sender<(usize, Garbage)>,
    pending: Arc<AtomicUsize>,
}

impl Reaper {
    fn start() -> Self {
        let (garbage, received): (Sender<(usize, Garbage)>, Receiver<_>) = channel();
        let pending = Arc::new(AtomicUsize::new(0));
        let counter = pending.clone();
        let body = move || {
            for (entries, garbage) in received {
                garbage.for_each(drop);
                counter.fetch_sub(entries, Ordering::Relaxed);
            }
        };
        // Without the thread the channel is closed and `send` frees on the spot.
        if let Err(error) = std::thread::Builder::new()
            .name("reaper".into())
            .spawn(body)
        {
            debug_assert!(false, "no reaper: {error}");
        }
        Reaper { garbage, pending }
    }

    #[cold]
    fn send(&self, entries: usize, garbage: Garbage) {
        self.pending.fetch_add(entries, Ordering::Relaxed);
        if self.garbage.send((entries, garbage)).is_err() {
            self.pending.fetch_sub(entries, Ordering::Relaxed);
        }
    }
}
