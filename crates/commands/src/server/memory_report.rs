//! What memory is used for: the figures behind INFO and MEMORY.

use engine::{Memory, Server};

/// The figures, in bytes.
pub(super) struct MemoryReport {
    /// Those of the host, whose `allocated` is 0 if it has none.
    pub(super) host: Memory,
    /// What is used, as far as is known.
    pub(super) used: usize,
    /// What was used when the server had started.
    pub(super) startup: usize,
    /// Clients and their buffers.
    pub(super) clients: usize,
    /// The databases that have keys.
    pub(super) databases: Vec<DatabaseReport>,
}

/// The figures of one database.
pub(super) struct DatabaseReport {
    pub(super) number: usize,
    pub(super) keys: usize,
    /// The tables through which keys are found.
    pub(super) table_bytes: usize,
    /// The records of when keys are due to expire.
    pub(super) deadline_bytes: usize,
}

/// How much more one figure is than another.
pub(super) struct Excess {
    pub(super) name: &'static str,
    pub(super) large: usize,
    pub(super) small: usize,
}

impl MemoryReport {
    pub(super) fn new(server: &Server) -> MemoryReport {
        let host = server.host.memory();
        let mut databases = Vec::new();
        let mut data = 0;
        for number in 0..server.keyspace.databases() {
            let census = server.keyspace.count(number);
            data += census.heap_bytes();
            if census.keys > 0 {
                databases.push(DatabaseReport {
                    number,
                    keys: census.keys,
                    table_bytes: census.table_bytes,
                    deadline_bytes: census.deadline_bytes,
                });
            }
        }
        let used = if host.allocated > 0 {
            host.allocated
        } else {
            data
        };
        MemoryReport {
            host,
            used,
            startup: server.startup_bytes,
            clients: server.clients.memory_bytes(),
            databases,
        }
    }

    /// Whether the host has figures.
    pub(super) fn is_known(&self) -> bool {
        self.host.allocated > 0
    }

    /// The greatest use seen.
    pub(super) fn peak(&self) -> usize {
        self.host.peak.max(self.used)
    }

    /// What is used beside keys and values.
    pub(super) fn overhead(&self) -> usize {
        let tables = self
            .databases
            .iter()
            .map(|database| database.table_bytes + database.deadline_bytes);
        self.startup + self.clients + tables.sum::<usize>()
    }

    /// What keys and values use.
    pub(super) fn dataset(&self) -> usize {
        self.used.saturating_sub(self.overhead())
    }

    /// What is used beyond what was at the start, and at least 1, to divide by.
    pub(super) fn net(&self) -> usize {
        self.used.saturating_sub(self.startup).max(1)
    }

    /// The number of keys.
    pub(super) fn keys(&self) -> usize {
        self.databases.iter().map(|database| database.keys).sum()
    }

    /// What is lost on the way from what is used to the resident set, step by step, and in all.
    pub(super) fn excesses(&self) -> [Excess; 4] {
        let host = &self.host;
        let excess = |name, large, small| Excess { name, large, small };
        [
            excess("allocator-fragmentation", host.active, host.allocated),
            excess("allocator-rss", host.allocator_resident, host.active),
            excess("rss-overhead", host.resident, host.allocator_resident),
            excess("fragmentation", host.resident, host.allocated),
        ]
    }
}

impl Excess {
    pub(super) fn ratio(&self) -> f64 {
        self.large as f64 / self.small.max(1) as f64
    }

    pub(super) fn bytes(&self) -> i64 {
        self.large as i64 - self.small as i64
    }
}

/// A part of a whole, in a hundred.
pub(super) fn percentage(part: usize, whole: usize) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}
