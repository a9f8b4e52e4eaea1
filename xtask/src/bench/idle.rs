//! Memory of connections that do nothing.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::{Contestant, SERVER_CPU};
use crate::server::Server;

const CONNECTIONS: u64 = 10_000;

/// Descriptors that either side needs: the connections and some of its own.
const FILES: u64 = CONNECTIONS + 500;

/// The table as markdown.
pub(super) fn table(contestants: &[Contestant]) -> Result<String> {
    let mut text = format!(
        "### {CONNECTIONS} idle connections\n\nBytes of resident memory per connection\n\n\
         |  | before the first command | after a PING |\n|---|---|---|\n"
    );
    for contestant in contestants {
        eprintln!("idle connections: {}", contestant.title);
        let (connected, used) = measure(contestant)?;
        let _ = writeln!(text, "| {} | {connected} | {used} |", contestant.title);
    }
    Ok(text)
}

fn measure(contestant: &Contestant) -> Result<(u64, u64)> {
    let flags = [
        contestant.flags.clone(),
        vec!["--maxclients".into(), "10200".into()],
    ]
    .concat();
    let server = Server::start(&contestant.program, &flags, Some(SERVER_CPU))?;
    let settle = || std::thread::sleep(Duration::from_secs(3));
    settle();
    let before = server.resident_bytes()?;
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        connections.push(server.connect()?);
    }
    // The last one is answered when all have been accepted.
    let mut ping = |index: usize| -> Result<()> {
        connections[index].set_read_timeout(Some(Duration::from_secs(10)))?;
        connections[index].write_all(b"PING\r\n")?;
        let mut reply = [0; 7];
        connections[index]
            .read_exact(&mut reply)
            .context("a connection was not served")?;
        ensure!(
            &reply == b"+PONG\r\n",
            "PING was answered with {}",
            reply.escape_ascii()
        );
        Ok(())
    };
    ping(CONNECTIONS as usize - 1)?;
    settle();
    let connected = server.resident_bytes()?.saturating_sub(before);
    for index in 0..CONNECTIONS as usize {
        ping(index)?;
    }
    settle();
    let used = server.resident_bytes()?.saturating_sub(before);
    Ok((connected / CONNECTIONS, used / CONNECTIONS))
}

/// Runs this very command again under a higher limit of open files if the one in force is too low.
pub(super) fn raise_file_limit() -> Result<()> {
    let limits = std::fs::read_to_string("/proc/self/limits")?;
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"))
        .context("no limits")?;
    let soft = line.split_whitespace().nth(3).unwrap_or_default();
    if soft == "unlimited" || soft.parse::<u64>().is_ok_and(|soft| soft >= FILES) {
        return Ok(());
    }
    if std::env::var_os("CARACAL_BENCH_RAISED").is_some() {
        bail!("the limit of open files is {soft}, this needs {FILES}");
    }
    let status = Command::new("sh")
        .args(["-c", &format!("ulimit -S -n {FILES} && exec \"$0\" \"$@\"")])
        .arg(std::env::current_exe()?)
        .args(std::env::args().skip(1))
        .env("CARACAL_BENCH_RAISED", "1")
        .status()?;
    std::process::exit(status.code().unwrap_or(1));
}
