//! The list of all parameters, a file a section.
//!
//! An entry reads: documentation, the constant that is its handle, the handle's type, and the
//! definition. Old and foreign names are aliases. Numbers follow Redis 7.2 where servers differ,
//! and CONFIG GET lists the entries in this order.

mod cluster;
mod general;
mod limits;
mod memory;
mod network;
mod observation;
mod persistence;
mod replication;
mod security;
mod structures;
mod system;
mod tls;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::definition::{Id, Parameter};

/// The handles of all parameters, for [`crate::Config::read`].
pub mod parameter {
    pub use super::cluster::*;
    pub use super::general::*;
    pub use super::limits::*;
    pub use super::memory::*;
    pub use super::network::*;
    pub use super::observation::*;
    pub use super::persistence::*;
    pub use super::replication::*;
    pub use super::security::*;
    pub use super::structures::*;
    pub use super::system::*;
    pub use super::tls::*;
}

/// Declares a section: its entries, their handles and the position where the next section starts.
macro_rules! section {
    ($section:ident, from $start:expr; $(
        $(#[doc = $doc:literal])+
        $name:ident: $handle:ty = $definition:expr;
    )+) => {
        /// Positions within the section.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Position { $($name,)+ End }

        pub(super) const START: usize = $start;
        pub(super) const END: usize = START + Position::End as usize;

        $(
            $(#[doc = $doc])+
            pub const $name: $handle =
                <$handle>::at(crate::definition::Id((START + Position::$name as usize) as u16));
        )+

        pub(super) const PARAMETERS: &[crate::definition::Parameter] = &[$({
            let definition: crate::definition::Definition<$handle> = $definition;
            definition.finish(crate::definition::Section::$section, concat!($($doc),+))
        }),+];
    };
}
use section;

const SECTIONS: &[&[Parameter]] = &[
    network::PARAMETERS,
    general::PARAMETERS,
    tls::PARAMETERS,
    security::PARAMETERS,
    limits::PARAMETERS,
    memory::PARAMETERS,
    structures::PARAMETERS,
    persistence::PARAMETERS,
    replication::PARAMETERS,
    cluster::PARAMETERS,
    observation::PARAMETERS,
    system::PARAMETERS,
];

/// How many parameters there are.
pub(crate) const COUNT: usize = system::END;

static PARAMETERS: [Parameter; COUNT] = joined();

const fn joined() -> [Parameter; COUNT] {
    let mut all = [SECTIONS[0][0]; COUNT];
    let (mut count, mut section) = (0, 0);
    while section < SECTIONS.len() {
        let mut index = 0;
        while index < SECTIONS[section].len() {
            all[count] = SECTIONS[section][index];
            count += 1;
            index += 1;
        }
        section += 1;
    }
    assert!(count == COUNT, "a section starts where another does");
    all
}

/// Every parameter, by section.
pub fn parameters() -> &'static [Parameter] {
    &PARAMETERS
}

/// The parameter of a name or an alias, in any case.
pub fn find(name: &[u8]) -> Option<(Id, &'static Parameter)> {
    static BY_NAME: OnceLock<HashMap<&'static [u8], Id>> = OnceLock::new();
    let by_name = BY_NAME.get_or_init(|| {
        let entries = PARAMETERS
            .iter()
            .enumerate()
            .flat_map(|(index, parameter)| {
                parameter
                    .names()
                    .map(move |name| (name.as_bytes(), Id(index as u16)))
            });
        entries.collect()
    });
    let id = *by_name.get(name.to_ascii_lowercase().as_slice())?;
    Some((id, &PARAMETERS[id.index()]))
}

/// The name or alias that is nearest to a misspelt one, if one is near enough to be meant.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let most = 1 + name.len() / 5;
    let names = PARAMETERS.iter().flat_map(|parameter| parameter.names());
    let alike = names.filter(|known| known.len().abs_diff(name.len()) <= most);
    let measured = alike.map(|known| (distance(&name, known), known));
    measured
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, known)| known)
}

/// How many single-byte edits turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, byte_a) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (k, byte_b) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(byte_a != byte_b);
            diagonal = row[k + 1];
            row[k + 1] = replaced.min(row[k] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Bounds of C's types, which Redis's ranges are made of.
mod bounds {
    pub(super) const INT_MIN: i64 = i32::MIN as i64;
    pub(super) const INT_MAX: i64 = i32::MAX as i64;
    pub(super) const UINT_MAX: i64 = u32::MAX as i64;
    pub(super) const MAX: i64 = i64::MAX;
    pub(super) const KB: i64 = 1 << 10;
    pub(super) const MB: i64 = 1 << 20;
    pub(super) const GB: i64 = 1 << 30;
    pub(super) const MAX_PORT: i64 = 65_535;
}

/// Why parameters that are only accepted have no effect.
mod reasons {
    use crate::definition::Meaning;

    pub(super) const NOT_YET: Meaning = Meaning::NotYet;
    pub(super) const NO_FORK: Meaning = Meaning::AcceptedOnly("no child process is forked");
    pub(super) const NO_REHASH: Meaning =
        Meaning::AcceptedOnly("tables grow step by step as they are used");
    pub(super) const NO_DEFRAG: Meaning =
        Meaning::AcceptedOnly("the allocator is left to manage its memory");
    pub(super) const ALWAYS_LAZY: Meaning =
        Meaning::AcceptedOnly("large values are always freed in the background");
    pub(super) const THREADS: Meaning =
        Meaning::AcceptedOnly("every worker thread reads, runs and writes by itself");
    pub(super) const NO_CRON: Meaning = Meaning::AcceptedOnly("periodic work is scheduled by need");
    pub(super) const NO_RDMA: Meaning = Meaning::AcceptedOnly("RDMA is not supported");
    pub(super) const REMOVED: Meaning =
        Meaning::AcceptedOnly("it has had no effect since Redis 7.0");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_documented() {
        let mut seen = HashSet::new();
        for parameter in parameters() {
            for name in parameter.names() {
                assert!(seen.insert(name), "{name} stands twice");
                assert_eq!(name, name.to_ascii_lowercase());
            }
            assert!(
                parameter.doc().ends_with('.'),
                "{}: {}",
                parameter.name,
                parameter.doc()
            );
        }
    }

    #[test]
    fn handles_point_at_their_entries() {
        use crate::Handle;
        assert_eq!(find(b"port").unwrap().0, parameter::PORT.id());
        assert_eq!(find(b"slaveof").unwrap().0, parameter::REPLICAOF.id());
        assert_eq!(find(b"IO-Threads").unwrap().1.name, "workers");
        let last = parameters().last().unwrap();
        assert_eq!(find(last.name.as_bytes()).unwrap().0.index(), COUNT - 1);
    }

    #[test]
    fn nearest_names() {
        assert_eq!(nearest("maxmemroy"), Some("maxmemory"));
        assert_eq!(
            nearest("hash-max-zipmap-entries"),
            Some("hash-max-ziplist-entries")
        );
        assert_eq!(nearest("completely-unknown-thing"), None);
        assert_eq!(nearest(&"x".repeat(100_000)), None);
    }
}
