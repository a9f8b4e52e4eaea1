//! The lines typed before, kept in a file between runs.
//!
//! Lines with secrets stay in memory only. A line is appended as soon as it is entered, so that
//! several clients can share the file, and only the user may read it.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use crate::session::is;

/// Lines kept; the file is cut back to this when it has grown to twice as many.
pub(crate) const LINES_MAX: usize = 1000;

pub(crate) struct History {
    path: Option<PathBuf>,
}

impl History {
    /// The file named by the environment, or the one in the home directory.
    pub(crate) fn open() -> Self {
        History {
            path: dotfile("CARACALCLI_HISTFILE", ".caracalcli_history"),
        }
    }

    /// The newest lines, oldest first.
    pub(crate) fn load(&self) -> Vec<String> {
        let Some(path) = &self.path else {
            return Vec::new();
        };
        let bytes = fs::read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let newest = lines[lines.len().saturating_sub(LINES_MAX)..].to_vec();
        if lines.len() > 2 * LINES_MAX {
            // A half-written file would lose history, so the new one replaces the old at once.
            let shorter = path.with_extension("new");
            let written = private_file(&shorter, OpenOptions::new().create(true).truncate(true))
                .and_then(|mut file| file.write_all((newest.join("\n") + "\n").as_bytes()));
            if written.and_then(|()| fs::rename(&shorter, path)).is_err() {
                let _ = fs::remove_file(&shorter);
            }
        }
        newest
    }

    /// Appends a line, unless it holds a secret. Failing to write is no reason to stop working.
    pub(crate) fn append(&self, line: &str, args: &[Vec<u8>]) {
        let Some(path) = &self.path else { return };
        if is_sensitive(args) {
            return;
        }
        if let Ok(mut file) = private_file(path, OpenOptions::new().create(true).append(true)) {
            let _ = file.write_all(format!("{line}\n").as_bytes());
        }
    }
}

fn private_file(path: &PathBuf, options: &mut OpenOptions) -> std::io::Result<fs::File> {
    options.write(true).mode(0o600).open(path)
}

/// The path in an environment variable, or a file in the home directory. `/dev/null` means none.
pub(crate) fn dotfile(variable: &str, name: &str) -> Option<PathBuf> {
    let set = |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty());
    match set(variable) {
        Some(path) if path == OsStr::new("/dev/null") => None,
        Some(path) => Some(path.into()),
        None => set("HOME").map(|home| PathBuf::from(home).join(name)),
    }
}

/// Whether a command line carries a password or similar.
fn is_sensitive(args: &[Vec<u8>]) -> bool {
    let word = |index: usize| args.get(index).map(Vec::as_slice).unwrap_or_default();
    let has = |from: usize, step: usize, names: &[&str]| {
        args.iter()
            .skip(from)
            .step_by(step)
            .any(|arg| names.iter().any(|name| is(arg, name)))
    };
    let command = word(0).to_ascii_lowercase();
    match command.as_slice() {
        b"auth" => true,
        b"acl" => ["setuser", "deluser", "getuser"]
            .iter()
            .any(|name| is(word(1), name)),
        b"config" => is(word(1), "set") && has(2, 2, CONFIG_SECRETS),
        b"hello" => has(2, 1, &["auth"]),
        // The key may itself be called AUTH, hence not from the start.
        b"migrate" => has(6, 1, &["auth", "auth2"]),
        b"sentinel" if is(word(1), "config") => {
            is(word(2), "set") && has(3, 2, &["sentinel-pass", "sentinel-user"])
        }
        b"sentinel" => is(word(1), "set") && has(3, 2, &["auth-pass", "auth-user"]),
        _ => false,
    }
}

const CONFIG_SECRETS: &[&str] = &[
    "requirepass",
    "masterauth",
    "masteruser",
    "primaryauth",
    "primaryuser",
    "tls-key-file-pass",
    "tls-client-key-file-pass",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn sensitive(line: &str) -> bool {
        is_sensitive(&crate::line_split::split(line.as_bytes()).unwrap())
    }

    #[test]
    fn secrets() {
        for line in [
            "AUTH x",
            "acl setuser bob >pw",
            "config set requirepass x",
            "config set save '' MasterAuth x",
            "hello 3 auth default x",
            "hello 3 setname me auth default x",
            "migrate h 1 '' 0 5 auth x keys k",
            "sentinel set main auth-pass x",
            "sentinel config set sentinel-pass x",
        ] {
            assert!(sensitive(line), "{line}");
        }
        for line in [
            "get auth",
            "acl list",
            "config get requirepass",
            "config set save requirepass",
            "hello 3",
            "migrate h 1 auth 0 5",
            "sentinel set main quorum 2",
        ] {
            assert!(!sensitive(line), "{line}");
        }
    }

    #[test]
    fn lines_survive_but_secrets_do_not() {
        let path = std::env::temp_dir().join(format!("history-{}", std::process::id()));
        let history = History {
            path: Some(path.clone()),
        };
        history.append("get a", &[b"get".to_vec(), b"a".to_vec()]);
        history.append("auth x", &[b"auth".to_vec(), b"x".to_vec()]);
        assert_eq!(history.load(), ["get a"]);
        for number in 0..2 * LINES_MAX {
            history.append(&format!("get {number}"), &[b"get".to_vec()]);
        }
        assert_eq!(history.load().len(), LINES_MAX);
        assert_eq!(
            fs::read_to_string(&path).unwrap().lines().count(),
            LINES_MAX
        );
        let mode =
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600);
        fs::remove_file(path).unwrap();
    }
}
