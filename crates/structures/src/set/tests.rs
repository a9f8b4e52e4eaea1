//! The set against a tree of vectors across all thresholds, and the fairness of random choice.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
enum Op {
    Insert(Vec<u8>),
    InsertInts(i64, i64),
    Remove(Vec<u8>),
    Pop(u64),
    Expect(usize),
}

fn member() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => (-30i64..30).prop_map(|value| value.to_string().into_bytes()),
        1 => any::<i64>().prop_map(|value| value.to_string().into_bytes()),
        1 => "[a-c]{0,3}".prop_map(String::into_bytes),
        1 => "[-+0]?[0-9]{1,2}".prop_map(String::into_bytes),
        1 => (0u8..4, 60usize..300).prop_map(|(byte, n)| vec![byte; n]),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => member().prop_map(Op::Insert),
        1 => (-700i64..700, 0i64..600).prop_map(|(start, n)| Op::InsertInts(start, n)),
        4 => member().prop_map(Op::Remove),
        4 => any::<u64>().prop_map(Op::Pop),
        1 => (0usize..300).prop_map(Op::Expect),
    ]
}

fn limits() -> impl Strategy<Value = Limits> {
    prop_oneof![
        Just(Limits::default()),
        (0usize..30, 0usize..30, 0usize..80).prop_map(|(ints, entries, value)| Limits {
            intset_max_entries: ints,
            listpack_max_entries: entries,
            listpack_max_value: value,
        }),
    ]
}

