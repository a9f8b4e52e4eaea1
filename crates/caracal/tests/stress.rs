//! Several clients at once, on several workers: what is promised to one client holds among all.
//!
//! Each test states an invariant that any lost, doubled or half-seen change would break, and is
//! bounded by a number of operations. Some clients send one request at a time and some pipeline,
//! because the server executes a run of pipelined commands in another way than a single one.

mod common;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use common::{Client, Dice, Server, integer, items, text};
use resp::client::Value;

/// Starts a server of two workers and one of four, and runs `test` against each.
fn each_server(test: impl Fn(&Server)) {
    for workers in [2, 4] {
        test(&Server::with_workers(workers));
    }
}

/// Runs `work` on this many threads, each with a client of its own, and collects the results.
fn clients<T: Send>(
    server: &Server,
    count: usize,
    work: impl Fn(usize, Client) -> T + Sync,
) -> Vec<T> {
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|index| scope.spawn(move || work(index, server.client())))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("the client's thread does not panic"))
            .collect()
    })
}

/// Sends the commands in pipelines, or one by one; which, the client's number decides.
fn run_all(client: &mut Client, index: usize, commands: &[String]) -> Vec<Value> {
    let length = [1, 7, 64, 300][index % 4];
    commands
        .chunks(length)
        .flat_map(|chunk| client.pipeline(chunk))
        .collect()
}

#[test]
fn every_increment_counts_once() {
    const CLIENTS: usize = 6;
    const OPERATIONS: usize = 3_000;
    const COUNTERS: u64 = 5;
    each_server(|server| {
        let counted = clients(server, CLIENTS, |index, mut client| {
            let mut dice = Dice::new(index as u64);
            let mut commands = Vec::new();
            let mut sums = [0i64; COUNTERS as usize];
            for _ in 0..OPERATIONS {
                let counter = dice.below(COUNTERS);
                let (command, by) = match dice.below(4) {
                    0 => (format!("INCRBY sum:{counter} 5"), 5),
                    1 => (format!("DECR sum:{counter}"), -1),
                    2 => (format!("INCRBY sum:{counter} 1000000007"), 1_000_000_007),
                    _ => ("INCR ticket".to_owned(), 0),
                };
                sums[counter as usize] += by;
                commands.push(command);
            }
            let replies = run_all(&mut client, index, &commands);
            let tickets: Vec<i64> = commands
                .iter()
                .zip(&replies)
                .filter(|(command, _)| *command == "INCR ticket")
                .map(|(_, reply)| integer(reply))
                .collect();
            assert!(tickets.is_sorted(), "one client's numbers ascend");
            (sums, tickets)
        });
        let mut client = server.client();
        for counter in 0..COUNTERS as usize {
            let sum: i64 = counted.iter().map(|(sums, _)| sums[counter]).sum();
            client.check(&format!("GET sum:{counter}"), &format!("${sum}"));
        }
        let mut tickets: Vec<i64> = counted.into_iter().flat_map(|(_, own)| own).collect();
        tickets.sort();
        assert!(
            tickets.iter().copied().eq(1..=tickets.len() as i64),
            "every number is given out once"
        );
    });
}

