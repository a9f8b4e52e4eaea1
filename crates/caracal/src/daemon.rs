//! Going to the background, and the file that says which process is there.
//!
//! A process with threads can't fork safely, so the server starts itself again as a child that has
//! its own session, and the parent ends. The child knows itself by an environment variable.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const CHILD: &str = "CARACAL_DAEMON_CHILD";

/// Whether this process is the child that [`go_to_background`] started.
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Starts this program again in the background. `stdin` is what the parent has read of its standard
/// input, for the child to read again.
pub(crate) fn go_to_background(args: &[OsString], stdin: &[u8]) -> io::Result<()> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(args)
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(stdin)?;
    }
    Ok(())
}

/// Leaves the terminal's session. Called by the child.
pub(crate) fn leave_session() {
    // It fails only for a process that leads a session already.
    let _ = rustix::process::setsid();
}

/// The file with the process number, removed when dropped.
#[derive(Debug)]
pub(crate) struct PidFile(PathBuf);

impl PidFile {
    /// Writes it.
    pub(crate) fn write(path: &Path) -> Option<PidFile> {
        match std::fs::write(path, format!("{}\n", std::process::id())) {
            Ok(()) => Some(PidFile(path.to_owned())),
            Err(error) => {
                log::warn!("Failed to write PID file {}: {error}", path.display());
                None
            }
        }
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        // Nothing depends on its being gone.
        let _ = std::fs::remove_file(&self.0);
    }
}
