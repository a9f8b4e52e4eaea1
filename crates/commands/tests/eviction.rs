//! What goes when the memory is full, and what is refused then.
//!
//! A test server has no allocator to ask, so what is used is what the shards' books say, exactly.

use testkit::Fixture;

fn fixture() -> Fixture {
    Fixture::new(commands::all())
}

const OOM: &str = "-OOM command not allowed when used memory > 'maxmemory'.";

/// Sets the limit to what is used and `more`.
fn limit(fixture: &mut Fixture, more: usize) {
    let used = fixture.server().keyspace.heap_bytes();
    fixture.check(&format!("CONFIG SET maxmemory {}", used + more), "+OK");
}

/// The value of a field of INFO.
fn info(fixture: &mut Fixture, name: &str) -> u64 {
    let info = fixture.run("INFO everything");
    let line = info
        .split("\\r\\n")
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {name} in {info}"))
        .parse()
        .unwrap()
}

fn set_policy(fixture: &mut Fixture, policy: &str) {
    fixture.check(&format!("CONFIG SET maxmemory-policy {policy}"), "+OK");
}

/// Fills the server with `count` keys, `key:0` first, a second apart, with `options` behind each SET.
fn fill(fixture: &mut Fixture, count: usize, options: &str) {
    for number in 0..count {
        let value = "x".repeat(100);
        let reply = fixture.run(format!("SET key:{number} {value} {options}").trim_end());
        assert_eq!(reply, "+OK");
        fixture.advance_ms(1000);
    }
}

/// How many of the keys with these numbers are there.
fn survivors(fixture: &mut Fixture, numbers: std::ops::Range<usize>) -> usize {
    let keys: Vec<_> = numbers.map(|number| format!("key:{number}")).collect();
    let reply = fixture.run(&format!("EXISTS {}", keys.join(" ")));
    reply[1..].parse().unwrap()
}

/// Writes new keys, for each of which an old one must go.
fn turn_over(fixture: &mut Fixture, count: usize) {
    for number in 0..count {
        let reply = fixture.run(&format!("SET new:{number} {}", "x".repeat(100)));
        assert_eq!(reply, "+OK");
    }
}

#[test]
fn noeviction_refuses() {
    let mut fixture = fixture();
    fixture.run("SET k v ; SADD s a");
    limit(&mut fixture, 0);
    fixture.run("SET other v");
    fixture.check("SET k w", OOM);
    fixture.check("SADD s b ; LPUSH l a ; HSET h f v", &[OOM; 3].join(" ; "));
    fixture.check(
        "GET k ; DEL none ; SREM s none ; EXPIRE k 100 ; PING",
        "$v ; :0 ; :0 ; :1 ; +PONG",
    );
    fixture.check("SET k", "-ERR wrong number of arguments for 'set' command");
    // What goes makes room.
    fixture.check(
        "DEL other ; DEL s ; PERSIST k ; SET k w",
        ":1 ; :1 ; :1 ; +OK",
    );
    fixture.check("CONFIG SET maxmemory 0 ; SET k v", "+OK ; +OK");
    assert_eq!(info(&mut fixture, "evicted_keys"), 0);
}

#[test]
fn refusals_are_counted() {
    let mut fixture = fixture();
    fixture.run("SADD s a ; CONFIG SET maxmemory 1 ; SET k v ; GET k");
    fixture.advance_ms(2000);
    let stats = fixture.run("INFO commandstats");
    assert!(
        stats.contains("cmdstat_set:calls=0,rejected_calls=1,failed_calls=0"),
        "{stats}"
    );
    let stats = fixture.run("INFO errorstats");
    assert!(stats.contains("errorstat_OOM:count=1"), "{stats}");
    assert_eq!(info(&mut fixture, "current_eviction_exceeded_time"), 2000);
    fixture.run("CONFIG SET maxmemory 1gb ; PING");
    fixture.advance_ms(1000);
    assert_eq!(info(&mut fixture, "current_eviction_exceeded_time"), 0);
    assert_eq!(info(&mut fixture, "total_eviction_exceeded_time"), 2000);
    fixture.run("CONFIG RESETSTAT");
    assert_eq!(info(&mut fixture, "total_eviction_exceeded_time"), 0);
}

#[test]
fn a_share_of_the_memory_is_no_limit() {
    fixture().check(
        "CONFIG SET maxmemory 50%",
        "-ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a \
         memory value",
    );
}

#[test]
fn lru_keeps_what_was_used_last() {
    let mut fixture = fixture();
    set_policy(&mut fixture, "allkeys-lru");
    fixture.check("CONFIG SET maxmemory-samples 64", "+OK");
    fill(&mut fixture, 400, "");
    for number in 0..100 {
        fixture.run(&format!("GET key:{number}"));
    }
    limit(&mut fixture, 0);
    turn_over(&mut fixture, 200);
    let old = survivors(&mut fixture, 100..250);
    assert!(old < 60, "{old} of the 150 oldest are left");
    let used = survivors(&mut fixture, 0..100);
    assert!(used > 90, "{used} of the 100 that were used are left");
    let young = survivors(&mut fixture, 350..400);
    assert!(young > 45, "{young} of the 50 youngest are left");
    assert!(info(&mut fixture, "evicted_keys") >= 190);
}

