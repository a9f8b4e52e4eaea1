//! Why a run ended early, in the words that users of redis-benchmark know.
//!
//! Every failure ends the process with status 1: a benchmark that went on after a refused request
//! would report the speed of an error. The first three texts are matched on by scripts and keep
//! their wording.

use std::fmt::Display;
use std::io;

use crate::framing::Violation;

/// Anything that stops a benchmark.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// No connection could be made.
    #[error("Could not connect to Redis at {endpoint}: {reason}")]
    Connect { endpoint: String, reason: String },
    /// AUTH, SELECT, HELLO or the like was answered with an error.
    #[error("Node {endpoint} replied with error:\n{message}")]
    Greeting { endpoint: String, message: String },
    /// A benchmarked command was answered with an error.
    #[error("Error from server: {0}")]
    Reply(String),
    /// The other side hung up while replies were due.
    #[error("Error: Server closed the connection")]
    Closed,
    /// A read or a write failed.
    #[error("Error: {0}")]
    Io(String),
    /// The other side does not speak the protocol.
    #[error("Error: {0}")]
    Protocol(#[from] Violation),
    /// The options make no sense together, or an argument could not be read.
    #[error("{0}")]
    Usage(String),
    /// The report could not be written; nobody is left to be told.
    #[error("the output cannot be written: {0}")]
    Output(io::Error),
}

impl Failure {
    pub(crate) fn connect(endpoint: impl Display, error: &io::Error) -> Self {
        Self::Connect {
            endpoint: endpoint.to_string(),
            reason: describe(error),
        }
    }

    pub(crate) fn io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Io(describe(error)),
        }
    }
}

/// The system's own text for an error, without the number that Rust appends to it.
pub(crate) fn describe(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_connection_reads_as_users_know_it() {
        let refused = io::Error::from_raw_os_error(111);
        assert_eq!(
            Failure::connect("127.0.0.1:1", &refused).to_string(),
            "Could not connect to Redis at 127.0.0.1:1: Connection refused"
        );
    }
}
