//! A server process and a client for the tests that go through sockets.
//!
//! Nothing here measures time: what must happen is waited for, with a bound that only a defect or a
//! machine that stands still exceeds.

// Each test binary uses its own part of this.
#![allow(dead_code)]

use std::fmt::Debug;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use resp::client::{Decoder, Value, encode_request};
use rustix::process::{Pid, Signal, kill_process};

/// How long anything may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The binary under test.
pub(crate) const CARACAL: &str = env!("CARGO_BIN_EXE_caracal");

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// Asks `probe` until it answers.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = probe() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "waited in vain for: {what}");
        sleep(Duration::from_millis(10));
    }
}

/// A port on which nobody listens, below those that the system gives to clients.
pub(crate) fn free_port() -> u16 {
    loop {
        let number = std::process::id().wrapping_mul(61) + NUMBER.fetch_add(1, Relaxed);
        let port = 17_000 + (number % 15_000) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A directory that lives as long as this does.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Scratch {
        let number = NUMBER.fetch_add(1, Relaxed);
        let name = format!("caracal-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a directory can be made");
        Scratch(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The path as an argument.
    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("a plain path").to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).expect("a file can be written");
        self.text(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A server that runs until this is dropped, and then has to end cleanly.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    pub(crate) scratch: Scratch,
}

impl Server {
    /// Starts one with these options behind its port.
    pub(crate) fn start(options: &[&str]) -> Server {
        let port = free_port();
        Server::start_as(CARACAL, &["--port", &port.to_string()], options, port, "")
    }

    /// One with this many workers.
    pub(crate) fn with_workers(workers: usize) -> Server {
        Server::start(&["--workers", &workers.to_string()])
    }

    /// Starts `program`, which the arguments make listen on `port`, with `stdin`.
    pub(crate) fn start_as(
        program: impl AsRef<Path>,
        arguments: &[&str],
        options: &[&str],
        port: u16,
        stdin: &str,
    ) -> Server {
        let scratch = Scratch::new();
        let log = File::create(scratch.path("log")).expect("a log can be made");
        let mut child = Command::new(program.as_ref())
            .args(arguments)
            .args(["--save", "", "--bind", "127.0.0.1"])
            .args(options)
            .stdin(Stdio::piped())
            .stdout(log.try_clone().expect("a file can be shared"))
            .stderr(log)
            .spawn()
            .expect("the binary starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(stdin.as_bytes()).expect("the server reads");
        drop(pipe);
        let mut server = Server {
            child,
            port,
            scratch,
        };
        wait_for("the server is ready", || {
            if let Ok(Some(status)) = server.child.try_wait() {
                panic!("the server ended with {status}: {}", server.log());
            }
            server
                .log()
                .contains("Ready to accept connections")
                .then_some(())
        });
        server
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect(self.port)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.scratch.path("log")).unwrap_or_default()
    }

    /// Resident memory in KiB.
    pub(crate) fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()))
            .expect("the server lives");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .expect("a line of the resident set");
        let figure = line.trim().trim_end_matches(" kB");
        figure.parse().expect("a number of kilobytes")
    }

    /// Sends SIGTERM and waits for the end.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        signal(self.pid(), Signal::TERM);
        self.terminated()
    }

    /// Waits for the end.
    pub(crate) fn terminated(&mut self) -> ExitStatus {
        wait_for("the server ends", || {
            self.child.try_wait().expect("it is our child")
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the server's log:\n{}", self.log());
            let _ = self.child.kill();
            let _ = self.child.wait();
            return;
        }
        if let Ok(None) = self.child.try_wait() {
            let status = self.terminate();
            assert!(status.success(), "{status}: {}", self.log());
        }
        let log = self.log();
        assert!(!log.contains("panicked"), "{log}");
    }
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid as i32).expect("a process number");
    kill_process(pid, signal).expect("the process can be signalled");
}

/// What a client talks through.
trait Wire: Read + Write + Send + Debug {
    fn end_of_requests(&self);
    fn twin(&self) -> Box<dyn Wire>;
}

impl Wire for TcpStream {
    fn end_of_requests(&self) {
        let _ = self.shutdown(Shutdown::Write);
    }

    fn twin(&self) -> Box<dyn Wire> {
        Box::new(self.try_clone().expect("a socket can be shared"))
    }
}

impl Wire for UnixStream {
    fn end_of_requests(&self) {
        let _ = self.shutdown(Shutdown::Write);
    }

    fn twin(&self) -> Box<dyn Wire> {
        Box::new(self.try_clone().expect("a socket can be shared"))
    }
}

