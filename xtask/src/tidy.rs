//! `cargo xtask tidy`: rules of the source tree that no compiler checks.
//!
//! Each rule is a function from a file to complaints. A complaint fails the run; a note is only shown.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::workspace;

/// No source file is longer.
const LINES_MAX: usize = 1000;

/// A file that is longer is named, so that it is split before it must be.
const LINES_NOTED: usize = 600;

/// The crates that may open `unsafe`: the data structures, and the few lines of locking and of sockets that need it.
const UNSAFE_CRATES: [&str; 3] = ["structures", "keyspace", "caracal"];

/// The task.
pub(crate) fn run(args: &[String]) -> Result<()> {
    ensure!(args.is_empty(), "tidy takes no arguments");
    let root = workspace();
    let mut complaints = Vec::new();
    let mut sources = Vec::new();
    for folder in ["crates", "xtask"] {
        sources.extend(files_under(&root.join(folder), "rs")?);
    }
    for path in &sources {
        let text = std::fs::read_to_string(path)?;
        let name = relative(path);
        let in_crate = name
            .strip_prefix("crates/")
            .and_then(|rest| rest.split('/').next());
        let is_source = name.split('/').nth(2) == Some("src");
        let lines = text.lines().count();
        if lines > LINES_MAX {
            complaints.push(format!("{name} has {lines} lines, more than {LINES_MAX}"));
        } else if lines > LINES_NOTED {
            println!("note: {name} has {lines} lines");
        }
        if is_source && !text.starts_with("//!") {
            complaints.push(format!("{name} does not open with `//!`"));
        }
        complaints.extend(forbidden_words(&name, &text));
        let allowed = in_crate.is_some_and(|name| UNSAFE_CRATES.contains(&name));
        if !allowed && !name.ends_with("xtask/src/tidy.rs") {
            complaints.extend(unsafe_code(&name, &text));
        }
    }
    complaints.extend(undeclared_commands(&root.join("crates/commands/src"))?);
    for path in tracked_text(root)? {
        complaints.extend(machine_paths(
            &relative(&path),
            &std::fs::read_to_string(&path)?,
        ));
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    ensure!(complaints.is_empty(), "{} complaints", complaints.len());
    println!("{} source files are tidy", sources.len());
    Ok(())
}

/// All files below `folder` with this extension, in order; what cargo builds is left out.
pub(crate) fn files_under(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() && !name.starts_with("target") && name != ".git" {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn relative(path: &Path) -> String {
    path.strip_prefix(workspace())
        .unwrap_or(path)
        .to_string_lossy()
        .replace('\\', "/")
}

/// Lines of code: comments are left out, so that a rule can be written about.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| {
        let code = line.find("//").map_or(line, |start| &line[..start]);
        (index + 1, code)
    })
}

fn forbidden_words(name: &str, text: &str) -> Vec<String> {
    // Joined here so that this file does not contain them.
    let words =
        [["to", "do!("], ["db", "g!("], ["unimple", "mented!("]].map(|parts| parts.concat());
    let mut complaints = Vec::new();
    for (line, code) in code_lines(text) {
        for word in words.iter().filter(|word| code.contains(word.as_str())) {
            complaints.push(format!("{name}:{line} has {word}…)"));
        }
    }
    for (index, line) in text.lines().enumerate() {
        if ["TO", "FIX"]
            .iter()
            .zip(["DO", "ME"])
            .any(|(a, b)| line.contains(&format!("{a}{b}")))
        {
            complaints.push(format!("{name}:{} leaves work for later", index + 1));
        }
    }
    complaints
}

fn unsafe_code(name: &str, text: &str) -> Vec<String> {
    let opens = |code: &str| {
        [
            "unsafe {",
            "unsafe fn",
            "unsafe impl",
            "unsafe trait",
            "unsafe extern",
            "allow(unsafe_code)",
        ]
        .iter()
        .any(|form| code.contains(form))
    };
    let lines = code_lines(text).filter(|(_, code)| opens(code));
    lines
        .map(|(line, _)| format!("{name}:{line} opens unsafe outside the crates that may"))
        .collect()
}

/// Command files that their group's `mod.rs` does not declare would compile to nothing, and never be found missing.
fn undeclared_commands(commands: &Path) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    for file in files_under(commands, "rs")? {
        let stem = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let folder = file.parent().unwrap_or(commands);
        if stem == "mod" || stem == "lib" || folder == commands {
            continue;
        }
        let table = folder.join("mod.rs");
        let text = std::fs::read_to_string(&table).unwrap_or_default();
        let declares = |line: &str| {
            let declaration = line.trim().rsplit("mod ").next().unwrap_or_default();
            line.contains("mod ") && declaration.trim_end_matches(';') == stem
        };
        let raw = format!("r#{stem}");
        let declared = text
            .lines()
            .any(|line| declares(line) || line.contains(&raw));
        if !declared {
            complaints.push(format!(
                "{} is not declared in {}",
                relative(&file),
                relative(&table)
            ));
        }
    }
    Ok(complaints)
}

/// The text files that belong to the project.
fn tracked_text(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for extension in ["rs", "md", "toml", "txt", "py", "sh", "yml"] {
        files.extend(files_under(root, extension)?);
    }
    Ok(files)
}

/// Paths that exist on one person's machine only.
fn machine_paths(name: &str, text: &str) -> Vec<String> {
    let folders = [
        ["/ho", "me/"],
        ["/ro", "ot/"],
        ["/wo", "rk/"],
        ["/Us", "ers/"],
    ];
    let mut complaints = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for folder in folders.map(|parts| parts.concat()) {
            let inside = line.match_indices(&folder).any(|(at, _)| {
                // Part of a longer path or of an address is something else.
                let before = line[..at].chars().next_back();
                !before.is_some_and(|c| c.is_alphanumeric() || ".-_}/".contains(c))
            });
            if inside {
                complaints.push(format!(
                    "{name}:{} names a machine's path: {folder}",
                    index + 1
                ));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_path_is_found_and_a_part_of_another_is_not() {
        let root = ["/ro", "ot/x"].concat();
        assert_eq!(machine_paths("f", &format!("open {root}")).len(), 1);
        assert!(machine_paths("f", &format!("https://host{root} and .{root}")).is_empty());
    }

    #[test]
    fn unsafe_is_found_in_code_only() {
        assert_eq!(unsafe_code("f", "let x = unsafe { y };").len(), 1);
        assert!(unsafe_code("f", "// unsafe { y }\n#![deny(unsafe_code)]").is_empty());
    }
}