fn check(set: &Set, model: &BTreeSet<Vec<u8>>) {
    assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
    let items: Vec<Vec<u8>> = set.iter().map(Item::to_vec).collect();
    assert_eq!(items.len(), model.len());
    assert_eq!(&items.into_iter().collect::<BTreeSet<_>>(), model);
    if let Form::Table(members) = &set.0 {
        let sum: usize = model
            .iter()
            .map(|member| member::block_size(member.len()))
            .sum();
        let table = members.table().heap_bytes() + size_of::<Members>();
        assert_eq!(set.heap_bytes(), sum + table);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn behaves_like_a_tree(ops in proptest::collection::vec(op(), 0..80), limits in limits()) {
        let mut set = Set::new();
        let mut model = BTreeSet::new();
        for op in ops {
            match op {
                Op::Insert(member) => {
                    prop_assert_eq!(set.contains(&member), model.contains(&member));
                    prop_assert_eq!(set.insert(&member, &limits), model.insert(member.clone()));
                    prop_assert!(set.contains(&member));
                    prop_assert!(set.contains_hashed(hash(&member), &member));
                }
                Op::InsertInts(start, n) => {
                    for value in start..start + n {
                        let new = model.insert(value.to_string().into_bytes());
                        prop_assert_eq!(set.insert_item(Item::Int(value), &limits), new);
                        prop_assert!(set.contains_item(Item::Int(value)));
                    }
                }
                Op::Remove(member) => {
                    prop_assert_eq!(set.remove(&member), model.remove(&member));
                    prop_assert!(!set.contains(&member));
                }
                Op::Pop(random) => {
                    let seen = set.random(random).map(Item::to_vec);
                    let popped = set.pop_random(random, |item| item.to_vec());
                    prop_assert_eq!(&seen, &popped);
                    prop_assert_eq!(popped.is_some(), !model.is_empty());
                    if let Some(member) = popped {
                        prop_assert!(model.remove(&member));
                    }
                }
                Op::Expect(count) => set.expect(count, &limits),
            }
            check(&set, &model);
        }
        check(&set.clone(), &model);
        check(&Set::from_items(set.iter(), &limits), &model);
        let mut seen = BTreeSet::new();
        let mut cursor = 0;
        loop {
            cursor = set.scan(cursor, |item| { seen.insert(item.to_vec()); });
            if cursor == 0 {
                break;
            }
        }
        prop_assert_eq!(seen, model);
    }
}

#[test]
fn the_forms_change_where_redis_changes_them() {
    let limits = Limits::default();
    let encoding_of = |members: &mut dyn Iterator<Item = String>| {
        let mut set = Set::new();
        for member in members {
            set.insert(member.as_bytes(), &limits);
        }
        set.encoding().as_str()
    };
    let ints = |n: i64| (0..n).map(|i| i.to_string());
    let words = |n: i64| (0..n).map(|i| format!("w{i}"));
    assert_eq!(encoding_of(&mut ints(512)), "intset");
    assert_eq!(encoding_of(&mut ints(513)), "hashtable");
    assert_eq!(encoding_of(&mut words(128)), "listpack");
    assert_eq!(encoding_of(&mut words(129)), "hashtable");
    assert_eq!(encoding_of(&mut ints(127).chain(words(1))), "listpack");
    assert_eq!(encoding_of(&mut ints(128).chain(words(1))), "hashtable");
    assert_eq!(
        encoding_of(&mut std::iter::once("x".repeat(64))),
        "listpack"
    );
    assert_eq!(
        encoding_of(&mut std::iter::once("x".repeat(65))),
        "hashtable"
    );
    assert_eq!(
        encoding_of(&mut ["007".to_owned(), "-0".to_owned()].into_iter()),
        "listpack"
    );

    let mut set = Set::for_members(b"1", 512, &limits);
    assert_eq!(set.encoding(), Encoding::Intset);
    set.expect(513, &limits);
    assert_eq!(set.encoding(), Encoding::Hashtable);
    assert_eq!(
        Set::for_members(b"x", 128, &limits).encoding(),
        Encoding::Listpack
    );
    assert_eq!(
        Set::for_members(b"x", 129, &limits).encoding(),
        Encoding::Hashtable
    );
}

/// SplitMix64, so that a failure can be repeated.
fn numbers() -> impl Iterator<Item = u64> {
    (1u64..).map(|n| {
        let mut z = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

#[test]
fn every_member_is_popped_as_often_as_the_others() {
    let limits = Limits::default();
    let mut random = numbers();
    for (members, form) in [
        (
            (0..20).map(|i| i.to_string()).collect::<Vec<_>>(),
            Encoding::Intset,
        ),
        (
            (0..20).map(|i| format!("w{i}")).collect(),
            Encoding::Listpack,
        ),
        (
            (0..150).map(|i| format!("w{i}")).collect(),
            Encoding::Hashtable,
        ),
    ] {
        let mut full = Set::new();
        for member in &members {
            full.insert(member.as_bytes(), &limits);
        }
        assert_eq!(full.encoding(), form);
        let rounds = members.len() * 100;
        // First choices from the full set, and choices after three others have gone.
        let (mut first, mut fourth) = (BTreeMap::new(), BTreeMap::new());
        for _ in 0..rounds {
            let mut set = full.clone();
            let mut pop = || {
                set.pop_random(random.next().unwrap(), |item| item.to_vec())
                    .unwrap()
            };
            *first.entry(pop()).or_insert(0u32) += 1;
            pop();
            pop();
            *fourth.entry(pop()).or_insert(0u32) += 1;
        }
        for counts in [first, fourth] {
            assert_eq!(counts.len(), members.len());
            let chi: f64 = counts
                .values()
                .map(|&n| (f64::from(n) - 100.0).powi(2) / 100.0)
                .sum();
            // The sum has a mean of about n and a deviation of sqrt(2n); five of these never happen
            // by chance.
            let n = members.len() as f64;
            assert!(
                chi < n + 5.0 * (2.0 * n).sqrt(),
                "{form:?}: {chi} for {n} members"
            );
        }
    }
}

#[test]
fn members_of_a_big_set_cost_36_bytes_each() {
    let mut set = Set::new();
    let n = 200_000;
    for i in 0..n {
        set.insert(format!("member:{i:010}").as_bytes(), &Limits::default());
    }
    let each = set.heap_bytes() as f64 / f64::from(n);
    assert!(each <= 36.0, "{each}");
}

#[test]
fn the_handle_is_small() {
    assert_eq!((size_of::<Set>(), size_of::<Option<Set>>()), (16, 16));
    assert_eq!(Set::new().heap_bytes(), 0);
}
