//! What the command line and the environment say, as one value; the flags are in [`crate::flags`].

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use crate::flags::FLAGS;
use crate::format::{Format, Style};

/// Where the server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Tcp { host: String, port: u16 },
    Unix(PathBuf),
}

/// What to do once connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The command on the command line, or the prompt if there is none.
    Command,
    Eval {
        script: PathBuf,
    },
    Scan,
    BigKeys,
    MemoryKeys {
        samples: Option<u64>,
    },
    HotKeys,
    Stat,
    Latency,
    LatencyHistory,
    LatencyDistribution,
    IntrinsicLatency {
        duration: Duration,
    },
    Pipe,
    Help,
    Version,
}

/// The protocol to start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// RESP2, and not because of a flag.
    Unsaid,
    Resp2,
    Resp3,
    /// RESP3 if the server has it, for JSON output with objects.
    Resp3IfPossible,
}

/// Which arguments come from standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FromStdin {
    Nothing,
    LastArgument,
    /// The argument that equals this tag.
    Tag(Vec<u8>),
}

/// How to look up the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IpPreference {
    None,
    V4,
    V6,
}

/// Everything the command line and the environment say.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) socket: Option<PathBuf>,
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) ip_preference: IpPreference,
    pub(crate) user: Option<Vec<u8>>,
    pub(crate) password: Option<Vec<u8>>,
    pub(crate) ask_password: bool,
    pub(crate) warn_of_password: bool,
    pub(crate) database: i64,
    pub(crate) protocol: Protocol,
    pub(crate) format: Format,
    pub(crate) show_pushes: bool,
    /// Negative means forever.
    pub(crate) repeat: i64,
    pub(crate) interval: Duration,
    pub(crate) from_stdin: FromStdin,
    pub(crate) quoted_input: bool,
    pub(crate) fail_on_error: bool,
    pub(crate) follow_redirections: bool,
    pub(crate) pattern: Option<Vec<u8>>,
    pub(crate) scan_count: u64,
    /// Zero waits forever.
    pub(crate) pipe_timeout: Duration,
    pub(crate) monochrome: bool,
    pub(crate) verbose: bool,
    pub(crate) mode: Mode,
    /// The words after the flags.
    pub(crate) command: Vec<Vec<u8>>,
}

impl Options {
    /// What holds when nothing is said. People get formatted output, programs raw output.
    pub(crate) fn new(stdout_is_terminal: bool) -> Self {
        let style = if stdout_is_terminal {
            Style::Formatted
        } else {
            Style::Raw
        };
        Options {
            host: "127.0.0.1".into(),
            port: 6379,
            socket: None,
            connect_timeout: None,
            ip_preference: IpPreference::None,
            user: None,
            password: None,
            ask_password: false,
            warn_of_password: true,
            database: 0,
            protocol: Protocol::Unsaid,
            format: Format {
                style,
                element_delimiter: b"\n".to_vec(),
                reply_delimiter: b"\n".to_vec(),
            },
            show_pushes: stdout_is_terminal,
            repeat: 1,
            interval: Duration::ZERO,
            from_stdin: FromStdin::Nothing,
            quoted_input: false,
            fail_on_error: false,
            follow_redirections: false,
            pattern: None,
            scan_count: 10,
            pipe_timeout: Duration::from_secs(30),
            monochrome: false,
            verbose: false,
            mode: Mode::Command,
            command: Vec::new(),
        }
    }

    /// The server to connect to.
    pub(crate) fn endpoint(&self) -> Endpoint {
        match &self.socket {
            Some(path) => Endpoint::Unix(path.clone()),
            None => Endpoint::Tcp {
                host: self.host.clone(),
                port: self.port,
            },
        }
    }

    /// Asks for JSON, which has objects only if the protocol has maps.
    pub(crate) fn json(&mut self, style: Style) {
        self.format.style = style;
        if self.protocol == Protocol::Unsaid {
            self.protocol = Protocol::Resp3IfPossible;
        }
    }
}

