//! Counters, a set for each worker. A counter has one writer, so counting needs no locked
//! instruction; INFO adds the sets up.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
    /// Error replies.
    pub errors: AtomicU64,
    /// Connections ended because too much output waited for them.
    pub output_limit_disconnections: AtomicU64,
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
            errors: AtomicU64::new(0),
            output_limit_disconnections: AtomicU64::new(0),
            by_command: (0..commands).map(|_| CommandStats::default()).collect(),
            by_error: Mutex::default(),
        }
    }

    /// Counts an error reply with this text.
    pub(crate) fn count_error(&self, text: &str) {
        bump(&self.errors, 1);
        let code = text.split([' ', '\r']).next().unwrap_or_default();
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
            &self.errors,
            &self.output_limit_disconnections,
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
