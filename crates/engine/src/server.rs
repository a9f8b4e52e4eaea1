//! What all workers share.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use config::{Config, parameter};
use keyspace::sync::Gate;
use keyspace::{Event, Keyspace};

use crate::clients::{Clients, bump};
use crate::evict::Evictor;
use crate::journal::{Effects, Journal};
use crate::memory::MemoryLimit;
use crate::session::DEFAULT_USER;
use crate::spec::Command;
use crate::stats::{Rates, WorkerStats};
use crate::table::CommandTable;

/// The version of Redis whose commands this server has, as clients and monitoring ask for it.
pub const REDIS_VERSION: &str = "7.4.0";

/// The version of this server.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A server, without its sockets.
pub struct Server {
    /// Its parameters.
    pub config: Arc<Config>,
    /// Its keys.
    pub keyspace: Keyspace,
    /// Its commands.
    pub commands: CommandTable,
    /// Its clients.
    pub clients: Clients,
    /// What keeps workers and whole-keyspace commands apart.
    pub gate: Gate,
    /// The counters, one set a worker.
    pub stats: Box<[WorkerStats]>,
    /// The time.
    pub clock: Clock,
    /// The machine it runs on.
    pub host: Box<dyn Host>,
    /// 40 hexadecimal digits that are new with each start.
    pub run_id: String,
    /// 40 hexadecimal digits that name this history of the data.
    pub replication_id: String,
    /// When it started, in Unix milliseconds.
    pub started_ms: u64,
    /// What its counters grew by lately.
    pub rates: Rates,
    /// Whether expired keys that nobody asks for are removed; a test may want to see them stay.
    pub sweeps: AtomicBool,
    /// The limit of memory.
    pub memory: MemoryLimit,
    /// The bytes that were allocated when the server had started, before it had any data.
    pub startup_bytes: usize,
    /// What each worker knows of the keys that may be evicted.
    pub(crate) evictors: Box<[Evictor]>,
    journal: OnceLock<Box<dyn Journal>>,
}

impl Server {
    /// A server for that many workers.
    pub fn new(
        config: Arc<Config>,
        commands: impl IntoIterator<Item = &'static Command>,
        workers: usize,
        clock: Clock,
        host: Box<dyn Host>,
    ) -> Server {
        config.on_change(Config::refuse_missing);
        let commands = CommandTable::new(commands);
        let started_ms = clock.now_ms();
        let databases = config.read(parameter::DATABASES) as usize;
        let keyspace = Keyspace::new(databases, started_ms);
        // The first database is always used; its empty shards belong to the start.
        keyspace.shards(0);
        let stats = (0..workers)
            .map(|_| WorkerStats::new(commands.all().len()))
            .collect();
        Server {
            keyspace,
            clients: Clients::default(),
            gate: Gate::new(workers),
            stats,
            run_id: random_id(1),
            replication_id: random_id(2),
            started_ms,
            rates: Rates::default(),
            sweeps: AtomicBool::new(true),
            journal: OnceLock::new(),
            memory: MemoryLimit::default(),
            startup_bytes: host.allocated(),
            evictors: (0..workers).map(Evictor::new).collect(),
            config,
            commands,
            clock,
            host,
        }
    }

    /// Sends the effects of all writes to `journal` from now on. There is one; a second is refused.
    pub fn set_journal(&self, journal: Box<dyn Journal>) -> bool {
        self.journal.set(journal).is_ok()
    }

    /// Where effects go.
    #[inline]
    pub fn journal(&self) -> Option<&dyn Journal> {
        self.journal.get().map(|journal| &**journal)
    }

    /// Whether clients must authenticate.
    #[inline]
    pub fn needs_password(&self) -> bool {
        !self.config.read(parameter::REQUIREPASS).is_empty()
    }

    /// Whether there is a user of this name.
    pub fn has_user(&self, name: &[u8]) -> bool {
        name == DEFAULT_USER
    }

    /// Takes a sample of the counters, if the last is old enough. To be called every tenth of a
    /// second or so.
    pub fn tick(&self) {
        self.watch_memory();
        self.evict_clients();
        self.rates.sample(self.clock.now_ms(), || {
            [
                self.sum(|stats| &stats.commands),
                self.sum(|stats| &stats.received_bytes),
                self.sum(|stats| &stats.sent_bytes),
            ]
        });
    }

