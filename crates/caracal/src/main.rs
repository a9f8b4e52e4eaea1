//! The `caracal` binary: a server, and what belongs to it as subcommands.
//!
//! Which program runs is decided by the name it was called by (`redis-server`, `valkey-cli` ...) and
//! else by the first argument; `server` is what runs without one.

mod allocator;
mod daemon;
mod help;
mod host;
mod logger;
mod serve;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The programs in this binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Server,
    Cli,
    Bench,
}

impl Program {
    /// The program that goes by the name of an executable, other than the binary's own.
    fn by_executable(name: &str) -> Option<Program> {
        match name {
            "redis-server" | "valkey-server" => Some(Program::Server),
            "redis-cli" | "valkey-cli" => Some(Program::Cli),
            "redis-benchmark" | "valkey-benchmark" => Some(Program::Bench),
            _ => None,
        }
    }

    /// The program that a first argument names.
    fn by_argument(argument: &str) -> Option<Program> {
        match argument {
            "server" => Some(Program::Server),
            "cli" => Some(Program::Cli),
            "bench" => Some(Program::Bench),
            _ => None,
        }
    }
}

fn main() -> ExitCode {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    let name = args
        .first()
        .map(Path::new)
        .and_then(Path::file_name)
        .and_then(|name| name.to_str());
    let name = name.unwrap_or("caracal").to_owned();
    args.drain(..args.len().min(1));
    let (program, shown_name) = match Program::by_executable(&name) {
        Some(program) => (program, name),
        None => match args
            .first()
            .and_then(|first| first.to_str())
            .and_then(Program::by_argument)
        {
            Some(program) => {
                let word = args.remove(0);
                (program, format!("caracal {}", word.to_string_lossy()))
            }
            None => (Program::Server, "caracal".to_owned()),
        },
    };
    match program {
        Program::Server => serve::run(args, &shown_name),
        Program::Cli => {
            let program = cli::Program {
                name: &shown_name,
                version: VERSION,
            };
            ExitCode::from(cli::run(program, args, &help::command_hints()))
        }
        Program::Bench => benchmark::run(args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_names() {
        assert_eq!(
            Program::by_executable("redis-server"),
            Some(Program::Server)
        );
        assert_eq!(Program::by_executable("caracal"), None);
        assert_eq!(Program::by_argument("bench"), Some(Program::Bench));
        assert_eq!(Program::by_argument("/etc/caracal.conf"), None);
    }
}
