//! Keys and values: entries, shards and their locks, expiry, and the guards through which alone
//! values change.
//!
//! The crate knows neither replies nor sessions nor files. What a command changed it records in a
//! [`ChangeLog`], from which the engine serves everybody who wants to know.

mod alone;
pub mod change;
pub mod db;
mod deadlines;
pub mod entry;
mod evict;
pub mod guard;
mod keyspace;
pub mod random;
mod random_key;
pub mod shard;
pub mod sync;
mod transfer;
mod usage;

pub use change::{Change, ChangeLog, Event, EventClass};
pub use db::{Db, Expiry, Place, WrongType};
pub use entry::{Collection, Entry, EntryRef, Kind, Text, Value};
pub use evict::Scope;
pub use guard::{BytesMut, EntryMut, TextMut};
pub use keyspace::{Census, Keyspace, Swept};
pub use shard::{SHARDS, Shard};
pub use usage::Usage;
