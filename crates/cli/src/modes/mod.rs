//! What the client does instead of a dialogue: a file per `--mode`, each a function that takes the
//! session to its end.

mod big_keys;
mod eval;
mod hot_keys;
mod intrinsic_latency;
mod latency;
mod latency_distribution;
mod pipe;
mod scan;
mod stat;

use resp::client::Value;

use crate::Failure;
use crate::args::Mode;
use crate::connection::Lost;
use crate::session::Session;

/// Runs a mode and returns the exit code.
pub(crate) fn run(session: &mut Session, mode: Mode) -> Result<u8, Failure> {
    match mode {
        Mode::Eval { script } => eval::run(session, &script),
        Mode::Scan => scan::run(session),
        Mode::BigKeys => big_keys::run(session, big_keys::Measure::Elements),
        Mode::MemoryKeys { samples } => {
            big_keys::run(session, big_keys::Measure::Memory { samples })
        }
        Mode::HotKeys => hot_keys::run(session),
        Mode::Stat => stat::run(session),
        Mode::Latency => latency::run(session, latency::Report::Once),
        Mode::LatencyHistory => latency::run(session, latency::Report::Repeatedly),
        Mode::LatencyDistribution => latency_distribution::run(session),
        Mode::IntrinsicLatency { duration } => intrinsic_latency::run(duration),
        Mode::Pipe => pipe::run(session),
        // These are dealt with before there is a session.
        Mode::Command | Mode::Help | Mode::Version => Ok(0),
    }
}

/// A lost connection ends a mode.
impl From<Lost> for Failure {
    fn from(lost: Lost) -> Self {
        Failure::Message(format!("Error: {lost}"))
    }
}

/// An error reply, or one of a kind that the request cannot have, ends a mode too.
fn unexpected(what: &str, value: &Value) -> Failure {
    match value.as_error() {
        Some(error) => Failure::Message(format!("{what}: {}", String::from_utf8_lossy(error))),
        None => Failure::Message(format!("{what}: unexpected reply {value:?}")),
    }
}
