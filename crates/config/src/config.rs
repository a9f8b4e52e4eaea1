//! The values in force, shared by all threads.
//!
//! Numbers are atomics that are read with a relaxed load, texts are behind a lock. A change holds
//! `changing` from its first check to its last subscriber, so changes have an order, and a refused
//! one leaves nothing behind. Readers may see a change of several parameters half done; a reader
//! who must not looks at [`Config::version`] before and after.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};

use crate::choices::ProtectedAction;
use crate::composite::Merge;
use crate::definition::{Id, Kind, Meaning, Mutability, Parameter, Visibility};
use crate::error::{SetError, Source};
use crate::glob;
use crate::handle::{Handle, Text, Values};
use crate::parameters::{find, parameter, parameters};
use crate::value::{Surroundings, Value};

/// Where the client that asks for a change is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// On this machine, or the server itself.
    Local,
    /// Elsewhere.
    Remote,
}

/// A change that has just been made, as subscribers see it.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    ids: &'a [Id],
}

impl Change<'_> {
    /// Whether it touches a parameter.
    pub fn touches(&self, handle: impl Handle) -> bool {
        self.ids.contains(&handle.id())
    }

    /// The names of the parameters that have a new value.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.ids.iter().map(|id| parameters()[id.index()].name)
    }
}

/// A subscriber's refusal of a change, for a reason that only shows when it is applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The parameter to blame.
    pub parameter: Id,
    /// Why, in the words that follow `CONFIG SET failed (...) - `.
    pub reason: String,
}

/// A directive that is no parameter: `user`, `loadmodule`, `rename-command` or one of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directive {
    /// The name in lower case.
    pub name: String,
    /// The words after it.
    pub arguments: Vec<Vec<u8>>,
    /// Where it was found.
    pub source: Source,
    /// Its line there, from 1.
    pub line: usize,
}