/// Applies the arguments, without the program's name, to `options`.
///
/// The error is one line for the user.
pub(crate) fn parse(args: &[Vec<u8>], options: &mut Options) -> Result<(), String> {
    let mut rest = args;
    while let [name, tail @ ..] = rest
        && name.starts_with(b"-")
    {
        // Without a value `-h` cannot be the host, so it is a plea for help.
        if tail.is_empty() && name == b"-h" {
            options.mode = Mode::Help;
            return Ok(());
        }
        let flag = FLAGS
            .iter()
            .find(|flag| flag.names.iter().any(|n| n.as_bytes() == name));
        rest = match (flag, tail) {
            (Some(flag), [value, tail @ ..]) if flag.value.is_some() => {
                (flag.effect)(options, value)?;
                tail
            }
            (Some(flag), tail) if flag.value.is_none() => {
                (flag.effect)(options, b"")?;
                tail
            }
            _ => {
                let name = String::from_utf8_lossy(name);
                return Err(format!(
                    "Unrecognized option or bad number of args for: '{name}'"
                ));
            }
        };
        if matches!(options.mode, Mode::Help | Mode::Version) {
            return Ok(());
        }
    }
    options.command = rest.to_vec();
    if options.socket.is_some() && options.follow_redirections {
        return Err("Options -c and -s are mutually exclusive.".into());
    }
    Ok(())
}

/// Prints the usage text.
pub(crate) fn usage(program: &str, version: &str, out: &mut dyn Write) -> std::io::Result<()> {
    const HELP_COLUMN: usize = 23;
    writeln!(out, "{program} {version}\n")?;
    writeln!(out, "Usage: {program} [OPTIONS] [cmd [arg [arg ...]]]")?;
    for flag in FLAGS {
        let mut left = format!("  {}", flag.names.join(", "));
        if let Some(value) = flag.value {
            left.push_str(&format!(" <{value}>"));
        }
        let mut lines = flag.help.lines();
        if left.len() < HELP_COLUMN {
            let first = lines.next().unwrap_or_default();
            writeln!(out, "{left:HELP_COLUMN$}{first}")?;
        } else {
            writeln!(out, "{left}")?;
        }
        for line in lines {
            writeln!(out, "{:HELP_COLUMN$}{line}", "")?;
        }
    }
    writeln!(
        out,
        "\nExamples:
  cat picture.png | {program} -x SET picture
  {program} -r 10 -i 1 INFO memory
  {program} --quoted-input SET '\"zero\\x00byte\"' value
  {program} --eval rate.lua key1 key2 , arg1 arg2
  {program} --scan --pattern 'session:*'
  {program} --pipe < commands.resp

Without a command it reads commands from a prompt, or from standard input if that
is no terminal. Type \"help\" at the prompt."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line_split;

    fn parsed(line: &str) -> Result<Options, String> {
        let args = line_split::split(line.as_bytes()).unwrap();
        let mut options = Options::new(true);
        parse(&args, &mut options).map(|()| options)
    }

    #[test]
    fn flags_end_at_the_command() {
        let options = parsed("-h example.org -p 7 -n 2 get -p x").unwrap();
        assert_eq!(
            options.endpoint(),
            Endpoint::Tcp {
                host: "example.org".into(),
                port: 7
            }
        );
        assert_eq!(options.database, 2);
        assert_eq!(
            options.command,
            [b"get".to_vec(), b"-p".to_vec(), b"x".to_vec()]
        );
    }

    #[test]
    fn a_lonely_h_asks_for_help() {
        assert_eq!(parsed("-h").unwrap().mode, Mode::Help);
        assert_eq!(parsed("-p 1 -h").unwrap().mode, Mode::Help);
    }

    #[test]
    fn json_wants_resp3_unless_told_otherwise() {
        assert_eq!(
            parsed("--json").unwrap().protocol,
            Protocol::Resp3IfPossible
        );
        assert_eq!(parsed("--json -3").unwrap().protocol, Protocol::Resp3);
        assert_eq!(parsed("--json -2").unwrap().protocol, Protocol::Resp2);
        assert_eq!(parsed("-2 --json").unwrap().protocol, Protocol::Resp2);
    }

    #[test]
    fn uri_overrides_only_what_it_says() {
        let options = parsed("-a old -p 7 -u redis://h/4").unwrap();
        assert_eq!(options.password.as_deref(), Some(&b"old"[..]));
        assert_eq!(
            options.endpoint(),
            Endpoint::Tcp {
                host: "h".into(),
                port: 7
            }
        );
        assert_eq!(options.database, 4);
    }

    #[test]
    fn errors() {
        for line in [
            "-p", "-p x", "-p 70000", "--nope", "-2 -3", "-x -X t", "-c -s /s", "-i -1",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    #[test]
    fn usage_lists_every_flag_in_80_columns() {
        let mut out = Vec::new();
        usage("cli", "1.0", &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for flag in FLAGS {
            assert!(text.contains(flag.names[0]), "{}", flag.names[0]);
        }
        for line in text.lines() {
            assert!(line.len() <= 96, "{line}");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = FLAGS.iter().flat_map(|flag| flag.names).collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
