//! Commands as data. A [`CommandSpec`] is a constant beside its handler; COMMAND INFO, DOCS and
//! GETKEYS, ACL categories, locking, HELP and the hints of the command line all derive from it.

use crate::args::Args;
use crate::ctx::Ctx;
use crate::error::CommandResult;

/// A command: what is known of it, and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// What is known of it.
    pub spec: &'static CommandSpec,
    /// What it does. Its arguments have the right number, and the shards of its keys are held.
    pub run: Handler,
    /// The commands `NAME SUB ...`, if this is a mere container.
    pub subcommands: &'static [Command],
}

/// A handler. It never blocks, and sees neither sockets nor files nor the wall clock.
pub type Handler = fn(&mut Ctx<'_>, Args<'_>) -> CommandResult;

impl Command {
    /// A command.
    pub const fn new(spec: &'static CommandSpec, run: Handler) -> Command {
        Command {
            spec,
            run,
            subcommands: &[],
        }
    }

    /// A container of subcommands. `HELP` need not be among them: it is derived.
    pub const fn container(spec: &'static CommandSpec, subcommands: &'static [Command]) -> Command {
        Command {
            spec,
            run: crate::help::run,
            subcommands,
        }
    }
}

/// Groups of commands, as the documentation has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Group {
    Generic,
    String,
    List,
    Set,
    SortedSet,
    Hash,
    PubSub,
    Transactions,
    Connection,
    Server,
    Scripting,
    HyperLogLog,
    Cluster,
    Geo,
    Stream,
    Bitmap,
    Module,
}

impl Group {
    /// The name in COMMAND DOCS.
    pub fn name(self) -> &'static str {
        match self {
            Group::Generic => "generic",
            Group::String => "string",
            Group::List => "list",
            Group::Set => "set",
            Group::SortedSet => "sorted-set",
            Group::Hash => "hash",
            Group::PubSub => "pubsub",
            Group::Transactions => "transactions",
            Group::Connection => "connection",
            Group::Server => "server",
            Group::Scripting => "scripting",
            Group::HyperLogLog => "hyperloglog",
            Group::Cluster => "cluster",
            Group::Geo => "geo",
            Group::Stream => "stream",
            Group::Bitmap => "bitmap",
            Group::Module => "module",
        }
    }

    /// The ACL category that every command of the group is in.
    pub fn category(self) -> Option<&'static str> {
        Some(match self {
            Group::Generic => "@keyspace",
            Group::String => "@string",
            Group::List => "@list",
            Group::Set => "@set",
            Group::SortedSet => "@sortedset",
            Group::Hash => "@hash",
            Group::PubSub => "@pubsub",
            Group::Transactions => "@transaction",
            Group::Scripting => "@scripting",
            Group::HyperLogLog => "@hyperloglog",
            Group::Geo => "@geo",
            Group::Stream => "@stream",
            Group::Bitmap => "@bitmap",
            _ => return None,
        })
    }
}

/// What a command does, as bits of [`CommandSpec::flags`].
pub mod flags {
    /// Changes data.
    pub const WRITE: u32 = 1 << 0;
    /// Reads data and changes none.
    pub const READONLY: u32 = 1 << 1;
    /// May need memory: refused when it has run out.
    pub const DENY_OOM: u32 = 1 << 2;
    /// For operators.
    pub const ADMIN: u32 = 1 << 3;
    /// Publishes or subscribes.
    pub const PUBSUB: u32 = 1 << 4;
    /// Not allowed in scripts.
    pub const NO_SCRIPT: u32 = 1 << 5;
    /// May block the client.
    pub const BLOCKING: u32 = 1 << 6;
    /// Allowed while data is being loaded.
    pub const LOADING: u32 = 1 << 7;
    /// Allowed on a replica with stale data.
    pub const STALE: u32 = 1 << 8;
    /// Not shown to MONITOR.
    pub const SKIP_MONITOR: u32 = 1 << 9;
    /// Not put in the slow log.
    pub const SKIP_SLOWLOG: u32 = 1 << 10;
    /// O(1) or O(log N).
    pub const FAST: u32 = 1 << 11;
    /// Allowed before authentication.
    pub const NO_AUTH: u32 = 1 << 12;
    /// May replicate although it does not write.
    pub const MAY_REPLICATE: u32 = 1 << 13;
    /// Not allowed in transactions.
    pub const NO_MULTI: u32 = 1 << 14;
    /// Its keys can only be told by a function of its own.
    pub const MOVABLE_KEYS: u32 = 1 << 15;
    /// Allowed while a script is busy.
    pub const ALLOW_BUSY: u32 = 1 << 16;
    /// Deals with the connection; in the ACL category of such, whatever its group.
    pub const CONNECTION: u32 = 1 << 17;
    /// Can do damage; in the ACL category of such.
    pub const DANGEROUS: u32 = 1 << 18;
    /// In the keyspace category although its group is another.
    pub const KEYSPACE: u32 = 1 << 19;
    /// Runs alone: no other worker is inside the gate meanwhile. Of no concern to clients.
    pub const EXCLUSIVE: u32 = 1 << 20;
    /// May name no key at all although its spec has some: `EVAL script 0`.
    pub const NO_MANDATORY_KEYS: u32 = 1 << 21;
    /// Not allowed while data is loaded in the background.
    pub const NO_ASYNC_LOADING: u32 = 1 << 22;

