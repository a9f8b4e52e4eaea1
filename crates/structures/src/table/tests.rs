//! The table against the standard library's map.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::*;

thread_local! {
    static ALIVE: Cell<isize> = const { Cell::new(0) };
}

struct Item {
    hash: u64,
    key: u64,
    value: u64,
}

impl Item {
    fn new(hash: u64, key: u64, value: u64) -> Box<Self> {
        ALIVE.set(ALIVE.get() + 1);
        Box::new(Self { hash, key, value })
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        ALIVE.set(ALIVE.get() - 1);
    }
}

impl Hashed for Item {
    fn table_hash(&self) -> u64 {
        self.hash
    }
}

fn hash_of(key: u64) -> u64 {
    crate::hash::hash(&key.to_le_bytes())
}

fn filled(keys: std::ops::Range<u64>) -> Table<Box<Item>> {
    let mut table = Table::new();
    table.extend(keys.map(|key| Item::new(hash_of(key), key, key * 2)));
    table
}

/// A sink whose receipts the test keeps.
#[derive(Clone, Default)]
struct Receipts(Arc<Mutex<Vec<(u64, u64)>>>);

impl BucketSink<Box<Item>> for Receipts {
    fn take(&mut self, item: &Item) {
        self.0.lock().unwrap().push((item.key, item.value));
    }
}

impl Receipts {
    fn sorted(&self) -> Vec<(u64, u64)> {
        let mut all = self.0.lock().unwrap().clone();
        all.sort_unstable();
        all
    }
}

fn sorted(model: &HashMap<u64, u64>) -> Vec<(u64, u64)> {
    let mut all: Vec<_> = model.iter().map(|(&key, &value)| (key, value)).collect();
    all.sort_unstable();
    all
}

#[derive(Clone, Debug)]
enum Op {
    Insert(u64),
    Remove(u64),
    Update(u64),
    Replace(u64),
    SetThroughMut(u64),
    InsertMany(u64),
    RemoveMany(u64),
    Retain(u64),
    Random(u64),
    RemoveRandom(u64),
    BeginScan,
    ScanSteps(u32),
    BeginWalk,
    WalkSteps(u32),
    EndWalk,
    Drain(usize),
    Clear,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let key = 0..600u64;
    let op = prop_oneof![
        20 => key.clone().prop_map(Op::Insert),
        20 => key.clone().prop_map(Op::Remove),
        6 => key.clone().prop_map(Op::Update),
        6 => key.clone().prop_map(Op::Replace),
        6 => key.clone().prop_map(Op::SetThroughMut),
        6 => key.clone().prop_map(Op::InsertMany),
        6 => key.clone().prop_map(Op::RemoveMany),
        1 => (2..5u64).prop_map(Op::Retain),
        4 => any::<u64>().prop_map(Op::Random),
        6 => any::<u64>().prop_map(Op::RemoveRandom),
        4 => Just(Op::BeginScan),
        20 => (1..20u32).prop_map(Op::ScanSteps),
        6 => Just(Op::BeginWalk),
        20 => (1..20u32).prop_map(Op::WalkSteps),
        1 => Just(Op::EndWalk),
        1 => (0..50usize).prop_map(Op::Drain),
        1 => Just(Op::Clear),
    ];
    prop::collection::vec(op, 1..120)
}

/// A scan under way: what it has to find, and what it has found.
#[derive(Default)]
struct Scan {
    cursor: u64,
    owed: HashSet<u64>,
    seen: HashSet<u64>,
}

/// A walk under way: what it has to hand over in all, and what it has.
struct Walking {
    owed: Vec<(u64, u64)>,
    receipts: Receipts,
}

struct Run {
    table: Table<Box<Item>>,
    model: HashMap<u64, u64>,
    hash: fn(u64) -> u64,
    next_value: u64,
    scan: Option<Scan>,
    walk: Option<Walking>,
}

impl Run {
    fn new(hash: fn(u64) -> u64) -> Self {
        Self {
            table: Table::new(),
            model: HashMap::new(),
            hash,
            next_value: 0,
            scan: None,
            walk: None,
        }
    }

