//! The engine: sessions, commands as data, dispatch, and the ports to what lies outside.
//!
//! It knows no socket, no file and no single command. A command is a [`spec::Command`]: a
//! description and a function from a [`Ctx`] and [`Args`] to a reply.

mod args;
pub mod clients;
mod ctx;
mod dispatch;
mod error;
mod gates;
mod help;
pub mod journal;
pub mod random;
mod server;
mod session;
pub mod spec;
mod stats;
mod sweep;
mod table;

pub use args::Args;
pub use ctx::Ctx;
pub use dispatch::{Batch, Worker};
pub use error::{CommandError, CommandResult, DONE, Outcome};
pub use server::{Clock, Host, Memory, NoHost, Server};
pub use session::Session;
pub use stats::{CommandStats, WorkerStats};
pub use sweep::Sweep;
pub use table::{CommandTable, TableEntry};
