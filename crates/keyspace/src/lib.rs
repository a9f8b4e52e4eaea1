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
pub mod guard;
mod keyspace;
mod random_key;
pub mod shard;
pub mod sync;
mod transfer;

pub use change::{Change, ChangeLog, Event, EventClass};
pub use db::{Db, Expiry, Place, WrongType};
pub use entry::{Collection, Entry, EntryRef, Kind, Text, Value};
pub use guard::{BytesMut, EntryMut, TextMut};
pub use keyspace::Keyspace;
pub use shard::{SHARDS, Shard};
