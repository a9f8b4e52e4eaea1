//! The database for a command that runs while nobody else is inside the gate.
//!
//! Such a command may touch keys that nobody could tell from its words: those that SORT finds by
//! patterns, those of a script that does not declare its keys. It takes their shards one after the
//! other, as it comes to them ([`Db::reach`]), in any order: no other thread holds one, so it never
//! waits. It keeps them until it is done, for nothing may change in between that it has read.
//!
//! Taking all shards beforehand was rejected: that is a thousand locks for a command that looks at a
//! few keys.

use crate::db::{Db, Held};
use crate::shard::shard_of;

impl Db<'_> {
    /// From now on nobody else is inside the gate.
    pub fn begin_alone(&mut self) {
        self.refresh();
        self.is_alone = true;
    }

    /// Others may soon be inside the gate again. Lets go of all shards.
    pub fn end_alone(&mut self) {
        self.release();
        self.is_alone = false;
    }

    /// Lets go of all shards, and finds those of the database again: while the gate was left, its
    /// number may have gone to another database.
    pub fn refresh(&mut self) {
        self.release();
        self.shards = self.keyspace.shards(self.database);
    }

    /// Whether further shards can be taken.
    pub fn is_alone(&self) -> bool {
        self.is_alone
    }

    /// Takes the shard of `key` beside those held, if it is not among them.
    ///
    /// # Panics
    /// If others are inside the gate: two who take shards in any order might wait for each other.
    pub fn reach(&mut self, key: &[u8]) {
        assert!(
            self.is_alone,
            "only a command that runs alone touches keys that its spec does not name"
        );
        let hash = structures::hash::hash(key);
        let index = self.index_of(hash);
        if let Err(at) = self.held.binary_search_by_key(&index, |held| held.index) {
            let data = self.shards[shard_of(hash)].lock();
            self.held.insert(at, Held::new(index, data));
            // It may have moved.
            self.forget_focus();
        }
    }
}
