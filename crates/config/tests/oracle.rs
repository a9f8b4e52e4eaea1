//! The same questions to this crate and to real servers: defaults, values, errors, rewritten files.
//!
//! `CARACAL_TEST_REDIS`, `CARACAL_TEST_REDIS_8` and `CARACAL_TEST_VALKEY` name the programs;
//! without them `redis-server` and `valkey-server` are looked for. A server that is missing or of
//! another version is skipped, and the test says so.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use config::{Config, Invocation, Mutability, Origin, Visibility, find};

/// A real server that this crate is held against.
struct Oracle {
    variable: &'static str,
    program: &'static str,
    version: &'static str,
    /// Defaults that differ, and why.
    defaults: &'static [(&'static str, &'static str)],
    /// Parameters whose values or errors differ, and why.
    values: &'static [(&'static str, &'static str)],
    /// Lines of files whose errors differ, and why.
    files: &'static [(&'static str, &'static str)],
}

const HERE: &str = "the test starts the server so";
const OWN: &str = "one thread per core here";
const FREE: &str = "Redis's default is taken";
const UNSIGNED: &str = "sizes end at 2^63 here";
const EARLIER: &str = "another version's text is taken";
const WIDER: &str = "a later version's bounds or names are taken";

const REDIS: Oracle = Oracle {
    variable: "CARACAL_TEST_REDIS",
    program: "redis-server",
    version: "v=7.0.",
    defaults: &[
        ("bind", HERE),
        ("dir", HERE),
        ("port", HERE),
        ("io-threads", OWN),
    ],
    values: &[
        (
            "cluster-announce-ip",
            "characters that break a node's file are refused",
        ),
        ("loglevel", WIDER),
        ("maxmemory-samples", WIDER),
        ("repl-diskless-load", WIDER),
        ("shutdown-on-sigint", WIDER),
        ("shutdown-on-sigterm", WIDER),
        ("cluster-link-sendbuf-limit", UNSIGNED),
        ("maxmemory", UNSIGNED),
    ],
    files: &[("dir \"\"", EARLIER)],
};

const VALKEY: Oracle = Oracle {
    variable: "CARACAL_TEST_VALKEY",
    program: "valkey-server",
    version: "v=9.1.",
    defaults: &[
        ("bind", HERE),
        ("dir", HERE),
        ("port", HERE),
        ("io-threads", OWN),
        ("hide-user-data-from-log", FREE),
        ("lazyfree-lazy-eviction", FREE),
        ("lazyfree-lazy-expire", FREE),
        ("lazyfree-lazy-server-del", FREE),
        ("lazyfree-lazy-user-del", FREE),
        ("lazyfree-lazy-user-flush", FREE),
        ("repl-backlog-size", FREE),
        ("replica-lazy-flush", FREE),
        ("slave-lazy-flush", FREE),
        ("syslog-ident", FREE),
    ],
    values: &[
        ("io-threads", OWN),
        ("cluster-blacklist-ttl", "a negative time is refused"),
        ("cluster-link-sendbuf-limit", UNSIGNED),
        ("maxmemory", UNSIGNED),
    ],
    files: &[
        ("io-threads-do-reads", EARLIER),
        (
            "requirepass 'x'y",
            "a word ends at its closing quote, as in Redis",
        ),
    ],
};

const REDIS_8: Oracle = Oracle {
    variable: "CARACAL_TEST_REDIS_8",
    program: "redis-server",
    version: "v=8.2.",
    defaults: &[
        ("bind", HERE),
        ("dir", HERE),
        ("port", HERE),
        ("io-threads", OWN),
    ],
    values: &[],
    files: &[],
};

/// Parameters that are not set on a real server: they would cut the test off from it, need rights
/// that it may lack, or depend on how it was built.
const UNTOUCHED: &[&str] = &[
    "activedefrag",
    "appendonly",
    "bind",
    "client-output-buffer-limit",
    "client-query-buffer-limit",
    "jemalloc-bg-thread",
    "locale-collate",
    "maxclients",
    "maxmemory-clients",
    "oom-score-adj",
    "oom-score-adj-values",
    "port",
    "proto-max-bulk-len",
    "rdma-bind",
    "rdma-port",
    "requirepass",
    "tls-cluster",
    "tls-port",
    "tls-replication",
];

impl Oracle {
    /// The program, if it is there in the version that the lists are about.
    fn program(&self) -> Option<OsString> {
        let program = std::env::var_os(self.variable).unwrap_or_else(|| self.program.into());
        let version = Command::new(&program).arg("--version").output().ok();
        let version = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        if version
            .as_deref()
            .is_some_and(|version| version.contains(self.version))
        {
            return Some(program);
        }
        let found = version.unwrap_or_else(|| "nothing".to_owned());
        println!(
            "skipped: {} {} is not here, {found}",
            self.program, self.version
        );
        None
    }

