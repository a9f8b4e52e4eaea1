//! A server process started for a test or a measurement, and stopped when dropped.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A running server. Its working directory is thrown away with it.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    directory: PathBuf,
}

/// How long a server may take to come up.
const STARTING: Duration = Duration::from_secs(15);

/// The flags that every Redis-like server understands and every task here uses.
pub(crate) fn plain_flags() -> Vec<String> {
    ["--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        .map(String::from)
        .to_vec()
}

impl Server {
    /// Starts `program` on a free port with `flags`, on the processors `cpus` (a `taskset` list) if given, and waits
    /// until it answers.
    ///
    /// Between finding a free port and the server's binding it somebody else can take it, so a server that ends at
    /// once gets another chance on another port.
    pub(crate) fn start(program: &Path, flags: &[String], cpus: Option<&str>) -> Result<Self> {
        let mut attempt = 1;
        loop {
            match Self::start_once(program, flags, cpus) {
                Err(_) if attempt < 3 => attempt += 1,
                outcome => return outcome,
            }
        }
    }

    fn start_once(program: &Path, flags: &[String], cpus: Option<&str>) -> Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory =
            std::env::temp_dir().join(format!("caracal-xtask-{}-{number}", std::process::id()));
        fs::create_dir_all(&directory)?;
        let port = free_port()?;
        let log_path = directory.join("log");
        let log = File::create(&log_path)?;
        let mut command = match cpus {
            Some(cpus) => {
                let mut command = Command::new("taskset");
                command.args(["-c", cpus]).arg(program);
                command
            }
            None => Command::new(program),
        };
        let child = command
            .args(flags)
            .args(["--port", &port.to_string()])
            .current_dir(&directory)
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let mut server = Self {
            child,
            port,
            directory,
        };
        let deadline = Instant::now() + STARTING;
        while !server.answers() {
            let ended = server.child.try_wait()?;
            if ended.is_some() || Instant::now() > deadline {
                let log = fs::read_to_string(&log_path).unwrap_or_default();
                let how = ended.map_or("does not answer".to_owned(), |how| format!("ended: {how}"));
                bail!("{} {how}; its log:\n{log}", program.display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    fn answers(&self) -> bool {
        let attempt = || -> std::io::Result<bool> {
            let mut stream = TcpStream::connect_timeout(&self.address(), Duration::from_secs(1))?;
            stream.set_read_timeout(Some(Duration::from_secs(1)))?;
            stream.write_all(b"*1\r\n$4\r\nPING\r\n")?;
            let mut reply = [0; 5];
            stream.read_exact(&mut reply)?;
            Ok(reply[0] == b'+')
        };
        attempt().unwrap_or(false)
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// A new connection, without Nagle's delay.
    pub(crate) fn connect(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect(self.address())?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Time on a processor so far, summed over its threads, in nanoseconds. Threads that have ended are not in it.
    pub(crate) fn cpu_ns(&self) -> Result<u64> {
        let mut total = 0;
        for task in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let Ok(text) = fs::read_to_string(task?.path().join("schedstat")) else {
                continue;
            };
            total += text
                .split(' ')
                .next()
                .and_then(|ns| ns.parse::<u64>().ok())
                .unwrap_or(0);
        }
        Ok(total)
    }

    /// Resident memory, in bytes.
    pub(crate) fn resident_bytes(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS"))
            .context("no VmRSS")?;
        let kilobytes: u64 = line
            .split_whitespace()
            .nth(1)
            .context("no VmRSS")?
            .parse()?;
        Ok(kilobytes * 1024)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