    /// The names of those that COMMAND INFO shows, in its order.
    pub const SHOWN: &[(u32, &str)] = &[
        (WRITE, "write"),
        (READONLY, "readonly"),
        (DENY_OOM, "denyoom"),
        (ADMIN, "admin"),
        (PUBSUB, "pubsub"),
        (NO_SCRIPT, "noscript"),
        (BLOCKING, "blocking"),
        (LOADING, "loading"),
        (STALE, "stale"),
        (SKIP_MONITOR, "skip_monitor"),
        (SKIP_SLOWLOG, "skip_slowlog"),
        (FAST, "fast"),
        (NO_AUTH, "no_auth"),
        (MAY_REPLICATE, "may_replicate"),
        (NO_ASYNC_LOADING, "no_async_loading"),
        (NO_MULTI, "no_multi"),
        (NO_MANDATORY_KEYS, "no_mandatory_keys"),
        (MOVABLE_KEYS, "movablekeys"),
        (ALLOW_BUSY, "allow_busy"),
    ];
}

/// What a command does with a key, as bits of [`KeySpec::flags`].
pub mod access {
    /// Reads the value and does not change it.
    pub const RO: u32 = 1 << 0;
    /// Reads and writes the value.
    pub const RW: u32 = 1 << 1;
    /// Overwrites the value.
    pub const OW: u32 = 1 << 2;
    /// Deletes the key.
    pub const RM: u32 = 1 << 3;
    /// Returns, copies or uses the user's data of the value.
    pub const ACCESS: u32 = 1 << 4;
    /// Updates data of the value depending on what it was.
    pub const UPDATE: u32 = 1 << 5;
    /// Adds data.
    pub const INSERT: u32 = 1 << 6;
    /// Deletes data.
    pub const DELETE: u32 = 1 << 7;
    /// Not a key, though it is treated as one.
    pub const NOT_KEY: u32 = 1 << 8;
    /// The spec does not tell all keys.
    pub const INCOMPLETE: u32 = 1 << 9;
    /// The flags may differ by the arguments.
    pub const VARIABLE: u32 = 1 << 10;

    /// The names, in COMMAND INFO's order.
    pub const SHOWN: &[(u32, &str)] = &[
        (RO, "RO"),
        (RW, "RW"),
        (OW, "OW"),
        (RM, "RM"),
        (ACCESS, "access"),
        (UPDATE, "update"),
        (INSERT, "insert"),
        (DELETE, "delete"),
        (NOT_KEY, "not_key"),
        (INCOMPLETE, "incomplete"),
        (VARIABLE, "variable_flags"),
    ];
}

