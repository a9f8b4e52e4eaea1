//! Whole runs against a real `redis-server`, where there is one.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A server of our own, killed at the end of the test.
struct Redis {
    child: Child,
    port: u16,
    socket: PathBuf,
}

impl Redis {
    /// `None`, with a message, if `redis-server` is not installed.
    fn start(extra: &[&str]) -> Option<Self> {
        let port = free_port();
        let socket = std::env::temp_dir().join(format!("bench-test-{port}.sock"));
        let child = Command::new("redis-server")
            .args([
                "--port",
                &port.to_string(),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
            ])
            .arg("--unixsocket")
            .arg(&socket)
            .args(extra)
            .stdout(Stdio::null())
            .spawn();
        let child = match child {
            Ok(child) => child,
            Err(error) => {
                eprintln!("skipped: redis-server cannot be started: {error}");
                return None;
            }
        };
        let redis = Self {
            child,
            port,
            socket,
        };
        for _ in 0..200 {
            if redis.socket.exists() && TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(redis);
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("redis-server does not answer on port {port}");
    }

    fn run(&self, args: &str) -> Run {
        bench(&format!("-p {} {args}", self.port))
    }

    /// How often a command was called, by its own statistics.
    fn calls(&self, command: &str) -> u64 {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // Where no password is set, AUTH is answered with an error that does no harm.
        stream
            .write_all(b"AUTH pw\r\nINFO commandstats\r\nQUIT\r\n")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let line = text
            .lines()
            .find_map(|l| l.strip_prefix(&format!("cmdstat_{command}:calls=")));
        line.map_or(0, |rest| rest.split(',').next().unwrap().parse().unwrap())
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_file(&self.socket);
    }
}

struct Run {
    status: u8,
    out: String,
    err: String,
}

fn bench(args: &str) -> Run {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = benchmark::execute(args.split_whitespace(), &mut out, &mut err, false);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run {
        status,
        out: text(out),
        err: text(err),
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

#[test]
fn the_whole_suite_sends_what_it_says() {
    let Some(redis) = Redis::start(&[]) else {
        return;
    };
    let run = redis.run("-n 1000 -c 10 -P 5 -q");
    assert_eq!((run.status, run.err.as_str()), (0, ""));
    let titles: Vec<_> = run
        .out
        .lines()
        .filter_map(|l| l.split_once(": "))
        .map(|(t, _)| t)
        .collect();
    assert_eq!(
        titles,
        [
            "PING_INLINE",
            "PING_MBULK",
            "SET",
            "GET",
            "INCR",
            "LPUSH",
            "RPUSH",
            "LPOP",
            "RPOP",
            "SADD",
            "HSET",
            "SPOP",
            "ZADD",
            "ZPOPMIN",
            "LPUSH (needed to benchmark LRANGE)",
            "LRANGE_100 (first 100 elements)",
            "LRANGE_300 (first 300 elements)",
            "LRANGE_500 (first 500 elements)",
            "LRANGE_600 (first 600 elements)",
            "MSET (10 keys)"
        ]
    );
    let counted = [
        ("ping", 2000),
        ("set", 1000),
        ("lpush", 2000),
        ("lrange", 4000),
        ("xadd", 0),
    ];
    for (command, count) in counted {
        assert_eq!(redis.calls(command), count, "{command}");
    }
}

#[test]
fn every_way_to_connect_works() {
    let Some(redis) = Redis::start(&["--requirepass", "pw"]) else {
        return;
    };
    let socket = redis.socket.display().to_string();
    for (more, args) in [
        ("", "-3 --dbnum 3 --threads 2 -c 7 -P 3".to_owned()),
        ("", "-k 0 -c 3 -r 100".to_owned()),
        ("", "--enable-tracking -3 --csv".to_owned()),
        (" --user default", format!("-s {socket} -k 0")),
        ("", "-d 300000 -c 2 -P 20".to_owned()),
    ] {
        let before = redis.calls("get");
        let run = redis.run(&format!("-a pw{more} -n 600 -t set,get {args}"));
        assert_eq!(run.status, 0, "{args}: {}", run.err);
        assert_eq!(redis.calls("get") - before, 600, "{args}");
    }
    assert_eq!(
        redis
            .run("-u redis://default:pw@127.0.0.1 -n 3 -c 1 -t ping")
            .status,
        0
    );
    for args in ["-n 10 -t set", "-a wrong -n 10 -t set"] {
        let run = redis.run(args);
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{args}");
        assert!(run.err.starts_with(&format!(
            "Node 127.0.0.1:{} replied with error:\n",
            redis.port
        )));
    }
}

#[test]
fn error_replies_end_the_run_unless_tolerated() {
    let Some(redis) = Redis::start(&[]) else {
        return;
    };
    let run = redis.run("-n 100 -q nosuch command");
    assert_eq!((run.status, run.out.as_str()), (1, ""));
    assert!(
        run.err
            .starts_with("Error from server: ERR unknown command 'nosuch'"),
        "{}",
        run.err
    );
    let run = redis.run("-n 100 -c 4 -e nosuch");
    assert_eq!((run.status, run.err.lines().count()), (0, 1), "{}", run.err);
    assert!(
        run.out.contains("  100 requests completed") && run.out.contains("  100 error replies")
    );
}

#[test]
fn random_numbers_repeat_with_the_seed() {
    let Some(redis) = Redis::start(&[]) else {
        return;
    };
    let keys = || {
        let mut stream = TcpStream::connect(("127.0.0.1", redis.port)).unwrap();
        stream
            .write_all(b"SORT seen ALPHA\r\nFLUSHALL\r\nQUIT\r\n")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    };
    let sent = |seed| {
        assert_eq!(
            redis
                .run(&format!(
                    "-n 50 -c 1 -r 1000000 --seed {seed} sadd seen __rand_int__"
                ))
                .status,
            0
        );
        keys()
    };
    let (first, again, other) = (sent(7), sent(7), sent(8));
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert!(first.starts_with("*50\r\n$12\r\n000000"), "{first}");
}

#[test]
fn two_servers_are_compared() {
    let (Some(ours), Some(theirs)) = (Redis::start(&[]), Redis::start(&[])) else {
        return;
    };
    let run = ours.run(&format!(
        "--vs 127.0.0.1:{} -t set,lrange_100 -n 2000 -P 5 -c 5 --rounds 2",
        theirs.port
    ));
    assert_eq!((run.status, run.err.as_str()), (0, ""), "{}", run.out);
    let rows: Vec<Vec<&str>> = run
        .out
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| test"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(
        rows.len(),
        2,
        "the list is filled, but that is no row: {}",
        run.out
    );
    assert_eq!(
        (rows[0][0], rows[1][0]),
        ("SET", "LRANGE_100 (first 100 elements)")
    );
    for number in rows.iter().flat_map(|row| &row[1..]) {
        assert!(number.parse::<f64>().unwrap() > 0.0, "{}", run.out);
    }
    assert_eq!(rows[0].len(), 7, "both processes are here: {}", run.out);
    for server in [&ours, &theirs] {
        assert_eq!((server.calls("set"), server.calls("lpush")), (4000, 2000));
    }
}

#[test]
fn nobody_listens() {
    let port = free_port();
    for args in ["-t set", "-I", "--vs 127.0.0.1:1"] {
        let run = bench(&format!("-p {port} {args}"));
        assert_eq!((run.status, run.out.as_str()), (1, ""), "{args}");
        let expected =
            format!("Could not connect to Redis at 127.0.0.1:{port}: Connection refused\n");
        assert_eq!(run.err, expected, "{args}");
    }
}

/// A server that answers the questions before a run with nulls, and each later connection with
/// `reply`, and then hangs up.
fn fickle(reply: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut first = true;
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), if first { b"*-1\r\n" } else { reply });
            first = false;
            let mut buffer = [0; 4096];
            let _ = stream.read(&mut buffer);
            let _ = stream.write_all(answer);
        }
    });
    port
}

