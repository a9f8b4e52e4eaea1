//! The sweep: removing keys that have expired and that nobody asks for.
//!
//! Each worker sweeps every n-th shard, in slices short enough that nobody notices, and as many
//! slices as there is work: a million keys of one second are gone in a few, a few keys cost nothing.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use keyspace::{Event, Shard};

use crate::clients::bump_signed;
use crate::dispatch::Worker;

/// Dead keys removed under one hold of a shard.
const KEYS_A_HOLD: usize = 16;

/// How long a slice may take.
const SLICE: Duration = Duration::from_micros(500);

/// A sweep through this worker's share of the shards.
#[derive(Debug)]
pub struct Sweep {
    now_ms: u64,
    database: usize,
    shard: usize,
}

impl Worker {
    /// Begins a sweep of what is dead now.
    pub fn sweep(&self) -> Sweep {
        Sweep {
            now_ms: self.server().clock.now_ms(),
            database: 0,
            shard: self.index(),
        }
    }
}

impl Sweep {
    /// Removes dead keys for at most half a millisecond. Returns whether there is more to do; let
    /// others run before going on.
    pub fn slice(&mut self, worker: &Worker) -> bool {
        let server = &**worker.server();
        if !server.sweeps.load(Relaxed) {
            return false;
        }
        let started = Instant::now();
        let _inside = server.gate.enter(worker.index());
        while self.database < server.keyspace.databases() {
            let Some(shards) = server.keyspace.used_shards(self.database) else {
                self.database += 1;
                continue;
            };
            while self.shard < shards.len() {
                let shard = &shards[self.shard];
                while shard.is_due(self.now_ms) && self.hold(worker, shard) {
                    if started.elapsed() >= SLICE {
                        return true;
                    }
                }
                self.shard += server.stats.len();
            }
            self.shard = worker.index();
            self.database += 1;
        }
        false
    }

    /// Removes some dead keys of one shard. Returns whether more may be due.
    fn hold(&self, worker: &Worker, shard: &Shard) -> bool {
        let server = &**worker.server();
        let (keyspace, database) = (&server.keyspace, self.database);
        let swept = keyspace.sweep(database, shard, self.now_ms, KEYS_A_HOLD, |key| {
            server.key_gone(worker.index(), database, key, Event::EXPIRED);
        });
        let stats = &server.stats[worker.index()];
        bump_signed(&stats.growth, swept.growth as i64);
        swept.has_more
    }
}
