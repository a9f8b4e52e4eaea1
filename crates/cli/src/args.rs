//! The command line: a table in which each flag is one value with its names, help and effect.
//!
//! An argument parser crate would fight redis-cli's habits: `-h` is the host, `-2` and `-3` are
//! flags, and everything from the first word that is no flag belongs to the command. The usage text
//! is printed from the same table, so that it cannot miss a flag.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use crate::format::{Format, Style};
use crate::line_split;
use crate::uri;

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

    fn json(&mut self, style: Style) {
        self.format.style = style;
        if self.protocol == Protocol::Unsaid {
            self.protocol = Protocol::Resp3IfPossible;
        }
    }
}

/// What a flag does, given its value (empty for a flag without one).
type Effect = fn(&mut Options, &[u8]) -> Result<(), String>;

struct Flag {
    names: &'static [&'static str],
    /// The placeholder of its value in the usage text.
    value: Option<&'static str>,
    help: &'static str,
    effect: Effect,
}

const fn switch(names: &'static [&'static str], help: &'static str, effect: Effect) -> Flag {
    Flag {
        names,
        value: None,
        help,
        effect,
    }
}

const fn setting(
    names: &'static [&'static str],
    value: &'static str,
    help: &'static str,
    effect: Effect,
) -> Flag {
    Flag {
        names,
        value: Some(value),
        help,
        effect,
    }
}