    /// Applies `maxmemory-clients`.
    fn evict_clients(&self) {
        let limit = match self.config.read(parameter::MAXMEMORY_CLIENTS) {
            0 => return,
            // A share of the limit of memory, which there may not be.
            percent @ ..0 => match self.memory_limit() {
                0 => return,
                all => (i128::from(all) * -i128::from(percent) / 100) as i64,
            },
            bytes => bytes,
        };
        let ended = self.clients.evict(limit as usize);
        bump(&self.stats[0].evicted_clients, ended as u64);
    }

    /// Counts and journals, under the lock of its shard, that a key has gone by itself: expired or
    /// evicted, as `event` tells.
    pub(crate) fn key_gone(&self, worker: usize, database: usize, key: &[u8], event: Event) {
        let stats = &self.stats[worker];
        let counter = if event == Event::EVICTED {
            &stats.evicted
        } else {
            &stats.expired
        };
        bump(counter, 1);
        if let Some(journal) = self.journal() {
            Effects::of_departure(journal, database, key);
        }
    }

    /// The sum of one counter over the workers.
    pub fn sum(&self, counter: impl Fn(&WorkerStats) -> &AtomicU64) -> u64 {
        self.stats
            .iter()
            .map(|stats| counter(stats).load(Relaxed))
            .sum()
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("run_id", &self.run_id)
            .finish_non_exhaustive()
    }
}

/// 40 hexadecimal digits that no other start and no other `salt` has.
fn random_id(salt: u8) -> String {
    let time = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos() as u64);
    let part = |index: u8| {
        let mut seed = [salt, index].to_vec();
        seed.extend(time.to_le_bytes());
        seed.extend(std::process::id().to_le_bytes());
        structures::hash::hash(&seed)
    };
    format!("{:016x}{:016x}{:08x}", part(1), part(2), part(3) as u32)
}

/// The time of day.
#[derive(Debug)]
pub enum Clock {
    /// The machine's.
    System,
    /// One that a test sets, in Unix milliseconds.
    Manual(AtomicU64),
}

impl Clock {
    /// Unix milliseconds.
    #[inline]
    pub fn now_ms(&self) -> u64 {
        match self {
            Clock::System => self.now_us() / 1000,
            Clock::Manual(now_ms) => now_ms.load(Relaxed),
        }
    }

    /// Unix microseconds.
    #[inline]
    pub fn now_us(&self) -> u64 {
        match self {
            Clock::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |time| time.as_micros() as u64),
            Clock::Manual(now_ms) => now_ms.load(Relaxed) * 1000,
        }
    }
}

/// What the engine asks of the process it runs in.
pub trait Host: Send + Sync {
    /// Ends the server soon.
    fn shutdown(&self);
    /// Its memory.
    fn memory(&self) -> Memory;
    /// The bytes given out by the allocator, for whoever needs nothing else; 0 if that is not known.
    fn allocated(&self) -> usize {
        self.memory().allocated
    }
    /// Gives memory that is free back to the system, if the allocator keeps any. Returns whether that
    /// went well.
    fn purge_memory(&self) -> bool {
        true
    }
    /// What the allocator tells of itself, for people.
    fn allocator_report(&self) -> Option<String> {
        None
    }
    /// What else INFO tells of the process; what the host does not know is left out there.
    fn process(&self) -> Process {
        Process::default()
    }
}

/// The process and the machine that it runs on.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// System, release and machine: `Linux 6.1.0 x86_64`.
    pub system: Option<String>,
    /// The path of the program.
    pub executable: Option<PathBuf>,
    /// The allocator and its version: `jemalloc-5.3.0`.
    pub allocator: Option<String>,
    /// Physical memory of the machine, in bytes.
    pub memory_total: Option<u64>,
    /// Processor time spent in the program and in the system, in microseconds.
    pub processor_us: Option<(u64, u64)>,
}

/// The memory of the process, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// Given out by the allocator.
    pub allocated: usize,
    /// In pages that hold something given out.
    pub active: usize,
    /// Held by the allocator in physical memory.
    pub allocator_resident: usize,
    /// Given back to the system, which may not have taken it yet.
    pub muzzy: usize,
    /// The resident set of the process.
    pub resident: usize,
    /// The greatest `allocated` seen.
    pub peak: usize,
}

/// A host that has no memory figures and can't be shut down: for tests and embedding.
#[derive(Debug, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn shutdown(&self) {}

    fn memory(&self) -> Memory {
        Memory::default()
    }
}