#[test]
fn every_item_is_popped_once_and_in_order() {
    const PRODUCERS: usize = 3;
    const CONSUMERS: usize = 3;
    const ITEMS: usize = 6_000;
    const LISTS: usize = 2;
    each_server(|server| {
        let left = AtomicUsize::new(PRODUCERS * ITEMS);
        let popped = clients(server, PRODUCERS + CONSUMERS, |index, mut client| {
            if index < PRODUCERS {
                // Items of one producer carry ascending numbers within each list.
                let mut commands = Vec::new();
                for first in (0..ITEMS).step_by(3) {
                    let list = first / 3 % LISTS;
                    let word = |item| format!("{index}:{item}");
                    if first % 2 == 0 {
                        commands.push(format!(
                            "RPUSH list:{list} {} {} {}",
                            word(first),
                            word(first + 1),
                            word(first + 2)
                        ));
                    } else {
                        commands.extend(
                            (first..first + 3)
                                .map(|item| format!("RPUSH list:{list} {}", word(item))),
                        );
                    }
                }
                for reply in run_all(&mut client, index, &commands) {
                    assert!(integer(&reply) > 0);
                }
                return Vec::new();
            }
            let mut got = Vec::new();
            while left.load(Relaxed) > 0 {
                let lines: Vec<String> = (0..LISTS)
                    .flat_map(|list| [format!("LPOP list:{list}"), format!("LPOP list:{list} 4")])
                    .collect();
                let mut count = 0;
                for (number, reply) in client.pipeline(&lines).iter().enumerate() {
                    let words: Vec<String> = if number % 2 == 0 {
                        text(reply).into_iter().collect()
                    } else {
                        items(reply).iter().filter_map(text).collect()
                    };
                    count += words.len();
                    got.extend(words.into_iter().map(|word| (number / 2, word)));
                }
                left.fetch_sub(count, Relaxed);
                if count == 0 {
                    thread::yield_now();
                }
            }
            got
        });
        let mut seen = HashSet::new();
        for consumer in &popped {
            let mut last = HashMap::new();
            for (list, word) in consumer {
                assert!(seen.insert(word.clone()), "{word} was popped twice");
                let (producer, item) = word.split_once(':').expect("our own item");
                let item: i64 = item.parse().expect("our own item");
                let before = last.insert((*list, producer), item);
                assert!(before.is_none_or(|before| before < item), "out of order");
            }
        }
        assert_eq!(seen.len(), PRODUCERS * ITEMS);
        server.client().check("DBSIZE", ":0");
    });
}

/// The keys of a group, in an order of their own each time, so that their shards are asked for in
/// every order.
fn shuffled(dice: &mut Dice, group: u64, count: usize) -> Vec<String> {
    let mut keys: Vec<String> = (0..count)
        .map(|key| format!("group:{group}:{key}"))
        .collect();
    dice.shuffle(&mut keys);
    keys
}

/// One command on many keys, its reply checked: the keys of a group were written together, so they
/// have one value or none.
fn group_command(dice: &mut Dice, group: u64, keys: usize, writes: bool) -> String {
    let mut words = shuffled(dice, group, keys);
    match dice.below(if writes { 6 } else { 2 }) {
        0 => format!("EXISTS {}", words.join(" ")),
        1 => format!("MGET {}", words.join(" ")),
        2 => format!("DEL {}", words.join(" ")),
        3 => format!("UNLINK {}", words.join(" ")),
        _ => {
            // Long and short, numbers and texts: values that are stored in different forms.
            let value = match dice.below(3) {
                0 => dice.below(1_000_000).to_string(),
                1 => format!("{}x", dice.below(1_000_000)),
                _ => format!("{:0>90}", dice.below(1_000_000)),
            };
            words
                .iter_mut()
                .for_each(|word| *word += &format!(" {value}"));
            format!("MSET {}", words.join(" "))
        }
    }
}

#[track_caller]
fn check_group_reply(command: &str, keys: usize, reply: &Value) {
    if command.starts_with("MGET") {
        let values = items(reply);
        assert_eq!(values.len(), keys);
        assert!(
            values.iter().all(|value| value == &values[0]),
            "{command} saw a part of a write: {}",
            common::show(reply)
        );
    } else if command.starts_with("MSET") {
        assert_eq!(reply, &Value::Simple(b"OK".to_vec()));
    } else {
        let count = integer(reply);
        assert!(
            count == 0 || count == keys as i64,
            "{command} saw {count} of {keys}"
        );
    }
}

#[test]
fn commands_on_many_keys_are_atomic() {
    const CLIENTS: usize = 6;
    const OPERATIONS: usize = 1_500;
    const KEYS: usize = 10;
    each_server(|server| {
        clients(server, CLIENTS, |index, mut client| {
            let mut dice = Dice::new(100 + index as u64);
            let mut commands = Vec::new();
            for operation in 0..OPERATIONS {
                let group = dice.below(3);
                commands.push(group_command(&mut dice, group, KEYS, index % 3 != 2));
                // Commands of one key between them: they run with several shards held at a time.
                if operation % 3 == 0 {
                    let key = dice.below(KEYS as u64);
                    commands.push(format!("GET group:{group}:{key}"));
                    commands.push(format!("INCR alone:{key}"));
                }
            }
            let replies = run_all(&mut client, index, &commands);
            for (command, reply) in commands.iter().zip(&replies) {
                if !command.starts_with("GET") && !command.starts_with("INCR") {
                    check_group_reply(command, KEYS, reply);
                }
            }
        });
    });
}