const FLAGS: &[Flag] = &[
    setting(
        &["-h"],
        "hostname",
        "Host of the server (default: 127.0.0.1).",
        |options, value| {
            options.host = text(value)?.to_owned();
            Ok(())
        },
    ),
    setting(
        &["-p"],
        "port",
        "Port of the server (default: 6379).",
        |options, value| {
            options.port = number(value).map_err(|_| "Invalid server port.")?;
            Ok(())
        },
    ),
    setting(
        &["-t"],
        "seconds",
        "Limit for connecting; 0 leaves it to the system.",
        |options, v| {
            let limit = seconds(v).map_err(|_| "Invalid connection timeout for -t.")?;
            options.connect_timeout = (!limit.is_zero()).then_some(limit);
            Ok(())
        },
    ),
    setting(
        &["-s"],
        "socket",
        "Unix socket of the server, instead of host and port.",
        |o, v| {
            o.socket = Some(path(v));
            Ok(())
        },
    ),
    setting(
        &["-a", "--pass"],
        "password",
        "Password to authenticate with. Other users of the machine may see it\n\
         here; the REDISCLI_AUTH environment variable is safer.",
        |options, value| {
            options.password = Some(value.to_vec());
            Ok(())
        },
    ),
    setting(
        &["--user"],
        "username",
        "User to authenticate as, with -a.",
        |options, value| {
            options.user = Some(value.to_vec());
            Ok(())
        },
    ),
    switch(
        &["--askpass"],
        "Ask for the password, ignoring -a and REDISCLI_AUTH.",
        |options, _| {
            options.ask_password = true;
            Ok(())
        },
    ),
    switch(
        &["--no-auth-warning"],
        "Do not warn about a password on the command line.",
        |o, _| {
            o.warn_of_password = false;
            Ok(())
        },
    ),
    setting(
        &["-u"],
        "uri",
        "Server as redis://user:password@host:port/database, any part optional.",
        |options, value| {
            let uri = uri::parse(text(value)?)?;
            options.user = uri.user.or(options.user.take());
            options.password = uri.password.or(options.password.take());
            options.host = uri.host.unwrap_or(std::mem::take(&mut options.host));
            options.port = uri.port.unwrap_or(options.port);
            options.database = uri.database.unwrap_or(options.database);
            Ok(())
        },
    ),
    setting(
        &["-n"],
        "db",
        "Number of the database.",
        |options, value| {
            options.database = number(value)?;
            Ok(())
        },
    ),
    switch(&["-2"], "Start in RESP2.", |options, _| {
        if options.protocol == Protocol::Resp3 {
            return Err("Options -2 and -3 are mutually exclusive.".into());
        }
        options.protocol = Protocol::Resp2;
        Ok(())
    }),
    switch(&["-3"], "Start in RESP3.", |options, _| {
        if options.protocol == Protocol::Resp2 {
            return Err("Options -2 and -3 are mutually exclusive.".into());
        }
        options.protocol = Protocol::Resp3;
        Ok(())
    }),
    switch(
        &["-4"],
        "Prefer an IPv4 address of the host.",
        |options, _| {
            options.ip_preference = IpPreference::V4;
            Ok(())
        },
    ),
    switch(
        &["-6"],
        "Prefer an IPv6 address of the host.",
        |options, _| {
            options.ip_preference = IpPreference::V6;
            Ok(())
        },
    ),
    switch(
        &["-c"],
        "Follow the -MOVED and -ASK redirections of a cluster.",
        |options, _| {
            options.follow_redirections = true;
            Ok(())
        },
    ),
    setting(
        &["-r"],
        "count",
        "Send the command this many times, -1 for ever.",
        |options, value| {
            options.repeat = number(value)?;
            Ok(())
        },
    ),
    setting(
        &["-i"],
        "seconds",
        "Pause, decimals allowed: between repeats with -r, between rounds of\n\
         --scan, --stat and --latency-history, per 100 rounds of --bigkeys,\n\
         --memkeys and --hotkeys.",
        |options, value| {
            options.interval = seconds(value)?;
            Ok(())
        },
    ),
    switch(
        &["-x"],
        "Take the last argument from standard input.",
        |options, _| {
            if options.from_stdin != FromStdin::Nothing {
                return Err("Options -x and -X are mutually exclusive.".into());
            }
            options.from_stdin = FromStdin::LastArgument;
            Ok(())
        },
    ),
    setting(
        &["-X"],
        "tag",
        "Take the argument that is <tag> from standard input.",
        |o, value| {
            if o.from_stdin == FromStdin::LastArgument {
                return Err("Options -x and -X are mutually exclusive.".into());
            }
            o.from_stdin = FromStdin::Tag(value.to_vec());
            Ok(())
        },
    ),
    switch(
        &["--quoted-input"],
        "Read each argument as a quoted string.",
        |options, _| {
            options.quoted_input = true;
            Ok(())
        },
    ),
    setting(
        &["-d"],
        "delimiter",
        "Between elements in raw output (default: \\n).",
        |o, value| {
            o.format.element_delimiter = value.to_vec();
            Ok(())
        },
    ),
    setting(
        &["-D"],
        "delimiter",
        "Between replies in raw output (default: \\n).",
        |o, value| {
            o.format.reply_delimiter = value.to_vec();
            Ok(())
        },
    ),
    switch(
        &["-e"],
        "Exit with an error when the command answers with one.",
        |options, _| {
            options.fail_on_error = true;
            Ok(())
        },
    ),
    switch(
        &["--raw"],
        "Raw output (default unless standard output is a terminal).",
        |o, _| {
            o.format.style = Style::Raw;
            Ok(())
        },
    ),
    switch(
        &["--no-raw"],
        "Formatted output even if standard output is no terminal.",
        |o, _| {
            o.format.style = Style::Formatted;
            Ok(())
        },
    ),
    switch(&["--csv"], "CSV output.", |options, _| {
        options.format.style = Style::Csv;
        Ok(())
    }),
    switch(
        &["--json"],
        "JSON output, in RESP3 unless -2 is given.",
        |options, _| {
            options.json(Style::Json);
            Ok(())
        },
    ),
    switch(
        &["--quoted-json"],
        "Like --json, with ASCII-safe quoted strings.",
        |options, _| {
            options.json(Style::QuotedJson);
            Ok(())
        },
    ),
    setting(
        &["--show-pushes"],
        "yn",
        "Print RESP3 push messages (default: yes on a terminal).",
        |options, value| {
            options.show_pushes = match value.first().map(u8::to_ascii_lowercase) {
                Some(b'y') => true,
                Some(b'n') => false,
                _ => return Err("--show-pushes takes yes or no.".into()),
            };
            Ok(())
        },
    ),
    switch(
        &["--stat"],
        "Print statistics of the server, a line per second.",
        |options, _| {
            options.mode = Mode::Stat;
            Ok(())
        },
    ),
    switch(
        &["--latency"],
        "Measure the round trip of PING, in milliseconds: for ever, or in raw\n\
         and CSV output for one second or the interval of -i.",
        |options, _| {
            options.mode = Mode::Latency;
            Ok(())
        },
    ),
    switch(
        &["--latency-history"],
        "Like --latency, starting anew every 15 seconds or interval of -i.",
        |options, _| {
            options.mode = Mode::LatencyHistory;
            Ok(())
        },
    ),
    switch(
        &["--latency-dist"],
        "Show the distribution of latencies in 256 colors, once a second.",
        |options, _| {
            options.mode = Mode::LatencyDistribution;
            Ok(())
        },
    ),
    switch(
        &["--mono"],
        "Shades of gray for --latency-dist.",
        |options, _| {
            options.monochrome = true;
            Ok(())
        },
    ),
    setting(
        &["--intrinsic-latency"],
        "seconds",
        "Measure for how long this machine stops a busy process.",
        |options, value| {
            options.mode = Mode::IntrinsicLatency {
                duration: seconds(value)?,
            };
            Ok(())
        },
    ),
    switch(
        &["--pipe"],
        "Send raw protocol from standard input and count replies.",
        |o, _| {
            o.mode = Mode::Pipe;
            Ok(())
        },
    ),
    setting(
        &["--pipe-timeout"],
        "seconds",
        "Let --pipe fail if no reply comes for this long after the last byte\n\
         was sent (default: 30, 0 waits for ever).",
        |options, value| {
            options.pipe_timeout = seconds(value)?;
            Ok(())
        },
    ),
    switch(
        &["--bigkeys"],
        "Find the keys of each type with the most elements.",
        |options, _| {
            options.mode = Mode::BigKeys;
            Ok(())
        },
    ),
    switch(
        &["--memkeys"],
        "Find the keys of each type that take the most memory.",
        |o, _| {
            o.mode = Mode::MemoryKeys { samples: None };
            Ok(())
        },
    ),
    setting(
        &["--memkeys-samples"],
        "n",
        "Like --memkeys, measuring this many elements of a key.",
        |options, value| {
            options.mode = Mode::MemoryKeys {
                samples: Some(number(value)?),
            };
            Ok(())
        },
    ),
    switch(
        &["--hotkeys"],
        "Find the keys used most; needs an LFU maxmemory-policy.",
        |options, _| {
            options.mode = Mode::HotKeys;
            Ok(())
        },
    ),
    switch(&["--scan"], "List all keys.", |options, _| {
        options.mode = Mode::Scan;
        Ok(())
    }),
    setting(
        &["--pattern"],
        "pattern",
        "Only keys like this, for --scan, --bigkeys, --memkeys and --hotkeys.",
        |options, value| {
            options.pattern = Some(value.to_vec());
            Ok(())
        },
    ),
    setting(
        &["--quoted-pattern"],
        "pattern",
        "Like --pattern, a quoted string.",
        |o, value| {
            let pattern = line_split::unquote(value)
                .map_err(|_| "Invalid quoted string specified for --quoted-pattern.")?;
            o.pattern = Some(pattern);
            Ok(())
        },
    ),
    setting(
        &["--count"],
        "count",
        "COUNT of SCAN in these modes (default: 10).",
        |o, value| {
            o.scan_count = number(value)?;
            Ok(())
        },
    ),
    setting(
        &["--eval"],
        "file",
        "Run the Lua script in this file; keys and arguments follow, with a\n\
         comma of its own between them.",
        |options, value| {
            options.mode = Mode::Eval {
                script: path(value),
            };
            Ok(())
        },
    ),
    switch(
        &["--verbose"],
        "Say on standard error when a connection is made.",
        |options, _| {
            options.verbose = true;
            Ok(())
        },
    ),
    switch(&["--help"], "Print this and exit.", |options, _| {
        options.mode = Mode::Help;
        Ok(())
    }),
    switch(
        &["--version", "-v"],
        "Print the version and exit.",
        |options, _| {
            options.mode = Mode::Version;
            Ok(())
        },
    ),
];

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

fn text(value: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(value).map_err(|_| {
        format!(
            "'{}' is not valid text for this option.",
            String::from_utf8_lossy(value)
        )
    })
}

fn number<N: std::str::FromStr>(value: &[u8]) -> Result<N, String> {
    let text = text(value)?;
    text.parse()
        .map_err(|_| format!("'{text}' is not a valid number for this option."))
}

fn seconds(value: &[u8]) -> Result<Duration, String> {
    let seconds: f64 = number(value)?;
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| format!("'{seconds}' is not a valid number of seconds."))
}

fn path(value: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(value))
}

#[cfg(test)]
mod tests {
    use super::*;

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
