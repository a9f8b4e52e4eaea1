//! What a parameter is: its [`Parameter`] entry and the builder that makes it.
//!
//! A [`Definition`] is the builder used in the lists of `parameters/`; it carries the handle's
//! type, so that `PORT: Integer = boolean(..)` does not compile. Everything here is `const`: the
//! whole list is a static table, and a handle is a number known at compile time.

use std::marker::PhantomData;
use std::ops::RangeInclusive;

use crate::choices::Choices;
use crate::composite::{Composite, FromText};
use crate::handle::{Boolean, Choice, Events, Flags, Integer, Parsed, Text};
use crate::value::Reason;

/// The position of a parameter in [`crate::parameters`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Id(pub(crate) u16);

impl Id {
    /// The parameter's place in [`crate::parameters`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One entry of the list that everything about configuration derives from.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name in the file, on the command line and in CONFIG.
    pub name: &'static str,
    /// Other names under which the parameter is found and listed: those of older or sibling
    /// servers.
    pub aliases: &'static [&'static str],
    /// The part of the reference it belongs to.
    pub section: Section,
    /// What its values look like.
    pub kind: Kind,
    /// Whether CONFIG SET may change it.
    pub mutability: Mutability,
    /// Where it shows up.
    pub visibility: Visibility,
    /// Whether the server acts on it.
    pub meaning: Meaning,
    /// Whether its value is a secret that logs must not show.
    pub is_secret: bool,
    /// Whether CONFIG SET refuses it while a data set is being loaded.
    pub denied_while_loading: bool,
    /// Whether setting it to what it is counts as a change, since the file it names may be new.
    pub names_a_file: bool,
    pub(crate) doc: &'static str,
    pub(crate) default_number: i64,
    pub(crate) default_text: &'static str,
    /// Numbers outside are accepted and brought to the nearer end.
    pub(crate) clamp: Option<(i64, i64)>,
}

impl Parameter {
    /// What the parameter does, in one or a few sentences.
    pub fn doc(&self) -> &'static str {
        self.doc.trim()
    }

    /// Its name and then its aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// A validator of a text, which says why it refuses one.
pub type Check = fn(&[u8]) -> Result<(), Reason>;

/// What the values of a parameter look like.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `yes` or `no`.
    Boolean,
    /// A decimal integer within bounds.
    Integer {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// A size in bytes, with an optional unit: `100mb`.
    Memory {
        /// The least number of bytes.
        min: i64,
        /// The greatest number of bytes.
        max: i64,
    },
    /// A size in bytes, or a percentage up to 100 % that is kept as a negative number.
    MemoryOrPercent,
    /// A file mode in octal digits, up to this value.
    Octal {
        /// The greatest mode.
        max: i64,
    },
    /// One of these names; a name may have synonyms of the same value.
    Choice(&'static [(&'static str, i64)]),
    /// Several of these names, whose values are bits.
    Flags(&'static [(&'static str, i64)]),
    /// Classes of keyspace events, a letter each.
    Events,
    /// Any bytes that the check accepts.
    Text {
        /// Says why a value is refused.
        check: Option<Check>,
        /// An empty text means that there is none, so CONFIG REWRITE drops the line.
        empty_is_none: bool,
    },
    /// An existing directory, kept as an absolute path.
    Directory,
    /// Several words with a grammar of their own.
    Composite(&'static Composite),
}

/// Whether CONFIG SET may change a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutability {
    /// At any time.
    Runtime,
    /// Only from the file or the command line.
    Immutable,
    /// At any time, but only if `enable-protected-configs` lets this client.
    Protected,
}

/// Where a parameter shows up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// Everywhere.
    Listed,
    /// CONFIG GET answers its exact name, but no pattern finds it.
    Hidden,
    /// Only the file and the command line know it.
    FileOnly,
}

/// Whether the server acts on a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// It does.
    Effective,
    /// The value is stored and reported and does nothing else, for this reason. The log says so if
    /// anybody sets it.
    AcceptedOnly(&'static str),
    /// It configures what this version does not have. A file written for Redis may have it, and the
    /// log says so; CONFIG SET refuses to switch it on, because whoever does relies on it.
    NotYet,
}

impl Meaning {
    /// Why the server does not act on the value, if it does not.
    pub fn neglect(self) -> Option<&'static str> {
        match self {
            Meaning::Effective => None,
            Meaning::AcceptedOnly(reason) => Some(reason),
            Meaning::NotYet => Some("this version does not have what it configures"),
        }
    }
}

/// The parts of the reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)] // the names say it, and `title` spells them out
pub enum Section {
    Network,
    General,
    Tls,
    Security,
    Limits,
    Memory,
    Structures,
    Persistence,
    Replication,
    Cluster,
    Observation,
    System,
}

impl Section {
    /// The heading in the reference.
    pub const fn title(self) -> &'static str {
        match self {
            Section::Network => "Network",
            Section::General => "General",
            Section::Tls => "TLS",
            Section::Security => "Security",
            Section::Limits => "Limits",
            Section::Memory => "Memory, eviction and expiry",
            Section::Structures => "Data structures",
            Section::Persistence => "Persistence",
            Section::Replication => "Replication",
            Section::Cluster => "Cluster",
            Section::Observation => "Observation",
            Section::System => "System",
        }
    }
}

/// A parameter under construction that remembers the type of its handle.
pub(crate) struct Definition<H> {
    pub(crate) parameter: Parameter,
    handle: PhantomData<fn() -> H>,
}

impl<H> Clone for Definition<H> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<H> Copy for Definition<H> {}