#[test]
fn a_flush_is_seen_whole() {
    const CLIENTS: usize = 6;
    const OPERATIONS: usize = 1_200;
    each_server(|server| {
        clients(server, CLIENTS, |index, mut client| {
            let mut dice = Dice::new(200 + index as u64);
            let commands: Vec<String> = (0..OPERATIONS)
                .map(|_| match dice.below(12) {
                    0 if index % 2 == 0 => "FLUSHALL".to_owned(),
                    1 if index % 2 == 0 => "FLUSHDB SYNC".to_owned(),
                    _ => group_command(&mut dice, 0, 2, true),
                })
                .collect();
            let replies = run_all(&mut client, index, &commands);
            for (command, reply) in commands.iter().zip(&replies) {
                if command.starts_with("FLUSH") {
                    assert_eq!(reply, &Value::Simple(b"OK".to_vec()));
                } else {
                    check_group_reply(command, 2, reply);
                }
            }
        });
        let mut client = server.client();
        client.check("FLUSHALL", "+OK");
        client.check("DBSIZE", ":0");
    });
}

#[test]
fn a_member_is_handed_out_once_for_each_time_it_was_added() {
    const CLIENTS: usize = 6;
    const OPERATIONS: usize = 2_500;
    const MEMBERS: u64 = 60;
    each_server(|server| {
        // For each member how often it came in less how often it went out.
        let balances = clients(server, CLIENTS, |index, mut client| {
            let mut dice = Dice::new(300 + index as u64);
            let mut commands = Vec::new();
            for _ in 0..OPERATIONS {
                let member = dice.below(MEMBERS);
                // Half of them integers, half texts: the set changes its form as they come and go.
                let member = if member.is_multiple_of(2) {
                    member.to_string()
                } else {
                    format!("member:{member}")
                };
                commands.push(match dice.below(8) {
                    0 | 1 => "SPOP set".to_owned(),
                    2 => format!("SPOP set {}", dice.below(4)),
                    3 => format!("SREM set {member}"),
                    4 => format!("SISMEMBER set {member}"),
                    _ => format!("SADD set {member}"),
                });
            }
            let replies = run_all(&mut client, index, &commands);
            let mut balance = HashMap::<String, i64>::new();
            for (command, reply) in commands.iter().zip(&replies) {
                let words: Vec<&str> = command.split(' ').collect();
                match words[..] {
                    ["SPOP", _] => {
                        if let Some(member) = text(reply) {
                            *balance.entry(member).or_default() -= 1;
                        }
                    }
                    ["SPOP", ..] => {
                        for member in items(reply).iter().filter_map(text) {
                            *balance.entry(member).or_default() -= 1;
                        }
                    }
                    [name, _, member] => {
                        let answer = integer(reply);
                        assert!(answer == 0 || answer == 1, "{command}: {answer}");
                        let sign = match name {
                            "SADD" => 1,
                            "SREM" => -1,
                            _ => 0,
                        };
                        *balance.entry(member.to_owned()).or_default() += sign * answer;
                    }
                    _ => unreachable!("no such command is sent"),
                }
            }
            balance
        });
        let mut total = HashMap::<String, i64>::new();
        for (member, balance) in balances.into_iter().flatten() {
            *total.entry(member).or_default() += balance;
        }
        let mut client = server.client();
        let rest = client.run("SMEMBERS set");
        let rest: HashSet<String> = items(&rest).iter().filter_map(text).collect();
        for (member, balance) in total {
            let want = i64::from(rest.contains(&member));
            assert_eq!(balance, want, "{member} came in and went out");
        }
        client.check("SCARD set", &format!(":{}", rest.len()));
    });
}

