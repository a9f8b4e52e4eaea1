//! The sequence against a vector, across the narrow and the wide header.

use super::*;
use proptest::prelude::*;

fn check(packed: &Packed, model: &[Vec<u8>]) {
    assert_eq!(packed.len(), model.len());
    assert_eq!(packed.is_empty(), model.is_empty());
    assert!(packed.iter().eq(model.iter().map(Vec::as_slice)));
    assert_eq!(packed.is_empty(), packed.heap_bytes() == 0);
    assert!(packed.heap_bytes() >= packed.used_bytes());
    for (index, item) in model.iter().enumerate() {
        assert_eq!(packed.item(packed.nth(index)).0, item);
        let first = model.iter().position(|other| other == item).unwrap();
        assert_eq!(packed.find::<1>(item), Some(packed.nth(first)));
    }
}

#[derive(Clone, Debug)]
enum Op {
    Push(Vec<u8>),
    Remove(usize),
    Replace(usize, Vec<u8>),
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => proptest::collection::vec(any::<u8>(), 0..20),
        2 => (any::<u8>(), 250usize..260).prop_map(|(byte, n)| vec![byte; n]),
        1 => (any::<u8>(), 20_000usize..70_000).prop_map(|(byte, n)| vec![byte; n]),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => bytes().prop_map(Op::Push),
        1 => any::<usize>().prop_map(Op::Remove),
        2 => (any::<usize>(), bytes()).prop_map(|(index, item)| Op::Replace(index, item)),
    ]
}

proptest! {
    #[test]
    fn behaves_like_a_vector(ops in proptest::collection::vec(op(), 0..60)) {
        let mut packed = Packed::new();
        let mut model: Vec<Vec<u8>> = Vec::new();
        for op in ops {
            match op {
                Op::Push(item) => {
                    packed.push([&item]);
                    model.push(item);
                }
                Op::Remove(index) if !model.is_empty() => {
                    let index = index % model.len();
                    packed.remove::<1>(packed.nth(index));
                    model.remove(index);
                }
                Op::Replace(index, item) if !model.is_empty() => {
                    let index = index % model.len();
                    packed.replace(packed.nth(index), &item);
                    model[index] = item;
                }
                _ => {}
            }
            check(&packed, &model);
        }
        check(&packed.clone(), &model);
    }
}

#[test]
fn pairs_are_found_by_their_names_only() {
    let mut packed = Packed::new();
    packed.push([b"name", b"city"]);
    packed.push([b"city", b"name"]);
    let found = packed.find::<2>(b"city").unwrap();
    assert_eq!(found, packed.nth(2));
    packed.remove::<2>(found);
    assert_eq!(packed.find::<2>(b"city"), None);
    assert_eq!(packed.len(), 2);
}

#[test]
fn four_words_fit_in_32_bytes() {
    let mut packed = Packed::new();
    for word in ["alpha", "beta", "gamma", "t123456"] {
        packed.push([word.as_bytes()]);
    }
    assert_eq!(packed.heap_bytes(), 32);
}

#[test]
fn a_header_widens_by_count_too() {
    let mut packed = Packed::new();
    for _ in 0..60_000 {
        packed.push([b""]);
    }
    for _ in 0..20_000 {
        packed.push([b""]);
    }
    assert_eq!((packed.len(), packed.used_bytes()), (80_000, 80_000));
    while packed.len() > 79_990 {
        packed.remove::<1>(Offset(0));
    }
    assert_eq!(packed.iter().count(), 79_990);
}
