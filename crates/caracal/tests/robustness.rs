//! Bad input, bad clients and bad circumstances: nothing is lost and nobody else is harmed.

mod common;

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use common::{
    CARACAL, Client, Dice, Scratch, Server, free_port, integer, items, show, signal, text, wait_for,
};
use resp::client::encode_request;
use rustix::process::Signal;

/// The line of CLIENT LIST that `part` is in, once there is one.
#[track_caller]
fn wait_for_client(witness: &mut Client, part: &str) -> String {
    wait_for(part, || {
        let list = text(&witness.run("CLIENT LIST")).expect("a text");
        let line = list.lines().find(|line| line.contains(part));
        line.map(str::to_owned)
    })
}

/// Sends `bytes` and nothing more; the replies up to the end of the connection.
#[track_caller]
fn outcome_of(server: &Server, bytes: &[u8]) -> String {
    let mut client = server.client();
    client.send_raw(bytes);
    client.end_of_requests();
    let replies: Vec<String> = client.read_to_end().iter().map(show).collect();
    replies.join(" ")
}

/// Sends `bytes` and leaves the connection open; the server has to close it after these replies.
#[track_caller]
fn check_closed(server: &Server, bytes: &[u8], want: &str) {
    let mut client = server.client();
    client.send_raw(bytes);
    let replies: Vec<String> = client.read_to_end().iter().map(show).collect();
    assert_eq!(
        replies.join(" "),
        want,
        "{}",
        bytes[..bytes.len().min(60)].escape_ascii()
    );
}

#[test]
fn garbage_harms_nobody() {
    let server = Server::with_workers(2);
    let mut witness = server.client();
    witness.check("SET key value", "+OK");
    let mut dice = Dice::new(1);
    for round in 0..200 {
        // From a few letters, so that headers and commands come about by chance.
        let letters: &[u8] = match round % 3 {
            0 => b"*$:0123456789\r\n\r\n \"'\\x",
            1 => b"*1\r\n$4\r\nPING\r\nGETkey ",
            _ => &[],
        };
        let length = dice.below(3_000);
        let bytes: Vec<u8> = (0..length)
            .map(|_| match letters {
                [] => dice.below(256) as u8,
                letters => letters[dice.below(letters.len() as u64) as usize],
            })
            .collect();
        // Reading checks that whatever is answered is RESP.
        outcome_of(&server, &bytes);
        witness.check("GET key", "$value");
    }
    witness.check("DBSIZE", ":1");
}

#[test]
fn protocol_errors_are_said_and_end_the_connection() {
    let server = Server::with_workers(2);
    let mut witness = server.client();
    let check = |bytes: &[u8], want: &str| {
        check_closed(&server, bytes, &format!("-ERR Protocol error: {want}"));
    };
    check(b"*x\r\n", "invalid multibulk length");
    check(b"*2147483648\r\n", "invalid multibulk length");
    check(b"*1\r\n$-1\r\n", "invalid bulk length");
    check(b"*1\r\n$x\r\n", "invalid bulk length");
    check(b"*2\r\n$3\r\nGET\r\n$629145600\r\n", "invalid bulk length");
    check(b"*1\r\n:1\r\n", "expected '$', got ':'");
    check(b"SET k \"v\r\n", "unbalanced quotes in request");
    check(&[b'a'; 70_000], "too big inline request");
    check(
        &[b"*".as_slice(), &[b'1'; 70_000]].concat(),
        "too big mbulk count string",
    );
    check(
        &[b"*1\r\n$".as_slice(), &[b'1'; 70_000]].concat(),
        "too big bulk count string",
    );
    // What came before the violation is executed and answered.
    check_closed(
        &server,
        b"PING\r\n*1\r\n$4\r\nPING\r\n*1\r\n$x\r\n*1\r\n$4\r\nPING\r\n",
        "+PONG +PONG -ERR Protocol error: invalid bulk length",
    );
    // Not violations: empty requests and long lines.
    assert_eq!(
        outcome_of(&server, b"\r\n\r\n*0\r\n*-1\r\nPING\r\n"),
        "+PONG"
    );
    let word = "w".repeat(60_000);
    let line = format!("ECHO {word}\r\n");
    assert_eq!(outcome_of(&server, line.as_bytes()), format!("${word}"));
    witness.check("PING", "+PONG");
}

