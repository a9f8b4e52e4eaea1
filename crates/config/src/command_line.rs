//! The server's command line: `[file] [--name value...]... [-]`.
//!
//! As with redis-server, the options become lines of configuration that are read after the file.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::file;

/// What `--help` prints.
pub const USAGE: &str = "\
Usage: caracal [/path/to/caracal.conf] [options] [-]
       caracal - (read the configuration from standard input)
       caracal -v or --version
       caracal -h or --help
       caracal --check-system

Any directive of the configuration file is an option. Examples:
       caracal (run with the defaults)
       echo 'maxmemory 128mb' | caracal -
       caracal /etc/redis/redis.conf
       caracal --port 7777
       caracal --port 7777 --save \"\" --save 900 1
       caracal /etc/redis/redis.conf --loglevel verbose -";

/// Where the configuration is read from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    /// The file, relative to the directory of the process.
    pub file: Option<PathBuf>,
    /// Whether standard input is read after it.
    pub reads_stdin: bool,
    pub(crate) options: Vec<u8>,
}

impl Sources {
    /// Names the file.
    pub fn with_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Adds a directive, which overrides the file.
    pub fn with_option(mut self, name: &str, values: &[&str]) -> Self {
        self.start_option(name.as_bytes());
        for value in values {
            self.push_value(value.as_bytes());
        }
        self
    }

    fn start_option(&mut self, name: &[u8]) {
        if !self.options.is_empty() {
            self.options.push(b'\n');
        }
        self.options.extend_from_slice(name);
    }

    fn push_value(&mut self, value: &[u8]) {
        self.options.push(b' ');
        self.options.extend_from_slice(&file::quote(value));
    }
}

/// What a command line asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Invocation {
    /// To serve with this configuration.
    Serve(Sources),
    /// To print the version.
    Version,
    /// To print [`USAGE`].
    Help,
    /// To look at the system's settings.
    CheckSystem,
    /// Something that this server does not do; the text says so.
    Refused(String),
}

impl Invocation {
    /// Reads the arguments that follow the program's name. It never fails: what is wrong with an
    /// option shows when the configuration is read.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let arguments: Vec<OsString> = arguments.into_iter().collect();
        match arguments.first().and_then(|first| first.to_str()) {
            Some("-v" | "--version") => return Invocation::Version,
            Some("-h" | "--help") => return Invocation::Help,
            Some("--check-system") => return Invocation::CheckSystem,
            Some("--test-memory") => {
                let text = "--test-memory is not supported; use a memory tester such as memtester";
                return Invocation::Refused(text.to_owned());
            }
            _ => {}
        }
        Invocation::Serve(parse_sources(&arguments))
    }
}

fn parse_sources(arguments: &[OsString]) -> Sources {
    let mut sources = Sources::default();
    let mut rest = arguments;
    if let [first, after @ ..] = arguments
        && !first.as_bytes().starts_with(b"-")
    {
        sources.file = Some(PathBuf::from(first));
        rest = after;
    }
    // An option's first argument is a value even if it starts with dashes.
    let mut needs_value = false;
    for (index, argument) in rest.iter().enumerate() {
        let bytes = argument.as_bytes();
        let is_first = index == 0 && sources.file.is_none();
        let next = rest.get(index + 1);
        if bytes == b"-" && (is_first || next.is_none()) {
            sources.reads_stdin = true;
        } else if let (Some(name), false) = (bytes.strip_prefix(b"--"), needs_value) {
            sources.start_option(name);
            // `--port 6380` may come as one argument or as two.
            let has_value = file::split(name).is_none_or(|words| words.len() != 1);
            needs_value = !has_value;
            if !has_value && name.eq_ignore_ascii_case(b"save") && next.is_none_or(is_option) {
                // Scripts that build a command line from an empty list leave `--save` without one.
                sources.push_value(b"");
                needs_value = false;
            }
        } else {
            sources.push_value(bytes);
            needs_value = false;
        }
    }
    sources
}

fn is_option(argument: &OsString) -> bool {
    let argument: &OsStr = argument;
    argument.as_bytes().starts_with(b"--")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &[&str]) -> Invocation {
        Invocation::parse(line.iter().map(OsString::from))
    }

    #[track_caller]
    fn check(line: &[&str], file: Option<&str>, reads_stdin: bool, options: &str) {
        let Invocation::Serve(sources) = parse(line) else {
            panic!("{line:?}")
        };
        assert_eq!(sources.file, file.map(PathBuf::from));
        assert_eq!(sources.reads_stdin, reads_stdin);
        assert_eq!(String::from_utf8_lossy(&sources.options), options);
    }

    #[test]
    fn options_become_lines() {
        check(&[], None, false, "");
        check(&["a.conf"], Some("a.conf"), false, "");
        check(
            &["a.conf", "--port", "1", "-"],
            Some("a.conf"),
            true,
            "port \"1\"",
        );
        check(&["-"], None, true, "");
        check(&["-", "--port", "1"], None, true, "port \"1\"");
        check(
            &["--port", "7777", "--save", "", "--save", "900", "1"],
            None,
            false,
            "port \"7777\"\nsave \"\"\nsave \"900\" \"1\"",
        );
        check(
            &["--port 7777", "--dir", "/x"],
            None,
            false,
            "port 7777\ndir \"/x\"",
        );
        check(
            &["--requirepass", "--odd--"],
            None,
            false,
            "requirepass \"--odd--\"",
        );
        check(
            &["--save", "--port", "1"],
            None,
            false,
            "save \"\"\nport \"1\"",
        );
        check(
            &["--port", "1", "--save"],
            None,
            false,
            "port \"1\"\nsave \"\"",
        );
        check(&["-x"], None, false, " \"-x\"");
    }

    #[test]
    fn what_does_not_serve() {
        assert_eq!(parse(&["--version"]), Invocation::Version);
        assert_eq!(parse(&["-v", "--port", "1"]), Invocation::Version);
        assert_eq!(parse(&["-h"]), Invocation::Help);
        assert_eq!(parse(&["--check-system"]), Invocation::CheckSystem);
        assert!(matches!(
            parse(&["--test-memory", "100"]),
            Invocation::Refused(_)
        ));
    }
}
