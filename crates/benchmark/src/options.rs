//! The command line.
//!
//! Flags are those of redis-benchmark, numbers are checked (`-c many` is an error here, not zero),
//! and the first argument that is not a flag begins a command of the user's own.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::endpoint::Endpoint;
use crate::uri::{Uri, parse_endpoint, parse_uri};

/// More threads than this are never started.
const THREADS_MAX: usize = 500;
/// No payload is larger than the largest string a server takes by default.
const DATA_SIZE_MAX: usize = 1 << 30;

/// What the command line asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Request {
    Run(Box<Options>),
    Help,
    Version,
}

/// All settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) endpoint: Endpoint,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) database: u64,
    pub(crate) resp3: bool,
    pub(crate) tracking: bool,
    pub(crate) clients: usize,
    pub(crate) requests: u64,
    pub(crate) data_size: usize,
    pub(crate) keep_alive: bool,
    /// How many different random numbers there are (`-r`).
    pub(crate) keyspace: Option<u64>,
    pub(crate) pipeline: usize,
    pub(crate) quiet: bool,
    pub(crate) csv: bool,
    pub(crate) repeat: bool,
    pub(crate) idle: bool,
    pub(crate) last_from_stdin: bool,
    pub(crate) tolerate_errors: bool,
    /// Significant figures of a latency.
    pub(crate) precision: u32,
    pub(crate) seed: Option<u64>,
    /// `None` until `--threads` is given; one thread does the work then.
    pub(crate) threads: Option<usize>,
    /// Lower-case names of the selected tests.
    pub(crate) tests: Option<Vec<String>>,
    pub(crate) versus: Option<Endpoint>,
    pub(crate) rounds: usize,
    /// A command of the user's own, not empty if given.
    pub(crate) command: Option<Vec<Vec<u8>>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            endpoint: Endpoint::Tcp {
                host: "127.0.0.1".to_owned(),
                port: 6379,
            },
            user: None,
            password: None,
            database: 0,
            resp3: false,
            tracking: false,
            clients: 50,
            requests: 100_000,
            data_size: 3,
            keep_alive: true,
            keyspace: None,
            pipeline: 1,
            quiet: false,
            csv: false,
            repeat: false,
            idle: false,
            last_from_stdin: false,
            tolerate_errors: false,
            precision: 3,
            seed: None,
            threads: None,
            tests: None,
            versus: None,
            rounds: 3,
            command: None,
        }
    }
}

