//! The server program: from a command line to a clean end.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::available_parallelism;

use anyhow::Context;
use config::{Config, Handle, Invocation, Loaded, Sources, parameter};
use engine::{Clock, Server};
use net::{Bound, Shutdown};

use crate::daemon::{self, PidFile};
use crate::host::ThisProcess;
use crate::{VERSION, help, logger};

/// Descriptors that the process needs for other things than clients.
const RESERVED_DESCRIPTORS: u64 = 32;

/// Runs the server with these arguments.
pub(crate) fn run(args: Vec<OsString>, name: &str) -> ExitCode {
    match Invocation::parse(args.clone()) {
        Invocation::Version => {
            println!("{}", version_line(name));
            ExitCode::SUCCESS
        }
        Invocation::Help => {
            print!("{}", help::HELP);
            ExitCode::SUCCESS
        }
        Invocation::CheckSystem => check_system(),
        Invocation::Refused(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
        Invocation::Serve(sources) => match serve(&sources, &args) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                // Where the operator looks: the log if there is one by now, else the terminal.
                if log::max_level() == log::LevelFilter::Off {
                    eprintln!("{error:#}");
                } else {
                    log::error!("{error:#}");
                }
                ExitCode::FAILURE
            }
        },
    }
}

/// Called by the name of another program it answers in that program's form, which scripts parse.
fn version_line(name: &str) -> String {
    if name.starts_with("caracal") {
        return format!(
            "caracal {VERSION} (compatible with Redis {})",
            engine::REDIS_VERSION
        );
    }
    let title = if name.starts_with("valkey") {
        "Valkey"
    } else {
        "Redis"
    };
    format!(
        "{title} server v={} sha=00000000:0 malloc=jemalloc bits=64 build=caracal-{VERSION}",
        engine::REDIS_VERSION
    )
}

fn check_system() -> ExitCode {
    let overcommit = std::fs::read_to_string("/proc/sys/vm/overcommit_memory");
    println!("Snapshots are made without fork, so vm.overcommit_memory may have any value.");
    if let Ok(value) = overcommit {
        println!("vm.overcommit_memory is {}", value.trim());
    }
    match rlimit::Resource::NOFILE.get() {
        Ok((soft, hard)) => println!("Open files: {soft} now, {hard} at most"),
        Err(error) => println!("Open files: unknown ({error})"),
    }
    ExitCode::SUCCESS
}

fn serve(sources: &Sources, args: &[OsString]) -> anyhow::Result<()> {
    let mut stdin = Vec::new();
    if sources.reads_stdin {
        io::stdin()
            .read_to_end(&mut stdin)
            .context("can't read standard input")?;
    }
    let Loaded {
        config,
        warnings,
        config_file,
    } = Config::load_with_stdin(sources, &mut &stdin[..])
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    let config = Arc::new(config);
    refuse_unsupported(&config)?;
    if config.read(parameter::DAEMONIZE) {
        if !daemon::is_child() {
            return daemon::go_to_background(args, &stdin).context("can't go to the background");
        }
        daemon::leave_session();
    }
    logger::start(&config).with_context(|| {
        format!(
            "can't open the log file {}",
            config.text(parameter::LOGFILE)
        )
    })?;
    greet(&config, &warnings, config_file.as_deref());
    allow_descriptors(&config);
    refuse_the_impossible(&config);
    let bound = Bound::open(&config)?;
    let unix_path = bound.unix_path().map(Path::to_owned);
    let pid_file = config
        .path(parameter::PIDFILE)
        .or_else(|| {
            config
                .read(parameter::DAEMONIZE)
                .then(|| "/var/run/redis.pid".into())
        })
        .and_then(|path| PidFile::write(&path));
    let workers = match config.read(parameter::WORKERS) {
        0 => available_parallelism().map_or(1, usize::from),
        workers => workers as usize,
    };
    let shutdown = Arc::new(Shutdown::default());
    let host = ThisProcess::new(shutdown.clone());
    let server = Server::new(
        config.clone(),
        commands::all(),
        workers,
        Clock::System,
        Box::new(host),
    );
    // Freed memory goes back to the system from a thread of the allocator's own: after a million keys
    // have expired that takes milliseconds, which no command should wait for.
    if let Err(error) = tikv_jemalloc_ctl::background_thread::write(true) {
        log::warn!("The allocator has no background thread: {error}");
    }
    log::info!("Server initialized");
    end_on_signals(&shutdown)?;
    let ready = || {
        if config.read(parameter::PORT) != 0 {
            log::info!("Ready to accept connections tcp");
        }
        if let Some(path) = &unix_path {
            log::info!("Ready to accept connections unix ({})", path.display());
        }
    };
    net::run(&Arc::new(server), bound, &shutdown, ready)?;
    log::info!("User requested shutdown...");
    if pid_file.is_some() {
        log::info!("Removing the pid file.");
    }
    drop(pid_file);
    if let Some(path) = unix_path {
        log::info!("Removing the unix socket file.");
        let _ = std::fs::remove_file(path);
    }
    log::warn!("Caracal is now ready to exit, bye bye...");
    Ok(())
}