    fn place(&mut self, key: u64) -> Option<Occupied<'_, Box<Item>>> {
        self.table
            .find_mut((self.hash)(key), |item| item.key == key)
    }

    fn insert(&mut self, key: u64) {
        self.next_value += 1;
        let (hash, value) = ((self.hash)(key), self.next_value);
        match self.table.entry(hash, |item| item.key == key) {
            Slot::Vacant(vacant) => {
                assert_eq!(self.model.insert(key, value), None);
                let place = vacant.insert(Item::new(hash, key, value));
                assert_eq!((place.get().key, place.get().value), (key, value));
            }
            Slot::Occupied(place) => {
                assert_eq!(Some(&place.into_ref().value), self.model.get(&key));
            }
        }
    }

    fn forget(&mut self, key: u64) -> Option<u64> {
        if let Some(scan) = &mut self.scan {
            scan.owed.remove(&key);
        }
        self.model.remove(&key)
    }

    fn remove(&mut self, key: u64) {
        let removed = self.place(key).map(|place| place.remove().value);
        assert_eq!(removed, self.forget(key));
    }

    fn run(&mut self, op: Op) {
        self.next_value += 1;
        let value = self.next_value;
        match op {
            Op::Insert(key) => self.insert(key),
            Op::Remove(key) => self.remove(key),
            Op::Update(key) => {
                if let Some(mut place) = self.place(key) {
                    place.update(|item| Item::new(item.hash, item.key, value));
                    assert_eq!(place.get().value, value);
                    self.model.insert(key, value);
                }
            }
            Op::Replace(key) => {
                let item = Item::new((self.hash)(key), key, value);
                if let Some(mut place) = self.place(key) {
                    let old = place.replace(item).value;
                    assert_eq!(self.model.insert(key, value), Some(old));
                }
            }
            Op::SetThroughMut(key) => {
                if let Some(mut place) = self.place(key) {
                    place.as_mut().value = value;
                    assert_eq!(place.into_mut().value, value);
                    self.model.insert(key, value);
                }
            }
            Op::InsertMany(count) => (600..600 + 4 * count).for_each(|key| self.insert(key)),
            Op::RemoveMany(count) => {
                (600..3000)
                    .rev()
                    .take(4 * count as usize)
                    .for_each(|key| self.remove(key));
            }
            Op::Retain(modulus) => {
                let mut asked = Vec::new();
                self.table.retain(|item| {
                    asked.push((item.key, item.value));
                    item.key % modulus != 0
                });
                asked.sort_unstable();
                assert_eq!(asked, sorted(&self.model));
                for (key, _) in asked {
                    if key % modulus == 0 {
                        self.forget(key);
                    }
                }
            }
            Op::Random(seed) => match self.table.random(seed) {
                Some(item) => assert_eq!(self.model.get(&item.key), Some(&item.value)),
                None => assert!(self.model.is_empty()),
            },
            Op::RemoveRandom(seed) => match self.table.random_mut(seed).map(Occupied::remove) {
                Some(item) => assert_eq!(self.forget(item.key), Some(item.value)),
                None => assert!(self.model.is_empty()),
            },
            Op::BeginScan => {
                let owed = self.model.keys().copied().collect();
                self.scan = Some(Scan {
                    owed,
                    ..Scan::default()
                });
            }
            Op::ScanSteps(count) => self.scan_steps(count),
            Op::BeginWalk => {
                if self.walk.is_none() {
                    let receipts = Receipts::default();
                    self.table.begin_walk(Box::new(receipts.clone()));
                    self.walk = Some(Walking {
                        owed: sorted(&self.model),
                        receipts,
                    });
                }
            }
            Op::WalkSteps(count) => {
                if self.table.walk_step(count) {
                    self.end_walk();
                }
            }
            Op::EndWalk => {
                self.table.end_walk();
                if let Some(walk) = self.walk.take() {
                    let mut received = walk.receipts.sorted();
                    received.dedup();
                    assert_eq!(received, walk.receipts.sorted(), "something came twice");
                    assert!(received.iter().all(|pair| walk.owed.contains(pair)));
                }
            }
            Op::Drain(taken) => {
                let mut drain = self.table.drain();
                assert_eq!(drain.len(), self.model.len());
                for item in drain.by_ref().take(taken) {
                    assert_eq!(self.model.remove(&item.key), Some(item.value));
                }
                assert_eq!(drain.len(), self.model.len());
                self.model.clear();
                self.scan = None;
            }
            Op::Clear => {
                self.table.clear();
                self.model.clear();
                self.scan = None;
            }
        }
        assert_eq!(self.table.len(), self.model.len());
        if self.table.is_empty() && self.walk.is_none() {
            assert_eq!(self.table.heap_bytes(), 0);
        }
    }

    fn scan_steps(&mut self, count: u32) {
        let Some(scan) = &mut self.scan else { return };
        for _ in 0..count {
            let before = scan.cursor;
            scan.cursor = self.table.scan(before, |item| {
                assert_eq!(self.model.get(&item.key), Some(&item.value));
                scan.seen.insert(item.key);
            });
            if scan.cursor == 0 {
                let missed: Vec<_> = scan.owed.difference(&scan.seen).collect();
                assert!(missed.is_empty(), "the scan has missed {missed:?}");
                self.scan = None;
                return;
            }
            assert!(scan.cursor > before && scan.cursor < 1 << 48);
        }
    }

    fn end_walk(&mut self) {
        assert_eq!(self.table.end_walk().is_some(), self.walk.is_some());
        if let Some(walk) = self.walk.take() {
            assert_eq!(walk.receipts.sorted(), walk.owed);
        }
    }

    fn finish(mut self) {
        while !self.table.walk_step(3) {}
        self.end_walk();
        let mut all: Vec<_> = self
            .table
            .iter()
            .map(|item| (item.key, item.value))
            .collect();
        all.sort_unstable();
        assert_eq!(all, sorted(&self.model));
        for (&key, &value) in &self.model {
            let hash = (self.hash)(key);
            let found = self.table.find(hash, |item| item.key == key);
            assert_eq!(found.map(|item| item.value), Some(value));
            let mut neighbours = 0;
            self.table
                .bucket_elements(hash, |item| neighbours += u32::from(item.key == key));
            assert_eq!(neighbours, 1);
            self.table.prefetch_bucket(hash);
            self.table.prefetch_element(hash);
        }
        let shape = self.table.shape();
        assert!(shape.in_overflows <= all.len() && shape.overflows <= shape.buckets);
        drop(self.table);
        assert_eq!(ALIVE.get(), 0, "elements leaked, or dropped twice");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn behaves_like_a_map(ops in ops()) {
        let mut run = Run::new(hash_of);
        ops.into_iter().for_each(|op| run.run(op));
        run.finish();
    }

    /// Sixty hashes for all keys, so that nearly everything lies in overflows.
    #[test]
    fn behaves_like_a_map_under_collisions(ops in ops()) {
        let mut run = Run::new(|key| hash_of(key % 60));
        ops.into_iter().for_each(|op| run.run(op));
        run.finish();
    }
}