type Subscriber = Arc<dyn Fn(&Config, Change<'_>) -> Result<(), Refusal> + Send + Sync>;

/// All parameters' values; see the [crate] for an example.
pub struct Config {
    values: Values,
    version: AtomicU64,
    is_loading: AtomicBool,
    changing: Mutex<()>,
    subscribers: RwLock<Vec<Subscriber>>,
    pub(crate) directives: Vec<Directive>,
    pub(crate) file: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Config")
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

impl Config {
    /// The defaults, with the process's directory as `dir`.
    pub fn new() -> Self {
        let defaults: Vec<Value> = parameters().iter().map(Parameter::default_value).collect();
        let number = |index: usize| match defaults[index] {
            Value::Number(number) => AtomicI64::new(number),
            Value::Text(_) => AtomicI64::new(0),
        };
        let text = |value: &Value| match value {
            Value::Text(text) => text.clone(),
            Value::Number(_) => Arc::from([]),
        };
        let config = Self {
            values: Values {
                numbers: std::array::from_fn(number),
                texts: RwLock::new(defaults.iter().map(text).collect()),
            },
            version: AtomicU64::new(0),
            is_loading: AtomicBool::new(false),
            changing: Mutex::new(()),
            subscribers: RwLock::new(Vec::new()),
            directives: Vec::new(),
            file: None,
        };
        let directory = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        config.store(
            parameter::DIR.id(),
            Value::Text(directory.into_os_string().into_vec().into()),
        );
        config
    }

    /// A parameter's value, in its own type.
    #[inline(always)]
    pub fn read<H: Handle>(&self, handle: H) -> H::Value {
        handle.read(&self.values)
    }

    /// A text as a string; bytes that are not UTF-8 are replaced.
    pub fn text(&self, handle: Text) -> String {
        String::from_utf8_lossy(&self.read(handle)).into_owned()
    }

    /// A text as a path within `dir`; nothing if it is empty.
    pub fn path(&self, handle: Text) -> Option<PathBuf> {
        let text = self.read(handle);
        (!text.is_empty()).then(|| self.directory().join(OsStr::from_bytes(&text)))
    }

    /// The absolute path of `dir`. The server never changes the directory of the process, so that
    /// several can live in one.
    pub fn directory(&self) -> PathBuf {
        PathBuf::from(OsStr::from_bytes(&self.read(parameter::DIR)))
    }

    /// The file the configuration was read from, which [`Self::rewrite`] rewrites.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The directives of the files and the command line that are no parameters, in their order.
    pub fn directives(&self) -> &[Directive] {
        &self.directives
    }

    /// A number that grows with every change, for those who keep what they have read.
    #[inline(always)]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// While this is on, parameters that may not change during loading do not.
    pub fn set_loading(&self, is_loading: bool) {
        self.is_loading.store(is_loading, Ordering::Relaxed);
    }

    /// Calls `subscriber` after each change, on the thread that makes it. It may refuse, and then
    /// the old values come back and the subscribers that had already run are called again with
    /// them. It must not change the configuration itself.
    pub fn on_change(
        &self,
        subscriber: impl Fn(&Config, Change<'_>) -> Result<(), Refusal> + Send + Sync + 'static,
    ) {
        self.subscribers.write().push(Arc::new(subscriber));
    }

    /// CONFIG GET: names and values of the parameters that match any of the patterns.
    pub fn get(&self, patterns: &[&[u8]]) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        for &pattern in patterns {
            if glob::is_pattern(pattern) {
                for (index, parameter) in parameters().iter().enumerate() {
                    if parameter.visibility != Visibility::Listed {
                        continue;
                    }
                    for name in parameter.names() {
                        let is_match = glob::matches(pattern, name.as_bytes(), glob::Case::Ignored);
                        if is_match && seen.insert(name.to_owned()) {
                            found.push((name.to_owned(), self.shown(Id(index as u16))));
                        }
                    }
                }
            } else if let Some((id, parameter)) = find(pattern) {
                let name = String::from_utf8_lossy(pattern).into_owned();
                let is_known = parameter.visibility != Visibility::FileOnly;
                if is_known && seen.insert(name.to_ascii_lowercase()) {
                    found.push((name, self.shown(id)));
                }
            }
        }
        found
    }

    /// The value of a parameter as CONFIG GET shows it.
    pub fn shown(&self, id: Id) -> Vec<u8> {
        parameters()[id.index()].format(&self.value(id))
    }

    /// CONFIG SET: all of the pairs of name and value, or none. Gives the names of the parameters
    /// whose value is new.
    pub fn set(
        &self,
        pairs: &[(&[u8], &[u8])],
        origin: Origin,
    ) -> Result<Vec<&'static str>, SetError> {
        let _changing = self.changing.lock();
        let mut ids = Vec::with_capacity(pairs.len());
        for (index, (name, _)) in pairs.iter().enumerate() {
            ids.push(self.check_settable(name, origin)?);
            // An old and a new name of one parameter may stand together; the last one counts.
            if pairs[..index]
                .iter()
                .any(|(other, _)| other.eq_ignore_ascii_case(name))
            {
                return Err(refused(name, "duplicate parameter"));
            }
        }
        let mut changes = Vec::with_capacity(pairs.len());
        for ((name, text), id) in pairs.iter().zip(ids) {
            let value = self
                .parse(id, text)
                .map_err(|reason| refused(name, reason))?;
            changes.push((id, value));
        }
        self.apply(changes)
    }

    /// A subscriber that refuses to switch on what this version does not have: whoever does relies
    /// on it. Values that switch something off, and defaults, are harmless.
    pub fn refuse_missing(&self, change: Change<'_>) -> Result<(), Refusal> {
        for &id in change.ids {
            let parameter = &parameters()[id.index()];
            let value = self.value(id);
            let is_off = match (&value, parameter.kind) {
                (Value::Number(number), Kind::Boolean) => *number == 0,
                (Value::Number(_), _) => false,
                (Value::Text(text), _) => text.is_empty(),
            };
            let is_harmless = is_off || value == parameter.default_value();
            if let (Meaning::NotYet, false) = (parameter.meaning, is_harmless) {
                return Err(Refusal {
                    parameter: id,
                    reason: parameter.meaning.neglect().unwrap_or_default().to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Gives a parameter a value whatever its mutability: for commands such as REPLICAOF, whose
    /// effect CONFIG GET shows.
    pub fn assign(&self, handle: impl Handle, text: &[u8]) -> Result<(), SetError> {
        let _changing = self.changing.lock();
        let id = handle.id();
        let name = parameters()[id.index()].name.as_bytes();
        let value = self
            .parse(id, text)
            .map_err(|reason| refused(name, reason))?;
        self.apply(vec![(id, value)]).map(|_| ())
    }

    /// The parameter of a name, if this client may set it now.
    fn check_settable(&self, name: &[u8], origin: Origin) -> Result<Id, SetError> {
        let unknown = || SetError::Unknown(String::from_utf8_lossy(name).into_owned());
        let (id, parameter) = find(name).ok_or_else(unknown)?;
        if parameter.visibility == Visibility::FileOnly {
            return Err(unknown());
        }
        match parameter.mutability {
            Mutability::Runtime => {}
            Mutability::Immutable => return Err(refused(name, "can't set immutable config")),
            Mutability::Protected if self.allows_protected(origin) => {}
            Mutability::Protected => return Err(refused(name, "can't set protected config")),
        }
        if parameter.denied_while_loading && self.is_loading.load(Ordering::Relaxed) {
            return Err(SetError::Loading);
        }
        Ok(id)
    }

    fn allows_protected(&self, origin: Origin) -> bool {
        match self.read(parameter::ENABLE_PROTECTED_CONFIGS) {
            ProtectedAction::Yes => true,
            ProtectedAction::Local => origin == Origin::Local,
            ProtectedAction::No => false,
        }
    }

    /// Parses the one text that CONFIG SET has for a value; blanks separate its words.
    fn parse(&self, id: Id, text: &[u8]) -> Result<Value, crate::value::Reason> {
        let parameter = &parameters()[id.index()];
        let words: Vec<&[u8]> = if !parameter.takes_several_words() {
            vec![text]
        } else if text.is_empty() {
            Vec::new()
        } else {
            text.split(|byte| *byte == b' ').collect()
        };
        self.parse_words(id, &words, Merge::Replace)
    }

    pub(crate) fn parse_words(
        &self,
        id: Id,
        words: &[&[u8]],
        merge: Merge,
    ) -> Result<Value, crate::value::Reason> {
        let current = self.values.text(id);
        let directory = self.directory();
        let at = Surroundings {
            current: &current,
            merge,
            directory: &directory,
        };
        parameters()[id.index()].parse(words, at)
    }

    /// Stores the values and tells the subscribers, or takes all back if one refuses.
    fn apply(&self, changes: Vec<(Id, Value)>) -> Result<Vec<&'static str>, SetError> {
        let mut ids = Vec::new();
        let mut old = Vec::new();
        for (id, value) in changes {
            let before = self.value(id);
            if before != value || parameters()[id.index()].names_a_file {
                ids.push(id);
                old.push((id, before));
                self.store(id, value);
            }
        }
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.version.fetch_add(1, Ordering::Release);
        let change = Change { ids: &ids };
        let subscribers = self.subscribers.read().clone();
        for (index, subscriber) in subscribers.iter().enumerate() {
            if let Err(refusal) = subscriber(self, change) {
                for (id, value) in old {
                    self.store(id, value);
                }
                self.version.fetch_add(1, Ordering::Release);
                for earlier in &subscribers[..=index] {
                    // They accepted these values before; a refusal now leaves nothing to go back
                    // to.
                    let _ = earlier(self, change);
                }
                let name = parameters()[refusal.parameter.index()].name;
                return Err(refused(name.as_bytes(), refusal.reason));
            }
        }
        Ok(change.names().collect())
    }

    pub(crate) fn value(&self, id: Id) -> Value {
        match parameters()[id.index()].default_value() {
            Value::Number(_) => Value::Number(self.values.number(id)),
            Value::Text(_) => Value::Text(self.values.text(id)),
        }
    }

    pub(crate) fn store(&self, id: Id, value: Value) {
        match value {
            Value::Number(number) => {
                self.values.numbers[id.index()].store(number, Ordering::Relaxed);
            }
            Value::Text(text) => self.values.texts.write()[id.index()] = text,
        }
    }
}

fn refused(name: &[u8], reason: impl Into<String>) -> SetError {
    let parameter = String::from_utf8_lossy(name).into_owned();
    SetError::Refused {
        parameter,
        reason: reason.into(),
    }
}