impl Request {
    /// Reads the arguments after the program's name; an error is a sentence for the user.
    pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut args = args.into_iter();
        let mut options = Options::default();
        let (mut host, mut port, mut socket) = ("127.0.0.1".to_owned(), 6379, None);
        while let Some(arg) = args.next() {
            let flag = match arg.to_str() {
                Some(flag) if flag.starts_with('-') => flag,
                _ => {
                    options.command = Some(
                        [arg]
                            .into_iter()
                            .chain(args)
                            .map(OsString::into_vec)
                            .collect(),
                    );
                    break;
                }
            };
            let mut value = Value {
                flag,
                args: &mut args,
            };
            match flag {
                "--help" => return Ok(Self::Help),
                "--version" | "-v" => return Ok(Self::Version),
                "-h" => host = value.text()?,
                "-p" => port = value.number()?,
                "-s" => socket = Some(PathBuf::from(value.raw()?)),
                "-a" => options.password = Some(value.text()?),
                "--user" => options.user = Some(value.text()?),
                "-u" => {
                    let uri = parse_uri(&value.text()?)?;
                    host = uri.host.clone().unwrap_or(host);
                    port = uri.port.unwrap_or(port);
                    options.take_credentials(uri);
                }
                "-c" => options.clients = value.at_least(1)?,
                "-n" => options.requests = value.at_least(1)?,
                "-d" => options.data_size = value.number::<usize>()?.clamp(1, DATA_SIZE_MAX),
                "--dbnum" => options.database = value.number()?,
                "-3" => options.resp3 = true,
                "-k" => options.keep_alive = value.number::<i64>()? != 0,
                "-r" => {
                    let count = value.number::<i64>()?;
                    options.keyspace = Some(u64::try_from(count).unwrap_or(0));
                }
                "-P" => options.pipeline = value.number::<usize>()?.max(1),
                "-q" => options.quiet = true,
                "--csv" => options.csv = true,
                "-l" => options.repeat = true,
                "-t" => options.select(&value.text()?),
                "-I" => options.idle = true,
                "-x" => options.last_from_stdin = true,
                "-e" => options.tolerate_errors = true,
                "--enable-tracking" => options.tracking = true,
                "--precision" => options.precision = value.number::<u32>()?.clamp(1, 4),
                "--seed" => options.seed = Some(value.number::<i64>()? as u64),
                "--threads" => {
                    let threads = value.number::<usize>()?.min(THREADS_MAX);
                    options.threads = Some(threads).filter(|&threads| threads > 0);
                }
                "--vs" => options.versus = Some(parse_endpoint(&value.text()?)?),
                "--rounds" => options.rounds = value.at_least(1)?,
                "--cluster" | "--tls" => return Err(format!("{flag} is not supported")),
                _ => return Err(format!("Invalid option \"{flag}\"")),
            }
        }
        options.endpoint = match socket {
            Some(path) => Endpoint::Unix(path),
            None => Endpoint::Tcp { host, port },
        };
        options
            .checked()
            .map(|options| Self::Run(Box::new(options)))
    }
}

impl Options {
    fn take_credentials(&mut self, uri: Uri) {
        self.user = uri.user.or(self.user.take());
        self.password = uri.password.or(self.password.take());
        self.database = uri.database.unwrap_or(self.database);
    }

    fn select(&mut self, names: &str) {
        let names = names
            .split(',')
            .map(|name| name.trim().to_ascii_lowercase());
        self.tests = Some(names.filter(|name| !name.is_empty()).collect());
    }

    fn checked(self) -> Result<Self, String> {
        if self.user.is_some() && self.password.is_none() {
            return Err("--user needs a password (-a)".to_owned());
        }
        if self.last_from_stdin && self.command.is_none() {
            return Err("-x needs a command".to_owned());
        }
        if self.versus.is_some() && (self.idle || self.repeat) {
            return Err("--vs does not go with -I or -l".to_owned());
        }
        if self.pipeline.saturating_mul(self.data_size) > 4 * DATA_SIZE_MAX {
            return Err("-P times -d is more than fits in memory".to_owned());
        }
        Ok(self)
    }
}

/// The value that has to follow a flag.
struct Value<'a, I> {
    flag: &'a str,
    args: &'a mut I,
}

