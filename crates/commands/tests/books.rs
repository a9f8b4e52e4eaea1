//! The books of the shards against a recount, after random commands on all types.
//!
//! The recount adds up what each entry says that it allocates; that this is what the allocator gives
//! out is for the structures to see to, and for a comparison with the resident set by hand.

use proptest::prelude::*;
use testkit::Fixture;

/// Commands with `K` and `L` in place of keys, `N` of a number and `M` of a member or value.
const COMMANDS: &[&str] = &[
    "SET K N",
    "SET K M",
    "SET K M KEEPTTL",
    "SET K M EX 100",
    "SET K M PX 5",
    "SETEX K 50 M",
    "GETSET K M",
    "APPEND K M",
    "INCRBY K N",
    "MSET K M L N",
    "SETRANGE K 30 M",
    "RENAME K L",
    "COPY K L REPLACE",
    "COPY K L DB 1 REPLACE",
    "MOVE K 1",
    "SWAPDB 0 1",
    "SUNIONSTORE K K L",
    "ZUNIONSTORE K 2 K L",
    "RPUSH K M N M",
    "LPUSH K M",
    "LPOP K",
    "RPOP K 3",
    "SADD K N",
    "SADD K M a b c",
    "SREM K a M",
    "SPOP K",
    "HSET K M N f M",
    "HSET K f N",
    "HDEL K M f",
    "ZADD K N M",
    "ZADD K N a 1 b 2 c",
    "ZREM K a M",
    "ZPOPMIN K 2",
    "GET K",
    "LRANGE K 0 -1",
    "DEL K",
    "DEL K L",
    "EXPIRE K 100",
    "EXPIRE K 5",
    "PEXPIRE K N",
    "PERSIST K",
    "EXPIRE K -1",
    "SELECT 1",
    "SELECT 0",
    "FLUSHDB",
    "CONFIG SET maxmemory 3000",
    "CONFIG SET maxmemory 0",
    "CONFIG SET maxmemory-policy volatile-ttl",
    "CONFIG SET maxmemory-policy volatile-lru",
    "CONFIG SET maxmemory-policy allkeys-lfu",
    "CONFIG SET hash-max-listpack-entries 2 set-max-listpack-entries 2 zset-max-listpack-entries 2",
    "CONFIG SET hash-max-listpack-entries 128 set-max-listpack-entries 128 list-max-listpack-size 2",
];

#[derive(Clone, Debug)]
struct Step {
    command: &'static str,
    keys: [u8; 2],
    number: i16,
    member: (char, usize),
    wait_ms: u64,
}

fn step() -> impl Strategy<Value = Step> {
    let length = prop_oneof![8 => 1..20usize, 1 => 60..100usize, 1 => 4000..5000usize];
    let wait_ms = prop_oneof![6 => Just(0), 2 => 1..100u64, 1 => 1000..20_000u64];
    (
        prop::sample::select(COMMANDS),
        [0..12u8, 0..12u8],
        any::<i16>(),
        (prop::char::range('a', 'z'), length),
        wait_ms,
    )
        .prop_map(|(command, keys, number, member, wait_ms)| Step {
            command,
            keys,
            number,
            member,
            wait_ms,
        })
}

impl Step {
    fn script(&self) -> String {
        let words = self.command.split(' ').map(|word| match word {
            "K" => format!("key:{}", self.keys[0]),
            "L" => format!("key:{}", self.keys[1]),
            "N" => self.number.to_string(),
            "M" => String::from(self.member.0).repeat(self.member.1),
            word => word.to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

fn check_books(fixture: &Fixture) {
    use std::sync::atomic::Ordering::Relaxed;
    let server = fixture.server();
    let keyspace = &server.keyspace;
    let mut total = 0;
    for database in 0..2 {
        let census = keyspace.count(database);
        let (mut keys, mut expiring, mut bytes, mut expiries) = (0, 0, 0, 0);
        for shard in keyspace.used_shards(database).unwrap_or_default() {
            for entry in shard.lock().entries() {
                keys += 1;
                bytes += entry.heap_bytes();
                expiring += usize::from(entry.expiry().is_some());
                expiries += entry.expiry().unwrap_or(0);
            }
        }
        assert_eq!(
            (census.keys, census.expiring, census.entry_bytes),
            (keys, expiring, bytes)
        );
        let mean = expiries / (expiring as u64).max(1);
        assert!(keyspace.mean_ttl_ms(database, 0).abs_diff(mean) <= 1);
        total += bytes;
    }
    let counted = server.stats[0].growth.load(Relaxed);
    assert_eq!(counted, total as i64, "what workers have counted");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn books_equal_a_recount(steps in prop::collection::vec(step(), 1..120)) {
        let mut fixture = Fixture::new(commands::all());
        for step in &steps {
            fixture.run(&step.script());
            fixture.advance_ms(step.wait_ms);
            if step.wait_ms > 50 {
                fixture.sweep();
                fixture.tick();
            }
            check_books(&fixture);
        }
    }
}