/// A web page can make a browser send a form to any port, so what follows is not to be trusted.
#[test]
fn a_browser_gives_no_commands() {
    let server = Server::with_workers(1);
    let body = "SET key value\r\n";
    for request in [
        format!("POST / HTTP/1.1\r\nHost: a\r\n\r\n{body}"),
        format!("GET / HTTP/1.1\r\nHost: a\r\n\r\n{body}"),
        format!("post /\r\n{body}"),
    ] {
        let mut client = server.client();
        client.send_raw(request.as_bytes());
        client.read_to_end();
        server.client().check("EXISTS key", ":0");
    }
}

/// A client that sends without a pause shares its worker with others.
#[test]
fn a_flood_does_not_keep_others_out() {
    const BATCH: usize = 5_000;
    let server = Server::with_workers(1);
    let mut flood = server.client();
    let mut answers = flood.twin();
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let reader = scope.spawn(move || {
            let mut replies = answers.read_to_end();
            assert_eq!(show(&replies.pop().expect("a reply to QUIT")), "+OK");
            replies.iter().map(integer).collect::<Vec<i64>>()
        });
        let writer = scope.spawn(|| {
            let batch = b"*2\r\n$4\r\nINCR\r\n$5\r\ncount\r\n".repeat(BATCH);
            let mut sent = 0;
            while !is_done.load(Relaxed) {
                flood.send_raw(&batch);
                sent += BATCH as i64;
            }
            flood.send_raw(b"QUIT\r\n");
            sent
        });
        let mut other = server.client();
        for _ in 0..40 {
            other.check("PING", "+PONG");
        }
        is_done.store(true, Relaxed);
        let sent = writer.join().expect("the flood is taken");
        let replies = reader.join().expect("the replies arrive");
        assert!(
            replies.into_iter().eq(1..=sent),
            "one reply for each request, in order"
        );
    });
}

#[test]
fn half_a_request_waits_while_others_are_served() {
    let server = Server::with_workers(2);
    let mut requests = Vec::new();
    let whole = b"*3\r\n$3\r\nSET\r\n$5\r\nkey:1\r\n$5\r\nvalue\r\n";
    let mut waiting: Vec<(Client, &[u8])> = Vec::new();
    for cut in 1..whole.len() {
        let mut client = server.client();
        client.send_raw(&whole[..cut]);
        waiting.push((client, &whole[cut..]));
    }
    let inline = b"SET key:2 value\r\n";
    for cut in 1..inline.len() {
        let mut client = server.client();
        client.send_raw(&inline[..cut]);
        waiting.push((client, &inline[cut..]));
    }
    let mut witness = server.client();
    for number in 0..2_000 {
        requests.push(format!("SET other:{number} {number}"));
        requests.push(format!("GET other:{number}"));
    }
    for (number, pair) in witness.pipeline(&requests).chunks(2).enumerate() {
        assert_eq!(show(&pair[1]), format!("${number}"));
    }
    witness.check("EXISTS key:1 key:2", ":0");
    // Those that end in the middle of a request leave nothing behind.
    let mut index = 0;
    waiting.retain(|_| {
        index += 1;
        index % 3 != 0
    });
    witness.check("EXISTS key:1 key:2", ":0");
    for (mut client, rest) in waiting {
        client.send_raw(rest);
        assert_eq!(show(&client.read()), "+OK");
    }
    witness.check("GET key:1", "$value");
    witness.check("GET key:2", "$value");
}

