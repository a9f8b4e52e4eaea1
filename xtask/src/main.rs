//! `cargo xtask`: the development tasks. Each one is a module; this file only chooses among them.
//!
//! The tasks drive finished programs from outside (sockets, processes, files). They must not link the server, so that
//! building them takes seconds and a broken server can still be tested.

mod bench;
mod compat;
mod fuzz;
mod oracles;
mod random;
mod server;
mod test;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask TASK

  test [--only TEXT]         everything that CI runs, step by step; stops at the first failure
  compat [--filter TEXT] [--update] [--ours ORACLE|PATH]
                             sends tests/compat/*.txt to caracal and to the oracles, and compares
  compat --random [SECONDS] [--seed N] [--groups A,B] [--ours ORACLE|PATH] [--findings N] [--coverage] [--sided]
                             sends commands by chance instead; a group is one of xtask/src/random/grammar.txt, or the
                             name of a command; --sided also shows where only Redis agrees
  bench [base|p1|p16|random|p100|workers|idle|commands|eviction|all] [-n N] [--rounds N] [--servers A,B]
                             tables of server CPU per request, as markdown
  null-server --port N       answers +OK to every command: the floor that bench measures against
  fuzz TARGET [SECONDS]      coverage-guided fuzzing of one of fuzz/targets
  tidy                       checks of the source tree that no compiler makes";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    let outcome = match args.first().map(String::as_str) {
        Some("test") => test::run(rest),
        Some("compat") => compat::run(rest),
        Some("bench") => bench::run(rest),
        Some("null-server") => bench::null_server(rest),
        Some("fuzz") => fuzz::run(rest),
        Some("tidy") => tidy::run(rest),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace: the folder above this package's.
fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies inside the workspace")
}

/// Where cargo puts what it builds.
fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace().join("target"), |dir| workspace().join(dir))
}

/// The release build of the server.
fn caracal() -> Result<PathBuf> {
    let path = target_dir().join("release/caracal");
    if !path.exists() {
        bail!(
            "{} does not exist: run `cargo build --release` first",
            path.display()
        );
    }
    Ok(path)
}
