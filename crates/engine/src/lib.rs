//! The engine: sessions, commands as data, dispatch, and the ports to what lies outside.
//!
//! It knows no socket, no file and no single command. A command is a [`spec::Command`]: a
//! description and a function from a [`Ctx`] and [`Args`] to a reply.

mod args;
pub mod categories;
pub mod clients;
mod ctx;
mod dispatch;
mod error;
mod evict;
mod gates;
mod help;
pub mod journal;
mod memory;
pub mod random;
mod server;
mod session;
pub mod spec;
mod stats;
mod sweep;
pub mod syntax;
mod table;

pub use args::Args;
pub use ctx::Ctx;
pub use dispatch::{Batch, Worker};
pub use error::{CommandError, CommandResult, DONE, Outcome};
pub use memory::MemoryLimit;
pub use server::{Clock, Host, Memory, NoHost, Process, REDIS_VERSION, Server, VERSION};
pub use session::{DEFAULT_USER, Session};
pub use stats::{CommandStats, Rates, WorkerStats};
pub use sweep::Sweep;
pub use table::{CommandTable, TableEntry};