/// Directives whose neglect would change what clients may do are errors, not warnings.
fn refuse_unsupported(config: &Config) -> anyhow::Result<()> {
    for directive in config.directives() {
        if matches!(
            directive.name.as_str(),
            "user" | "rename-command" | "loadmodule"
        ) {
            anyhow::bail!(
                "The directive '{}' (line {} of the {}) is not supported by this version; remove it \
                 to start without what it configures",
                directive.name,
                directive.line,
                match &directive.source {
                    config::Source::File(path) => format!("file {}", path.display()),
                    config::Source::Stdin => "standard input".to_owned(),
                    config::Source::CommandLine => "command line".to_owned(),
                },
            );
        }
        log::warn!(
            "The directive '{}' has no effect: it belongs to a module",
            directive.name
        );
    }
    Ok(())
}

/// CONFIG SET says what cannot be done instead of answering OK: listening sockets stay where they are,
/// and clients need descriptors.
fn refuse_the_impossible(config: &Config) {
    config.on_change(|config, change| {
        if change.touches(parameter::MAXCLIENTS) {
            let clients = config.read(parameter::MAXCLIENTS) as u64;
            let granted = rlimit::increase_nofile_limit(clients + RESERVED_DESCRIPTORS);
            if granted.is_ok_and(|granted| granted < clients + RESERVED_DESCRIPTORS) {
                let reason = "The operating system is not able to handle the specified number of \
                              clients, try with a lower number"
                    .to_owned();
                return Err(config::Refusal {
                    parameter: parameter::MAXCLIENTS.id(),
                    reason,
                });
            }
        }
        let port = change
            .touches(parameter::PORT)
            .then(|| parameter::PORT.id());
        let bind = change
            .touches(parameter::BIND)
            .then(|| parameter::BIND.id());
        match port.or(bind) {
            None => Ok(()),
            Some(parameter) => {
                let reason = "the server cannot listen elsewhere while it runs".to_owned();
                Err(config::Refusal { parameter, reason })
            }
        }
    });
}

/// The first lines of the log.
fn greet(config: &Config, warnings: &[String], config_file: Option<&Path>) {
    let process = std::process::id();
    log::info!("oO0OoO0OoO0Oo Caracal is starting oO0OoO0OoO0Oo");
    log::info!(
        "Caracal version={VERSION}, redis_version={}, bits=64, pid={process}, just started",
        engine::REDIS_VERSION
    );
    match config_file {
        Some(path) => log::info!("Configuration loaded from {}", path.display()),
        None => log::info!("No config file specified, using the defaults"),
    }
    for warning in warnings {
        log::warn!("{warning}");
    }
    log::info!(
        "Running mode=standalone, port={}.",
        config.read(parameter::PORT)
    );
    log::info!(" PID: {process}");
}

/// Makes room for `maxclients` descriptors, or lowers it to what there is room for.
fn allow_descriptors(config: &Config) {
    let clients = config.read(parameter::MAXCLIENTS) as u64;
    let wanted = clients + RESERVED_DESCRIPTORS;
    let granted = rlimit::increase_nofile_limit(wanted).unwrap_or(1024);
    if granted < wanted {
        let clients = granted.saturating_sub(RESERVED_DESCRIPTORS).max(1);
        log::warn!(
            "The limit of open files allows {clients} clients instead of the configured \
             maxclients of {}; raise it with ulimit -n.",
            wanted - RESERVED_DESCRIPTORS
        );
        if let Err(error) = config.assign(parameter::MAXCLIENTS, clients.to_string().as_bytes()) {
            log::warn!("maxclients stays as it is: {error}");
        }
    }
}

/// Ends the server on SIGTERM and SIGINT. They are caught when this returns, so that one that comes
/// right after the server says it is ready does not kill it. They are awaited on a thread of their
/// own, which has nothing to do otherwise and ends with the process.
fn end_on_signals(shutdown: &Arc<Shutdown>) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let shutdown = shutdown.clone();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let (mut terminate, mut interrupt) = {
        let _context = runtime.enter();
        (
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
        )
    };
    let wait = async move {
        tokio::select! {
            _ = terminate.recv() => log::info!("Received SIGTERM scheduling shutdown..."),
            _ = interrupt.recv() => log::info!("Received SIGINT scheduling shutdown..."),
        }
        shutdown.trigger();
    };
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || runtime.block_on(wait))?;
    Ok(())
}