#[test]
fn announced_bytes_take_no_memory() {
    let server = Server::with_workers(2);
    let mut witness = server.client();
    witness.check("SET key value", "+OK");
    let before = server.resident_kib();
    let mut waiting = Vec::new();
    for (index, request) in [
        "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$524288000\r\nfirst bytes",
        "*2147483647\r\n$3\r\nDEL\r\n",
        "*1048576\r\n$5\r\nRPUSH\r\n$536870912\r\n",
    ]
    .iter()
    .cycle()
    .take(12)
    .enumerate()
    {
        let mut client = server.client();
        client.check(&format!("CLIENT SETNAME waiting:{index}"), "+OK");
        client.send_raw(request.as_bytes());
        let list_line = wait_for("the half request has arrived", || {
            let line = wait_for_client(&mut witness, &format!("name=waiting:{index} "));
            line.contains(&format!("qbuf={} ", request.len()))
                .then_some(line)
        });
        assert!(list_line.contains("cmd=client|setname"), "{list_line}");
        waiting.push(client);
    }
    let grown = server.resident_kib().saturating_sub(before);
    assert!(grown < 8 * 1024, "grown by {grown} KiB");
    witness.check("GET key", "$value");
}

#[test]
fn a_million_arguments_in_small_pieces() {
    const ITEMS: usize = 1_000_000;
    let server = Server::with_workers(2);
    let mut witness = server.client();
    let mut words = vec!["RPUSH".to_owned(), "list".to_owned()];
    words.extend((0..ITEMS).map(|item| format!("i{item}")));
    let mut bytes = Vec::new();
    encode_request(&words, &mut bytes);
    let mut client = server.client();
    for (number, piece) in bytes.chunks(1_357).enumerate() {
        client.send_raw(piece);
        if number % 1_000 == 0 {
            witness.check("EXISTS list", ":0");
        }
    }
    assert_eq!(show(&client.read()), format!(":{ITEMS}"));
    witness.check("LLEN list", &format!(":{ITEMS}"));
    for item in [0, 1, 499_999, 999_999] {
        witness.check(&format!("LINDEX list {item}"), &format!("$i{item}"));
    }
    let all = client.run("LRANGE list 0 -1");
    assert!(
        items(&all)
            .iter()
            .enumerate()
            .all(|(item, reply)| text(reply) == Some(format!("i{item}")))
    );
    witness.check("DEL list", ":1");
}

#[test]
fn a_long_value_arrives_whole() {
    let server = Server::with_workers(2);
    let mut client = server.client();
    let value: Vec<u8> = (0..32_000_000u32).map(|at| (at * 7 / 3) as u8).collect();
    let set = [b"SET".as_slice(), b"key", &value];
    assert_eq!(show(&client.call(&set)), "+OK");
    client.check("STRLEN key", ":32000000");
    assert!(client.run("GET key").as_bytes() == Some(&value));
}

