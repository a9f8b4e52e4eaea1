//! Eviction: which keys go when the memory is full, and when.
//!
//! As in Redis a victim is the best of a few random keys and of the best that earlier samples had.
//! Each worker has its own pool of those. A candidate is looked at once more before it goes: one that
//! has been used since it was sampled stays.
//!
//! Between two runs of commands, when no shard is held, a worker that finds the limit exceeded evicts
//! until it is kept, but no longer than `maxmemory-eviction-tenacity` allows. What is left then,
//! because the limit was lowered or a great value came in, is done by the ticks of all workers,
//! in slices between which connections have their turns. As long as that goes on commands are not
//! refused, and evict little more than they add: enough that the memory never grows, too little
//! for other clients to notice.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use config::{MaxmemoryPolicy, parameter};
use keyspace::{EntryRef, Event, Scope, Usage};
use parking_lot::Mutex;

use crate::clients::bump_signed;
use crate::dispatch::Worker;
use crate::server::Server;

/// Candidates that a pool remembers.
const POOL_MAX: usize = 16;

/// Keys evicted between two looks at the time.
const KEYS_A_LOOK: usize = 16;

/// Keys that a command evicts while the rest is left to the ticks.
const KEYS_A_COMMAND: usize = 8;

/// How long a slice of the ticks may take.
const SLICE: Duration = Duration::from_micros(500);

/// Candidates that were used meanwhile, before the next is taken as it is.
const USED_MAX: usize = 16;

/// A key that may go.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// The greater, the sooner it goes.
    staleness: u64,
    database: usize,
    hash: u64,
}

/// What a worker knows of the keys that may go, alone on its cache lines.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Evictor(Mutex<Pool>);

#[derive(Debug)]
struct Pool {
    /// By ascending staleness.
    candidates: Vec<Candidate>,
    worker: usize,
    /// The policy that they were found for.
    policy: MaxmemoryPolicy,
    /// The database that random policies look at first.
    database: usize,
}

/// How much may be evicted at a time.
#[derive(Clone, Copy)]
struct Budget {
    /// For how long; `None` for ever.
    time: Option<Duration>,
    /// No more than it takes to remove as many keys and to free as many bytes.
    enough: Option<(usize, i64)>,
}

/// How an eviction ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The limit is kept.
    Under,
    /// The budget is spent.
    Spent,
    /// No key may go.
    Exhausted,
}

impl Evictor {
    /// That of worker `worker`.
    pub(crate) fn new(worker: usize) -> Self {
        Evictor(Mutex::new(Pool {
            candidates: Vec::with_capacity(POOL_MAX),
            worker,
            policy: MaxmemoryPolicy::NoEviction,
            database: 0,
        }))
    }
}

impl Server {
    /// How lookups mark keys under the policy at hand.
    #[inline]
    pub(crate) fn usage(&self, now_ms: u64) -> Usage {
        use MaxmemoryPolicy::{AllkeysLfu, VolatileLfu};
        match self.config.read(parameter::MAXMEMORY_POLICY) {
            AllkeysLfu | VolatileLfu => Usage::frequency(
                now_ms,
                self.config.read(parameter::LFU_LOG_FACTOR) as u32,
                self.config.read(parameter::LFU_DECAY_TIME) as u32,
            ),
            _ => Usage::recency(now_ms),
        }
    }

    /// How long a command may evict.
    fn tenacity(&self) -> Option<Duration> {
        let us = match self.config.read(parameter::MAXMEMORY_EVICTION_TENACITY) {
            100.. => return None,
            // Up to half a millisecond in equal steps, then 15 % more with each.
            tenacity @ ..=10 => 50 * tenacity.max(0) as u64,
            tenacity => (500.0 * 1.15f64.powi(tenacity as i32 - 10)) as u64,
        };
        Some(Duration::from_micros(us))
    }
}

impl Worker {
    /// Evicts what has to go before commands run. `growth` is what the worker's last commands have
    /// added. Returns whether commands that may need memory may run. No shard may be held.
    #[inline]
    pub(crate) fn make_room(&self, growth: isize, now_ms: u64) -> bool {
        let server = &**self.server();
        let limit = server.memory_limit();
        if limit == 0 {
            return true;
        }
        if server.used_memory() <= limit {
            server.memory.note_under(|| server.clock.now_us());
            return true;
        }
        self.evict_for_command(growth as i64, now_ms)
    }

    #[cold]
    fn evict_for_command(&self, growth: i64, now_ms: u64) -> bool {
        let server = &**self.server();
        let memory = &server.memory;
        memory.note_over(server.clock.now_us());
        let enough = memory
            .is_evicting
            .load(Relaxed)
            .then_some((KEYS_A_COMMAND, 2 * growth));
        let budget = Budget {
            time: server.tenacity(),
            enough,
        };
        match self.evict(budget, now_ms) {
            End::Under => {
                memory.note_under(|| server.clock.now_us());
                true
            }
            End::Spent => {
                memory.is_evicting.store(true, Relaxed);
                true
            }
            // What is being freed in the background may be enough.
            End::Exhausted => {
                let pending = server.keyspace.pending_free_bytes() as i64;
                server.used_memory() - pending <= server.memory_limit()
            }
        }
    }

    /// Evicts for at most half a millisecond if the limit is exceeded. Returns whether there is more
    /// to do; let others run before going on.
    pub fn evict_slice(&self) -> bool {
        let server = &**self.server();
        let limit = server.memory_limit();
        let is_under = limit == 0 || server.used_memory() <= limit;
        let budget = Budget {
            time: Some(SLICE),
            enough: None,
        };
        let end = if is_under {
            End::Under
        } else {
            let _inside = server.gate.enter(self.index());
            self.evict(budget, server.clock.now_ms())
        };
        if end == End::Under {
            server.memory.note_under(|| server.clock.now_us());
        }
        server.memory.is_evicting.store(end == End::Spent, Relaxed);
        end == End::Spent
    }

