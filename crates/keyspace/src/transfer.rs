//! Entries that change their key or their database.
//!
//! An entry that moves is built anew around its value, as the key is part of its allocation; a boxed
//! value stays where it is, whatever its size. For two databases the shards of both are held, in the
//! one order that all who wait follow: database, then shard. (The exclusive gate would do, too, but
//! it stops all workers, and MOVE is used in loops over many keys.)

use smallvec::SmallVec;

use crate::change::Event;
use crate::db::{Db, Held, RUN_SHARDS_MAX};
use crate::entry::Entry;
use crate::shard::{SHARDS, shard_of};

impl Db<'_> {
    /// As [`hold_all`](Self::hold_all), in this database and in `other`.
    ///
    /// # Panics
    /// If there is no such database.
    pub fn hold_in_both<'a>(&mut self, keys: impl Iterator<Item = &'a [u8]>, other: usize) {
        self.release();
        let mut wanted: SmallVec<[usize; RUN_SHARDS_MAX]> = SmallVec::new();
        for key in keys {
            let shard = shard_of(structures::hash::hash(key));
            wanted.push(self.database * SHARDS + shard);
            wanted.push(other * SHARDS + shard);
        }
        wanted.sort_unstable();
        wanted.dedup();
        for index in wanted {
            let data = self.keyspace.shards(index / SHARDS)[index % SHARDS].lock();
            self.held.push(Held::new(index, data));
        }
    }

    /// Does something in another database whose shards are held beside those of this one.
    fn within<R>(&mut self, database: usize, act: impl FnOnce(&mut Self) -> R) -> R {
        let home = std::mem::replace(&mut self.database, database);
        self.shards = self.keyspace.shards(database);
        self.forget_focus();
        let result = act(self);
        self.database = home;
        self.shards = self.keyspace.shards(home);
        self.forget_focus();
        result
    }

    /// Whether `key` is there in another database, whose shard is held.
    pub fn contains_in(&mut self, database: usize, key: &[u8]) -> bool {
        self.within(database, |db| db.peek(key).is_some())
    }

    /// Gives a value another key, whatever was there before. Returns whether there is a value.
    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> bool {
        let Some(entry) = self.take(from) else {
            return false;
        };
        let event = Event::generic("rename_from");
        self.changes.add(self.database, from, event);
        self.put(entry.with_key(to), Event::generic("rename_to"));
        true
    }

    /// Puts a copy of a value at a key of another database or of this one, whatever was there
    /// before. Returns whether there is a value.
    pub fn copy(&mut self, from: &[u8], database: usize, to: &[u8]) -> bool {
        let Some(entry) = self.peek(from) else {
            return false;
        };
        let copy = Entry::copy_of(entry, to);
        self.within(database, |db| db.put(copy, Event::generic("copy_to")));
        true
    }

    /// Moves a key to another database, whatever was there before. Returns whether there is a value.
    pub fn move_to(&mut self, key: &[u8], database: usize) -> bool {
        let Some(entry) = self.take(key) else {
            return false;
        };
        let event = Event::generic("move_from");
        self.changes.add(self.database, key, event);
        self.within(database, |db| db.put(entry, Event::generic("move_to")));
        true
    }

    /// Exchanges the contents of two databases. Recorded as one change.
    ///
    /// # Panics
    /// If others are inside the gate, or there is no such database.
    pub fn swap(&mut self, one: usize, other: usize) {
        assert!(self.is_alone, "others may hold shards of the databases");
        // What is held is settled under the number that its database still has.
        self.release();
        self.keyspace.swap(one, other);
        self.refresh();
        let event = Event::generic("swapdb");
        self.changes.add(self.database, b"", event);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Db, Event, Expiry, Keyspace};
    use structures::list::{Limits, List};

    fn list(len: usize) -> List {
        let mut list = List::new();
        (0..len).for_each(|_| list.push_back(b"element", &Limits::default()));
        list
    }

    fn hold<'k>(db: &mut Db<'k>, keys: &[&'static str], other: usize) {
        db.hold_in_both(keys.iter().map(|key| key.as_bytes()), other);
    }

    #[test]
    fn the_books_stay_right() {
        let keyspace = Keyspace::new(4, 0);
        let mut db = Db::new(&keyspace, 1000);
        hold(&mut db, &["a", "b", "longer:key"], 2);
        let event = Event::generic("test");
        db.set_collection(b"a", list(10_000), Expiry::At(5000), event);
        db.set_text(b"b", b"text", Expiry::At(6000), event);
        assert!(db.rename(b"a", b"longer:key"));
        assert!(!db.rename(b"a", b"b"));
        assert!(db.copy(b"longer:key", 2, b"a"));
        assert!(db.move_to(b"b", 2));
        assert!(db.contains_in(2, b"b") && !db.contains_in(0, b"b"));
        let found = db.peek(b"longer:key").map(|entry| entry.expiry());
        assert_eq!(found, Some(Some(5000)));
        db.release();
        let count = |database| {
            let census = keyspace.count(database);
            (census.keys, census.expiring)
        };
        assert_eq!(count(0), (1, 1));
        assert_eq!(count(2), (2, 2));
        // All three are due in the end, which the shards know.
        let mut swept = 0;
        for database in [0, 2] {
            for shard in keyspace.shards(database) {
                if shard.is_due(7000) {
                    keyspace.sweep(database, shard, 7000, 16, |_| swept += 1);
                }
            }
        }
        assert_eq!(swept, 3);
        assert_eq!(count(0), (0, 0));
    }

    #[test]
    fn swapped_databases_are_found_under_their_new_numbers() {
        let keyspace = Keyspace::new(4, 0);
        let mut db = Db::new(&keyspace, 0);
        hold(&mut db, &["k"], 1);
        db.set_text(b"k", b"v", Expiry::Never, Event::generic("test"));
        db.begin_alone();
        db.swap(0, 3);
        db.swap(3, 1);
        db.reach(b"k");
        assert!(db.peek(b"k").is_none());
        db.end_alone();
        db.select(1);
        hold(&mut db, &["k"], 1);
        assert!(db.peek(b"k").is_some());
        db.release();
        let counts: Vec<usize> = (0..4).map(|n| keyspace.count(n).keys).collect();
        assert_eq!(counts, [0, 1, 0, 0]);
    }
}