#[test]
fn wrong_commands_change_nothing() {
    const WRONG_TYPE: &str = "-WRONGTYPE Operation against a key holding the wrong kind of value";
    const NOT_INTEGER: &str = "-ERR value is not an integer or out of range";
    let server = Server::with_workers(2);
    let mut client = server.client();
    client.check("SET text abc", "+OK");
    client.check("SET top 9223372036854775807", "+OK");
    client.check("SET bottom -9223372036854775808", "+OK");
    client.check("RPUSH list a b", ":2");
    client.check("SADD set a b", ":2");
    client.check("ZADD zset 1 a", ":1");
    client.check("HSET hash f v", ":1");
    let overflow = "-ERR increment or decrement would overflow";
    let cases = [
        ("GET", "-ERR wrong number of arguments for 'get' command"),
        (
            "SET text",
            "-ERR wrong number of arguments for 'set' command",
        ),
        (
            "MSET text 1 list",
            "-ERR wrong number of arguments for 'mset' command",
        ),
        (
            "HSET hash f",
            "-ERR wrong number of arguments for 'hset' command",
        ),
        (
            "PING a b",
            "-ERR wrong number of arguments for 'ping' command",
        ),
        (
            "SET text 1 EX 0",
            "-ERR invalid expire time in 'set' command",
        ),
        (
            "SET text 1 EX 9223372036854775807",
            "-ERR invalid expire time in 'set' command",
        ),
        ("SET text 1 NX XX", "-ERR syntax error"),
        (
            "EXPIRE text 9223372036854775807",
            "-ERR invalid expire time in 'expire' command",
        ),
        ("EXPIRE text x", NOT_INTEGER),
        ("INCR text", NOT_INTEGER),
        ("INCR top", overflow),
        ("DECR bottom", overflow),
        ("INCRBY top 1", overflow),
        ("INCRBY bottom -1", overflow),
        ("DECRBY bottom 1", overflow),
        (
            "DECRBY text -9223372036854775808",
            "-ERR decrement would overflow",
        ),
        ("INCRBY top 9223372036854775808", NOT_INTEGER),
        ("INCR list", WRONG_TYPE),
        ("GET list", WRONG_TYPE),
        ("APPEND set x", WRONG_TYPE),
        ("RPUSH text a", WRONG_TYPE),
        ("LPOP hash", WRONG_TYPE),
        ("SADD list a", WRONG_TYPE),
        ("SPOP zset", WRONG_TYPE),
        ("ZADD set 1 a", WRONG_TYPE),
        ("HGET text f", WRONG_TYPE),
        ("ZADD zset 2 a x b", "-ERR value is not a valid float"),
        ("ZADD zset nan a", "-ERR value is not a valid float"),
        (
            "LPOP list -1",
            "-ERR value is out of range, must be positive",
        ),
        ("SELECT 16", "-ERR DB index is out of range"),
        ("SELECT x", "-ERR value is not an integer or out of range"),
        (
            "NOSUCH a b",
            "-ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b' ",
        ),
    ];
    // One by one and as one pipeline: an error is the answer to its own command only.
    for (line, want) in cases {
        client.check(line, want);
    }
    let lines: Vec<&str> = cases
        .iter()
        .flat_map(|(line, _)| [line, "GET text"])
        .collect();
    let replies = client.pipeline(&lines);
    for ((line, want), pair) in cases.iter().zip(replies.chunks(2)) {
        assert_eq!(show(&pair[0]), *want, "{line}");
        assert_eq!(show(&pair[1]), "$abc", "behind {line}");
    }
    client.check(
        "MGET text top bottom",
        "[$abc $9223372036854775807 $-9223372036854775808]",
    );
    client.check("LRANGE list 0 -1", "[$a $b]");
    client.check("SCARD set", ":2");
    client.check("ZSCORE zset a", "$1");
    client.check("HGETALL hash", "[$f $v]");
    client.check("TTL text", ":-1");
    client.check("DBSIZE", ":7");
}

#[test]
fn little_is_taken_from_who_has_no_password() {
    let server = Server::start(&["--requirepass", "secret"]);
    let check = |bytes: &[u8], want: &str| {
        check_closed(&server, bytes, &format!("-ERR Protocol error: {want}"));
    };
    check(b"*11\r\n", "unauthenticated multibulk length");
    check(
        b"*2\r\n$4\r\nAUTH\r\n$16385\r\n",
        "unauthenticated bulk length",
    );
    let mut client = server.client();
    client.check("GET key", "-NOAUTH Authentication required.");
    client.check("CONFIG GET requirepass", "-NOAUTH Authentication required.");
    let wrong = "-WRONGPASS invalid username-password pair or user is disabled.";
    client.check("AUTH wrong", wrong);
    client.check("AUTH nobody secret", wrong);
    client.check("SET key value", "-NOAUTH Authentication required.");
    // Sent in one piece with the password, a big request counts as authenticated.
    let many: Vec<String> = (0..30).map(|item| format!("i{item}")).collect();
    let lines = [
        "AUTH secret".to_owned(),
        format!("RPUSH list {}", many.join(" ")),
    ];
    let replies = client.pipeline(&lines);
    assert_eq!(show(&replies[0]), "+OK");
    assert_eq!(show(&replies[1]), ":30");
    let value = "v".repeat(100_000);
    client.check(&format!("SET key {value}"), "+OK");
    client.check("GET key", &format!("${value}"));
    client.check("AUTH default secret", "+OK");
    // Without the password all over again.
    client.check("RESET", "+RESET");
    client.check("GET key", "-NOAUTH Authentication required.");
}