#[test]
fn lfu_keeps_what_is_used_often() {
    let mut fixture = fixture();
    set_policy(&mut fixture, "allkeys-lfu");
    fixture.check("CONFIG SET maxmemory-samples 64 lfu-log-factor 0", "+OK");
    fill(&mut fixture, 300, "");
    for _ in 0..20 {
        for number in 0..100 {
            fixture.run(&format!("GET key:{number}"));
        }
    }
    // A scan over the others does not drive them out, though it is what was used last.
    for number in 100..300 {
        fixture.run(&format!("GET key:{number}"));
    }
    limit(&mut fixture, 0);
    turn_over(&mut fixture, 600);
    let often = survivors(&mut fixture, 0..100);
    assert!(often > 95, "{often} of the 100 used often are left");
    assert!(survivors(&mut fixture, 100..300) < 150);
}

#[test]
fn volatile_policies_leave_other_keys_alone() {
    for policy in [
        "volatile-lru",
        "volatile-lfu",
        "volatile-random",
        "volatile-ttl",
    ] {
        let mut fixture = fixture();
        set_policy(&mut fixture, policy);
        fill(&mut fixture, 60, "");
        for number in 60..120 {
            let value = "x".repeat(100);
            let expiry_s = 100_000 + number;
            fixture.run(&format!("SET key:{number} {value} EX {expiry_s}"));
        }
        limit(&mut fixture, 0);
        turn_over(&mut fixture, 40);
        assert_eq!(survivors(&mut fixture, 0..60), 60, "{policy}");
        let volatile = survivors(&mut fixture, 60..120);
        assert!((10..45).contains(&volatile), "{policy}: {volatile} left");
        // When no more can go, writes are refused.
        let replies: Vec<_> = (0..100)
            .map(|number| fixture.run(&format!("SET more:{number} {}", "x".repeat(100))))
            .collect();
        assert!(replies.iter().any(|reply| reply == OOM), "{policy}");
        assert_eq!(survivors(&mut fixture, 60..120), 0, "{policy}");
        assert_eq!(survivors(&mut fixture, 0..60), 60, "{policy}");
        // A key that is given a time to live may go at once.
        for number in 0..10 {
            fixture.check(&format!("EXPIRE key:{number} 1000"), ":1");
        }
        fixture.check("SET k v", "+OK");
        assert!(
            (50..60).contains(&survivors(&mut fixture, 0..60)),
            "{policy}"
        );
    }
}

#[test]
fn volatile_without_volatile_keys_refuses() {
    for policy in [
        "volatile-lru",
        "volatile-lfu",
        "volatile-random",
        "volatile-ttl",
    ] {
        let mut fixture = fixture();
        fixture.run("SET k v ; SET gone v EX 100 ; DEL gone");
        set_policy(&mut fixture, policy);
        fixture.check(
            "CONFIG SET maxmemory 1 ; SET k w ; GET k",
            &format!("+OK ; {OOM} ; $v"),
        );
    }
}

#[test]
fn ttl_takes_the_next_to_expire() {
    let mut fixture = fixture();
    set_policy(&mut fixture, "volatile-ttl");
    for number in 0..300 {
        // Those with an odd number live longest.
        let expiry_s = if number % 2 == 0 {
            1000 + number
        } else {
            900_000
        };
        let value = "x".repeat(100);
        fixture.run(&format!("SET key:{number} {value} EX {expiry_s}"));
    }
    // Some of those that were to expire first are given a long life, and one a short one.
    for number in (0..40).step_by(2) {
        fixture.run(&format!("EXPIRE key:{number} 800000"));
    }
    fixture.run("EXPIRE key:299 10");
    limit(&mut fixture, 0);
    turn_over(&mut fixture, 60);
    let left = |fixture: &mut Fixture, numbers: &mut dyn Iterator<Item = usize>| {
        numbers
            .filter(|number| survivors(fixture, *number..*number + 1) == 1)
            .count()
    };
    let next = left(&mut fixture, &mut (299..300));
    assert_eq!(next, 0, "the next to expire");
    let long = left(&mut fixture, &mut (0..40).chain((41..299).step_by(2)));
    assert_eq!(long, 169, "those that live long");
    let first = left(&mut fixture, &mut (40..100).step_by(2));
    let last = left(&mut fixture, &mut (240..299).step_by(2));
    assert!(first < last, "{first} {last}");
}

#[test]
fn random_takes_any() {
    let mut fixture = fixture();
    set_policy(&mut fixture, "allkeys-random");
    fixture.run("SELECT 3");
    fill(&mut fixture, 100, "");
    fixture.run("SELECT 0");
    fill(&mut fixture, 100, "EX 1000");
    limit(&mut fixture, 0);
    turn_over(&mut fixture, 100);
    assert!(survivors(&mut fixture, 0..100) < 95);
    fixture.run("SELECT 3");
    assert!(survivors(&mut fixture, 0..100) < 95);
}