/// Where the search for keys begins.
#[derive(Clone, Copy, Debug)]
pub enum BeginSearch {
    /// At this argument; the name is 0.
    Index(usize),
    /// Behind this word, looked for from an argument on (from the end if negative).
    Keyword(&'static str, i32),
    /// Where this function says, for words that no general rule describes; if there is none, the
    /// keys are not among the words. To clients it is unknown.
    Unknown(Option<FindKey>),
}

/// The position of a key in these words, if they have it.
pub type FindKey = fn(&[&[u8]]) -> Option<usize>;

/// Which arguments from there on are keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindKeys {
    /// Up to `last`, counted from the begin (from the end of the command if negative), in steps;
    /// with a `limit` above 1, the first 1/limit of them.
    #[allow(missing_docs)]
    Range {
        last: i32,
        step: usize,
        limit: usize,
    },
    /// A number, `number` behind the begin, says how many keys follow from `first` on.
    #[allow(missing_docs)]
    KeyNum {
        number: usize,
        first: usize,
        step: usize,
    },
}

/// What a command of these words does with its keys, of [`access`].
pub type AccessOf = fn(&[&[u8]]) -> u32;

/// Some keys of a command.
#[derive(Clone, Copy, Debug)]
pub struct KeySpec {
    /// Where the search begins.
    pub begin: BeginSearch,
    /// Which arguments from there on are keys.
    pub find: FindKeys,
    /// What the command does with them, of [`access`].
    pub flags: u32,
    /// A remark for COMMAND INFO.
    pub notes: &'static str,
    /// What the command does with them if it has these words; for [`access::VARIABLE`].
    pub narrowed: Option<AccessOf>,
    /// Where the search really begins, for words that the general rule, which clients are told,
    /// would misread: an option that may be given twice counts for the last time.
    pub located: Option<FindKey>,
}

impl KeySpec {
    /// The first argument is the one key.
    pub const fn first(flags: u32) -> KeySpec {
        KeySpec::at(1, flags)
    }

    /// Argument `index` is the one key.
    pub const fn at(index: usize, flags: u32) -> KeySpec {
        KeySpec::range(index, 0, 1, flags)
    }

    /// Every argument from `index` on is a key.
    pub const fn from(index: usize, flags: u32) -> KeySpec {
        KeySpec::range(index, -1, 1, flags)
    }

    /// Arguments from `index` to `last` behind it, in steps.
    pub const fn range(index: usize, last: i32, step: usize, flags: u32) -> KeySpec {
        let find = FindKeys::Range {
            last,
            step,
            limit: 0,
        };
        KeySpec {
            begin: BeginSearch::Index(index),
            find,
            flags,
            notes: "",
            narrowed: None,
            located: None,
        }
    }

    /// Argument `index` says how many keys follow it.
    pub const fn counted(index: usize, flags: u32) -> KeySpec {
        let find = FindKeys::KeyNum {
            number: 0,
            first: 1,
            step: 1,
        };
        KeySpec {
            begin: BeginSearch::Index(index),
            find,
            flags,
            notes: "",
            narrowed: None,
            located: None,
        }
    }

    /// The one key is where `find` says; without that the keys are not among the words.
    pub const fn unknown(find: Option<FindKey>, flags: u32) -> KeySpec {
        let mut spec = KeySpec::first(flags);
        spec.begin = BeginSearch::Unknown(find);
        spec
    }

    /// With a remark.
    pub const fn notes(mut self, notes: &'static str) -> KeySpec {
        self.notes = notes;
        self
    }

    /// With flags that depend on the words.
    pub const fn narrowed(mut self, by: AccessOf) -> KeySpec {
        self.narrowed = Some(by);
        self
    }

    /// With a function that knows better where the search begins.
    pub const fn located(mut self, find: FindKey) -> KeySpec {
        self.located = Some(find);
        self
    }

    /// What the command does with the keys, given its words.
    pub fn access(&self, words: &[&[u8]]) -> u32 {
        self.narrowed.map_or(self.flags, |by| by(words))
    }

    /// The positions of the keys in `words`, the name being word 0. Empty if the words do not fit
    /// the spec.
    pub fn positions(&self, words: &[&[u8]]) -> impl Iterator<Item = usize> + use<> {
        let (first, last, step) = self.bounds(words).unwrap_or((1, 0, 1));
        (first..last + 1).step_by(step)
    }