#[test]
fn idle_clients_are_closed() {
    let server = Server::start(&["--timeout", "1", "--workers", "2"]);
    let mut idle: Vec<Client> = (0..6).map(|_| server.client()).collect();
    idle[0].check("PING", "+PONG");
    idle[1].send_raw(b"*2\r\n$3\r\nGE");
    let mut busy = server.client();
    wait_for("only the busy client is left", || {
        thread::sleep(Duration::from_millis(50));
        let list = text(&busy.run("CLIENT LIST")).expect("a text");
        (list.lines().count() == 1).then_some(())
    });
    for client in &mut idle {
        assert!(client.try_read().is_none());
    }
    busy.check("CONFIG SET timeout 0", "+OK");
    busy.check("PING", "+PONG");
}

#[test]
fn clients_beyond_the_limit_are_refused() {
    let server = Server::start(&["--maxclients", "5", "--workers", "2"]);
    let mut clients: Vec<Client> = (0..5).map(|_| server.client()).collect();
    clients
        .iter_mut()
        .for_each(|client| client.check("PING", "+PONG"));
    for _ in 0..3 {
        let mut refused = server.client();
        let replies: Vec<String> = refused.read_to_end().iter().map(show).collect();
        assert_eq!(replies, ["-ERR max number of clients reached"]);
    }
    let info = text(&clients[0].run("INFO stats")).expect("a text");
    assert!(info.contains("rejected_connections:3\r\n"), "{info}");
    // Every way of leaving frees a place.
    clients.pop();
    clients[3].send_raw(b"QUIT\r\n");
    clients[2].send_raw(b"*1\r\n$x\r\n");
    clients.truncate(2);
    for _ in 0..3 {
        let client = wait_for("a place is free", || {
            let mut client = server.client();
            client.send_raw(b"PING\r\n");
            let reply = client.try_read()?;
            (show(&reply) == "+PONG").then_some(client)
        });
        clients.push(client);
    }
    clients
        .iter_mut()
        .for_each(|client| client.check("PING", "+PONG"));
    clients[0].check("CONFIG SET maxclients 6", "+OK");
    server.client().check("PING", "+PONG");
}

#[test]
fn who_never_reads_is_closed() {
    // One worker: the others are served by the one that has the replies nobody reads.
    let server = Server::with_workers(1);
    let mut witness = server.client();
    let limit = [
        "CONFIG",
        "SET",
        "client-output-buffer-limit",
        "normal 1mb 0 0",
    ];
    assert_eq!(show(&witness.call(&limit)), "+OK");
    witness.check(&format!("SET big {}", "v".repeat(500_000)), "+OK");
    let before = server.resident_kib();
    let mut deaf = server.client();
    deaf.check("CLIENT SETNAME deaf", "+OK");
    deaf.send_raw(&b"GET big\r\n".repeat(400));
    wait_for("the client is closed", || {
        witness.check("STRLEN big", ":500000");
        let list = text(&witness.run("CLIENT LIST")).expect("a text");
        (!list.contains("name=deaf")).then_some(())
    });
    assert!(server.log().contains("overcoming of output buffer limits"));
    let grown = server.resident_kib().saturating_sub(before);
    assert!(grown < 30 * 1024, "grown by {grown} KiB");
    // Who reads what it asks for gets as much as there is.
    for _ in 0..20 {
        let reply = witness.run("GET big");
        assert_eq!(reply.as_bytes().map(<[u8]>::len), Some(500_000));
    }
}

