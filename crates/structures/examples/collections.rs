//! What an operation on a list, a set or a hash costs, and what an item of it takes.
//!
//! `cargo run --release -p structures --example collections`. Bytes are those that the allocator
//! has handed out, beside what `heap_bytes` says. Random members come in an order that the caches
//! cannot foresee; times are the best of several rounds.

use std::hint::black_box;
use std::time::Instant;
use structures::hash::hash;
use structures::hash_map::{self, HashMap};
use structures::item::Item;
use structures::list::{self, End, List};
use structures::set::{self, Set};
use tikv_jemalloc_ctl::{epoch, stats};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const MILLION: usize = 1_000_000;
/// Operations in a round: short rounds, for the best one to be free of interruptions.
const MANY: usize = 20_000;
const ROUNDS: usize = 50;

fn main() {
    lists();
    sets();
    hashes();
}

fn allocated() -> usize {
    epoch::advance().expect("statistics are compiled in");
    stats::allocated::read().expect("statistics are compiled in")
}

/// The best time per operation of some rounds, each of which does `ops` of them.
fn time(name: &str, ops: usize, mut round: impl FnMut()) {
    round();
    let best = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed()
        })
        .min()
        .expect("there are rounds");
    println!("{name:<52} {:>8.2} ns", best.as_nanos() as f64 / ops as f64);
}

/// Builds a value twice, and says what an item of the second takes, and took to be added to the
/// faster of the two.
fn size<T>(
    name: &str,
    items: usize,
    build: impl Fn() -> T,
    heap_bytes: impl FnOnce(&T) -> usize,
) -> T {
    let start = Instant::now();
    drop(build());
    let first = start.elapsed();
    let before = allocated();
    let start = Instant::now();
    let built = build();
    let elapsed = start.elapsed().min(first);
    let bytes = allocated() - before;
    println!(
        "{name:<52} {:>8.2} B allocated, {:.2} B by its own account, {:.0} ns to add, an item",
        bytes as f64 / items as f64,
        heap_bytes(&built) as f64 / items as f64,
        elapsed.as_nanos() as f64 / items as f64,
    );
    built
}