impl<H> Definition<H> {
    const fn new(name: &'static str, kind: Kind, number: i64, text: &'static str) -> Self {
        let parameter = Parameter {
            name,
            aliases: &[],
            section: Section::General,
            kind,
            mutability: Mutability::Runtime,
            visibility: Visibility::Listed,
            meaning: Meaning::Effective,
            is_secret: false,
            denied_while_loading: false,
            names_a_file: false,
            doc: "",
            default_number: number,
            default_text: text,
            clamp: None,
        };
        Self {
            parameter,
            handle: PhantomData,
        }
    }

    /// The parameter as it stands in the list.
    pub(crate) const fn finish(self, section: Section, doc: &'static str) -> Parameter {
        let mut parameter = self.parameter;
        parameter.section = section;
        parameter.doc = doc;
        parameter
    }

    pub(crate) const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.parameter.aliases = aliases;
        self
    }

    pub(crate) const fn immutable(mut self) -> Self {
        self.parameter.mutability = Mutability::Immutable;
        self
    }

    pub(crate) const fn protected(mut self) -> Self {
        self.parameter.mutability = Mutability::Protected;
        self
    }

    pub(crate) const fn hidden(mut self) -> Self {
        self.parameter.visibility = Visibility::Hidden;
        self
    }

    pub(crate) const fn file_only(mut self) -> Self {
        self.parameter.visibility = Visibility::FileOnly;
        self
    }

    pub(crate) const fn accepted_only(mut self, meaning: Meaning) -> Self {
        self.parameter.meaning = meaning;
        self
    }

    pub(crate) const fn secret(mut self) -> Self {
        self.parameter.is_secret = true;
        self
    }

    pub(crate) const fn denied_while_loading(mut self) -> Self {
        self.parameter.denied_while_loading = true;
        self
    }

    pub(crate) const fn names_a_file(mut self) -> Self {
        self.parameter.names_a_file = true;
        self
    }

    pub(crate) const fn clamped(mut self, range: RangeInclusive<i64>) -> Self {
        self.parameter.clamp = Some((*range.start(), *range.end()));
        self
    }
}

pub(crate) const fn boolean(name: &'static str, default: bool) -> Definition<Boolean> {
    Definition::new(name, Kind::Boolean, default as i64, "")
}

pub(crate) const fn integer(
    name: &'static str,
    range: RangeInclusive<i64>,
    default: i64,
) -> Definition<Integer> {
    let kind = Kind::Integer {
        min: *range.start(),
        max: *range.end(),
    };
    Definition::new(name, kind, default, "")
}

pub(crate) const fn memory(
    name: &'static str,
    range: RangeInclusive<i64>,
    default: i64,
) -> Definition<Integer> {
    let kind = Kind::Memory {
        min: *range.start(),
        max: *range.end(),
    };
    Definition::new(name, kind, default, "")
}

pub(crate) const fn memory_or_percent(name: &'static str, default: i64) -> Definition<Integer> {
    Definition::new(name, Kind::MemoryOrPercent, default, "")
}

pub(crate) const fn octal(name: &'static str, max: i64, default: i64) -> Definition<Integer> {
    Definition::new(name, Kind::Octal { max }, default, "")
}

pub(crate) const fn choice<T: Choices>(
    name: &'static str,
    default: &'static str,
) -> Definition<Choice<T>> {
    Definition::new(
        name,
        Kind::Choice(T::NAMES),
        value_of(T::NAMES, default),
        "",
    )
}

pub(crate) const fn flags(
    name: &'static str,
    names: &'static [(&'static str, i64)],
    default: &'static str,
) -> Definition<Flags> {
    Definition::new(name, Kind::Flags(names), value_of(names, default), "")
}

pub(crate) const fn events(name: &'static str) -> Definition<Events> {
    Definition::new(name, Kind::Events, 0, "")
}

/// A text that may be empty.
pub(crate) const fn text(name: &'static str, default: &'static str) -> Definition<Text> {
    Definition::new(
        name,
        Kind::Text {
            check: None,
            empty_is_none: false,
        },
        0,
        default,
    )
}

/// A text that may not be there, which an empty one says.
pub(crate) const fn optional(name: &'static str) -> Definition<Text> {
    Definition::new(
        name,
        Kind::Text {
            check: None,
            empty_is_none: true,
        },
        0,
        "",
    )
}

pub(crate) const fn directory(name: &'static str) -> Definition<Text> {
    Definition::new(name, Kind::Directory, 0, "")
}

pub(crate) const fn composite<T: FromText>(
    name: &'static str,
    default: &'static str,
) -> Definition<Parsed<T>> {
    Definition::new(name, Kind::Composite(T::COMPOSITE), 0, default)
}

impl Definition<Text> {
    pub(crate) const fn checked(mut self, check: Check) -> Self {
        if let Kind::Text { empty_is_none, .. } = self.parameter.kind {
            self.parameter.kind = Kind::Text {
                check: Some(check),
                empty_is_none,
            };
        }
        self
    }
}

/// The value of a name, at compile time; a name that is not there stops the build.
const fn value_of(names: &'static [(&'static str, i64)], wanted: &str) -> i64 {
    let wanted = wanted.as_bytes();
    let mut i = 0;
    while i < names.len() {
        let name = names[i].0.as_bytes();
        let mut k = 0;
        while k < name.len() && k < wanted.len() && name[k] == wanted[k] {
            k += 1;
        }
        if k == name.len() && k == wanted.len() {
            return names[i].1;
        }
        i += 1;
    }
    panic!("the default is not one of the names");
}