    /// Whether `words` fit the spec. A keyword that is missing means no keys and fits; a number of
    /// keys that is wrong does not.
    pub fn fits(&self, words: &[&[u8]]) -> bool {
        if self.bounds(words).is_some() {
            return true;
        }
        match self.begin {
            BeginSearch::Keyword(..) | BeginSearch::Unknown(_) => true,
            BeginSearch::Index(_) => false,
        }
    }

    /// First and last position and the step.
    fn bounds(&self, words: &[&[u8]]) -> Option<(usize, usize, usize)> {
        let argc = words.len();
        let begin = match self.begin {
            _ if let Some(find) = self.located => find(words)?,
            BeginSearch::Index(index) => index,
            BeginSearch::Keyword(word, from) => {
                let is_word = |i: &usize| words[*i].eq_ignore_ascii_case(word.as_bytes());
                let found = if from >= 0 {
                    (from as usize..argc).find(is_word)
                } else {
                    (1..(argc as i32 + from + 1).max(1) as usize)
                        .rev()
                        .find(is_word)
                };
                found? + 1
            }
            BeginSearch::Unknown(find) => find?(words)?,
        };
        let (first, last, step) = match self.find {
            FindKeys::Range { last, step, limit } => {
                let last = if last >= 0 {
                    begin + last as usize
                } else if limit > 1 {
                    begin + argc.checked_sub(begin)? / limit + (last + 1) as usize - 1
                } else {
                    argc.checked_add_signed(last as isize)?
                };
                (begin, last, step)
            }
            FindKeys::KeyNum {
                number,
                first,
                step,
            } => {
                let count = resp::number::parse_i64(words.get(begin + number)?)?;
                let count = usize::try_from(count)
                    .ok()
                    .filter(|count| (1..=argc).contains(count))?;
                let first = begin + first;
                (first, first + (count - 1) * step, step)
            }
        };
        (first <= last && last < argc).then_some((first, last, step))
    }
}

/// Whether a command of these words runs alone. There are as many words as the arity allows.
pub type IsAlone = fn(&[&[u8]]) -> bool;

/// The number of the second database that these words name, which need not exist. There are as many
/// words as the arity allows.
pub type FindDatabase = fn(&[&[u8]]) -> Option<usize>;

/// What is known of a command.
#[derive(Clone, Copy, Debug)]
pub struct CommandSpec {
    /// Its name, in capitals; of a subcommand only its own part.
    pub name: &'static str,
    /// Its arguments, as documentation writes them: `key [NX | XX] [EX seconds | PX milliseconds]`.
    /// COMMAND DOCS derives the argument tree from it.
    pub syntax: &'static str,
    /// A sentence.
    pub summary: &'static str,
    /// Its group.
    pub group: Group,
    /// The version of Redis that brought it.
    pub since: &'static str,
    /// Its cost.
    pub complexity: &'static str,
    /// The least number of words, the name included.
    pub words_min: usize,
    /// The greatest number of words.
    pub words_max: usize,
    /// What it does, of [`flags`].
    pub flags: u32,
    /// Where its keys are.
    pub keys: &'static [KeySpec],
    /// Hints to clients in COMMAND INFO, such as `nondeterministic_output`.
    pub tips: &'static [&'static str],
    /// What replaces it, if it is deprecated, and since when.
    pub replaced_by: Option<(&'static str, &'static str)>,
    /// Version and change, for COMMAND DOCS.
    pub history: &'static [(&'static str, &'static str)],
    /// Whether a command of these words runs alone, as one with [`flags::EXCLUSIVE`] does: if they
    /// do not tell its keys. It takes those with `Db::reach`.
    pub alone_if: Option<IsAlone>,
    /// The number of a second database, if these words name one, in which the keys are held too.
    pub also_in: Option<FindDatabase>,
    /// The ACL categories that stand in place of its group's.
    pub categories: Option<&'static [&'static str]>,
}

impl CommandSpec {
    /// A command of this name with no arguments.
    pub const fn new(name: &'static str) -> CommandSpec {
        CommandSpec {
            name,
            syntax: "",
            summary: "",
            group: Group::Generic,
            since: "1.0.0",
            complexity: "O(1)",
            words_min: 1,
            words_max: 1,
            flags: 0,
            keys: &[],
            tips: &[],
            replaced_by: None,
            history: &[],
            alone_if: None,
            also_in: None,
            categories: None,
        }
    }