#[test]
fn big_replies_to_who_reads_late() {
    const BIG: usize = 3_000_000;
    const ROUNDS: usize = 40;
    let server = Server::with_workers(1);
    let mut witness = server.client();
    witness.check(&format!("SET big {}", "b".repeat(BIG)), "+OK");
    witness.check("SET small s", "+OK");
    let mut late = server.client();
    let mut bytes = Vec::new();
    for round in 0..ROUNDS {
        encode_request(&["GET", "big"], &mut bytes);
        encode_request(&["GET", "small"], &mut bytes);
        encode_request(&["ECHO", &round.to_string()], &mut bytes);
    }
    // The last request comes in two pieces, so whole requests wait in front of half a one.
    encode_request(&["INCR", "count"], &mut bytes);
    let half = bytes.len() - 8;
    late.send_raw(&bytes[..half]);
    for _ in 0..100 {
        witness.check("GET small", "$s");
    }
    late.send_raw(&bytes[half..]);
    for round in 0..ROUNDS {
        let reply = late.read();
        let big = reply.as_bytes().expect("bytes");
        assert!(big.len() == BIG && big.iter().all(|byte| *byte == b'b'));
        assert_eq!(show(&late.read()), "$s");
        assert_eq!(show(&late.read()), format!("${round}"));
    }
    assert_eq!(show(&late.read()), ":1");
    late.check("PING", "+PONG");
}

#[test]
fn a_whole_pipeline_before_the_first_reply_is_read() {
    const REQUESTS: usize = 100_000;
    let server = Server::with_workers(2);
    let mut client = server.client();
    let lines: Vec<String> = (0..1_000)
        .map(|key| format!("SET key:{key} {}", format!("value:{key};").repeat(8)))
        .collect();
    client.pipeline(&lines);
    let mut bytes = Vec::new();
    for request in 0..REQUESTS {
        encode_request(&["GET", &format!("key:{}", request % 1_000)], &mut bytes);
    }
    client.send_raw(&bytes);
    for request in 0..REQUESTS {
        let want = format!("value:{};", request % 1_000).repeat(8);
        assert_eq!(text(&client.read()), Some(want));
    }
    client.check("PING", "+PONG");
}

#[test]
fn twenty_thousand_connections() {
    // Or nearly: both processes get by with the descriptors that the system grants to one.
    const RESERVED: usize = 500;
    let granted = rlimit::increase_nofile_limit(20_000 + RESERVED as u64).expect("a limit");
    let connections = (granted as usize).saturating_sub(RESERVED);
    assert!(connections >= 500, "too few descriptors to test this");
    let server = Server::start(&["--maxclients", "20000", "--workers", "2"]);
    let mut clients: Vec<Client> = (0..connections).map(|_| server.client()).collect();
    for round in 0..3 {
        for client in &mut clients {
            client.send_raw(b"INCR count\r\n");
        }
        let mut numbers: Vec<i64> = clients
            .iter_mut()
            .map(|client| integer(&client.read()))
            .collect();
        numbers.sort();
        let first = (round * connections) as i64 + 1;
        assert!(
            numbers
                .iter()
                .copied()
                .eq(first..first + connections as i64)
        );
    }
    let info = text(&clients[0].run("INFO clients")).expect("a text");
    let count = format!("connected_clients:{connections}\r\n");
    assert!(info.contains(&count), "{info}");
    clients.truncate(1);
    wait_for("the others are gone", || {
        let info = text(&clients[0].run("INFO clients")).expect("a text");
        info.contains("connected_clients:1\r\n").then_some(())
    });
}

#[test]
fn a_signal_ends_it_cleanly() {
    let scratch = Scratch::new();
    let (pid_file, socket) = (scratch.text("pid"), scratch.text("socket"));
    let options = [
        "--pidfile",
        &pid_file,
        "--unixsocket",
        &socket,
        "--workers",
        "2",
    ];
    for name in [Signal::TERM, Signal::INT] {
        let mut server = Server::start(&options);
        let pid = std::fs::read_to_string(&pid_file).expect("a pid file");
        assert_eq!(pid.trim(), server.pid().to_string());
        let mut clients: Vec<Client> = (0..10).map(|_| server.client()).collect();
        clients[0].check("SET key value", "+OK");
        clients[1].send_raw(b"*2\r\n$3\r\nGET");
        Client::connect_unix(socket.as_ref()).check("GET key", "$value");
        signal(server.pid(), name);
        for client in &mut clients {
            assert!(client.try_read().is_none());
        }
        // A second signal while it ends is no other than the first.
        let status = server.terminate();
        assert_eq!(status.code(), Some(0), "{}", server.log());
        assert!(!scratch.path("pid").exists());
        assert!(!scratch.path("socket").exists());
        assert!(server.log().contains("bye bye"), "{}", server.log());
    }
}

