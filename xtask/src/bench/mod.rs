//! `cargo xtask bench`: Caracal beside its peers, in one run on one machine.
//!
//! What is compared is the server's time on the processor per request, all its threads together. Unlike a throughput it
//! does not depend on whether the load generator is the bottleneck, and little on what else the machine does. Servers
//! are pinned to one processor and the load to another, the rounds go from server to server, and medians are printed
//! with their ratio to Redis 7.0. Quote ratios within one run only.

mod commands;
mod eviction;
mod idle;
mod load;
mod null;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use self::load::{Load, Table, Tests};
use crate::oracles;
use crate::server::{Server, plain_flags};
use crate::{target_dir, workspace};

/// Where servers run, and where the load does.
const SERVER_CPU: &str = "0";
const LOAD_CPU: &str = "1";

const EVERY_TEST: &[&str] = &[
    "set",
    "get",
    "incr",
    "lpush",
    "rpush",
    "lpop",
    "rpop",
    "sadd",
    "hset",
    "spop",
    "lrange_100",
    "lrange_300",
    "lrange_500",
    "lrange_600",
    "mset",
];
const WITH_SORTED_SETS: &[&str] = &[
    "set",
    "get",
    "incr",
    "lpush",
    "rpush",
    "lpop",
    "rpop",
    "sadd",
    "hset",
    "spop",
    "zadd",
    "zpopmin",
    "lrange_100",
    "mset",
];
const MANY_KEYS: &[&str] = &["set", "get", "incr", "sadd", "hset", "zadd", "mset"];
const SET_AND_GET: &[&str] = &["set", "get"];

const BASE: Table = table("Pipeline of 5", 5, 200_000, EVERY_TEST);
const P1: Table = table("No pipeline", 1, 100_000, WITH_SORTED_SETS);
const P16: Table = table("Pipeline of 16", 16, 400_000, WITH_SORTED_SETS);
const RANDOM: Table = Table {
    keyspace: 1_000_000,
    ..table("Pipeline of 16, a million keys", 16, 400_000, MANY_KEYS)
};
const P100: Table = table("Pipeline of 100", 100, 1_000_000, SET_AND_GET);
const P100_RANDOM: Table = Table {
    keyspace: 1_000_000,
    ..table(
        "Pipeline of 100, a million keys",
        100,
        1_000_000,
        SET_AND_GET,
    )
};

const fn table(title: &'static str, pipeline: u32, requests: u64, tests: Tests) -> Table {
    Table {
        title,
        pipeline,
        requests,
        tests,
        keyspace: 0,
    }
}

/// What the command line asks for.
struct Options {
    which: String,
    requests: Option<u64>,
    rounds: usize,
    servers: Option<Vec<String>>,
}

/// A server that takes part.
struct Contestant {
    /// The name for `--servers`.
    name: &'static str,
    /// The head of its column.
    title: &'static str,
    program: PathBuf,
    flags: Vec<String>,
}

/// The task.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let options = Options::parse(args)?;
    let benchmark =
        oracles::on_path("redis-benchmark").context("redis-benchmark is not installed")?;
    ensure!(
        oracles::on_path("taskset").is_some(),
        "taskset is not installed"
    );
    let tables: &[Table] = match options.which.as_str() {
        "base" => &[BASE],
        "p1" => &[P1],
        "p16" => &[P16],
        "random" => &[RANDOM],
        "p100" => &[P100, P100_RANDOM],
        "all" => &[BASE, P1, P16, RANDOM, P100, P100_RANDOM],
        "commands" | "eviction" | "workers" | "idle" => &[],
        other => bail!("there is no bench {other}"),
    };
    if ["idle", "all"].contains(&options.which.as_str()) {
        idle::raise_file_limit()?;
    }
    let load = Load {
        benchmark,
        requests: options.requests,
        rounds: options.rounds,
    };
    if !tables.is_empty() {
        let peers = contestants(
            &options,
            &["null", "redis-7.0", "valkey-9.1", "redis-8.2", "caracal"],
        )?;
        for table in tables {
            // A table has servers of its own, so that the keys of one do not weigh on the next.
            let servers = start(&peers, SERVER_CPU)?;
            println!("{}", load.table(table, &peers, &servers)?);
        }
    }
    if options.which == "commands" {
        let names: &[&'static str] = match options.servers {
            None => &["redis-7.0", "caracal"],
            Some(_) => &["redis-7.0", "valkey-9.1", "redis-8.2", "caracal"],
        };
        let peers = contestants(&options, names)?;
        let servers = start(&peers, SERVER_CPU)?;
        let table = commands::table(
            &load.benchmark,
            options.requests,
            options.rounds,
            &peers,
            &servers,
        )?;
        println!("{table}");
    }
    if options.which == "eviction" {
        let peers = contestants(
            &options,
            &["redis-7.0", "valkey-9.1", "redis-8.2", "caracal"],
        )?;
        println!("{}", eviction::table(&peers, options.requests)?);
    }
    if ["workers", "all"].contains(&options.which.as_str()) {
        let pair = contestants(&options, &["caracal", "caracal-2"])?;
        for table in [&P1, &P16, &P100, &P100_RANDOM] {
            let table = Table {
                tests: SET_AND_GET,
                ..*table
            };
            let servers = start(&pair, "0,1")?;
            println!("{}", load.table(&table, &pair, &servers)?);
        }
    }
    if ["idle", "all"].contains(&options.which.as_str()) {
        let peers = contestants(
            &options,
            &["redis-7.0", "valkey-9.1", "redis-8.2", "caracal"],
        )?;
        println!("{}", idle::table(&peers)?);
    }
    Ok(())
}

