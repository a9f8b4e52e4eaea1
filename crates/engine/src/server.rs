//! What all workers share.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use config::{Config, parameter};
use keyspace::Keyspace;
use keyspace::sync::Gate;

use crate::clients::Clients;
use crate::journal::Journal;
use crate::spec::Command;
use crate::stats::WorkerStats;
use crate::table::CommandTable;

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
    /// When it started, in Unix milliseconds.
    pub started_ms: u64,
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
        let commands = CommandTable::new(commands);
        let started_ms = clock.now_ms();
        let databases = config.read(parameter::DATABASES) as usize;
        Server {
            keyspace: Keyspace::new(databases, started_ms),
            clients: Clients::default(),
            gate: Gate::new(workers),
            stats: (0..workers)
                .map(|_| WorkerStats::new(commands.all().len()))
                .collect(),
            run_id: run_id(),
            started_ms,
            journal: OnceLock::new(),
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

fn run_id() -> String {
    let part = |salt: u8| structures::hash::hash(&[salt, std::process::id() as u8]);
    let time = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos() as u64);
    format!(
        "{:016x}{:016x}{:08x}",
        part(1) ^ time,
        part(2),
        part(3) as u32
    )
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