    fn start(&self, first_arguments: &[&str]) -> Option<Server> {
        let program = self.program()?;
        let directory = temporary_directory();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let child = Command::new(program)
            .args(first_arguments)
            .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
            .current_dir(&directory)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Server {
            child,
            directory,
            connection: None,
        };
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(20) {
            if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) {
                stream
                    .set_read_timeout(Some(Duration::from_secs(10)))
                    .unwrap();
                server.connection = Some(BufReader::new(stream));
                if server.ask(&["PING"]) == ["PONG"] {
                    return Some(server);
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{} does not answer", self.program);
    }
}

fn temporary_directory() -> PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("caracal-config-oracle-{}-{count}", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::create_dir_all(&path).unwrap();
    path
}

struct Server {
    child: Child,
    directory: PathBuf,
    connection: Option<BufReader<TcpStream>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

impl Server {
    /// Sends a command; the reply's strings in a row, an error with its text alone.
    fn ask(&mut self, words: &[&str]) -> Vec<String> {
        let mut request = format!("*{}\r\n", words.len());
        for word in words {
            request.push_str(&format!("${}\r\n{word}\r\n", word.len()));
        }
        let connection = self.connection.as_mut().unwrap();
        connection.get_mut().write_all(request.as_bytes()).unwrap();
        let mut strings = Vec::new();
        read_reply(connection, &mut strings);
        strings
    }

    fn get(&mut self, pattern: &str) -> BTreeMap<String, String> {
        let reply = self.ask(&["CONFIG", "GET", pattern]);
        reply
            .chunks(2)
            .map(|pair| (pair[0].clone(), pair[1].clone()))
            .collect()
    }
}

fn read_reply(connection: &mut BufReader<TcpStream>, strings: &mut Vec<String>) {
    let mut line = String::new();
    connection.read_line(&mut line).unwrap();
    assert!(line.ends_with("\r\n"), "the server went away");
    let rest = line[1..].trim_end();
    match &line[..1] {
        "*" => (0..rest.parse().unwrap()).for_each(|_| read_reply(connection, strings)),
        "$" => {
            let mut bytes = vec![0; rest.parse::<usize>().unwrap() + 2];
            connection.read_exact(&mut bytes).unwrap();
            bytes.truncate(bytes.len() - 2);
            strings.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        _ => strings.push(rest.to_owned()),
    }
}

fn shown(config: &Config, name: &str) -> Option<String> {
    let found = config.get(&[name.as_bytes()]);
    found
        .into_iter()
        .next()
        .map(|(_, value)| String::from_utf8_lossy(&value).into_owned())
}

/// The names whose answers differ must be those of the list, all of them.
#[track_caller]
fn expect_differences(found: BTreeMap<String, String>, accepted: &[(&str, &str)]) {
    let accepted: BTreeSet<&str> = accepted.iter().map(|(name, _)| *name).collect();
    let surprising: Vec<_> = found
        .iter()
        .filter(|(n, _)| !accepted.contains(n.as_str()))
        .collect();
    assert!(surprising.is_empty(), "differ: {surprising:#?}");
    let gone: Vec<_> = accepted
        .iter()
        .filter(|name| !found.contains_key(**name))
        .collect();
    assert!(gone.is_empty(), "no longer differ: {gone:?}");
}

fn defaults(oracle: &Oracle) {
    let Some(mut server) = oracle.start(&[]) else {
        return;
    };
    let config = Config::new();
    let mut differences = BTreeMap::new();
    for (name, theirs) in server.get("*") {
        let ours = shown(&config, &name).unwrap_or_else(|| panic!("{name} is not known here"));
        if ours != theirs {
            differences.insert(name, format!("{ours:?} here, {theirs:?} there"));
        }
    }
    expect_differences(differences, oracle.defaults);
}

#[test]
fn defaults_are_those_of_redis() {
    defaults(&REDIS);
}

#[test]
fn defaults_are_those_of_redis_8() {
    defaults(&REDIS_8);
}

#[test]
fn defaults_are_those_of_valkey() {
    defaults(&VALKEY);
}

/// Sets many values, good and bad, on every parameter that can be set, here and there.
fn values(oracle: &Oracle) {
    const VALUES: &[&str] = &[
        "x",
        "yes",
        "NO",
        "0",
        "1",
        "-1",
        "7",
        "+1",
        "01",
        "1x",
        "100mb",
        "1k",
        "50%",
        "101%",
        "a b",
        "-9000000000000000000",
        "9223372036854775807",
        "9223372036854775808",
        "900 1",
        "900 1 60",
        "default",
        "now nosave",
        "save nosave",
        "everysec",
        "ALLKEYS-LRU",
        "KEA",
        "g$xn",
        "99.95 1",
        "normal 0 0 0",
        "./x",
        "{title} {x}",
        "1.2.3.4",
        "::1",
        "a.b-c",
    ];
    let Some(mut server) = oracle.start(&[]) else {
        return;
    };
    let mut differences = BTreeMap::new();
    for (name, original) in server.get("*") {
        let (_, parameter) = find(name.as_bytes()).unwrap();
        if UNTOUCHED.contains(&parameter.name) {
            continue;
        }
        let config = Config::new();
        let original_here = shown(&config, &name).unwrap();
        for value in VALUES {
            let theirs = server.ask(&["CONFIG", "SET", &name, value]).join(" ");
            let set = config.set(&[(name.as_bytes(), value.as_bytes())], Origin::Local);
            let ours = set.map_or_else(|error| error.to_string(), |_| "OK".to_owned());
            if ours != theirs {
                let difference = format!("{value:?} gives {ours:?} here, {theirs:?} there");
                differences.insert(name.clone(), difference);
            } else if ours == "OK" {
                let (ours, theirs) = (shown(&config, &name), server.get(&name).remove(&name));
                if ours != theirs {
                    let difference = format!("{value:?} shows {ours:?} here, {theirs:?} there");
                    differences.insert(name.clone(), difference);
                }
            }
        }
        if parameter.mutability == Mutability::Runtime {
            server.ask(&["CONFIG", "SET", &name, &original]);
            config
                .set(
                    &[(name.as_bytes(), original_here.as_bytes())],
                    Origin::Local,
                )
                .unwrap();
        }
    }
    expect_differences(differences, oracle.values);
}

#[test]
fn values_and_errors_are_those_of_redis() {
    values(&REDIS);
}

#[test]
fn values_and_errors_are_those_of_valkey() {
    values(&VALKEY);
}

/// Several pairs at once: which error comes first, and that nothing is changed.
fn several_pairs(oracle: &Oracle) {
    const SETS: &[&[&str]] = &[
        &["timeout", "1", "nope", "2"],
        &["timeout", "x", "nope", "2"],
        &["nope", "1", "databases", "2"],
        &["databases", "1", "nope", "2"],
        &["timeout", "1", "timeout", "2"],
        &["TIMEOUT", "1", "timeout", "2"],
        &["timeout", "x", "timeout", "2"],
        &["timeout", "1", "MaxMemory-Samples", "x"],
        &["maxmemory", "1gb", "loglevel", "notice", "save", "1 x"],
        &["save", "900 1 ", "timeout", "1"],
        &["client-output-buffer-limit", "normal 0 0", "timeout", "1"],
        &["client-output-buffer-limit", "master 0 0 0"],
        &["client-output-buffer-limit", "normal x 0 0"],
        &[
            "client-output-buffer-limit",
            "normal 1mb 10kb 5 slave 1 2 3",
        ],
        &["notify-keyspace-events", "Z"],
        &["dir", "/"],
        &["dbfilename", "x"],
        &["timeout", "5", "hz", "20", "save", ""],
    ];
    let Some(mut server) = oracle.start(&[]) else {
        return;
    };
    let config = Config::new();
    for set in SETS {
        let theirs = server.ask(&[&["CONFIG", "SET"], *set].concat()).join(" ");
        let pairs: Vec<(&[u8], &[u8])> = set
            .chunks(2)
            .map(|pair| (pair[0].as_bytes(), pair[1].as_bytes()))
            .collect();
        let set_here = config.set(&pairs, Origin::Local);
        let ours = set_here.map_or_else(|error| error.to_string(), |_| "OK".to_owned());
        // Values' errors name the parameter in the server's spelling in one version, in the
        // client's in another.
        assert_eq!(ours.to_lowercase(), theirs.to_lowercase(), "{set:?}");
        for name in [
            "timeout",
            "maxmemory",
            "save",
            "hz",
            "client-output-buffer-limit",
        ] {
            assert_eq!(
                shown(&config, name),
                server.get(name).remove(name),
                "{name} after {set:?}"
            );
        }
    }
}

#[test]
fn several_pairs_as_redis() {
    several_pairs(&REDIS);
}

#[test]
fn several_pairs_as_valkey() {
    several_pairs(&VALKEY);
}

/// What a program says before it ends; one that goes on is stopped and said so.
fn last_words(mut child: Child) -> String {
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > Duration::from_secs(5) {
            child.kill().unwrap();
            child.wait().unwrap();
            return ">>> it started\n".to_owned();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The line and the reason of a file's error.
fn file_errors(oracle: &Oracle) {
    const FILES: &[&str] = &[
        "port abc",
        "  port\tabc",
        "port 1 2",
        "port",
        "nonsense 1",
        "requirepass \"x",
        "requirepass 'x'y",
        "save 900",
        "save a b",
        "maxmemory 1tb",
        "maxmemory -1",
        "databases 0",
        "loglevel",
        "unixsocketperm 999",
        "unixsocketperm 1777",
        "client-output-buffer-limit normal 1 2",
        "client-output-buffer-limit what 1 2 3",
        "oom-score-adj-values 1 2",
        "notify-keyspace-events Z",
        "replicaof host",
        "dir \"\"",
        "dir /nowhere/at/all",
        "appendfilename a/b",
        "rename-command GET",
        "loadmodule",
        "latency-tracking-info-percentiles 200",
        "shutdown-on-sigterm save nosave",
        "hash-max-ziplist-entries -1",
        "a.b",
        "include",
        "io-threads-do-reads",
    ];
    let Some(program) = oracle.program() else {
        return;
    };
    let mut differences = BTreeMap::new();
    for file in FILES {
        let mut child = Command::new(&program)
            .arg("-")
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(format!("# x\n{file}\n").as_bytes())
            .unwrap();
        let theirs = last_words(child);
        let theirs: Vec<&str> = theirs
            .lines()
            .skip_while(|line| !line.starts_with(">>>"))
            .take(2)
            .collect();
        let Invocation::Serve(sources) = Invocation::parse(["-".into()]) else {
            unreachable!()
        };
        let text = format!("# x\n{file}\n");
        let ours = Config::load_with_stdin(&sources, &mut text.as_bytes())
            .unwrap_err()
            .to_string();
        let ours: Vec<&str> = ours
            .lines()
            .skip_while(|line| !line.starts_with(">>>"))
            .take(2)
            .collect();
        if ours != theirs {
            let difference = format!("{ours:?} here, {theirs:?} there");
            differences.insert((*file).to_owned(), difference);
        }
    }
    expect_differences(differences, oracle.files);
}

#[test]
fn file_errors_as_redis() {
    file_errors(&REDIS);
}

#[test]
fn file_errors_as_valkey() {
    file_errors(&VALKEY);
}

/// A file rewritten here loads there with the same values, and the other way round.
fn rewritten_files(oracle: &Oracle) {
    let directory = temporary_directory();
    let file = directory.join("redis.conf");
    let text = "# mine\nslave-priority 5\nsave 900 1\nsave 60 5\n\nmaxmemory 100mb\n\
                client-output-buffer-limit pubsub 1mb 1kb 5\n";
    fs::write(&file, text).unwrap();
    let path = file.to_str().unwrap();
    let load = || {
        let Invocation::Serve(sources) = Invocation::parse([path.into()]) else {
            unreachable!()
        };
        Config::load(&sources).unwrap().config
    };
    let changes: &[(&str, &str)] = &[
        ("timeout", "77"),
        ("maxmemory-policy", "allkeys-lfu"),
        ("replica-announce-ip", "a \"quoted\" 'name' \\ \t"),
        ("save", "30 3 20 2"),
        ("client-output-buffer-limit", "normal 0 0 1 replica 3mb 2 1"),
        ("notify-keyspace-events", "KEx"),
        ("maxmemory-clients", "5%"),
        ("shutdown-on-sigterm", "now nosave"),
        ("latency-tracking-info-percentiles", ""),
        ("hll-sparse-max-bytes", "2048"),
    ];
    let ours = load();
    for (name, value) in changes {
        ours.set(&[(name.as_bytes(), value.as_bytes())], Origin::Local)
            .unwrap();
    }
    ours.rewrite(&[]).unwrap();
    let Some(mut server) = oracle.start(&[path]) else {
        return;
    };
    let names = ["slave-priority", "maxmemory"]
        .into_iter()
        .chain(changes.iter().map(|(n, _)| *n));
    for name in names {
        assert_eq!(shown(&ours, name), server.get(name).remove(name), "{name}");
    }
    assert_eq!(
        server.ask(&["CONFIG", "SET", "timeout", "78", "save", ""]),
        ["OK"]
    );
    assert_eq!(server.ask(&["CONFIG", "REWRITE"]), ["OK"]);
    let again = load();
    for (name, theirs) in server.get("*") {
        let (_, parameter) = find(name.as_bytes()).unwrap();
        let is_default_elsewhere = oracle.defaults.iter().any(|(other, _)| *other == name);
        if parameter.visibility == Visibility::Listed && !is_default_elsewhere {
            assert_eq!(shown(&again, &name), Some(theirs), "{name}");
        }
    }
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn rewritten_files_as_redis() {
    rewritten_files(&REDIS);
}

#[test]
fn rewritten_files_as_valkey() {
    rewritten_files(&VALKEY);
}
