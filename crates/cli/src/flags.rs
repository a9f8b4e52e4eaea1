//! The flags: each one value with its names, help and effect.
//!
//! An argument parser crate would fight redis-cli's habits: `-h` is the host, `-2` and `-3` are
//! flags, and everything from the first word that is no flag belongs to the command. Parsing and
//! the usage text both read this table, so that neither can miss a flag.

use std::path::PathBuf;
use std::time::Duration;

use crate::args::{FromStdin, IpPreference, Mode, Options, Protocol};
use crate::format::Style;
use crate::line_split;
use crate::uri;

/// What a flag does, given its value (empty for a flag without one).
pub(crate) type Effect = fn(&mut Options, &[u8]) -> Result<(), String>;

/// One flag of the command line.
pub(crate) struct Flag {
    pub(crate) names: &'static [&'static str],
    /// The placeholder of its value in the usage text.
    pub(crate) value: Option<&'static str>,
    pub(crate) help: &'static str,
    pub(crate) effect: Effect,
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

pub(crate) const FLAGS: &[Flag] = &[
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
