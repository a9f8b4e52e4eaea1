//! What the operations of a sorted set cost, and what a member takes in memory.
//!
//! `cargo run --release -p structures --example sorted_set [members ...]`
//!
//! Members have 17 bytes. Loads and lookups go over all members in an order without a pattern, so
//! the big sets show what the caches cannot hold.

use std::fs;
use std::hint::black_box;
use std::ops::Bound;
use std::time::Instant;

use structures::sorted_set::{Limits, ScoreRange, SortedSet};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const LIMITS: Limits = Limits {
    entries_max: 128,
    member_bytes_max: 64,
};

type Member = [u8; 17];

fn member(n: usize) -> Member {
    let text = format!("member:{n:010}");
    text.as_bytes().try_into().expect("7 and 10 are 17")
}

/// A fixed sequence of numbers without a pattern.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 ^ (self.0 >> 29)) >> 20
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.next() as usize % (last + 1));
        }
    }
}

fn rss_bytes() -> usize {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize = statm
        .split(' ')
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(0);
    pages * 4096
}

/// Runs `operation` for `0..count` in forty parts, and prints how long one took in the part that is
/// faster than three quarters of them: other work on the machine makes some slow.
fn time(what: &str, count: usize, mut operation: impl FnMut(usize)) {
    const PARTS: usize = 40;
    let mut parts: Vec<f64> = (0..PARTS)
        .map(|part| count * part / PARTS..count * (part + 1) / PARTS)
        .filter(|indices| !indices.is_empty())
        .map(|indices| {
            let (start, len) = (Instant::now(), indices.len());
            indices.for_each(&mut operation);
            start.elapsed().as_nanos() as f64 / len as f64
        })
        .collect();
    parts.sort_unstable_by(f64::total_cmp);
    println!("  {what:<50} {:>8.1} ns", parts[parts.len() / 4]);
}

fn load(items: &[(f64, Member)]) -> SortedSet {
    let mut set = SortedSet::new();
    for (score, member) in items {
        set.insert(*score, member, &LIMITS);
    }
    set
}

fn measured_load(what: &str, items: &[(f64, Member)]) -> SortedSet {
    let before = rss_bytes();
    let mut set = SortedSet::new();
    time(what, items.len(), |at| {
        set.insert(items[at].0, &items[at].1, &LIMITS);
    });
    println!(
        "  {:<50} {:>8.1} B by its own account, {:.1} B of RSS",
        "  a member",
        set.heap_bytes() as f64 / items.len() as f64,
        rss_bytes().saturating_sub(before) as f64 / items.len() as f64
    );
    set
}

