//! Servers and clients as child processes.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::PLAY;

/// A `redis-server` of its own, ended when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    directory: PathBuf,
}

impl Server {
    pub(crate) fn start(args: &[&str]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let directory = std::env::temp_dir().join(format!("compare-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let child = Command::new("redis-server")
            .args([
                "--port",
                &port.to_string(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
            ])
            .args(["--enable-debug-command", "yes"])
            .args(args)
            .current_dir(&directory)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "redis-server does not start"
            );
            thread::sleep(Duration::from_millis(10));
        }
        Server {
            child,
            port,
            directory,
        }
    }

    /// Sends inline commands and waits for the last one's reply.
    pub(crate) fn send(&self, lines: &str) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .write_all(format!("{lines}\r\nQUIT\r\n").as_bytes())
            .unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// One of the two clients to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    Theirs,
    Ours,
}

impl Client {
    /// The program, not yet told where the server is.
    pub(crate) fn command(self) -> Command {
        let mut command = match self {
            Client::Theirs => Command::new("redis-cli"),
            Client::Ours => {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.env(PLAY, "1");
                command
            }
        };
        command
            .env_remove("FAKETTY")
            .env_remove("REDISCLI_AUTH")
            .env("TERM", "dumb");
        command
    }

    pub(crate) fn run(self, args: &[&str], stdin: &[u8], environment: &[(&str, &str)]) -> Output {
        let mut child = self
            .command()
            .args(args)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let bytes = stdin.to_vec();
        let writer = thread::spawn(move || {
            let _ = input.write_all(&bytes);
        });
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }
}
