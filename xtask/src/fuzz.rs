//! `cargo xtask fuzz TARGET [SECONDS]`: coverage-guided fuzzing of one of fuzz/targets.
//!
//! The flags are those with which cargo-fuzz asks the compiler for coverage, less the sanitizers, which need a nightly
//! compiler: this code has next to no `unsafe`, and its assertions and overflow checks are on.
//! What is found is kept in fuzz/corpus and fuzz/artifacts, which are not committed; a failure becomes a test.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::{target_dir, workspace};

const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// The task.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let (target, seconds) = match args {
        [target] => (target, "60"),
        [target, seconds] => (target, seconds.as_str()),
        _ => bail!(
            "fuzz takes TARGET [SECONDS]; the targets are {}",
            targets()?.join(", ")
        ),
    };
    ensure!(
        targets()?.contains(target),
        "there is no target {target}, but {}",
        targets()?.join(", ")
    );
    let folder = workspace().join("fuzz");
    let built = target_dir().join("fuzz");
    let status = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
        // Build scripts run in this process's world and must not be instrumented: that takes a `--target`.
        .args(["build", "--release", "--target", &host()?, "--bin", target])
        .env("RUSTFLAGS", COVERAGE)
        .env("CARGO_TARGET_DIR", &built)
        .current_dir(&folder)
        .status()
        .context("cannot run cargo")?;
    ensure!(status.success(), "the fuzzer does not build");
    let corpus = folder.join("corpus").join(target);
    let artifacts = folder.join("artifacts").join(target);
    std::fs::create_dir_all(&corpus)?;
    std::fs::create_dir_all(&artifacts)?;
    let program = built.join(host()?).join("release").join(target);
    let status = Command::new(program)
        .arg(&corpus)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .args([
            "-max_len=4096",
            "-rss_limit_mb=1024",
            "-timeout=10",
            "-print_final_stats=1",
        ])
        .status()
        .context("cannot run the fuzzer")?;
    ensure!(
        status.success(),
        "{target}: a failing input is in fuzz/artifacts/{target}"
    );
    Ok(())
}

fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in std::fs::read_dir(workspace().join("fuzz/targets"))? {
        let path = file?.path();
        names.extend(
            path.file_stem()
                .map(|name| name.to_string_lossy().into_owned()),
        );
    }
    names.sort();
    Ok(names)
}

/// The triple of this machine.
fn host() -> Result<String> {
    let output = Command::new("rustc")
        .arg("-vV")
        .output()
        .context("cannot run rustc")?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}