fn big(count: usize) {
    println!("{count} members");
    let mut numbers = Numbers(count as u64);
    let mut items: Vec<(f64, Member)> = (0..count).map(|n| (n as f64, member(n))).collect();
    let ascending = measured_load("insert, ascending", &items);
    drop(ascending);
    numbers.shuffle(&mut items);
    let mut set = measured_load("insert, random", &items);
    numbers.shuffle(&mut items);

    time("insert, same score", count, |at| {
        black_box(set.insert(items[at].0, &items[at].1, &LIMITS));
    });
    time("score", count, |at| _ = black_box(set.score(&items[at].1)));
    time("rank", count, |at| _ = black_box(set.rank(&items[at].1)));
    time("get by rank", count, |at| {
        _ = black_box(set.get_by_rank(items[at].0 as usize))
    });
    time("count by score", count, |at| {
        let min = items[at].0;
        let range = ScoreRange {
            min: Bound::Included(min),
            max: Bound::Excluded(min + 1000.0),
        };
        black_box(set.ranks_by_score(&range).len());
    });
    time("100 by rank", count / 20, |at| {
        let start = items[at].0 as usize;
        set.range_by_rank(start..start + 100)
            .for_each(|item| _ = black_box(item));
    });
    time("100 by rank, in reverse", count / 20, |at| {
        let start = items[at].0 as usize;
        set.range_by_rank(start..start + 100)
            .rev()
            .for_each(|item| _ = black_box(item));
    });
    let mut walk = set.iter();
    time("walk, a member", count, |_| {
        walk.next()
            .inspect(|(member, score)| _ = black_box((member[0], score)));
    });
    let mut walk = set.iter();
    time("walk in reverse, a member", count, |_| {
        walk.next_back()
            .inspect(|(member, score)| _ = black_box((member[0], score)));
    });
    time("increment by 1.5", count, |at| {
        black_box(set.upsert(&items[at].1, &LIMITS, |score| {
            score.map(|score| score + 1.5)
        }));
    });
    time("new random score", count, |at| {
        black_box(set.insert(numbers.next() as f64, &items[at].1, &LIMITS));
    });
    println!(
        "  {:<50} {:>8.1} B by its own account",
        "  a member",
        set.heap_bytes() as f64 / count as f64
    );
    time("remove, random", count / 2, |at| {
        _ = black_box(set.remove(&items[at].1))
    });
    time("pop the smallest", count / 4, |_| {
        black_box(set.pop_min(|member, score| (member[0], score)));
    });
    time("remove by rank, 100 at a time", count / 400, |_| {
        let start = numbers.next() as usize % set.len().max(1);
        black_box(set.remove_range(start..start + 100, |_, _| ()));
    });
    drop(set);
    items.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    time("build in ascending order, all of it", 2, |_| {
        let items = items.iter().map(|(score, member)| (member, *score));
        black_box(SortedSet::from_items(items, &LIMITS));
    });
    let mut ties: Vec<_> = items.iter().map(|(_, member)| (0.0, *member)).collect();
    numbers.shuffle(&mut ties);
    let tied = measured_load("insert, random, all of one score", &ties);
    time("rank, all of one score", count, |at| {
        _ = black_box(tied.rank(&ties[at].1))
    });
}

fn small(count: usize) {
    const ROUNDS: usize = 200_000;
    println!("{count} members, packed, hot");
    let mut numbers = Numbers(count as u64);
    let mut items: Vec<(f64, Member)> = (0..count).map(|n| (n as f64, member(n))).collect();
    numbers.shuffle(&mut items);
    let items: Vec<_> = items.into_iter().cycle().take(count.max(100)).collect();
    let mut turn = 0;
    let mut next = || {
        turn = if turn + 1 == items.len() { 0 } else { turn + 1 };
        &items[turn]
    };
    let mut set = load(&items);
    println!(
        "  {:<50} {:>8.1} B",
        "  a member",
        set.heap_bytes() as f64 / count as f64
    );
    time("insert, same score", ROUNDS, |_| {
        let (score, member) = next();
        black_box(set.insert(*score, black_box(member), &LIMITS));
    });
    time("score", ROUNDS, |_| {
        _ = black_box(set.score(black_box(&next().1)))
    });
    time("new random score", ROUNDS, |_| {
        black_box(set.insert(numbers.next() as f64, &next().1, &LIMITS));
    });
    time(
        "pop the smallest, and insert it as the greatest",
        ROUNDS,
        |round| {
            let popped = set.pop_min(|member, _| Member::try_from(member).unwrap_or([0; 17]));
            set.insert(
                1e18 + round as f64 * 1e6,
                &popped.unwrap_or([0; 17]),
                &LIMITS,
            );
        },
    );
    time(
        "pop the greatest, and insert it as the smallest",
        ROUNDS,
        |round| {
            let popped = set.pop_max(|member, _| Member::try_from(member).unwrap_or([0; 17]));
            set.insert(
                -1e18 - round as f64 * 1e6,
                &popped.unwrap_or([0; 17]),
                &LIMITS,
            );
        },
    );
    time("walk, all of it", ROUNDS / 10, |_| {
        set.iter().for_each(|item| _ = black_box(item))
    });
    time("fill from empty, all of it", ROUNDS / 100, |_| {
        _ = black_box(load(&items[..count]))
    });
}

fn main() {
    for count in [1, 10, 100] {
        small(count);
    }
    let counts: Vec<usize> = std::env::args()
        .skip(1)
        .filter_map(|n| n.parse().ok())
        .collect();
    for count in if counts.is_empty() {
        vec![100_000, 1_000_000]
    } else {
        counts
    } {
        big(count);
    }
}