#[test]
fn the_effect_of_an_eviction_is_a_deletion() {
    let mut fixture = fixture();
    set_policy(&mut fixture, "allkeys-lru");
    fixture.run("SET old v");
    fixture.advance_ms(1000);
    fixture.run("SELECT 5 ; SET a v");
    limit(&mut fixture, 0);
    fixture.effects();
    fixture.check("SET b v", "+OK");
    fixture.check("PING", "+PONG");
    assert_eq!(fixture.effects(), ["SET b v", "DEL old"]);
    fixture.check("GET a ; SELECT 0 ; GET old", "$v ; +OK ; _");
    assert_eq!(info(&mut fixture, "evicted_keys"), 1);
    fixture.run("CONFIG RESETSTAT");
    assert_eq!(info(&mut fixture, "evicted_keys"), 0);
}

#[test]
fn a_lowered_limit_is_reached_by_ticks() {
    let mut fixture = fixture();
    set_policy(&mut fixture, "allkeys-lru");
    for number in 0..20_000 {
        fixture.run(&format!("SET key:{number} {number}"));
    }
    let used = fixture.server().keyspace.heap_bytes();
    let table_bytes = fixture.server().keyspace.count(0).table_bytes;
    // No time at all: a command evicts a few and goes on.
    fixture.check("CONFIG SET maxmemory-eviction-tenacity 0", "+OK");
    let half = table_bytes + (used - table_bytes) / 2;
    fixture.check(&format!("CONFIG SET maxmemory {half}"), "+OK");
    fixture.check("SET k v", "+OK");
    let evicted = info(&mut fixture, "evicted_keys");
    assert!((8..100).contains(&evicted), "{evicted}");
    fixture.check("SET k w", "+OK");
    fixture.tick();
    assert!(fixture.server().keyspace.heap_bytes() <= half);
    let evicted = info(&mut fixture, "evicted_keys");
    assert!((5_000..20_000).contains(&evicted), "{evicted}");
    fixture.check("SET k v", "+OK");
}

#[test]
fn great_values_are_freed_in_the_background() {
    let mut fixture = fixture();
    let members: Vec<_> = (0..2000).map(|number| format!("m:{number}")).collect();
    let members = members.join(" ");
    let mut freed = 0;
    let mut go = |fixture: &mut Fixture, script: &str| {
        fixture.run(&format!("SADD s {members}"));
        fixture.run(script);
        fixture.server().keyspace.wait_for_frees();
        freed += 1;
        assert_eq!(info(fixture, "lazyfreed_objects"), freed, "{script}");
        assert_eq!(info(fixture, "lazyfree_pending_objects"), 0);
        assert_eq!(fixture.server().keyspace.pending_free_bytes(), 0);
    };
    go(&mut fixture, "DEL s");
    go(&mut fixture, "UNLINK s");
    go(&mut fixture, "SET s v ; DEL s");
    go(&mut fixture, "PEXPIRE s 0");
    // Dead when it is asked for, and dead when nobody asks.
    fixture.run(&format!("SADD s {members} ; EXPIRE s 1"));
    fixture.advance_ms(2000);
    fixture.check("EXISTS s", ":0");
    fixture.run(&format!("SADD s {members} ; EXPIRE s 1"));
    fixture.advance_ms(2000);
    fixture.sweep();
    // Evicted.
    set_policy(&mut fixture, "allkeys-lru");
    fixture.run(&format!("SADD s {members}"));
    fixture.check("CONFIG SET maxmemory 1 ; PING", "+OK ; +PONG");
    fixture.server().keyspace.wait_for_frees();
    assert_eq!(info(&mut fixture, "lazyfreed_objects"), 7);
    fixture.check("DBSIZE", ":0");
}

#[test]
fn clients_with_great_buffers_are_ended() {
    use std::sync::atomic::Ordering::Relaxed;
    let mut fixture = fixture();
    let server = fixture.server().clone();
    let others = [100_000, 3_000_000, 2_000_000].map(|bytes| {
        let session = engine::Session::new(&server, Default::default(), || ());
        session.client.output_bytes.store(bytes, Relaxed);
        session
    });
    let ended = |fixture: &mut Fixture| {
        fixture.tick();
        others.each_ref().map(|other| other.client.is_killed())
    };
    assert_eq!(ended(&mut fixture), [false, false, false]);
    others[1].client.is_kept.store(true, Relaxed);
    fixture.run("CONFIG SET maxmemory-clients 4mb");
    assert_eq!(ended(&mut fixture), [false, false, true]);
    // A share of a limit that there is not.
    fixture.run("CONFIG SET maxmemory-clients 3%");
    assert_eq!(ended(&mut fixture), [false, false, true]);
    fixture.run("CONFIG SET maxmemory 102000000");
    assert_eq!(ended(&mut fixture), [true, false, true]);
    assert_eq!(info(&mut fixture, "evicted_clients"), 2);
}