    /// See [`CommandSpec::group`].
    pub const fn group(mut self, group: Group) -> Self {
        self.group = group;
        self
    }

    /// See [`CommandSpec::syntax`].
    pub const fn syntax(mut self, syntax: &'static str) -> Self {
        self.syntax = syntax;
        self
    }

    /// See [`CommandSpec::summary`].
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Exactly `words` words, the name (and the container's name) included.
    pub const fn exactly(mut self, words: usize) -> Self {
        self.words_min = words;
        self.words_max = words;
        self
    }

    /// `words` words or more, the name (and the container's name) included.
    pub const fn at_least(mut self, words: usize) -> Self {
        self.words_min = words;
        self.words_max = usize::MAX;
        self
    }

    /// See [`CommandSpec::flags`].
    pub const fn flags(mut self, flags: u32) -> Self {
        self.flags = flags;
        self
    }

    /// See [`CommandSpec::keys`].
    pub const fn keys(mut self, keys: &'static [KeySpec]) -> Self {
        self.keys = keys;
        self
    }

    /// See [`CommandSpec::since`].
    pub const fn since(mut self, since: &'static str) -> Self {
        self.since = since;
        self
    }

    /// See [`CommandSpec::complexity`].
    pub const fn complexity(mut self, complexity: &'static str) -> Self {
        self.complexity = complexity;
        self
    }

    /// See [`CommandSpec::tips`].
    pub const fn tips(mut self, tips: &'static [&'static str]) -> Self {
        self.tips = tips;
        self
    }

    /// See [`CommandSpec::replaced_by`].
    pub const fn deprecated(mut self, since: &'static str, replaced_by: &'static str) -> Self {
        self.replaced_by = Some((since, replaced_by));
        self
    }

    /// See [`CommandSpec::history`].
    pub const fn history(mut self, history: &'static [(&'static str, &'static str)]) -> Self {
        self.history = history;
        self
    }

    /// See [`CommandSpec::alone_if`].
    pub const fn alone_if(mut self, is_alone: IsAlone) -> Self {
        self.alone_if = Some(is_alone);
        self
    }

    /// See [`CommandSpec::also_in`].
    pub const fn also_in(mut self, database: FindDatabase) -> Self {
        self.also_in = Some(database);
        self
    }

