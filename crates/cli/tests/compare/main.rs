//! Compares this client with the `redis-cli` that is installed, byte for byte, against a
//! `redis-server`; and drives the prompt through a pseudo-terminal.
//!
//! This binary is test and client in one: run with [`PLAY`] in its environment it is the client, so
//! that the comparison covers the process with its exit code and streams. Without the two programs
//! it says so and passes.

mod dialogue;
mod differential;
mod process;
mod prompt;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, ExitCode, Stdio};

use cli::{CommandHint, Program};

/// Set in the environment of the process that plays the client.
const PLAY: &str = "CARACAL_CLI_UNDER_TEST";

type Test = (&'static str, fn());

fn main() -> ExitCode {
    if std::env::var_os(PLAY).is_some() {
        let program = Program {
            name: "redis-cli",
            version: "0.0.0",
        };
        return ExitCode::from(cli::run(program, std::env::args_os().skip(1), &hints()));
    }
    for program in ["redis-server", "redis-cli"] {
        let found = Command::new(program)
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        if !found.is_ok_and(|status| status.success()) {
            println!("skipped: {program} is not installed, so there is nothing to compare with");
            return ExitCode::SUCCESS;
        }
    }
    let filters: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let mut failed = Vec::new();
    for (name, test) in differential::TESTS
        .iter()
        .chain(dialogue::TESTS)
        .chain(prompt::TESTS)
    {
        if !filters.is_empty() && !filters.iter().any(|filter| name.contains(filter)) {
            continue;
        }
        let passed = catch_unwind(AssertUnwindSafe(test)).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        if !passed {
            failed.push(name);
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("failed: {failed:?}");
    ExitCode::FAILURE
}

fn hints() -> Vec<CommandHint> {
    let hint = |name: &'static str, syntax: &'static str| CommandHint {
        name: name.into(),
        syntax: syntax.into(),
        summary: "Summary.".into(),
        group: "test".into(),
    };
    vec![
        hint("GET", "key"),
        hint("SET", "key value [NX | XX]"),
        hint("SETNX", "key value"),
    ]
}