impl<I: Iterator<Item = OsString>> Value<'_, I> {
    fn raw(&mut self) -> Result<OsString, String> {
        self.args
            .next()
            .ok_or_else(|| format!("{} needs a value", self.flag))
    }

    fn text(&mut self) -> Result<String, String> {
        self.raw()?
            .into_string()
            .map_err(|_| format!("The value of {} is not UTF-8", self.flag))
    }

    fn number<N: FromStr>(&mut self) -> Result<N, String> {
        let text = self.text()?;
        text.parse()
            .map_err(|_| format!("Invalid value \"{text}\" for {}", self.flag))
    }

    fn at_least<N: FromStr + PartialOrd + std::fmt::Display>(
        &mut self,
        least: N,
    ) -> Result<N, String> {
        let number = self.number()?;
        if number < least {
            return Err(format!("{} has to be at least {least}", self.flag));
        }
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        match Request::parse(line.split_whitespace().map(OsString::from))? {
            Request::Run(options) => Ok(*options),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn nothing_is_the_defaults() {
        assert_eq!(parse(""), Ok(Options::default()));
    }

    #[test]
    fn every_flag_is_taken() {
        let options = parse(
            "-h h -p 7 -a pw --user u -c 2 -n 10 -d 5 --dbnum 3 -3 -k 0 -r 9 -P 4 -q --csv \
             -t PING,,set -e --seed -1 --threads 3 --precision 9 --enable-tracking \
             --vs other:1 --rounds 5",
        )
        .unwrap();
        let expected = Options {
            endpoint: Endpoint::Tcp {
                host: "h".to_owned(),
                port: 7,
            },
            user: Some("u".to_owned()),
            password: Some("pw".to_owned()),
            database: 3,
            resp3: true,
            tracking: true,
            clients: 2,
            requests: 10,
            data_size: 5,
            keep_alive: false,
            keyspace: Some(9),
            pipeline: 4,
            quiet: true,
            csv: true,
            tolerate_errors: true,
            precision: 4,
            seed: Some(u64::MAX),
            threads: Some(3),
            tests: Some(vec!["ping".to_owned(), "set".to_owned()]),
            versus: Some(Endpoint::Tcp {
                host: "other".to_owned(),
                port: 1,
            }),
            rounds: 5,
            ..Options::default()
        };
        assert_eq!(options, expected);
        assert!(parse("-l").unwrap().repeat && parse("-I").unwrap().idle);
        assert!(parse("-x set k").unwrap().last_from_stdin);
    }

    #[test]
    fn a_command_ends_the_flags() {
        let args = ["-r", "5", "set", "-n", "two words", "\"q\""].map(OsString::from);
        let Ok(Request::Run(options)) = Request::parse(args) else {
            panic!("refused")
        };
        let command: Vec<&[u8]> = vec![b"set", b"-n", b"two words", b"\"q\""];
        assert_eq!(options.command.unwrap(), command);
        assert_eq!((options.keyspace, options.requests), (Some(5), 100_000));
    }

    #[test]
    fn small_numbers_are_raised_as_in_redis_benchmark() {
        let options = parse("-P 0 -d 0 -r -5 --threads 0 --precision 0").unwrap();
        assert_eq!(
            (options.pipeline, options.data_size, options.keyspace),
            (1, 1, Some(0))
        );
        assert_eq!((options.threads, options.precision), (None, 1));
    }

    #[test]
    fn a_socket_overrides_host_and_port_and_a_uri_sets_them() {
        assert_eq!(
            parse("-s /s -h x").unwrap().endpoint,
            Endpoint::Unix("/s".into())
        );
        let options = parse("-u redis://u:pw@host:1/2").unwrap();
        assert_eq!(options.endpoint.to_string(), "host:1");
        assert_eq!(
            (options.user.as_deref(), options.password.as_deref()),
            (Some("u"), Some("pw"))
        );
        assert_eq!(options.database, 2);
    }

    #[test]
    fn bad_input_is_a_sentence() {
        for (line, error) in [
            ("--zork", "Invalid option \"--zork\""),
            ("-", "Invalid option \"-\""),
            ("-n", "-n needs a value"),
            ("-n 0", "-n has to be at least 1"),
            ("-c many", "Invalid value \"many\" for -c"),
            ("-p 70000", "Invalid value \"70000\" for -p"),
            ("--vs here", "\"here\" is not HOST:PORT"),
            ("--tls", "--tls is not supported"),
            ("-x", "-x needs a command"),
            ("--user u", "--user needs a password (-a)"),
            ("-I --vs h:1", "--vs does not go with -I or -l"),
        ] {
            assert_eq!(parse(line), Err(error.to_owned()), "{line}");
        }
    }

    #[test]
    fn help_and_version() {
        assert_eq!(Request::parse(["--help".into()]), Ok(Request::Help));
        assert_eq!(Request::parse(["--version".into()]), Ok(Request::Version));
    }
}