    /// See [`CommandSpec::categories`]; each name with its `@`.
    pub const fn categories(mut self, categories: &'static [&'static str]) -> Self {
        self.categories = Some(categories);
        self
    }

    /// Whether all of `flags` are set.
    #[inline]
    pub const fn has(&self, flags: u32) -> bool {
        self.flags & flags == flags
    }

    /// Whether the arity allows this many words.
    #[inline]
    pub const fn allows(&self, words: usize) -> bool {
        words >= self.words_min && words <= self.words_max
    }

    /// Whether a command of these words runs alone.
    pub fn is_exclusive(&self, words: &[&[u8]]) -> bool {
        self.has(flags::EXCLUSIVE)
            || self.allows(words.len()) && self.alone_if.is_some_and(|is_alone| is_alone(words))
    }

    /// Whether commands of all words hold the shards of their keys in one database and no more, and
    /// run beside others.
    #[inline]
    pub const fn is_plain(&self) -> bool {
        !self.has(flags::EXCLUSIVE) && self.alone_if.is_none() && self.also_in.is_none()
    }

    /// The arity as COMMAND INFO writes it: negative for a minimum.
    pub fn arity(&self) -> i64 {
        let words = self.words_min as i64;
        if self.words_max == self.words_min {
            words
        } else {
            -words
        }
    }

    /// The first key, the last (from the end if negative) and the step, as COMMAND INFO gave them
    /// before there were key specs; all 0 without keys that can be told so.
    pub fn key_range(&self) -> (i64, i64, i64) {
        let mut range: Option<(i64, i64, i64)> = None;
        for key in self.keys {
            let (BeginSearch::Index(index), FindKeys::Range { last, step, .. }) =
                (key.begin, key.find)
            else {
                continue;
            };
            let (index, step) = (index as i64, step as i64);
            let last = if last >= 0 {
                index + last as i64
            } else {
                last as i64
            };
            range = match range {
                None if step == 1 || self.keys.len() == 1 => Some((index, last, step)),
                Some((first, before, 1)) if step == 1 && before == index - 1 => {
                    Some((first, last, 1))
                }
                unchanged => unchanged,
            };
        }
        range.unwrap_or_default()
    }

    /// Whether [`CommandSpec::key_range`] does not tell all keys.
    pub fn has_movable_keys(&self) -> bool {
        let is_plain = |key: &KeySpec| {
            key.flags & access::INCOMPLETE == 0
                && matches!(
                    (key.begin, key.find),
                    (BeginSearch::Index(_), FindKeys::Range { .. })
                )
        };
        self.has(flags::MOVABLE_KEYS) || !self.keys.iter().all(is_plain)
    }

    /// The positions of all keys in `words`, the name being word 0.
    pub fn key_positions<'w>(
        &self,
        words: &'w [&'w [u8]],
    ) -> impl Iterator<Item = usize> + use<'w> {
        self.keys.iter().flat_map(move |spec| spec.positions(words))
    }

    /// Whether the one key is argument 1, the most common case and the fastest.
    #[inline]
    pub fn is_single_key(&self) -> bool {
        matches!(
            self.keys,
            [KeySpec {
                begin: BeginSearch::Index(1),
                find: FindKeys::Range { last: 0, .. },
                ..
            }]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(spec: KeySpec, words: &str) -> Vec<usize> {
        let words: Vec<&[u8]> = words.split(' ').map(str::as_bytes).collect();
        spec.positions(&words).collect()
    }

    #[test]
    fn key_positions() {
        assert_eq!(positions(KeySpec::first(0), "GET k"), [1]);
        assert_eq!(positions(KeySpec::from(1, 0), "DEL a b c"), [1, 2, 3]);
        assert_eq!(
            positions(KeySpec::range(1, -1, 2, 0), "MSET a 1 b 2"),
            [1, 3]
        );
        assert_eq!(
            positions(KeySpec::counted(1, 0), "SINTERCARD 2 a b LIMIT 1"),
            [2, 3]
        );
        assert_eq!(positions(KeySpec::counted(1, 0), "SINTERCARD 3 a b"), []);
        assert_eq!(positions(KeySpec::counted(1, 0), "SINTERCARD x a b"), []);
        assert_eq!(positions(KeySpec::first(0), "GET"), []);
        let xread = KeySpec {
            begin: BeginSearch::Keyword("STREAMS", 1),
            find: FindKeys::Range {
                last: -1,
                step: 1,
                limit: 2,
            },
            flags: 0,
            notes: "",
            narrowed: None,
            located: None,
        };
        assert_eq!(positions(xread, "XREAD COUNT 1 STREAMS a b 0 0"), [4, 5]);
    }

    #[test]
    fn key_ranges() {
        fn range(keys: &'static [KeySpec]) -> ((i64, i64, i64), bool) {
            let spec = CommandSpec::new("TEST").keys(keys);
            (spec.key_range(), spec.has_movable_keys())
        }
        assert_eq!(range(&[]), ((0, 0, 0), false));
        assert_eq!(range(const { &[KeySpec::first(0)] }), ((1, 1, 1), false));
        assert_eq!(range(const { &[KeySpec::from(1, 0)] }), ((1, -1, 1), false));
        assert_eq!(
            range(const { &[KeySpec::range(1, -1, 2, 0)] }),
            ((1, -1, 2), false)
        );
        assert_eq!(
            range(const { &[KeySpec::first(0), KeySpec::at(2, 0)] }),
            ((1, 2, 1), false)
        );
        assert_eq!(
            range(const { &[KeySpec::first(0), KeySpec::from(2, 0)] }),
            ((1, -1, 1), false)
        );
        assert_eq!(
            range(const { &[KeySpec::first(0), KeySpec::counted(2, 0)] }),
            ((1, 1, 1), true)
        );
        assert_eq!(
            range(const { &[KeySpec::counted(1, 0)] }),
            ((0, 0, 0), true)
        );
    }
}
