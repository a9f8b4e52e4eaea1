//! A load generator with the flags and output of redis-benchmark.
//!
//! What it is for: measuring a server without becoming the bottleneck. So a batch of requests is
//! encoded once and only its random digits change, replies are counted and not built, sockets are
//! registered once and never re-armed, and a thread that works does nothing else. `--vs` runs the
//! tests on two servers in turn and compares them.
//!
//! | module | holds |
//! |---|---|
//! | `options`, `uri` | the command line |
//! | `suite`, `request` | the tests, and their bytes |
//! | `endpoint`, `control` | connections, and the few questions asked before a run |
//! | `load`, `worker`, `connection`, `framing`, `histogram` | a measured run, from the outside in |
//! | `report`, `versus`, `process`, `idle` | what is made of it |
//!
//! It knows nothing of the server in this workspace: any server that speaks the protocol will do.
//! TLS and cluster mode are not supported.

mod connection;
mod control;
mod endpoint;
mod failure;
mod framing;
mod histogram;
mod idle;
mod load;
mod options;
mod process;
mod report;
mod request;
mod suite;
mod uri;
mod versus;
mod worker;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;

use control::{Control, Durability};
use failure::Failure;
use load::{Greeting, Plan};
use options::{Options, Request};
use report::{Console, Progress, Report};
use request::encode;
use suite::{Payloads, Test};

/// Runs the load generator as a program: `args` are the arguments after the program's name. The
/// status is 1 after any failure, bad arguments included, which standard error tells of.
pub fn run<A: Into<OsString>>(args: impl IntoIterator<Item = A>) -> ExitCode {
    let stdout = io::stdout();
    let terminal = stdout.is_terminal();
    execute(args, &mut stdout.lock(), &mut io::stderr(), terminal).into()
}

/// Like [`run`], with the output going to `out` and `err`. If `terminal`, a progress line is
/// written to `out` and overwritten again. Returns the exit status.
pub fn execute<A: Into<OsString>>(
    args: impl IntoIterator<Item = A>,
    out: &mut dyn Write,
    err: &mut dyn Write,
    terminal: bool,
) -> u8 {
    let request = match Request::parse(args.into_iter().map(Into::into)) {
        Ok(request) => request,
        Err(message) => {
            let _ = writeln!(err, "{message}\nTry --help for the options.");
            return 1;
        }
    };
    let mut console = Console { out, err, terminal };
    let result = match request {
        Request::Help => {
            write!(console.out, "{}", include_str!("help.txt")).map_err(Failure::Output)
        }
        Request::Version => writeln!(console.out, "caracal bench {}", env!("CARGO_PKG_VERSION"))
            .map_err(Failure::Output),
        Request::Run(options) => benchmark(&options, &mut console),
    };
    match result {
        Ok(()) => 0,
        // A reader that has gone away wants no message either.
        Err(Failure::Output(_)) => 1,
        Err(failure) => {
            let _ = console.out.flush();
            let _ = writeln!(console.err, "{failure}");
            1
        }
    }
}

fn benchmark(options: &Options, console: &mut Console<'_>) -> Result<(), Failure> {
    warn(options, console);
    let greeting = Greeting::new(options);
    let mut payloads = Payloads::new();
    let mut tests = selected_tests(options, &mut payloads)?;
    if let Some(theirs) = &options.versus {
        return versus::compare(options, &greeting, theirs, &tests, console);
    }
    let durability = Control::open(&options.endpoint, &greeting)?.durability(&options.endpoint)?;
    if durability.is_none() {
        let _ = writeln!(console.err, "WARNING: Could not fetch server CONFIG");
    }
    if options.idle {
        let plan = Plan {
            endpoint: &options.endpoint,
            greeting: &greeting,
            options,
            title: "",
            command: b"",
        };
        return idle::wait(&plan, console);
    }
    if options.csv {
        Report::csv_header(console.out).map_err(Failure::Output)?;
    }
    loop {
        for test in &tests {
            run_test(options, &greeting, durability.as_ref(), test, console)?;
        }
        if !options.csv && options.command.is_none() {
            writeln!(console.out).map_err(Failure::Output)?;
        }
        if !options.repeat {
            return Ok(());
        }
        if options.command.is_none() {
            tests = selected_tests(options, &mut payloads)?;
        }
    }
}

fn warn(options: &Options, console: &mut Console<'_>) {
    let mut warn = |text: &str| {
        let _ = writeln!(console.err, "WARNING: {text}");
    };
    if !options.keep_alive {
        warn(
            "without keep alive every batch opens a connection; the ports it leaves in TIME_WAIT \
             may run out (see net.ipv4.tcp_tw_reuse)",
        );
    }
    match (&options.command, &options.tests) {
        (Some(_), Some(_)) => warn("Option -t is ignored."),
        (None, Some(names)) => {
            for name in names.iter().filter(|name| !suite::is_known(name)) {
                warn(&format!("there is no test \"{name}\""));
            }
        }
        _ => {}
    }
}

fn selected_tests(options: &Options, payloads: &mut Payloads) -> Result<Vec<Test>, Failure> {
    if let Some(command) = &options.command {
        let mut command = command.clone();
        let words: Vec<_> = command
            .iter()
            .map(|word| String::from_utf8_lossy(word))
            .collect();
        let title = words.join(" ");
        if options.last_from_stdin {
            let mut last = Vec::new();
            io::stdin()
                .read_to_end(&mut last)
                .map_err(|error| Failure::Usage(format!("Cannot read standard input: {error}")))?;
            command.push(last);
        }
        return Ok(vec![Test {
            title,
            command: encode(&command),
            preparation: false,
        }]);
    }
    let data = payloads.next(options.data_size);
    let tests = suite::tests(options.tests.as_deref(), &data, options.keyspace.is_some());
    if tests.is_empty() {
        return Err(Failure::Usage("No test is selected".to_owned()));
    }
    Ok(tests)
}

fn run_test(
    options: &Options,
    greeting: &Greeting,
    durability: Option<&Durability>,
    test: &Test,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let plan = Plan {
        endpoint: &options.endpoint,
        greeting,
        options,
        title: &test.title,
        command: &test.command,
    };
    let streams = load::connect(&plan)?;
    let mut progress = Progress::new(console.out, console.terminal && !options.csv);
    let outcome = load::run(&plan, streams, &mut progress, console.err)?;
    let data_size = if options.command.is_some() {
        test.command.len()
    } else {
        options.data_size
    };
    Report {
        options,
        durability,
        data_size,
    }
    .print(console.out, &test.title, &outcome)
    .map_err(Failure::Output)
}
