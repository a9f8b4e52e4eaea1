//! Measures the table: `cargo run --release -p structures --example table`.
//!
//! Bytes an element and the share of lookups that read an overflow over the sizes, nanoseconds an
//! operation, and the worst pause of an insert.

use std::hint::black_box;
use std::time::{Duration, Instant};

use structures::hash::hash;
use structures::table::{Hashed, Slot, Table};

const BATCH: usize = 32;

struct Key([u8; 16]);

impl Hashed for Key {
    #[inline]
    fn table_hash(&self) -> u64 {
        hash(&self.0)
    }
}

fn key(number: usize) -> [u8; 16] {
    let mut key = *b"key:000000000000";
    let mut rest = number;
    for digit in key[4..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    key
}

fn insert(table: &mut Table<Box<Key>>, key: [u8; 16]) {
    if let Slot::Vacant(vacant) = table.entry(hash(&key), |other| other.0 == key) {
        vacant.insert(Box::new(Key(key)));
    }
}

fn find(table: &Table<Box<Key>>, key: &[u8; 16]) -> bool {
    table.find(hash(key), |other| other.0 == *key).is_some()
}

fn shuffled(count: usize, from: usize) -> Vec<[u8; 16]> {
    let mut keys: Vec<_> = (from..from + count).map(key).collect();
    let mut state = 1u64;
    for at in (1..keys.len()).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        keys.swap(at, (state >> 33) as usize % (at + 1));
    }
    keys
}

/// Nanoseconds per unit of the fastest of five runs.
fn time(units: usize, mut run: impl FnMut()) -> f64 {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
    }
    best.as_nanos() as f64 / units as f64
}

fn sizes() {
    println!(
        "{:>9} {:>8} {:>12} {:>15}",
        "elements", "buckets", "bytes/elem.", "in overflow, %"
    );
    let mut table = Table::new();
    let mut next = 100.0f64;
    let mut mean = (0.0, 0.0, 0);
    for number in 0..2_000_000 {
        insert(&mut table, key(number));
        if number + 1 == 977 || number + 1 == 1_000_000 || (number + 1) as f64 >= next {
            let shape = table.shape();
            let bytes = table.heap_bytes() as f64 / table.len() as f64;
            let overflow = 100.0 * shape.in_overflows as f64 / table.len() as f64;
            println!(
                "{:>9} {:>8} {bytes:>12.2} {overflow:>15.1}",
                table.len(),
                shape.buckets
            );
            if (number + 1) as f64 >= next {
                next *= 1.25;
                mean = (mean.0 + bytes, mean.1 + overflow, mean.2 + 1);
            }
        }
    }
    let count = f64::from(mean.2);
    println!(
        "{:>9} {:>8} {:>12.2} {:>15.1}",
        "mean",
        "",
        mean.0 / count,
        mean.1 / count
    );
}

fn operations(count: usize) {
    let rounds = (1_000_000 / count).max(1);
    let units = count * rounds;
    let (present, absent) = (shuffled(count, 0), shuffled(count, count));
    let mut table = Table::new();
    let inserting = time(units, || {
        for _ in 0..rounds {
            table = Table::new();
            for key in &present {
                insert(&mut table, *key);
            }
        }
    });
    let present = shuffled(count, 0);
    let hit = time(units, || {
        for _ in 0..rounds {
            present.iter().for_each(|key| assert!(find(&table, key)));
        }
    });
    let miss = time(units, || {
        for _ in 0..rounds {
            absent.iter().for_each(|key| assert!(!find(&table, key)));
        }
    });
    let prefetched = time(units, || {
        for _ in 0..rounds {
            for batch in present.chunks(BATCH) {
                batch
                    .iter()
                    .for_each(|key| table.prefetch_bucket(hash(key)));
                batch
                    .iter()
                    .for_each(|key| table.prefetch_element(hash(key)));
                batch.iter().for_each(|key| assert!(find(&table, key)));
            }
        }
    });
    let hot = time(1_000_000, || {
        let key = present[0];
        for _ in 0..1_000_000 {
            assert!(find(&table, black_box(&key)));
        }
    });
    let hashing = time(1_000_000, || {
        for _ in 0..1_000_000 {
            black_box(hash(black_box(&present[0])));
        }
    });
    let random = time(1_000_000, || {
        for seed in 0..1_000_000 {
            black_box(table.random(seed));
        }
    });
    let removing = time(units, || {
        // The time of refilling is taken off below.
        for _ in 0..rounds {
            for key in &present {
                if table.is_empty() {
                    break;
                }
                let place = table.find_mut(hash(key), |other| other.0 == *key);
                place.expect("it is there").remove();
            }
            for key in &present {
                insert(&mut table, *key);
            }
        }
    }) - inserting;
    println!(
        "{count:>9} elements, ns: hash {hashing:.1}, hot find {hot:.1}, hit {hit:.1}, \
         hit in batches {prefetched:.1}, miss {miss:.1}, insert {inserting:.1}, \
         remove {removing:.1}, random {random:.1}"
    );
}

/// The machine interrupts a run now and then, but not at the same insert each time.
fn pause() {
    let mut pauses = vec![u128::MAX; 1_000_000];
    for _ in 0..7 {
        let mut table = Table::new();
        for (number, pause) in pauses.iter_mut().enumerate() {
            let key = Box::new(Key(key(number)));
            let start = Instant::now();
            table.insert_unique(key);
            *pause = start.elapsed().as_nanos().min(*pause);
        }
    }
    pauses.sort_unstable();
    println!(
        "insert up to 1M, ns, the least of 7 runs: median {}, 99.9 % {}, 99.999 % {}, worst {}",
        pauses[500_000], pauses[999_000], pauses[999_990], pauses[999_999]
    );
}

fn main() {
    if std::env::args().any(|argument| argument == "--insert") {
        return (0..20).for_each(|_| {
            let mut table = Table::new();
            (0..1_000_000).for_each(|number| insert(&mut table, key(number)));
        });
    }
    sizes();
    for count in [1000, 30_000, 1_000_000] {
        operations(count);
    }
    pause();
}
