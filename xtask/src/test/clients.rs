//! Clients that people use, run against the release build: the programs in tests/clients, and redis-benchmark.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Outcome, must};
use crate::server::{Server, plain_flags};
use crate::{caracal, oracles, workspace};

/// Two workers, so that the clients' connections spread over threads.
fn server() -> Result<Server> {
    let flags = [plain_flags(), vec!["--workers".into(), "2".into()]].concat();
    Server::start(&caracal()?, &flags, None)
}

pub(super) fn redis_cli() -> Result<Outcome> {
    if oracles::on_path("redis-cli").is_none() {
        return Ok(Outcome::Missing("redis-cli is not installed".to_owned()));
    }
    let server = server()?;
    let script = workspace().join("tests/clients/redis_cli.sh");
    must(
        Command::new("bash")
            .arg(script)
            .arg(server.port.to_string()),
    )?;
    Ok(Outcome::Passed)
}

pub(super) fn redis_py() -> Result<Outcome> {
    let Some(python) = oracles::python_with("redis") else {
        return Ok(Outcome::Missing(
            "the Python package redis is not installed".to_owned(),
        ));
    };
    let server = server()?;
    for program in ["redis_py_sync.py", "redis_py_asyncio.py"] {
        for protocol in ["2", "3"] {
            let path = workspace().join("tests/clients").join(program);
            must(
                Command::new(&python)
                    .arg(path)
                    .arg(server.port.to_string())
                    .arg(protocol),
            )?;
        }
    }
    Ok(Outcome::Passed)
}

/// The whole default suite, the line that pydis is measured with, and the options that change how it connects.
pub(super) fn redis_benchmark() -> Result<Outcome> {
    let Some(program) = oracles::on_path("redis-benchmark") else {
        return Ok(Outcome::Missing(
            "redis-benchmark is not installed".to_owned(),
        ));
    };
    let server = server()?;
    let pydis = "set,get,incr,lpush,rpush,lpop,rpop,sadd,hset,spop,lrange,mset";
    benchmark(&program, &server, "-n 1000 -q", 20)?;
    benchmark(
        &program,
        &server,
        &format!("-n 1000 -q -P 5 -t {pydis}"),
        16,
    )?;
    benchmark(&program, &server, "-n 1000 -q -P 16 -r 10000 -d 100", 20)?;
    benchmark(&program, &server, "-n 1000 -q -3", 20)?;
    benchmark(
        &program,
        &server,
        "-n 2000 -q --threads 2 -c 100 -t set,get,lpush",
        3,
    )?;
    benchmark(&program, &server, "-n 500 -q -k 0 -t ping,set", 3)?;
    benchmark(
        &program,
        &server,
        "-n 1000 -q --dbnum 3 -r 100 SET key:__rand_int__ value",
        1,
    )?;
    Ok(Outcome::Passed)
}

/// Runs it and counts the tests that it reports a rate for. An error reply ends redis-benchmark with a failure.
fn benchmark(program: &Path, server: &Server, options: &str, tests: usize) -> Result<()> {
    println!("redis-benchmark {options}");
    let output = Command::new(program)
        .args(["-p", &server.port.to_string()])
        .args(options.split(' '))
        .output()
        .context("cannot run redis-benchmark")?;
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "\n");
    let shown = || format!("{text}\n{}", String::from_utf8_lossy(&output.stderr));
    ensure!(
        output.status.success(),
        "redis-benchmark failed:\n{}",
        shown()
    );
    ensure!(
        !shown().contains("rror"),
        "redis-benchmark reports an error:\n{}",
        shown()
    );
    let reported = text.matches("requests per second").count();
    ensure!(
        reported == tests,
        "{reported} tests reported, expected {tests}:\n{}",
        shown()
    );
    Ok(())
}
