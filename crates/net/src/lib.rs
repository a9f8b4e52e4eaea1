//! Listeners, workers and connections: how bytes reach the engine and go back.
//!
//! The crate does not know what a command means.

mod connection;
mod listen;
mod stream;
mod unsent;
mod workers;

pub use listen::{BindError, Bound};
pub use workers::{Shutdown, run};
