//! What a command changed: the record from which WATCH, client tracking, keyspace events, wake-ups
//! and the journal are served while the shards are still held.

/// The class of a keyspace event, as the letters of `notify-keyspace-events` select it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EventClass {
    Generic,
    String,
    List,
    Set,
    Hash,
    SortedSet,
    Expired,
    Evicted,
    New,
}

/// A keyspace event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its class.
    pub class: EventClass,
    /// Its name, as subscribers see it; empty if they do not.
    pub name: &'static str,
}

impl Event {
    /// A key expired.
    pub const EXPIRED: Event = Event {
        class: EventClass::Expired,
        name: "expired",
    };
    /// A key was removed because the memory was full.
    pub const EVICTED: Event = Event {
        class: EventClass::Evicted,
        name: "evicted",
    };
    /// A key was deleted, or lost its last element.
    pub const DEL: Event = Event::generic("del");

    /// A change that has effects, and of which subscribers do not hear.
    pub const SILENT: Event = Event::generic("");

    /// An event that any type has.
    pub const fn generic(name: &'static str) -> Event {
        Event {
            class: EventClass::Generic,
            name,
        }
    }

    /// An event of a string.
    pub const fn string(name: &'static str) -> Event {
        Event {
            class: EventClass::String,
            name,
        }
    }

    /// An event of a list.
    pub const fn list(name: &'static str) -> Event {
        Event {
            class: EventClass::List,
            name,
        }
    }

    /// An event of a set.
    pub const fn set(name: &'static str) -> Event {
        Event {
            class: EventClass::Set,
            name,
        }
    }

    /// An event of a hash.
    pub const fn hash(name: &'static str) -> Event {
        Event {
            class: EventClass::Hash,
            name,
        }
    }

    /// An event of a sorted set.
    pub const fn sorted_set(name: &'static str) -> Event {
        Event {
            class: EventClass::SortedSet,
            name,
        }
    }
}

/// One change of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The number of the database.
    pub database: usize,
    /// The key.
    pub key: Box<[u8]>,
    /// What happened.
    pub event: Event,
}

/// The changes since the last [`take`](ChangeLog::take).
///
/// Counting is all that happens unless somebody listens: then each change is kept with its key.
#[derive(Debug, Default)]
pub struct ChangeLog {
    count: u64,
    is_listening: bool,
    changes: Vec<Change>,
}

impl ChangeLog {
    /// Whether each change is kept.
    pub fn listen(&mut self, is_listening: bool) {
        self.is_listening = is_listening;
    }

    /// The number of changes ever that commands made; expiry is no command's doing.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The changes that were kept.
    pub fn take(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.changes)
    }

    #[inline]
    pub(crate) fn add(&mut self, database: usize, key: &[u8], event: Event) {
        self.count += (event != Event::EXPIRED) as u64;
        if self.is_listening {
            self.keep(database, key, event);
        }
    }

    #[cold]
    fn keep(&mut self, database: usize, key: &[u8], event: Event) {
        self.changes.push(Change {
            database,
            key: key.into(),
            event,
        });
    }
}