#[test]
fn the_log_has_the_lines_that_harnesses_wait_for() {
    let server = Server::start(&[]);
    let log = server.log();
    for line in [
        format!(" PID: {}", server.pid()),
        "Server initialized".to_owned(),
        "Ready to accept connections tcp".to_owned(),
        format!("port={}", server.port),
    ] {
        assert!(log.contains(&line), "no {line:?} in {log}");
    }
    let first = log.lines().next().expect("a line");
    assert!(
        first.starts_with(&format!("{}:M ", server.pid())),
        "{first}"
    );
}

/// Runs the program to its end: its exit code, and what it wrote.
fn end_of(program: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .expect("the binary starts");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn a_port_that_is_taken() {
    let server = Server::start(&[]);
    let port = server.port.to_string();
    let (code, output) = end_of(
        CARACAL,
        &["--port", &port, "--bind", "127.0.0.1", "--save", ""],
    );
    assert_eq!(code, Some(1), "{output}");
    assert!(output.contains("Address already in use"), "{output}");
    assert!(
        output.contains(&format!("Failed listening on port {port}")),
        "{output}"
    );
    server.client().check("PING", "+PONG");
}

#[test]
fn a_bad_configuration_is_explained() {
    let scratch = Scratch::new();
    let check = |text: &str, line: usize, reason: &str| {
        let file = scratch.write("bad.conf", text);
        let (code, output) = end_of(CARACAL, &[&file]);
        assert_eq!(code, Some(1), "{output}");
        for part in [&format!("at line {line}"), &file, reason] {
            assert!(output.contains(part), "no {part:?} in {output}");
        }
    };
    check("port 0\n# fine\nmaxmemroy 100mb\n", 3, "maxmemroy");
    check("port 0\n\nmaxmemory plenty\n", 3, "maxmemory plenty");
    check("port\n", 1, "wrong number of arguments");
    check("bind \"127.0.0.1\n", 1, "bind");
    let (code, output) = end_of(CARACAL, &[&scratch.text("missing.conf")]);
    assert_eq!(code, Some(1));
    assert!(output.contains("missing.conf"), "{output}");
    assert!(output.contains("No such file"), "{output}");
    let (code, output) = end_of(CARACAL, &["--port", "1", "--nosuch", "1"]);
    assert_eq!(code, Some(1));
    assert!(output.contains("nosuch"), "{output}");
}

#[test]
fn version_and_help() {
    for flag in ["--version", "-v"] {
        let (code, output) = end_of(CARACAL, &[flag]);
        assert_eq!(code, Some(0));
        assert!(output.starts_with("caracal "), "{output}");
        assert!(output.contains(env!("CARGO_PKG_VERSION")), "{output}");
    }
    for flag in ["--help", "-h"] {
        let (code, output) = end_of(CARACAL, &[flag]);
        assert_eq!(code, Some(0));
        assert!(output.contains("Usage:"), "{output}");
    }
}

#[test]
fn a_configuration_on_standard_input() {
    let port = free_port();
    let text = format!("port {port}\nrequirepass \"a secret\"\n");
    let server = Server::start_as(CARACAL, &["-"], &[], port, &text);
    let mut client = server.client();
    client.check("PING", "-NOAUTH Authentication required.");
    assert_eq!(show(&client.call(&["AUTH", "a secret"])), "+OK");
}

#[test]
fn a_unix_socket_alone() {
    let scratch = Scratch::new();
    let socket = scratch.text("socket");
    let options = [
        "--unixsocket",
        &socket,
        "--unixsocketperm",
        "700",
        "--workers",
        "2",
    ];
    let server = Server::start_as(CARACAL, &["--port", "0"], &options, 0, "");
    let mut clients: Vec<Client> = (0..4)
        .map(|_| Client::connect_unix(socket.as_ref()))
        .collect();
    for (number, client) in clients.iter_mut().enumerate() {
        client.check("INCR count", &format!(":{}", number + 1));
    }
    let list = text(&clients[0].run("CLIENT LIST")).expect("a text");
    assert!(list.contains(&format!("addr={socket}:0 ")), "{list}");
    assert!(list.contains("flags=U "), "{list}");
    assert!(server.log().contains("Ready to accept connections unix"));
}

#[test]
fn by_the_name_of_another_program() {
    let scratch = Scratch::new();
    for name in ["redis-server", "valkey-server", "redis-cli"] {
        std::os::unix::fs::symlink(CARACAL, scratch.path(name)).expect("a link can be made");
    }
    let port = free_port();
    let config = scratch.write("test.conf", &format!("port {port}\n"));
    let server = Server::start_as(scratch.path("redis-server"), &[&config], &[], port, "");
    server.client().check("PING", "+PONG");
    let (code, output) = end_of(
        &scratch.text("redis-cli"),
        &["-p", &port.to_string(), "PING"],
    );
    assert_eq!((code, output.trim()), (Some(0), "PONG"));
    let (code, output) = end_of(&scratch.text("redis-server"), &["--version"]);
    assert_eq!(code, Some(0));
    assert!(output.starts_with("Redis server v="), "{output}");
    let (_, output) = end_of(&scratch.text("valkey-server"), &["-v"]);
    assert!(output.starts_with("Valkey server v="), "{output}");
}

/// A process that is no child of ours and must not outlive the test.
struct Stray(u32);

impl Drop for Stray {
    fn drop(&mut self) {
        if thread::panicking()
            && let Some(pid) = rustix::process::Pid::from_raw(self.0 as i32)
        {
            let _ = rustix::process::kill_process(pid, Signal::KILL);
        }
    }
}

#[test]
fn in_the_background() {
    let scratch = Scratch::new();
    let (pid_file, log_file) = (scratch.text("pid"), scratch.text("log"));
    let port = free_port();
    let (code, output) = end_of(
        CARACAL,
        &[
            "--daemonize",
            "yes",
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--pidfile",
            &pid_file,
            "--logfile",
            &log_file,
            "--workers",
            "2",
        ],
    );
    assert_eq!((code, output.as_str()), (Some(0), ""));
    let pid: u32 = wait_for("the pid file is written", || {
        std::fs::read_to_string(&pid_file).ok()?.trim().parse().ok()
    });
    let _stray = Stray(pid);
    let log = || std::fs::read_to_string(&log_file).unwrap_or_default();
    wait_for("the server is ready", || {
        log()
            .contains("Ready to accept connections tcp")
            .then_some(())
    });
    let mut client = Client::connect(port);
    let info = text(&client.run("INFO server")).expect("a text");
    assert!(info.contains(&format!("process_id:{pid}\r\n")), "{info}");
    assert!(log().contains(&format!(" PID: {pid}")));
    signal(pid, Signal::TERM);
    assert!(client.try_read().is_none());
    wait_for("the pid file is removed", || {
        (!scratch.path("pid").exists()).then_some(())
    });
    wait_for("the log is finished", || {
        log().contains("bye bye").then_some(())
    });
}

/// SHUTDOWN ends the process as a signal does; the client that asked sees the connection end.
#[test]
fn a_client_ends_it() {
    let mut server = Server::start(&["--workers", "2"]);
    let mut client = server.client();
    client.send_raw(b"SHUTDOWN NOSAVE\r\n");
    assert!(client.try_read().is_none());
    assert!(server.terminated().success());
}
