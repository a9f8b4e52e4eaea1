//! Dialogues without a terminal that the installed client has no counterpart for, or that need a
//! server which behaves in a certain way.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::thread;

use crate::Test;
use crate::process::{Client, Server};

pub(crate) const TESTS: &[Test] = &[
    ("dialogue::redirections", redirections),
    (
        "dialogue::a_broken_connection_is_no_reason_to_send_again",
        broken_connection,
    ),
    ("dialogue::piped_subscription", piped_subscription),
    ("dialogue::shutdown", shutdown),
    ("dialogue::latency", latency),
    ("dialogue::statistics", statistics),
    ("dialogue::help_and_version", help_and_version),
    (
        "dialogue::output_that_no_one_reads",
        output_that_no_one_reads,
    ),
];

/// A server that answers each request with the next of these lines, then closes. It reports what it
/// was sent.
fn scripted(listener: TcpListener, replies: Vec<String>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut buffer = [0; 4096];
        let mut requests = String::new();
        for reply in replies {
            let count = stream.read(&mut buffer).unwrap();
            requests.push_str(&String::from_utf8_lossy(&buffer[..count]));
            stream.write_all(format!("{reply}\r\n").as_bytes()).unwrap();
        }
        requests
    })
}

fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    (listener, port)
}

fn stdout_of(args: &[&str], stdin: &str) -> String {
    let output = Client::Ours.run(args, stdin.as_bytes(), &[]);
    String::from_utf8(output.stdout).unwrap()
}

fn redirections() {
    let ((first, first_port), (second, second_port)) = (listen(), listen());
    let first = scripted(first, vec![format!("-MOVED 12182 127.0.0.1:{second_port}")]);
    let ((third, third_port), port) = (listen(), first_port);
    let second = scripted(second, vec![format!("-ASK 12182 :{third_port}")]);
    let third = scripted(third, vec!["+OK".into(), "+OK".into()]);
    assert_eq!(
        stdout_of(&["-c", "-p", &port, "set", "foo", "bar"], ""),
        "OK\n"
    );
    let set = "*3\r\n$3\r\nset\r\n$3\r\nfoo\r\n$3\r\nbar\r\n";
    assert_eq!(first.join().unwrap(), set);
    assert_eq!(second.join().unwrap(), set);
    assert_eq!(
        third.join().unwrap(),
        format!("*1\r\n$6\r\nASKING\r\n{set}")
    );
}

fn broken_connection() {
    let (listener, port) = listen();
    let server = thread::spawn(move || {
        // Takes the command and dies before answering, once.
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 100]).unwrap();
        drop(stream);
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 100]).unwrap();
        stream.write_all(b":1\r\n").unwrap();
    });
    let output = Client::Ours.run(&["-p", &port], b"incr n\nget n\n", &[]);
    server.join().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "Error: Server closed the connection\n"
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n");

    let (listener, port) = listen();
    let server = scripted(listener, vec!["?".into()]);
    let output = Client::Ours.run(&["-p", &port, "ping"], b"", &[]);
    server.join().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "Error: Protocol error, got \"?\" as reply type byte\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

fn piped_subscription() {
    let server = Server::start(&[]);
    let port = server.port.to_string();
    let lines = "subscribe a b\nping\npublish a hello\nunsubscribe a\nunsubscribe b\nping\n";
    assert_eq!(
        stdout_of(&["-p", &port, "-3"], lines),
        "subscribe\na\n1\nsubscribe\nb\n2\nPONG\nmessage\na\nhello\n1\n\
         unsubscribe\na\n1\nunsubscribe\nb\n0\nPONG\n"
    );
    let refused = "ERR Can't execute 'publish': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / \
                   QUIT / RESET are allowed in this context\n\n";
    assert_eq!(
        stdout_of(&["-p", &port], lines),
        format!(
            "subscribe\na\n1\nsubscribe\nb\n2\npong\n\n{refused}\
             unsubscribe\na\n1\nunsubscribe\nb\n0\nPONG\n"
        )
    );
}

fn shutdown() {
    for client in [Client::Theirs, Client::Ours] {
        let server = Server::start(&[]);
        let output = client.run(
            &["-p", &server.port.to_string(), "shutdown", "nosave"],
            b"",
            &[],
        );
        assert!(output.status.success(), "{client:?} {output:?}");
        assert!(
            output.stdout.is_empty() && output.stderr.is_empty(),
            "{client:?} {output:?}"
        );
    }
}

fn latency() {
    let server = Server::start(&[]);
    let port = server.port.to_string();
    for (flag, separator) in [("--raw", ' '), ("--csv", ',')] {
        for client in [Client::Theirs, Client::Ours] {
            let args = ["-p", &port, flag, "--latency", "-i", "0.2"];
            let text = String::from_utf8(client.run(&args, b"", &[]).stdout).unwrap();
            let numbers: Vec<f64> = text
                .trim_end()
                .split(separator)
                .map(|number| number.parse().unwrap())
                .collect();
            let [min, max, average, count] = numbers[..] else {
                panic!("{client:?} {text:?}")
            };
            assert!(
                min <= average && average <= max && count >= 1.0,
                "{client:?} {text:?}"
            );
        }
    }
}

fn statistics() {
    let server = Server::start(&[]);
    server.send("SET a 1\r\nSELECT 2\r\nSET b 2");
    let headings = [Client::Theirs, Client::Ours].map(|client| {
        let mut command = client.command();
        command.args(["-p", &server.port.to_string(), "--stat", "-i", "0.05"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        // The installed client buffers this much when it writes to a pipe.
        let mut text = vec![0; 4096];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut text)
            .unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let text = String::from_utf8(text).unwrap();
        let line = text.lines().nth(3).unwrap().as_bytes();
        // The numbers vary, their columns do not.
        for column in [11, 20, 28, 36, 56] {
            assert_eq!(line[column - 1], b' ', "{client:?} {text}");
            assert!(line[column].is_ascii_digit(), "{client:?} {text}");
        }
        assert!(line.starts_with(b"2 "), "{client:?} {text}");
        text.lines().take(2).map(str::to_owned).collect::<Vec<_>>()
    });
    assert_eq!(headings[0], headings[1]);
}

fn help_and_version() {
    assert_eq!(stdout_of(&["--version"], ""), "redis-cli 0.0.0\n");
    assert_eq!(stdout_of(&["-v"], ""), "redis-cli 0.0.0\n");
    assert!(stdout_of(&["--help"], "").contains("Usage: redis-cli [OPTIONS]"));
    assert!(stdout_of(&["help", "get"], "").contains("\x1b[1mGET\x1b[0m \x1b[90mkey\x1b[0m\r\n"));
}

fn output_that_no_one_reads() {
    let server = Server::start(&[]);
    server.send("RPUSH l 1 2 3");
    let mut command = Client::Ours.command();
    command.args(["-p", &server.port.to_string(), "lrange", "l", "0", "-1"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