#[test]
fn a_scan_returns_every_key_that_stays() {
    const STAYING: usize = 3_000;
    const SCANS: usize = 4;
    each_server(|server| {
        let mut client = server.client();
        let lines: Vec<String> = (0..STAYING)
            .map(|key| format!("SET stay:{key} 0"))
            .collect();
        client.pipeline(&lines);
        let is_done = AtomicBool::new(false);
        clients(server, 4, |index, mut client| {
            if index == 0 {
                for scan in 0..SCANS {
                    let mut cursor = "0".to_owned();
                    let mut seen = HashSet::new();
                    loop {
                        let count = [3, 10, 100, 1000][scan % 4];
                        let reply = client.run(&format!("SCAN {cursor} COUNT {count}"));
                        let [next, keys] = items(&reply) else {
                            panic!("SCAN answers a pair")
                        };
                        seen.extend(
                            items(keys)
                                .iter()
                                .filter_map(text)
                                .filter(|key| key.starts_with("stay:")),
                        );
                        cursor = text(next).expect("a cursor");
                        if cursor == "0" {
                            break;
                        }
                    }
                    assert_eq!(seen.len(), STAYING, "scan {scan}");
                }
                is_done.store(true, Relaxed);
                return;
            }
            // The keys come in their thousands and go again, so that tables grow and shrink; those
            // that stay change in size, so that their entries move.
            let mut dice = Dice::new(400 + index as u64);
            while !is_done.load(Relaxed) {
                for verb in ["SET", "DEL"] {
                    let mut lines = Vec::new();
                    for key in 0..2_000 {
                        lines.push(match verb {
                            "SET" => format!("SET come:{index}:{key} value"),
                            _ => format!("DEL come:{index}:{key}"),
                        });
                        if key % 5 == 0 {
                            let length = dice.below(80) as usize + 1;
                            let staying = dice.below(STAYING as u64);
                            lines.push(format!("SET stay:{staying} {}", "v".repeat(length)));
                        }
                    }
                    lines.chunks(100).for_each(|chunk| {
                        client.pipeline(chunk);
                    });
                }
            }
        });
    });
}

/// Keys that die all the time are overwritten, revived and counted up by their owner, while the
/// sweep buries them from behind: it must never bury a key that lives.
#[test]
fn what_lives_again_is_not_swept() {
    const CLIENTS: usize = 4;
    const ROUNDS: usize = 700;
    each_server(|server| {
        clients(server, CLIENTS, |index, mut client| {
            let mut counted = 0;
            for round in 0..ROUNDS {
                let key = format!("key:{index}:{}", round % 20);
                // Dead at once, dead soon, and dead by the time of the next round.
                let lifetime = round % 4 + 1;
                let value = format!("value:{index}:{round}");
                let lines = [
                    format!("SET {key} old PX {lifetime}"),
                    format!("SET {key} {value}"),
                    format!("GET {key}"),
                    format!("PEXPIRE {key} 100000"),
                    format!("PERSIST {key}"),
                    format!("SET short:{index} {value} PX {lifetime}"),
                    format!("INCR count:{index}"),
                    format!("PEXPIRE count:{index} {}", round % 9 + 1),
                ];
                let replies: Vec<Value> = if index % 2 == 0 {
                    client.pipeline(&lines)
                } else {
                    lines.iter().map(|line| client.run(line)).collect()
                };
                assert_eq!(text(&replies[2]).as_ref(), Some(&value));
                assert_eq!(integer(&replies[3]), 1);
                assert_eq!(integer(&replies[4]), 1);
                let short = text(&client.run(&format!("GET short:{index}")));
                assert!(short.is_none_or(|short| short == value));
                let count = integer(&replies[6]);
                assert!(
                    count == 1 || count == counted + 1,
                    "{count} after {counted}"
                );
                // The count that died between INCR and PEXPIRE answers 0 there.
                counted = count;
                let again = text(&client.run(&format!("GET {key}")));
                assert_eq!(again, Some(value));
            }
        });
        let mut client = server.client();
        let living = common::wait_for("the short-lived keys are gone", || {
            let size = integer(&client.run("DBSIZE"));
            (size <= 20 * CLIENTS as i64).then_some(size)
        });
        assert_eq!(living, 20 * CLIENTS as i64);
    });
}

/// SET NX with a lifetime as a lock: whoever has it is alone.
#[test]
fn a_lock_has_one_owner() {
    const CLIENTS: usize = 5;
    const TURNS: usize = 120;
    each_server(|server| {
        clients(server, CLIENTS, |index, mut client| {
            let take = format!("SET lock {index} NX PX 600000");
            for _ in 0..TURNS {
                while client.run(&take).is_null() {
                    thread::yield_now();
                }
                // Read, then write: two clients in here would lose a turn.
                let turns = text(&client.run("GET turns"))
                    .map_or(0, |turns| turns.parse::<usize>().expect("a number"));
                client.check(&format!("SET turns {}", turns + 1), "+OK");
                client.check("DEL lock", ":1");
            }
        });
        let want = format!("${}", CLIENTS * TURNS);
        server.client().check("GET turns", &want);
    });
}
