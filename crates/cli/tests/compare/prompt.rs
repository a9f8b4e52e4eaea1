//! The prompt on a pseudo-terminal, as a person uses it.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::Test;
use crate::process::{Client, Server};

pub(crate) const TESTS: &[Test] = &[
    ("prompt::states", states),
    ("prompt::hints_and_completion", hints_and_completion),
    ("prompt::history_without_secrets", history_without_secrets),
    ("prompt::reconnects", reconnects),
    (
        "prompt::monitor_ends_at_interrupt",
        monitor_ends_at_interrupt,
    ),
    ("prompt::subscriptions", subscriptions),
];

/// A client with its terminal.
struct Person {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl Person {
    fn sits_down(args: &[&str], history: &str) -> Person {
        let terminal = openpty(None, None).unwrap();
        let stream = || Stdio::from(terminal.slave.try_clone().unwrap());
        let child = Client::Ours
            .command()
            .args(args)
            .env("TERM", "xterm")
            .env("CARACALCLI_HISTFILE", history)
            .env("CARACALCLI_RCFILE", "/dev/null")
            .stdin(stream())
            .stdout(stream())
            .stderr(stream())
            .spawn()
            .unwrap();
        drop(terminal.slave);
        let keyboard = File::from(terminal.master);
        let mut output = keyboard.try_clone().unwrap();
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Person {
            child,
            keyboard,
            screen,
            seen: String::new(),
        }
    }

    fn types(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until the text appears, and forgets everything up to it.
    fn sees(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            match self.screen.recv_timeout(Duration::from_millis(100)) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) if start.elapsed() < Duration::from_secs(10) => {}
                Err(_) => panic!("{text:?} does not appear in {:?}", self.seen),
            }
        }
    }

    fn interrupts(&self) {
        kill(
            Pid::from_raw(i32::try_from(self.child.id()).unwrap()),
            Signal::SIGINT,
        )
        .unwrap();
    }

    fn leaves(mut self) {
        self.types("quit\r");
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn sit_down(server: &Server) -> Person {
    Person::sits_down(&["-p", &server.port.to_string()], "/dev/null")
}

fn states() {
    let server = Server::start(&[]);
    let port = server.port;
    let mut person = sit_down(&server);
    person.sees(&format!("127.0.0.1:{port}> "));
    person.types("set a 'x y'\r");
    person.sees("OK");
    person.types("select 1\r");
    person.sees(&format!("127.0.0.1:{port}[1]> "));
    person.types("multi\r");
    person.sees(&format!("127.0.0.1:{port}[1](TX)> "));
    person.types("select 2\r");
    person.sees(&format!("127.0.0.1:{port}[2](TX)> "));
    person.types("discard\r");
    person.sees(&format!("127.0.0.1:{port}[1]> "));
    person.types("2 incr n\r");
    person.sees("(integer) 1\r\n(integer) 2");
    person.types("connect 127.0.0.1 1\r");
    person.sees("Could not connect to Redis at 127.0.0.1:1: Connection refused");
    person.sees("not connected> ");
    person.types(&format!("connect 127.0.0.1 {port}\r"));
    person.sees(&format!("127.0.0.1:{port}[1]> "));
    person.types("blpop nothing 0.6\r");
    person.sees("(nil)\r\n(0.");
    person.types("help set\r");
    person.sees("key value [NX | XX]");
    person.leaves();
}

fn hints_and_completion() {
    let server = Server::start(&[]);
    let mut person = sit_down(&server);
    person.sees("> ");
    person.types("set k");
    person.sees("\x1b[90m value [NX | XX]\x1b[0m");
    person.types("\x15setn\t");
    person.sees("SETNX");
    person.types(" kk v\r");
    person.sees("(integer) 1");
    // Not in the table: the server told of it.
    person.types("zsc\t");
    person.sees("ZSCAN");
    person.types("\x15:set nohints\r");
    person.sees("> ");
    person.types("get");
    thread::sleep(Duration::from_millis(300));
    person.types(" kk\r");
    person.sees("\"v\"");
    assert!(!person.seen.contains("key"));
    person.leaves();
}

fn history_without_secrets() {
    let server = Server::start(&[]);
    let file = std::env::temp_dir().join(format!("compare-history-{}", std::process::id()));
    let path = file.to_str().unwrap();
    let port = server.port.to_string();
    let mut person = Person::sits_down(&["-p", &port], path);
    person.sees("> ");
    person.types("echo first\r");
    person.sees("\"first\"");
    person.types("auth topsecret\r");
    person.sees("(error)");
    person.leaves();
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "echo first\nquit\n"
    );
    let mut person = Person::sits_down(&["-p", &port], path);
    person.sees("> ");
    person.types("\x1b[A\x1b[A\r");
    person.sees("\"first\"");
    person.leaves();
    std::fs::remove_file(file).unwrap();
}

fn reconnects() {
    let server = Server::start(&[]);
    let port = server.port;
    let mut person = sit_down(&server);
    person.sees("> ");
    person.types("select 1\r");
    person.sees("[1]> ");
    server.send("CLIENT KILL TYPE normal SKIPME yes");
    person.types("incr n\r");
    person.sees("(integer) 1");
    person.sees(&format!("127.0.0.1:{port}[1]> "));
    person.types("multi\r");
    person.sees("(TX)> ");
    person.types("incr n\r");
    person.sees("QUEUED");
    server.send("CLIENT KILL TYPE normal SKIPME yes");
    person.types("incr n\r");
    person.sees("Error: Server closed the connection");
    person.sees("not connected> ");
    person.types("get n\r");
    person.sees("\"1\"");
    person.types("shutdown nosave\r");
    person.sees("not connected> ");
    person.leaves();
}

fn monitor_ends_at_interrupt() {
    let server = Server::start(&[]);
    let mut person = sit_down(&server);
    person.sees("> ");
    person.types("monitor\r");
    person.sees("OK");
    server.send("ECHO seen");
    person.sees("\"ECHO\" \"seen\"");
    person.interrupts();
    person.sees("> ");
    person.types("echo alive\r");
    person.sees("\"alive\"");
    person.leaves();
}

fn subscriptions() {
    let server = Server::start(&[]);
    for protocol in ["hello 2\r", "hello 3\r"] {
        let mut person = sit_down(&server);
        person.sees("> ");
        person.types(protocol);
        person.sees("> ");
        person.types("subscribe one two\r");
        person.sees("3) (integer) 2\r\n");
        person.sees("Reading messages...");
        server.send("PUBLISH two hello");
        person.sees("1) \"message\"\r\n2) \"two\"\r\n3) \"hello\"\r\n");
        person.types("u");
        person.sees("(subscribed mode)> ");
        person.types("nsubscribe one\r");
        person.sees("1) \"unsubscribe\"\r\n2) \"one\"\r\n3) (integer) 1\r\n");
        person.sees("Reading messages...");
        person.types(" ");
        person.sees("(subscribed mode)> ");
        person.types("unsubscribe two\r");
        person.sees("3) (integer) 0\r\n");
        person.sees(&format!(":{}> ", server.port));
        person.types("subscribe three\r");
        person.sees("Reading messages...");
        person.interrupts();
        person.sees(&format!(":{}> ", server.port));
        person.types("ping\r");
        person.sees("PONG");
        person.leaves();
    }
}