/// A connection to a server.
#[derive(Debug)]
pub(crate) struct Client {
    wire: Box<dyn Wire>,
    decoder: Decoder,
}

impl Client {
    pub(crate) fn connect(port: u16) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the server accepts");
        stream.set_nodelay(true).expect("a TCP option");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        Client::over(stream)
    }

    pub(crate) fn connect_unix(path: &Path) -> Client {
        let stream = UnixStream::connect(path).expect("the server accepts");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        Client::over(stream)
    }

    fn over(wire: impl Wire + 'static) -> Client {
        Client {
            wire: Box::new(wire),
            decoder: Decoder::new(),
        }
    }

    /// The same connection once more: one of the two sends, the other reads.
    pub(crate) fn twin(&self) -> Client {
        Client {
            wire: self.wire.twin(),
            decoder: Decoder::new(),
        }
    }

    /// Sends bytes as they are. A server that has closed the connection is not an error here: what
    /// it said before is still to be read.
    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        match self.wire.write_all(bytes) {
            Ok(()) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::BrokenPipe | ErrorKind::ConnectionReset
                ) => {}
            Err(error) => panic!("the server does not read: {error}"),
        }
    }

    pub(crate) fn end_of_requests(&self) {
        self.wire.end_of_requests();
    }

    /// The next reply, or `None` if the server has closed the connection.
    #[track_caller]
    pub(crate) fn try_read(&mut self) -> Option<Value> {
        let mut bytes = vec![0; 64 * 1024];
        loop {
            if let Some(value) = self.decoder.next().expect("replies are RESP") {
                return Some(value);
            }
            match self.wire.read(&mut bytes) {
                Ok(0) => return None,
                Ok(count) => self.decoder.feed(&bytes[..count]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("no reply: {error}"),
            }
        }
    }

    #[track_caller]
    pub(crate) fn read(&mut self) -> Value {
        self.try_read().expect("the connection is open")
    }

    /// Everything up to the end of the connection.
    #[track_caller]
    pub(crate) fn read_to_end(&mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.try_read()).collect()
    }

    #[track_caller]
    pub(crate) fn call<A: AsRef<[u8]>>(&mut self, words: &[A]) -> Value {
        let mut bytes = Vec::new();
        encode_request(words, &mut bytes);
        self.send_raw(&bytes);
        self.read()
    }

    /// The words of `line`, none of which is quoted, as one command.
    #[track_caller]
    pub(crate) fn run(&mut self, line: &str) -> Value {
        self.call(&line.split(' ').collect::<Vec<_>>())
    }

    /// Sends all lines at once; the replies.
    #[track_caller]
    pub(crate) fn pipeline<L: AsRef<str>>(&mut self, lines: &[L]) -> Vec<Value> {
        let mut bytes = Vec::new();
        for line in lines {
            let words: Vec<&str> = line.as_ref().split(' ').collect();
            encode_request(&words, &mut bytes);
        }
        self.send_raw(&bytes);
        lines.iter().map(|_| self.read()).collect()
    }

    /// Executes `line` and compares the reply, written as in [`show`].
    #[track_caller]
    pub(crate) fn check(&mut self, line: &str, want: &str) {
        assert_eq!(show(&self.run(line)), want, "reply to: {line}");
    }
}

/// A reply as a short text: `+OK`, `-ERR text`, `:1`, `$text`, `_` for null, `[a b]`.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Simple(text) => format!("+{}", text.escape_ascii()),
        Value::Error(text) => format!("-{}", String::from_utf8_lossy(text)),
        Value::Integer(value) => format!(":{value}"),
        Value::Bulk(text) => format!("${}", text.escape_ascii()),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(show).collect();
            format!("[{}]", values.join(" "))
        }
        value if value.is_null() => "_".to_owned(),
        other => format!("{other:?}"),
    }
}

/// The integer of a reply.
#[track_caller]
pub(crate) fn integer(value: &Value) -> i64 {
    match value {
        Value::Integer(value) => *value,
        other => panic!("not an integer: {}", show(other)),
    }
}

/// The text of a string reply; `None` for null.
#[track_caller]
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Bulk(text) | Value::Simple(text) => Some(String::from_utf8_lossy(text).into()),
        value if value.is_null() => None,
        other => panic!("not a string: {}", show(other)),
    }
}

/// The elements of an array reply; none for null.
#[track_caller]
pub(crate) fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        value if value.is_null() => &[],
        other => panic!("not an array: {}", show(other)),
    }
}

/// Numbers that look random and are the same in every run.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}
