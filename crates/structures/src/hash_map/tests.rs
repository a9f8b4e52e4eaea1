//! The hash against a tree map across the thresholds and the forms of a length.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Op {
    Set(Vec<u8>, Vec<u8>),
    SetMany(usize),
    Remove(Vec<u8>),
    Expect(usize),
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => "[a-d]{0,2}".prop_map(String::into_bytes),
        1 => (0u8..3, 124usize..130).prop_map(|(byte, n)| vec![byte; n]),
        1 => (0u8..2, 65_530usize..65_540).prop_map(|(byte, n)| vec![byte; n]),
    ]
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => proptest::collection::vec(any::<u8>(), 0..20),
        2 => (any::<u8>(), 245usize..265).prop_map(|(byte, n)| vec![byte; n]),
        1 => (any::<u8>(), 65_500usize..65_600).prop_map(|(byte, n)| vec![byte; n]),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => (name(), value()).prop_map(|(name, value)| Op::Set(name, value)),
        1 => (0usize..150).prop_map(Op::SetMany),
        4 => name().prop_map(Op::Remove),
        1 => (0usize..200).prop_map(Op::Expect),
    ]
}

fn limits() -> impl Strategy<Value = Limits> {
    prop_oneof![
        Just(Limits::default()),
        Just(Limits {
            max_entries: 100,
            max_value: usize::MAX
        }),
        (0usize..30, 0usize..80).prop_map(|(max_entries, max_value)| Limits {
            max_entries,
            max_value
        }),
    ]
}

fn check(map: &HashMap, model: &BTreeMap<Vec<u8>, Vec<u8>>) {
    assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
    let pairs: BTreeMap<&[u8], &[u8]> = map.iter().collect();
    assert_eq!(map.iter().count(), model.len());
    assert!(
        pairs
            .into_iter()
            .eq(model.iter().map(|(name, value)| (&name[..], &value[..])))
    );
    if let Form::Table(fields) = &map.0 {
        let sum: usize = model
            .iter()
            .map(|(name, value)| block_size((name, value)))
            .sum();
        assert_eq!(fields.field_bytes, sum);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn behaves_like_a_tree(ops in proptest::collection::vec(op(), 0..60), limits in limits()) {
        let mut map = HashMap::new();
        let mut model = BTreeMap::new();
        for op in ops {
            match op {
                Op::Set(name, value) => {
                    let new = !model.contains_key(&name);
                    prop_assert_eq!(map.contains(&name), !new);
                    prop_assert_eq!(map.set(&name, &value, &limits), new);
                    prop_assert_eq!(map.get(&name), Some(&value[..]));
                    prop_assert_eq!(map.get_hashed(hash(&name), &name), Some(&value[..]));
                    model.insert(name, value);
                }
                Op::SetMany(n) => {
                    for i in 0..n {
                        let name = i.to_string().into_bytes();
                        map.set(&name, &name, &limits);
                        model.insert(name.clone(), name);
                    }
                }
                Op::Remove(name) => {
                    prop_assert_eq!(map.remove(&name), model.remove(&name).is_some());
                    prop_assert_eq!(map.get(&name), None);
                }
                Op::Expect(count) => map.expect(count, &limits),
            }
            check(&map, &model);
        }
        check(&map.clone(), &model);
        for random in [0, u64::MAX / 3, u64::MAX] {
            let chosen = map.random(random);
            prop_assert_eq!(chosen.is_some(), !model.is_empty());
            if let Some((name, value)) = chosen {
                prop_assert_eq!(&model[name], value);
            }
        }
        let mut seen = BTreeMap::new();
        let mut cursor = 0;
        loop {
            cursor = map.scan(cursor, |name, value| {
                seen.insert(name.to_vec(), value.to_vec());
            });
            if cursor == 0 {
                break;
            }
        }
        prop_assert_eq!(seen, model);
    }
}

#[test]
fn the_form_changes_where_redis_changes_it() {
    let limits = Limits::default();
    let mut map = HashMap::new();
    for i in 0..512 {
        map.set(i.to_string().as_bytes(), b"v", &limits);
    }
    assert_eq!(map.encoding().as_str(), "listpack");
    map.set(b"one more", b"v", &limits);
    assert_eq!(map.encoding().as_str(), "hashtable");
    for (name, value, form) in [
        (64, 64, Encoding::Listpack),
        (65, 1, Encoding::Hashtable),
        (1, 65, Encoding::Hashtable),
    ] {
        let mut map = HashMap::new();
        map.set(&vec![b'n'; name], &vec![b'v'; value], &limits);
        assert_eq!(map.encoding(), form);
    }
}

#[test]
fn five_short_fields_fit_in_64_bytes() {
    let mut map = HashMap::new();
    for (name, value) in [
        ("name", "namej"),
        ("email", "uj@example.com"),
        ("age", "n"),
        ("city", "Lisbon"),
        ("plan", "free"),
    ] {
        map.set(name.as_bytes(), value.as_bytes(), &Limits::default());
    }
    assert_eq!(map.heap_bytes(), 64);
}

#[test]
fn big_hashes_cost_50_bytes_a_field() {
    let mut map = HashMap::new();
    let n = 200_000;
    for i in 0..n {
        let (name, value) = (
            format!("field:{i:010}"),
            format!("value:{:05}", i % 100_000),
        );
        map.set(name.as_bytes(), value.as_bytes(), &Limits::default());
    }
    let each = map.heap_bytes() as f64 / f64::from(n);
    assert!(each <= 50.0, "{each}");
}

#[test]
fn the_handle_is_small() {
    assert_eq!(
        (size_of::<HashMap>(), size_of::<Option<HashMap>>()),
        (16, 16)
    );
    assert_eq!(HashMap::new().heap_bytes(), 0);
}