#[test]
fn a_server_that_hangs_up_is_told_and_not_waited_for() {
    for (reply, message) in [
        (&b""[..], "Error: Server closed the connection\n"),
        (b"+OK\r\n+O", "Error: Server closed the connection\n"),
        (b"+OK\r\n", "Error: Server closed the connection\n"),
        (
            b"-ERR max number of clients reached\r\n",
            "Error from server: ERR max number of clients reached\n",
        ),
        (
            b"HTTP/1.1 400\r\n",
            "Error: Protocol error: a reply cannot start with \"H\"\n",
        ),
    ] {
        let run = bench(&format!("-p {} -n 1000 -c 2 -q -t set", fickle(reply)));
        assert_eq!(run.status, 1);
        let warning = "WARNING: Could not fetch server CONFIG\n";
        assert_eq!(run.err.strip_prefix(warning), Some(message), "{}", run.err);
    }
}

#[test]
fn bad_arguments_are_told() {
    let run = bench("--zork");
    assert_eq!((run.status, run.out.as_str()), (1, ""));
    assert!(run.err.starts_with("Invalid option \"--zork\"\n"));
    assert!(bench("-t nothing").err.contains("No test is selected"));
    let help = bench("--help");
    assert_eq!(help.status, 0);
    assert!(help.out.starts_with("Usage:") && help.out.lines().all(|line| line.len() <= 100));
}
