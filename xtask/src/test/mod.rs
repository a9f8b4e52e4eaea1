//! `cargo xtask test`: everything that CI runs, in order, from the cheapest to the dearest that can still be wrong.
//!
//! It stops at the first failure. A step whose tools cannot be had on this machine is skipped and said so at the end;
//! with `CI=true` in the environment that is a failure too. The last line counts the steps.

mod clients;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::{compat, fuzz, oracles, random, target_dir, tidy, workspace};

/// How a step ended, short of an error.
enum Outcome {
    Passed,
    /// There is nothing to do in this source tree.
    NothingToDo(&'static str),
    /// What it needs could not be had.
    Missing(String),
}

/// The task.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let only = match args {
        [] => String::new(),
        [option, text] if option == "--only" => text.to_lowercase(),
        _ => bail!("test takes --only TEXT or nothing"),
    };
    let mut run = Run {
        only,
        ci: std::env::var("CI").is_ok_and(|value| value == "true"),
        started: Instant::now(),
        passed: 0,
        skipped: Vec::new(),
    };
    if let Err(error) = run.all() {
        println!("\nFAILED: {error:#}");
        run.count(1);
        std::process::exit(1);
    }
    run.count(0);
    Ok(())
}

struct Run {
    /// What a step's title must contain for it to run, in lower case.
    only: String,
    ci: bool,
    started: Instant,
    passed: u32,
    skipped: Vec<(&'static str, String)>,
}

impl Run {
    fn all(&mut self) -> Result<()> {
        self.step("Formatting", || cargo(&["fmt", "--all", "--check"], &[]))?;
        self.step("Source tree (tidy)", || {
            tidy::run(&[]).map(|()| Outcome::Passed)
        })?;
        self.step("Clippy", || {
            cargo(
                &[
                    "clippy",
                    "--workspace",
                    "--all-targets",
                    "--",
                    "-D",
                    "warnings",
                ],
                &[],
            )
        })?;
        self.step("Licences of the dependencies (cargo deny)", licences)?;
        self.step("Tests of the workspace", || {
            cargo(&["test", "--workspace", "--quiet"], &[])
        })?;
        self.step("Lock orders (loom)", loom)?;
        self.step("Request parser (fuzzer, 15 s)", || {
            let args = ["request", "15"].map(str::to_owned);
            fuzz::run(&args).map(|()| Outcome::Passed)
        })?;
        self.step("Release build", || {
            cargo(&["build", "--release", "--package", "caracal"], &[])
        })?;
        self.step("Oracles and clients are installed", install)?;
        self.step("Replies compared with Redis and Valkey (compat)", || {
            let missing = missing_oracles();
            if !missing.is_empty() {
                return Ok(Outcome::Missing(format!(
                    "not installed: {}",
                    missing.join(", ")
                )));
            }
            compat::run(&[]).map(|()| Outcome::Passed)
        })?;
        // A fixed seed, so that a failure is the same here and there. By hand it may run for hours, from other seeds.
        self.step("Commands by chance, replies compared (random)", || {
            let missing = missing_oracles();
            if !missing.is_empty() {
                return Ok(Outcome::Missing(format!(
                    "not installed: {}",
                    missing.join(", ")
                )));
            }
            random::run(&["40", "--seed", "1"].map(String::from)).map(|()| Outcome::Passed)
        })?;
        self.step("redis-cli", clients::redis_cli)?;
        self.step("redis-benchmark", clients::redis_benchmark)?;
        self.step("redis-py", clients::redis_py)?;
        Ok(())
    }

    fn step(&mut self, title: &'static str, work: impl FnOnce() -> Result<Outcome>) -> Result<()> {
        if !title.to_lowercase().contains(&self.only) {
            return Ok(());
        }
        println!("\n=== {title}");
        let started = Instant::now();
        let outcome = work().with_context(|| title)?;
        let seconds = started.elapsed().as_secs_f64();
        match outcome {
            Outcome::Passed => {
                println!("--- passed in {seconds:.1} s");
                self.passed += 1;
            }
            Outcome::NothingToDo(why) => {
                println!("--- skipped: {why}");
                self.skipped.push((title, why.to_owned()));
            }
            Outcome::Missing(why) if self.ci => bail!("{title}: {why}"),
            Outcome::Missing(why) => {
                println!("--- skipped: {why}");
                self.skipped.push((title, why));
            }
        }
        Ok(())
    }

    fn count(&self, failed: u32) {
        println!("\n{:.0} s in all", self.started.elapsed().as_secs_f64());
        for (title, why) in &self.skipped {
            println!("skipped: {title}: {why}");
        }
        let skipped = match self.skipped.len() {
            0 => String::new(),
            count => format!(", {count} skipped"),
        };
        println!("{} passed, {failed} failed{skipped}", self.passed);
    }
}

/// Runs a command with its output in ours; its failure is an error that names it.
fn must(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let args: Vec<_> = command
        .get_args()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let name = Path::new(&program)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let status = command
        .status()
        .with_context(|| format!("cannot run {name}"))?;
    ensure!(
        status.success(),
        "`{name} {}` failed ({status})",
        args.join(" ")
    );
    Ok(())
}

fn cargo(args: &[&str], environment: &[(&str, &str)]) -> Result<Outcome> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command
        .args(args)
        .envs(environment.iter().copied())
        .current_dir(workspace());
    must(&mut command)?;
    Ok(Outcome::Passed)
}

fn licences() -> Result<Outcome> {
    if oracles::on_path("cargo-deny").is_none() {
        return Ok(Outcome::NothingToDo("cargo-deny is not installed"));
    }
    cargo(
        &["deny", "--offline", "check", "licenses", "bans", "sources"],
        &[],
    )
}

/// The loom tests need every lock and atomic of the crate replaced, so they are a build of their own.
fn loom() -> Result<Outcome> {
    let mut has_tests = false;
    for file in tidy::files_under(&workspace().join("crates/keyspace"), "rs")? {
        has_tests |= std::fs::read_to_string(file)?.contains("cfg(loom)");
    }
    if !has_tests {
        return Ok(Outcome::NothingToDo("keyspace has no loom tests"));
    }
    let target = target_dir().join("loom").to_string_lossy().into_owned();
    let flags = [
        ("RUSTFLAGS", "--cfg loom"),
        ("CARGO_TARGET_DIR", target.as_str()),
    ];
    // Loom explores thousands of interleavings: without optimisation that takes minutes. Link-time optimisation would
    // take longer than it saves.
    let profile = [
        ("CARGO_PROFILE_RELEASE_LTO", "off"),
        ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ];
    cargo(
        &[
            "test",
            "--package",
            "keyspace",
            "--lib",
            "--release",
            "--quiet",
            "loom_",
        ],
        &[flags, profile].concat(),
    )
}

fn install() -> Result<Outcome> {
    let failures = oracles::install();
    for failure in &failures {
        println!("not installed: {failure}");
    }
    Ok(match failures.as_slice() {
        [] => Outcome::Passed,
        failures => Outcome::Missing(failures.join("; ")),
    })
}

fn missing_oracles() -> Vec<&'static str> {
    let installed = oracles::installed();
    let is_missing = |name: &&'static str| !installed.iter().any(|oracle| oracle.name == *name);
    oracles::NAMES.into_iter().filter(is_missing).collect()
}
