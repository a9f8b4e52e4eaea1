//! Counters, a set for each worker. A counter has one writer, so counting needs no locked
//! instruction; INFO adds the sets up.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

use parking_lot::Mutex;

use crate::clients::bump;

/// The counters of one worker, alone on their cache lines.
#[derive(Debug)]
#[repr(align(128))]
pub struct WorkerStats {
    /// Commands executed, failed ones included.
    pub commands: AtomicU64,
    /// Connections accepted.
    pub connections: AtomicU64,
    /// Connections refused for want of room.
    pub rejected_connections: AtomicU64,
    /// Bytes received.
    pub received_bytes: AtomicU64,
    /// Bytes sent.
    pub sent_bytes: AtomicU64,
    /// Keys found by reads.
    pub hits: AtomicU64,
    /// Keys not found by reads.
    pub misses: AtomicU64,
    /// Keys removed because they expired.
    pub expired: AtomicU64,
    /// Keys removed because the memory was full.
    pub evicted: AtomicU64,
    /// Bytes by which this worker has made the entries of all shards grow since the start; never reset.
    pub growth: AtomicI64,
    /// Clients ended because the buffers of all took too much memory.
    pub evicted_clients: AtomicU64,
    /// Error replies.
    pub errors: AtomicU64,
    /// Connections ended because too much output waited for them.
    pub output_limit_disconnections: AtomicU64,
    /// Connections ended because a request was too long.
    pub query_limit_disconnections: AtomicU64,
    /// Wrong users or passwords.
    pub denied_logins: AtomicU64,
    /// By the index in the command table.
    pub by_command: Box<[CommandStats]>,
    /// Error replies by their code.
    pub by_error: Mutex<BTreeMap<String, u64>>,
}

/// The counters of one command.
#[derive(Debug, Default)]
pub struct CommandStats {
    /// Executions, failed ones included.
    pub calls: AtomicU64,
    /// Refusals before execution.
    pub rejected: AtomicU64,
    /// Executions that answered an error.
    pub failed: AtomicU64,
}

impl WorkerStats {
    /// Zeroes, for that many commands.
    pub fn new(commands: usize) -> Self {
        WorkerStats {
            commands: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            rejected_connections: AtomicU64::new(0),
            received_bytes: AtomicU64::new(0),
            sent_bytes: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            expired: AtomicU64::new(0),
            evicted: AtomicU64::new(0),
            growth: AtomicI64::new(0),
            evicted_clients: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            output_limit_disconnections: AtomicU64::new(0),
            query_limit_disconnections: AtomicU64::new(0),
            denied_logins: AtomicU64::new(0),
            by_command: (0..commands).map(|_| CommandStats::default()).collect(),
            by_error: Mutex::default(),
        }
    }

    /// Counts an error reply with this text.
    pub(crate) fn count_error(&self, text: &[u8]) {
        bump(&self.errors, 1);
        let code = text
            .split(|byte| matches!(byte, b' ' | b'\r'))
            .next()
            .unwrap_or_default();
        let code = &*String::from_utf8_lossy(code);
        let mut by_error = self.by_error.lock();
        // A script can make up any number of codes.
        const CODES_MAX: usize = 128;
        if by_error.len() < CODES_MAX || by_error.contains_key(code) {
            *by_error.entry(code.to_owned()).or_default() += 1;
        }
    }

    /// Sets what CONFIG RESETSTAT resets to zero. Counts that other workers write meanwhile may
    /// survive in part.
    pub fn reset(&self) {
        let counters = [
            &self.commands,
            &self.connections,
            &self.rejected_connections,
            &self.received_bytes,
            &self.sent_bytes,
            &self.hits,
            &self.misses,
            &self.expired,
            &self.evicted,
            &self.evicted_clients,
            &self.errors,
            &self.output_limit_disconnections,
            &self.query_limit_disconnections,
            &self.denied_logins,
        ];
        for counter in counters {
            counter.store(0, Relaxed);
        }
        for command in &self.by_command {
            command.calls.store(0, Relaxed);
            command.rejected.store(0, Relaxed);
            command.failed.store(0, Relaxed);
        }
        self.by_error.lock().clear();
    }
}

/// How many samples a rate is the mean of: 1.6 seconds' worth.
const SAMPLES: usize = 16;

/// The least time between samples.
const SAMPLE_MS: u64 = 100;

/// What counters grew by, a second, over the last one and a half.
#[derive(Debug, Default)]
pub struct Rates(Mutex<Samples>);

#[derive(Debug, Default)]
struct Samples {
    /// When the last sample was taken, in Unix milliseconds; 0 for never.
    taken_ms: u64,
    totals: [u64; 3],
    /// What each sample found, a second.
    rates: [[u64; SAMPLES]; 3],
    next: usize,
}

impl Rates {
    /// Takes a sample of the counters of commands, received bytes and sent bytes, unless the last is
    /// too young.
    pub(crate) fn sample(&self, now_ms: u64, totals: impl FnOnce() -> [u64; 3]) {
        let mut samples = self.0.lock();
        let elapsed_ms = now_ms.saturating_sub(samples.taken_ms);
        if elapsed_ms < SAMPLE_MS {
            return;
        }
        let is_first = samples.taken_ms == 0;
        let (totals, next) = (totals(), samples.next);
        if !is_first {
            for (index, total) in totals.into_iter().enumerate() {
                // The counters may have been reset in between.
                let grown = total.saturating_sub(samples.totals[index]);
                samples.rates[index][next] = grown * 1000 / elapsed_ms;
            }
            samples.next = (next + 1) % SAMPLES;
        }
        samples.taken_ms = now_ms;
        samples.totals = totals;
    }

    /// Commands, bytes received and bytes sent a second.
    pub fn per_second(&self) -> [u64; 3] {
        let samples = self.0.lock();
        samples
            .rates
            .map(|rates| rates.iter().sum::<u64>() / SAMPLES as u64)
    }

    /// Forgets all samples.
    pub fn reset(&self) {
        *self.0.lock() = Samples::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_means_of_recent_samples() {
        let rates = Rates::default();
        let mut total = 1_000_000;
        for tick in 1..=40 {
            rates.sample(50 * tick, || {
                total += 100;
                [total, 0, 2 * total]
            });
        }
        assert_eq!(rates.per_second(), [1000, 0, 2000]);
        rates.sample(60_000, || [total, 0, 0]);
        assert_eq!(rates.per_second()[0], 1000 * 15 / 16);
        rates.reset();
        assert_eq!(rates.per_second(), [0; 3]);
    }
}
