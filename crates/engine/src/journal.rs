//! Effects: what a write did, as commands that do the same again anywhere.
//!
//! By default the effect of a command that changed something is the command itself. A handler whose
//! outcome depends on chance, time or floating point states other effects ([`Effects::replace`]):
//! SPOP becomes SREM, EXPIRE an absolute PEXPIREAT. They go to the one [`Journal`] while the shards
//! are still held, so their order is the order of execution.

/// Receives the effects of all writes. The append-only file and replication read this stream.
pub trait Journal: Send + Sync {
    /// Takes effects that belong together, each a command with its arguments, on a database. Called
    /// with the shards of the keys held: it must not block.
    fn append(&self, database: usize, effects: &mut dyn Iterator<Item = &[Vec<u8>]>);
}

/// The effects of the command at hand.
#[derive(Debug, Default)]
pub struct Effects {
    is_journaled: bool,
    is_replaced: bool,
    commands: Vec<Vec<Vec<u8>>>,
}

impl Effects {
    /// Starts a command; `is_journaled` says whether anybody wants to know.
    #[inline]
    pub(crate) fn begin(&mut self, is_journaled: bool) {
        self.is_journaled = is_journaled;
        self.is_replaced = false;
    }

    /// Says that the effect is not the command itself but those added.
    #[inline]
    pub fn replace(&mut self) {
        self.is_replaced = true;
    }

    /// States an effect. Costs nothing when there is no journal.
    #[inline]
    pub fn add(&mut self, words: &[&[u8]]) {
        if self.is_journaled {
            self.is_replaced = true;
            self.commands
                .push(words.iter().map(|word| word.to_vec()).collect());
        }
    }

    /// Whether somebody wants to know the effects; saves computing them if not.
    #[inline]
    pub fn is_journaled(&self) -> bool {
        self.is_journaled
    }

    /// The effect of a key that goes by itself, because it expired or the memory is full: that it is
    /// deleted.
    pub(crate) fn of_departure(journal: &dyn Journal, database: usize, key: &[u8]) {
        let effect = [b"DEL".to_vec(), key.to_vec()];
        journal.append(database, &mut std::iter::once(&effect[..]));
    }

    /// Hands the effects of `words`, which changed something, to `journal`.
    #[cold]
    pub(crate) fn flush(&mut self, journal: &dyn Journal, database: usize, words: &[&[u8]]) {
        if !self.is_replaced {
            self.commands
                .push(words.iter().map(|word| word.to_vec()).collect());
        }
        journal.append(database, &mut self.commands.iter().map(Vec::as_slice));
        self.commands.clear();
    }
}