/// SplitMix64.
fn random(n: u64) -> u64 {
    let mut z = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Places below a million in an order that no round repeats.
struct Places(u64);

impl Places {
    fn next(&mut self) -> usize {
        self.0 += 1;
        (random(self.0) % MILLION as u64) as usize
    }
}

fn lists() {
    let limits = list::Limits::default();
    for (name, end) in [
        ("list, RPUSH of 1M 15-byte items", End::Back),
        ("list, LPUSH of them", End::Front),
    ] {
        let build = || {
            let mut list = List::new();
            for _ in 0..MILLION {
                list.push(end, b"fifteen bytes..", &limits);
            }
            list
        };
        size(name, MILLION, build, List::heap_bytes);
    }

    let mut list = List::new();
    for _ in 0..MILLION {
        list.push_back(b"abc", &limits);
    }
    let mut reply: Vec<u8> = Vec::with_capacity(64 * 1024);
    for count in [100, 300, 500, 600] {
        time(
            &format!("list, LRANGE of {count} 3-byte items, for_each"),
            1000 * count,
            || {
                for _ in 0..1000 {
                    reply.clear();
                    list.range(0, count).for_each(|item| copy(&mut reply, item));
                    black_box(&reply);
                }
            },
        );
    }
    time("list, the same 600, next", 60_000, || {
        for _ in 0..100 {
            reply.clear();
            let mut items = list.range(0, 600);
            while let Some(item) = items.next_item() {
                copy(&mut reply, item);
            }
            black_box(&reply);
        }
    });
    time("list, the same 600, without the copy", 60_000, || {
        for _ in 0..100 {
            let mut sum = 0;
            list.range(0, 600)
                .for_each(|item| sum += item.len() + item.as_ptr() as usize);
            black_box(sum);
        }
    });
    time("list, all 1M backwards, without the copy", MILLION, || {
        let mut sum = 0;
        list.iter_rev().for_each(|item| sum += item.len());
        black_box(sum);
    });
    time("list, an index in the middle of 1M", 1000, || {
        for i in 0..1000 {
            list.get(MILLION / 2 + i, |item| {
                black_box(item);
            });
        }
    });

    let mut list = List::new();
    for (name, push, pop) in [
        ("list, LPUSH and LPOP", End::Front, End::Front),
        (
            "list, RPUSH and LPOP (a queue of one)",
            End::Back,
            End::Front,
        ),
    ] {
        time(name, MANY, || {
            for _ in 0..MANY {
                list.push(push, b"fifteen bytes..", &limits);
                list.pop(pop, |item| black_box(item.len()));
            }
        });
    }
    for n in [100, 480, 10_000] {
        let mut list = List::new();
        for _ in 0..n {
            list.push_back(b"fifteen bytes..", &limits);
        }
        time(
            &format!("list, RPUSH and LPOP (a queue of {n})"),
            MILLION,
            || {
                for _ in 0..MILLION {
                    list.push_back(b"fifteen bytes..", &limits);
                    list.pop_front(|item| black_box(item.len()));
                }
            },
        );
    }
}

/// What a reply writer with its room reserved does for a short item.
#[inline]
fn copy(reply: &mut Vec<u8>, item: &[u8]) {
    reply.extend_from_slice(item);
}

fn sets() {
    let limits = set::Limits::default();
    let words = ["alpha", "beta", "gamma", "t123456"];
    let build = || {
        let mut set = Set::new();
        for word in words {
            set.insert(word.as_bytes(), &limits);
        }
        set
    };
    let build = || Vec::from_iter((0..MANY).map(|_| build()));
    size(
        "set of alpha, beta, gamma, t123456, with 16 B handle",
        MANY,
        build,
        |sets| {
            sets.iter()
                .map(|set| set.heap_bytes() + size_of::<Set>())
                .sum()
        },
    );
    let mut one = Set::new();
    one.insert(b"element:000000000001", &limits);
    time("set, SADD of the present one member", MANY, || {
        for _ in 0..MANY {
            black_box(one.insert(black_box(b"element:000000000001"), &limits));
        }
    });
    time("set, SADD and SPOP of one integer", MANY, || {
        let mut set = Set::new();
        for i in 0..MANY {
            set.insert(black_box(b"1234"), &limits);
            set.pop_random(random(i as u64), |item| black_box(item == Item::Int(1)));
        }
    });
    time("set, SADD and SPOP of one word", MANY, || {
        let mut set = Set::new();
        for i in 0..MANY {
            set.insert(black_box(b"element:000000000001"), &limits);
            set.pop_random(random(i as u64), |item| black_box(item == Item::Int(1)));
        }
    });
    let mut packed = Set::new();
    let mut ints = Set::new();
    for i in 0..128 {
        packed.insert(format!("element:{i:012}").as_bytes(), &limits);
        ints.insert((i * 7).to_string().as_bytes(), &limits);
    }
    time("set, SISMEMBER of 128 words", MANY, || {
        for i in 0..MANY {
            let member = [b"element:000000000", digits(i % 128).as_slice()].concat();
            black_box(packed.contains(&member));
        }
    });
    time("set, SISMEMBER of 128 integers", MANY, || {
        for i in 0..MANY {
            black_box(ints.contains(&digits(i % 900)));
        }
    });

    let mut places = Places(0);
    let members: Vec<[u8; 17]> = (0..MILLION).map(member).collect();
    let build = || {
        let mut set = Set::new();
        for member in &members {
            set.insert(member, &limits);
        }
        set
    };
    let mut set = size("set of 1M 17-byte members", MILLION, build, Set::heap_bytes);
    time("set, SISMEMBER of 1M, at random", MANY, || {
        for _ in 0..MANY {
            let member = &members[places.next()];
            black_box(set.contains(member));
        }
    });
    time(
        "set, the same in batches of 16 with prefetches",
        MANY,
        || {
            for _ in 0..MANY / 16 {
                let keys: [&[u8; 17]; 16] = std::array::from_fn(|_| &members[places.next()]);
                let hashes = keys.map(|key| hash(key));
                hashes.iter().for_each(|&hash| set.prefetch(hash));
                hashes.iter().for_each(|&hash| set.prefetch_member(hash));
                for (hash, key) in hashes.into_iter().zip(keys) {
                    black_box(set.contains_hashed(hash, key));
                }
            }
        },
    );
    time(
        "set, SADD of a present member of 1M, at random",
        MANY,
        || {
            for _ in 0..MANY {
                let member = &members[places.next()];
                black_box(set.insert(member, &limits));
            }
        },
    );
    time("set, SPOP of 1M and SADD of it again", MANY, || {
        for i in 0..MANY {
            let mut popped = [0; 17];
            set.pop_random(random(i as u64), |item| {
                item.with_bytes(|bytes| popped.copy_from_slice(bytes))
            });
            set.insert(&popped, &limits);
        }
    });
    time("set, SRANDMEMBER of 1M", MANY, || {
        for i in 0..MANY {
            black_box(set.random(random(i as u64)));
        }
    });
    time("set, all members of 1M", MILLION, || {
        let sum: usize = set.iter().map(|item| item.with_bytes(<[u8]>::len)).sum();
        black_box(sum);
    });
}

fn digits(i: usize) -> [u8; 3] {
    [i / 100, i / 10 % 10, i % 10].map(|digit| b'0' + digit as u8)
}

fn member(i: usize) -> [u8; 17] {
    format!("member:{i:010}")
        .into_bytes()
        .try_into()
        .expect("17 bytes")
}

fn hashes() {
    let limits = hash_map::Limits::default();
    let pairs = [
        ("name", "namej"),
        ("email", "uj@example.com"),
        ("age", "n"),
        ("city", "Lisbon"),
        ("plan", "free"),
    ];
    let build = || {
        let mut map = HashMap::new();
        for (name, value) in pairs {
            map.set(name.as_bytes(), value.as_bytes(), &limits);
        }
        map
    };
    let many = || Vec::from_iter((0..MANY).map(|_| build()));
    size(
        "hash of 5 short fields, with its 16 B handle",
        MANY,
        many,
        |maps| {
            maps.iter()
                .map(|map| map.heap_bytes() + size_of::<HashMap>())
                .sum()
        },
    );
    let mut map = build();
    time(
        "hash, making and dropping one of 5 short fields",
        MILLION / 10,
        || {
            for _ in 0..MANY {
                black_box(build());
            }
        },
    );
    time("hash, HGET of the last of them", MANY, || {
        for _ in 0..MANY {
            black_box(map.get(black_box(b"plan")));
        }
    });
    time("hash, HSET of the last of them", MANY, || {
        for _ in 0..MANY {
            black_box(map.set(black_box(b"plan"), b"paid", &limits));
        }
    });
    let mut map = HashMap::new();
    for i in 0..512 {
        map.set(format!("field:{i:010}").as_bytes(), b"value:00000", &limits);
    }
    time("hash, HGET of the last of 512", MANY / 10, || {
        for _ in 0..MANY / 10 {
            black_box(map.get(black_box(b"field:0000000511")));
        }
    });

    let mut places = Places(0);
    let names: Vec<[u8; 16]> = (0..MILLION)
        .map(|i| {
            format!("field:{i:010}")
                .into_bytes()
                .try_into()
                .expect("16 bytes")
        })
        .collect();
    let build = || {
        let mut map = HashMap::new();
        for name in &names {
            map.set(name, b"value:00000", &limits);
        }
        map
    };
    let mut map = size(
        "hash of 1M fields, 16 and 11 bytes",
        MILLION,
        build,
        HashMap::heap_bytes,
    );
    time("hash, HGET of 1M, at random", MANY, || {
        for _ in 0..MANY {
            black_box(map.get(&names[places.next()]));
        }
    });
    time("hash, HSET of 1M, at random, as long a value", MANY, || {
        for _ in 0..MANY {
            map.set(&names[places.next()], b"value:11111", &limits);
        }
    });
    time(
        "hash, HSET of 1M, at random, value of 11 or 40 bytes",
        MANY,
        || {
            for i in 0..MANY {
                let value = &[b'v'; 40][..if i % 2 == 0 { 11 } else { 40 }];
                map.set(&names[places.next()], value, &limits);
            }
        },
    );
    let big = vec![b'x'; 8 << 20];
    time("hash, HSET of 8 MB", 1, || {
        black_box(map.set(b"big", &big, &limits));
    });
}
