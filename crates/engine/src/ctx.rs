//! All that a command sees of the world.

use std::sync::atomic::Ordering::Relaxed;

use config::{Config, Handle};
use keyspace::Db;
use resp::ReplyWriter;

use crate::journal::Effects;
use crate::server::Server;
use crate::session::Session;
use crate::stats::WorkerStats;

/// The context of a command. Its fields may be borrowed side by side: a value from `db` while
/// `reply` is written to.
pub struct Ctx<'a> {
    /// The selected database, with the shards of the command's keys.
    pub db: Db<'a>,
    /// Where the reply goes.
    pub reply: ReplyWriter<'a>,
    /// The connection.
    pub session: &'a mut Session,
    /// What the command did, in deterministic form, if that is not the command itself.
    pub effects: Effects,
    /// The server, for what is beyond the held shards.
    pub server: &'a Server,
    /// The counters of this worker.
    pub stats: &'a WorkerStats,
    /// Whether commands that may need memory are refused.
    pub(crate) is_memory_full: bool,
}

impl Ctx<'_> {
    /// The time of the command, in Unix milliseconds: the same from its beginning to its end.
    #[inline]
    pub fn now_ms(&self) -> u64 {
        self.db.now_ms()
    }

    /// Makes lookups mark the keys that they find as used, or leaves that, as the connection wants it
    /// and the policy of eviction says how.
    pub fn apply_usage(&mut self) {
        let usage = self.server.usage(self.now_ms());
        let leaves_no_marks = self.session.client.leaves_no_marks.load(Relaxed);
        self.db.set_usage(if leaves_no_marks {
            usage.without_marks()
        } else {
            usage
        });
    }

    /// The value of a parameter, by its handle.
    #[inline]
    pub fn setting<H: Handle>(&self, handle: H) -> H::Value {
        self.config().read(handle)
    }

    /// The parameters.
    #[inline]
    pub fn config(&self) -> &Config {
        &self.server.config
    }
}