#[test]
fn the_header_is_one_cache_line() {
    assert_eq!(size_of::<Table<Box<Item>>>(), 64);
}

#[test]
fn is_sent_with_its_elements() {
    fn sent<T: Send + Sync>() {}
    sent::<Table<Box<Item>>>();
    sent::<IntoIter<Box<Item>>>();
}

/// Bytes an element at every size, growing and shrinking.
#[test]
fn memory_follows_the_number_of_elements() {
    let mut table = Table::new();
    for key in 0..30_000u64 {
        table.insert_unique(Item::new(hash_of(key), key, 0));
        let bytes = table.heap_bytes() as f64 / table.len() as f64;
        assert!(
            table.len() < 100 || (9.0..13.5).contains(&bytes),
            "{bytes} at {}",
            table.len()
        );
    }
    for key in 0..30_000u64 {
        table
            .find_mut(hash_of(key), |item| item.key == key)
            .expect("it is there")
            .remove();
        let bytes = table.heap_bytes() as f64 / table.len() as f64;
        assert!(
            table.len() < 100 || bytes < 22.0,
            "{bytes} at {}",
            table.len()
        );
    }
    assert_eq!((table.len(), table.heap_bytes()), (0, 0));
}

#[test]
fn a_table_made_for_a_size_does_not_grow() {
    let mut table: Table<Box<Item>> = Table::with_capacity(5000);
    let buckets = table.shape().buckets;
    table.extend((0..5000).map(|key| Item::new(hash_of(key), key, 0)));
    assert_eq!(table.shape().buckets, buckets);
    assert_eq!(
        table.into_iter().map(|item| item.key).sum::<u64>(),
        4999 * 5000 / 2
    );
}

#[test]
fn an_update_that_panics_loses_one_element() {
    let mut table = filled(0..1000);
    for key in 0..1000 {
        let before = ALIVE.get();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let mut place = table
                .find_mut(hash_of(key), |item| item.key == key)
                .unwrap();
            place.update(|item| {
                if item.key % 2 == 0 {
                    item
                } else {
                    panic!("odd")
                }
            });
        }));
        assert_eq!(caught.is_err(), key % 2 == 1);
        assert_eq!(ALIVE.get(), before - isize::from(key % 2 == 1));
    }
    assert_eq!((table.len(), table.iter().count()), (500, 500));
}

#[test]
fn random_elements_come_equally_often() {
    // Before, amid and after the splits of a round; with few buckets and with many.
    for len in [1u64, 2, 9, 12, 40, 150, 416, 624, 977, 1600] {
        let table = filled(0..len);
        let draws = 100 * len;
        let mut counts = vec![0u64; len as usize];
        for seed in 0..draws {
            let item = table.random(hash_of(seed)).expect("the table is not empty");
            counts[item.key as usize] += 1;
        }
        let expected = draws as f64 / len as f64;
        let chi_square: f64 = counts
            .iter()
            .map(|&n| (n as f64 - expected).powi(2) / expected)
            .sum();
        let freedom = (len - 1) as f64;
        let limit = freedom + 5.0 * (2.0 * freedom).sqrt() + 1.0;
        assert!(chi_square < limit, "{chi_square} of {freedom} at {len}");
    }
}

#[test]
fn a_walk_in_one_step_sees_everything_once() {
    let mut table = filled(0..5000);
    for _ in 0..3 {
        let receipts = Receipts::default();
        table.begin_walk(Box::new(receipts.clone()));
        assert!(table.is_walking());
        assert!(table.walk_step(u32::MAX));
        assert!(table.end_walk().is_some() && !table.is_walking());
        let expected: Vec<_> = (0..5000).map(|key| (key, key * 2)).collect();
        assert_eq!(receipts.sorted(), expected);
    }
}

#[test]
fn a_scan_takes_cursors_that_it_never_gave() {
    let table = filled(0..1000);
    for seed in 0..1000 {
        let mut cursor = hash_of(seed);
        let mut steps = 0;
        while cursor != 0 {
            cursor = table.scan(cursor, |_| ());
            steps += 1;
        }
        assert!(steps <= table.shape().buckets);
    }
}
