//! Configuration as data: every parameter, redis.conf syntax, CONFIG GET, SET and REWRITE.
//!
//! One entry in [`parameters`] holds a parameter's name, old names, documentation, kind, default
//! and whether it may change at run time. The configuration file, the command line, CONFIG GET,
//! CONFIG SET, CONFIG REWRITE and the reference all derive from that list, so a new parameter is
//! one entry and nothing else.
//!
//! ```
//! use config::{Config, Origin, parameter};
//!
//! let config = Config::new();
//! assert_eq!(config.read(parameter::PORT), 6379);
//! config.set(&[(b"maxmemory", b"100mb")], Origin::Local).unwrap();
//! assert_eq!(config.read(parameter::MAXMEMORY), 100 << 20);
//! ```
//!
//! [`Config::read`] of a number, a switch or a choice is one relaxed load at a constant index;
//! texts are behind a lock. A struct with a field per parameter was rejected: its setters, getters
//! and rewriters would be as many places to forget.
//!
//! This crate knows nothing of sockets, commands or the keyspace. It reads and writes only the
//! configuration file.

mod choices;
mod command_line;
mod composite;
mod config;
mod definition;
mod error;
mod file;
pub mod glob;
mod handle;
mod keyspace_events;
mod load;
mod parameters;
mod reference;
mod rewrite;
mod value;

pub use crate::choices::*;
pub use crate::command_line::{Invocation, Sources, USAGE};
pub use crate::composite::{
    Address, BufferLimit, BufferLimits, OomScoreAdjust, Percentiles, ReplicaOf, SavePoint,
    SavePoints,
};
pub use crate::config::{Change, Config, Directive, Origin, Refusal};
pub use crate::definition::{Check, Id, Kind, Meaning, Mutability, Parameter, Section, Visibility};
pub use crate::error::{ConfigError, RewriteError, SetError, Source};
pub use crate::handle::{Boolean, Choice, Events, Flags, Handle, Integer, Parsed, Text};
pub use crate::keyspace_events::KeyspaceEvents;
pub use crate::load::Loaded;
pub use crate::parameters::{find, parameter, parameters};
pub use crate::reference::reference;
pub use crate::rewrite::RewrittenDirectives;

/// The version that messages about the configuration file carry.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
