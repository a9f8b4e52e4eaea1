//! Keys that nobody touches any more go when their time has come.

mod common;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use common::{Client, Server, integer, items, text, wait_for};

const KEYS: usize = 200_000;

#[test]
fn all_keys_of_one_second_go_untouched() {
    let server = Server::with_workers(2);
    let mut client = server.client();
    let now_ms = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock")
        .as_millis() as usize;
    // Far enough away that all are written while the first still live, whatever the machine.
    let second_ms = now_ms + 600_000;
    for start in (0..KEYS).step_by(1_000) {
        let lines: Vec<String> = (start..start + 1_000)
            .map(|key| format!("SET key:{key} value:{key} PXAT {}", second_ms + key % 1_000))
            .collect();
        client.pipeline(&lines);
    }
    client.check("SET stays v", "+OK");
    client.check("DBSIZE", &format!(":{}", KEYS + 1));
    // Now the same second comes soon.
    let now_ms = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a clock")
        .as_millis() as usize;
    for start in (0..KEYS).step_by(1_000) {
        let lines: Vec<String> = (start..start + 1_000)
            .map(|key| format!("PEXPIREAT key:{key} {}", now_ms + 8_000 + key % 1_000))
            .collect();
        client.pipeline(&lines);
    }
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let pings = scope.spawn(|| {
            let mut client = server.client();
            let mut count = 0;
            while !is_done.load(Relaxed) {
                client.check("PING", "+PONG");
                count += 1;
            }
            count
        });
        wait_for("all keys of that second are gone", || {
            (integer(&client.run("DBSIZE")) == 1).then_some(())
        });
        is_done.store(true, Relaxed);
        assert!(pings.join().expect("the other client is served") > 0);
    });
    client.check("GET stays", "$v");
}

/// The server's clock, in milliseconds.
fn server_ms(client: &mut Client) -> usize {
    let reply = client.run("TIME");
    let part = |index: usize| {
        let part = text(&items(&reply)[index]).expect("a number");
        part.parse::<usize>().expect("a number")
    };
    part(0) * 1000 + part(1) / 1000
}

/// Whatever the sweep is doing: up to its deadline a key is there for everyone, and then for nobody.
#[test]
fn keys_go_in_time() {
    const KEYS: usize = 300;
    let server = Server::with_workers(2);
    let mut client = server.client();
    let start_ms = server_ms(&mut client);
    let deadline = |key: usize| start_ms + 300 + key * 5;
    let lines: Vec<String> = (0..KEYS)
        .map(|key| format!("SET key:{key} value PXAT {}", deadline(key)))
        .collect();
    client.pipeline(&lines);
    let mut mget = vec!["MGET".to_owned()];
    mget.extend((0..KEYS).map(|key| format!("key:{key}")));
    wait_for("all keys are gone", || {
        let before_ms = server_ms(&mut client);
        let values = client.call(&mget);
        let after_ms = server_ms(&mut client);
        let mut living = 0;
        for (key, value) in items(&values).iter().enumerate() {
            if value.is_null() {
                assert!(deadline(key) <= after_ms, "{key} went early");
            } else {
                assert!(before_ms < deadline(key), "{key} is still there");
                living += 1;
            }
        }
        (living == 0).then_some(())
    });
    client.check("DBSIZE", ":0");
}
