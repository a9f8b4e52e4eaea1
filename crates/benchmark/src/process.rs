//! The CPU time of a server's process, from `/proc`.
//!
//! Throughput on a machine that also runs the load says little; what a request costs the server
//! says more. `schedstat` counts nanoseconds on a CPU for each thread, where `stat` counts ticks of
//! 10 ms.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use crate::endpoint::Endpoint;

/// A server's process on this machine.
#[derive(Debug)]
pub(crate) struct Process {
    root: PathBuf,
}

/// Nanoseconds on a CPU, by thread.
#[derive(Debug)]
pub(crate) struct CpuTime(HashMap<String, u64>);

impl Process {
    /// The process with this number, if it is on this machine and listens at `endpoint`. A number
    /// alone proves nothing: it may be that of another machine or container.
    pub(crate) fn listening(pid: u32, endpoint: &Endpoint) -> Option<Self> {
        let root = PathBuf::from(format!("/proc/{pid}"));
        let sockets = match endpoint {
            Endpoint::Tcp { port, .. } => {
                let mut sockets = listening_inodes(&root.join("net/tcp"), *port);
                sockets.extend(listening_inodes(&root.join("net/tcp6"), *port));
                sockets
            }
            Endpoint::Unix(path) => {
                let table = fs::read_to_string(root.join("net/unix")).ok()?;
                let wanted = path.to_str()?;
                let inodes = table.lines().filter_map(|line| {
                    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
                    (fields.get(7) == Some(&wanted)).then(|| fields[6].to_owned())
                });
                inodes.collect()
            }
        };
        let owns = fs::read_dir(root.join("fd")).ok()?.flatten().any(|entry| {
            fs::read_link(entry.path()).is_ok_and(|target| {
                let inode = target
                    .to_str()
                    .and_then(|name| name.strip_prefix("socket:["));
                inode.is_some_and(|inode| sockets.contains(inode.trim_end_matches(']')))
            })
        });
        owns.then_some(Self { root })
    }

    /// What its threads have used so far.
    pub(crate) fn cpu_time(&self) -> CpuTime {
        let threads = fs::read_dir(self.root.join("task"))
            .into_iter()
            .flatten()
            .flatten();
        CpuTime(
            threads
                .filter_map(|thread| {
                    let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
                    let run_ns = text.split_ascii_whitespace().next()?.parse().ok()?;
                    Some((thread.file_name().to_string_lossy().into_owned(), run_ns))
                })
                .collect(),
        )
    }
}

impl CpuTime {
    /// Nanoseconds used since `before`. What a thread used that has ended in between is lost.
    pub(crate) fn since(&self, before: &Self) -> u64 {
        let used = |(thread, now): (&String, &u64)| {
            now.saturating_sub(before.0.get(thread).copied().unwrap_or(0))
        };
        self.0.iter().map(used).sum()
    }
}

/// Inodes of the sockets that listen on a port, from a table like `/proc/net/tcp`: local address
/// (hexadecimal) in column 1, state in column 3 (`0A` is listening), inode in column 9.
fn listening_inodes(table: &std::path::Path, port: u16) -> HashSet<String> {
    let suffix = format!(":{port:04X}");
    let text = fs::read_to_string(table).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let listens = fields.get(1)?.ends_with(&suffix) && *fields.get(3)? == "0A";
            listens.then(|| fields.get(9).map(|&inode| inode.to_owned()))?
        })
        .collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn only_the_process_that_listens_is_taken() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let endpoint = Endpoint::Tcp {
            host: "127.0.0.1".to_owned(),
            port,
        };
        let me = std::process::id();
        assert!(Process::listening(me, &endpoint).is_some());
        assert!(Process::listening(u32::MAX, &endpoint).is_none());
        drop(listener);
        assert!(Process::listening(me, &endpoint).is_none());
    }

    #[test]
    fn time_on_a_cpu_is_counted() {
        let process = Process {
            root: "/proc/self".into(),
        };
        let before = process.cpu_time();
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(30) {
            std::hint::black_box(start);
        }
        assert!(process.cpu_time().since(&before) > 1_000_000);
    }
}