    /// Evicts until the limit is kept or the budget is spent.
    fn evict(&self, budget: Budget, now_ms: u64) -> End {
        let server = &**self.server();
        let policy = server.config.read(parameter::MAXMEMORY_POLICY);
        if policy == MaxmemoryPolicy::NoEviction {
            return End::Exhausted;
        }
        let stats = &server.stats[self.index()];
        let mut pool = server.evictors[self.index()].0.lock();
        if pool.policy != policy {
            pool.policy = policy;
            pool.candidates.clear();
        }
        let usage = server.usage(now_ms);
        let started = Instant::now();
        let (mut keys, mut freed) = (0, 0);
        loop {
            let Some(growth) = pool.evict_one(server, usage) else {
                return End::Exhausted;
            };
            bump_signed(&stats.growth, growth as i64);
            keys += 1;
            freed -= growth as i64;
            if server.used_memory() <= server.memory_limit() {
                return End::Under;
            }
            if budget
                .enough
                .is_some_and(|(keys_max, bytes_max)| keys >= keys_max && freed >= bytes_max)
            {
                return End::Spent;
            }
            if keys.is_multiple_of(KEYS_A_LOOK)
                && budget.time.is_some_and(|time| started.elapsed() >= time)
            {
                return End::Spent;
            }
        }
    }
}

impl Pool {
    /// Removes one key. Returns by how many bytes its shard has grown, which is less than nothing;
    /// `None` if no key may go.
    fn evict_one(&mut self, server: &Server, usage: Usage) -> Option<isize> {
        use MaxmemoryPolicy::*;
        match self.policy {
            NoEviction => None,
            AllkeysRandom => self.evict_random(server, Scope::All),
            VolatileRandom => self.evict_random(server, Scope::Volatile),
            AllkeysLru | AllkeysLfu => self.evict_best(server, usage, Scope::All),
            VolatileLru | VolatileLfu | VolatileTtl => {
                self.evict_best(server, usage, Scope::Volatile)
            }
        }
    }

    fn evict_random(&mut self, server: &Server, scope: Scope) -> Option<isize> {
        let databases = server.keyspace.databases();
        loop {
            let mut found = None;
            for _ in 0..databases {
                self.database = (self.database + 1) % databases;
                server
                    .keyspace
                    .sample(self.database, scope, 1, |hash, _| found = Some(hash));
                if found.is_some() {
                    break;
                }
            }
            // Somebody else may have removed it, and then there may be others.
            if let Some(growth) = self.remove(server, self.database, found?, |_| true) {
                return Some(growth);
            }
        }
    }

    fn evict_best(&mut self, server: &Server, usage: Usage, scope: Scope) -> Option<isize> {
        let by_deadline = self.policy == MaxmemoryPolicy::VolatileTtl;
        let mut used = 0;
        loop {
            if !self.fill(server, usage, scope) && self.candidates.is_empty() {
                return None;
            }
            while let Some(candidate) = self.candidates.pop() {
                let growth = self.remove(server, candidate.database, candidate.hash, |entry| {
                    if scope == Scope::Volatile && entry.expiry().is_none() {
                        return false;
                    }
                    let staleness = if by_deadline {
                        u64::MAX - entry.expiry().unwrap_or(u64::MAX)
                    } else {
                        usage.staleness(entry)
                    };
                    let is_used = staleness < candidate.staleness;
                    used += usize::from(is_used);
                    !is_used || used > USED_MAX
                });
                if growth.is_some() {
                    return growth;
                }
            }
        }
    }

    fn remove(
        &self,
        server: &Server,
        database: usize,
        hash: u64,
        is_right: impl FnOnce(EntryRef<'_>) -> bool,
    ) -> Option<isize> {
        server.keyspace.evict(database, hash, is_right, |key| {
            server.key_gone(self.worker, database, key, Event::EVICTED);
        })
    }

    /// Adds samples of every database. Returns whether there was any key that may go.
    fn fill(&mut self, server: &Server, usage: Usage, scope: Scope) -> bool {
        let keyspace = &server.keyspace;
        let samples = server.config.read(parameter::MAXMEMORY_SAMPLES) as usize;
        let mut is_any = false;
        for database in 0..keyspace.databases() {
            is_any |= if self.policy == MaxmemoryPolicy::VolatileTtl {
                keyspace.sample_soonest(database, |hash, entry| {
                    self.add(Candidate {
                        staleness: u64::MAX - entry.expiry().unwrap_or(u64::MAX),
                        database,
                        hash,
                    });
                })
            } else {
                keyspace.sample(database, scope, samples, |hash, entry| {
                    self.add(Candidate {
                        staleness: usage.staleness(entry),
                        database,
                        hash,
                    });
                })
            };
        }
        is_any
    }

    /// Remembers a candidate if it is among the best.
    fn add(&mut self, candidate: Candidate) {
        let candidates = &mut self.candidates;
        if candidates.len() == POOL_MAX && candidate.staleness <= candidates[0].staleness {
            return;
        }
        if let Some(known) = candidates
            .iter()
            .position(|known| (known.hash, known.database) == (candidate.hash, candidate.database))
        {
            candidates.remove(known);
        } else if candidates.len() == POOL_MAX {
            candidates.remove(0);
        }
        let at = candidates.partition_point(|known| known.staleness <= candidate.staleness);
        candidates.insert(at, candidate);
    }
}