/// The task `null-server`: never returns.
pub(crate) fn null_server(args: &[String]) -> Result<()> {
    let position = args
        .iter()
        .position(|arg| arg == "--port")
        .context("--port N")?;
    null::serve(args.get(position + 1).context("--port N")?.parse()?)
}

impl Options {
    fn parse(args: &[String]) -> Result<Self> {
        let mut options = Self {
            which: "base".into(),
            requests: None,
            rounds: 3,
            servers: None,
        };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "-n" => options.requests = Some(args.next().context("-n N")?.parse()?),
                "--rounds" => options.rounds = args.next().context("--rounds N")?.parse()?,
                "--servers" => {
                    let list = args.next().context("--servers A,B")?;
                    options.servers = Some(list.split(',').map(String::from).collect());
                }
                option if option.starts_with('-') => bail!("bench does not know {option}"),
                which => which.clone_into(&mut options.which),
            }
        }
        ensure!(options.rounds > 0, "--rounds must be 1 or more");
        Ok(options)
    }
}

/// Those of `names` that are installed and that the options do not leave out.
fn contestants(options: &Options, names: &[&'static str]) -> Result<Vec<Contestant>> {
    let installed = oracles::installed();
    let oracle = |name: &str| {
        installed
            .iter()
            .find(|oracle| oracle.name == name)
            .map(|oracle| oracle.program.clone())
    };
    let caracal = |workers: &str| {
        let flags = [plain_flags(), vec!["--workers".into(), workers.into()]].concat();
        (crate::caracal().ok(), flags)
    };
    let mut contestants = Vec::new();
    for &name in names {
        if options
            .servers
            .as_ref()
            .is_some_and(|wanted| !wanted.iter().any(|it| it == name))
        {
            continue;
        }
        let (title, (program, flags)) = match name {
            "null" => {
                let flags = vec!["null-server".to_owned()];
                ("null server", (Some(null_server_program()?), flags))
            }
            "redis-7.0" => ("Redis 7.0", (oracle(name), plain_flags())),
            "valkey-9.1" => ("Valkey 9.1", (oracle(name), plain_flags())),
            "redis-8.2" => ("Redis 8.2", (oracle(name), plain_flags())),
            "caracal-2" => ("Caracal, 2 workers", caracal("2")),
            _ => ("Caracal", caracal("1")),
        };
        match program {
            Some(program) => contestants.push(Contestant {
                name,
                title,
                program,
                flags,
            }),
            None => eprintln!("{title} is not installed or not built, and is left out"),
        }
    }
    ensure!(!contestants.is_empty(), "no server takes part");
    Ok(contestants)
}

/// A release build of this package: an unoptimised floor would be none.
fn null_server_program() -> Result<PathBuf> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--package", "xtask"])
        .current_dir(workspace())
        .status()?;
    ensure!(built.success(), "the null server could not be built");
    Ok(target_dir().join("release/xtask"))
}

fn start(contestants: &[Contestant], cpus: &str) -> Result<Vec<Server>> {
    contestants
        .iter()
        .map(|contestant| Server::start(&contestant.program, &contestant.flags, Some(cpus)))
        .collect()
}
