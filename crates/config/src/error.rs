//! The errors, with the exact texts that clients and scripts match on.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why CONFIG SET changed nothing. `Display` is the whole error reply, its code included.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SetError {
    /// No parameter has this name.
    #[error("ERR Unknown option or number of arguments for CONFIG SET - '{0}'")]
    Unknown(String),
    /// A parameter does not take this value, or may not be changed.
    #[error("ERR CONFIG SET failed (possibly related to argument '{parameter}') - {reason}")]
    Refused {
        /// The parameter's name.
        parameter: String,
        /// Why.
        reason: String,
    },
    /// A parameter that must not change while the data set is loaded.
    #[error("LOADING Redis is loading the dataset in memory")]
    Loading,
}

/// Why CONFIG REWRITE failed. `Display` is the whole error reply.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// The server was started without a file.
    #[error("ERR The server is running without a config file")]
    NoFile,
    /// The file could not be read or written.
    #[error("ERR Rewriting config file: {0}")]
    Io(#[from] io::Error),
}

/// Where a line of configuration came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// A file and its absolute path.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// The command line.
    CommandLine,
}

/// Why the configuration could not be loaded. `Display` is the message for the terminal.
#[derive(Debug)]
pub enum ConfigError {
    /// A file could not be read.
    Unreadable {
        /// The file, as it was named.
        path: PathBuf,
        /// What the operating system says.
        cause: io::Error,
    },
    /// A line is wrong.
    Line {
        /// Where the line is.
        source: Source,
        /// Its number from 1; on the command line, that of the option.
        number: usize,
        /// The line.
        line: String,
        /// What is wrong.
        reason: String,
        /// What is allowed instead or may have been meant, if that can be said.
        hint: Option<String>,
    },
    /// Each line is right, but not together.
    Conflict(String),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigError::Unreadable { path, cause } => {
                let cause = system_text(cause);
                write!(
                    f,
                    "Fatal error, can't open config file '{}': {cause}",
                    path.display()
                )
            }
            ConfigError::Line {
                source,
                number,
                line,
                reason,
                hint,
            } => {
                writeln!(
                    f,
                    "*** FATAL CONFIG FILE ERROR (Caracal {}) ***",
                    crate::VERSION
                )?;
                let place = match source {
                    Source::File(path) => {
                        writeln!(f, "Reading the configuration file, at line {number}")?;
                        format!("{}:{number}", path.display())
                    }
                    Source::Stdin => {
                        writeln!(
                            f,
                            "Reading the configuration from standard input, at line {number}"
                        )?;
                        format!("standard input:{number}")
                    }
                    Source::CommandLine => {
                        writeln!(f, "Reading the command line, at option {number}")?;
                        format!("command line, option {number}")
                    }
                };
                writeln!(f, ">>> '{line}'")?;
                writeln!(f, "{reason}")?;
                match hint {
                    Some(hint) => write!(f, "{hint} ({place})"),
                    None => write!(f, "({place})"),
                }
            }
            ConfigError::Conflict(reason) => {
                writeln!(
                    f,
                    "*** FATAL CONFIG FILE ERROR (Caracal {}) ***",
                    crate::VERSION
                )?;
                write!(f, "{reason}")
            }
        }
    }
}

impl std::error::Error for ConfigError {}

/// The operating system's sentence without the ` (os error N)` that Rust adds.
pub(crate) fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
