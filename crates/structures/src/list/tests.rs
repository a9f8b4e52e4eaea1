//! The list against a deque of vectors, with limits that make it change its form often.

use super::*;
use proptest::prelude::*;
use std::collections::VecDeque;

#[derive(Clone, Debug)]
enum Op {
    Push(End, Vec<u8>),
    PushRun(End, u8, usize),
    Pop(End),
    Drop(End, usize),
    Set(usize, Vec<u8>),
    Insert(usize, Vec<u8>),
    Pivot(bool, Vec<u8>, Vec<u8>),
    Remove(Vec<u8>, End, usize),
    Trim(usize, usize),
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![Just(End::Front), Just(End::Back)]
}

/// Few different short items, so that searches find some, and now and then a long one.
fn item() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        12 => (0u8..4, 0usize..6).prop_map(|(byte, n)| vec![byte; n]),
        3 => (0u8..4, 245usize..265).prop_map(|(byte, n)| vec![byte; n]),
        1 => (0u8..4, 1000usize..9000).prop_map(|(byte, n)| vec![byte; n]),
        1 => (0u8..4, 65_000usize..70_000).prop_map(|(byte, n)| vec![byte; n]),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (end(), item()).prop_map(|(end, item)| Op::Push(end, item)),
        2 => (end(), 0u8..4, 1usize..600).prop_map(|(end, byte, n)| Op::PushRun(end, byte, n)),
        4 => end().prop_map(Op::Pop),
        1 => (end(), 0usize..700).prop_map(|(end, n)| Op::Drop(end, n)),
        4 => (any::<usize>(), item()).prop_map(|(index, item)| Op::Set(index, item)),
        4 => (any::<usize>(), item()).prop_map(|(index, item)| Op::Insert(index, item)),
        1 => (any::<bool>(), item(), item()).prop_map(|(before, a, b)| Op::Pivot(before, a, b)),
        2 => (item(), end(), prop_oneof![Just(usize::MAX), 0usize..40])
            .prop_map(|(item, end, max)| Op::Remove(item, end, max)),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Op::Trim(a, b)),
    ]
}

fn limits() -> impl Strategy<Value = Limits> {
    prop_oneof![
        Just(Limits::new(-1)),
        Just(Limits::default()),
        Just(Limits::new(-5)),
        (0i64..40).prop_map(Limits::new),
        (20u32..400).prop_map(|node_bytes| Limits {
            node_bytes,
            ..Limits::default()
        }),
    ]
}

fn depth() -> impl Strategy<Value = i64> {
    0i64..4
}

fn apply(list: &mut List, model: &mut VecDeque<Vec<u8>>, op: Op, limits: &Limits) {
    match op {
        Op::Push(end, item) => {
            list.push(end, &item, limits);
            push(model, end, item);
        }
        Op::PushRun(end, byte, n) => {
            for i in 0..n {
                let item = vec![byte; i % 9];
                list.push(end, &item, limits);
                push(model, end, item);
            }
        }
        Op::Pop(end) => {
            let expected = if end == End::Front {
                model.pop_front()
            } else {
                model.pop_back()
            };
            assert_eq!(list.pop(end, <[u8]>::to_vec), expected);
        }
        Op::Drop(end, n) => {
            list.drop_items(end, n);
            for _ in 0..n {
                if end == End::Front {
                    model.pop_front()
                } else {
                    model.pop_back()
                };
            }
        }
        Op::Set(index, item) => {
            let index = index % (model.len() + 1);
            assert_eq!(list.set(index, &item, limits), index < model.len());
            if let Some(old) = model.get_mut(index) {
                *old = item;
            }
        }
        Op::Insert(index, item) => {
            let index = index % (model.len() + 1);
            list.insert(index, &item, limits);
            model.insert(index, item);
        }
        Op::Pivot(before, pivot, item) => {
            let place = model.iter().position(|other| *other == pivot);
            let found = if before {
                list.insert_before(&pivot, &item, limits)
            } else {
                list.insert_after(&pivot, &item, limits)
            };
            assert_eq!(found, place.is_some());
            if let Some(place) = place {
                model.insert(place + usize::from(!before), item);
            }
        }
        Op::Remove(value, from, max) => {
            let mut expected = 0;
            let mut at = if from == End::Front { 0 } else { model.len() };
            loop {
                if from == End::Back {
                    if at == 0 {
                        break;
                    }
                    at -= 1;
                }
                if at >= model.len() {
                    break;
                }
                if expected < max && model[at] == value {
                    model.remove(at);
                    expected += 1;
                } else if from == End::Front {
                    at += 1;
                }
            }
            assert_eq!(list.remove(&value, from, max), expected);
        }
        Op::Trim(a, b) => {
            let (a, b) = (a % (model.len() + 2), b % (model.len() + 2));
            list.trim(a, b);
            model.truncate(b);
            model.drain(..a.min(model.len()));
        }
    }
}

fn push(model: &mut VecDeque<Vec<u8>>, end: End, item: Vec<u8>) {
    match end {
        End::Front => model.push_front(item),
        End::Back => model.push_back(item),
    }
}

fn all(mut items: Iter<'_>) -> Vec<Vec<u8>> {
    let mut seen = Vec::with_capacity(items.len());
    while let Some(item) = items.next_item() {
        seen.push(item.to_vec());
    }
    seen
}

fn all_rev(mut items: Rev<'_>) -> Vec<Vec<u8>> {
    let mut seen = Vec::with_capacity(items.len());
    while let Some(item) = items.next_item() {
        seen.push(item.to_vec());
    }
    seen
}

fn reversed(model: &VecDeque<Vec<u8>>) -> Vec<Vec<u8>> {
    model.iter().rev().cloned().collect()
}

fn check(list: &List, model: &VecDeque<Vec<u8>>) {
    assert_eq!(list.len(), model.len());
    assert_eq!(*model, all(list.iter()));
    assert_eq!(all_rev(list.iter_rev()), reversed(model));
    assert_eq!(list.front(), model.front().map(Vec::as_slice));
    assert_eq!(list.back(), model.back().map(Vec::as_slice));
    if let Form::Many(chain) = &list.0 {
        chain.check();
    }
    if compressed(list).1 == 0 {
        let used: usize = model.iter().map(|item| item.len() + 2).sum();
        assert!(list.heap_bytes() >= used);
    }
}

/// How many nodes there are, and how many of them are compressed.
fn compressed(list: &List) -> (usize, usize) {
    match &list.0 {
        Form::One(node) => {
            assert!(node.is_plain());
            (1, 0)
        }
        Form::Many(chain) => chain.compressed(),
    }
}

fn check_ranges(list: &List, model: &VecDeque<Vec<u8>>) {
    let len = model.len();
    for (start, end) in [
        (0, len / 3),
        (len / 3, len / 2),
        (len / 2, len),
        (len / 2, len + 9),
        (len, 0),
    ] {
        let expected: Vec<&[u8]> = model
            .iter()
            .take(end)
            .skip(start)
            .map(Vec::as_slice)
            .collect();
        let mut seen = Vec::new();
        list.range(start, end)
            .for_each(|item| seen.push(item.to_vec()));
        assert_eq!(seen, expected);
        assert_eq!(all(list.range(start, end)), expected);
        let arena = Arena::new();
        let mut kept: Vec<&[u8]> = Vec::new();
        list.range(start, end)
            .for_each_in(&arena, |item| kept.push(item));
        assert_eq!(kept, expected);

        let expected: Vec<&[u8]> = expected.into_iter().rev().collect();
        let mut seen = Vec::new();
        list.range_rev(start, end)
            .for_each(|item| seen.push(item.to_vec()));
        assert_eq!(seen, expected);
        assert_eq!(all_rev(list.range_rev(start, end)), expected);
        let mut kept_rev: Vec<&[u8]> = Vec::new();
        list.range_rev(start, end)
            .for_each_in(&arena, |item| kept_rev.push(item));
        assert_eq!(kept_rev, expected);
        assert!(kept.iter().rev().eq(kept_rev.iter()));
    }
    for index in [0, len / 3, len / 2, len.saturating_sub(1), len] {
        assert_eq!(list.get(index, <[u8]>::to_vec), model.get(index).cloned());
    }
    for value in [&[1u8, 1][..], &[], &[9]] {
        for from in [End::Front, End::Back] {
            let mut seen = Vec::new();
            list.positions(value, from, len / 2, |index| {
                seen.push(index);
                if seen.len() == 3 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            let order: Vec<usize> = match from {
                End::Front => (0..len).take(len / 2).collect(),
                End::Back => (0..len).rev().take(len / 2).collect(),
            };
            let expected: Vec<usize> = order
                .into_iter()
                .filter(|&index| model[index] == value)
                .take(3)
                .collect();
            assert_eq!(seen, expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn behaves_like_a_deque(
        ops in proptest::collection::vec(op(), 0..80),
        limits in limits(),
        later in limits(),
        depths in (depth(), depth()),
    ) {
        let limits = limits.compress_depth(depths.0);
        let later = later.compress_depth(depths.1);
        let mut list = List::new();
        let mut model = VecDeque::new();
        let half = ops.len() / 2;
        for (n, op) in ops.into_iter().enumerate() {
            // A directive can change while a list lives.
            apply(&mut list, &mut model, op, if n < half { &limits } else { &later });
            check(&list, &model);
        }
        check_ranges(&list, &model);
        check(&list.clone(), &model);
    }
}

#[test]
fn the_form_follows_the_limits() {
    let limits = Limits::default();
    let mut list = List::new();
    let mut pushed = 0;
    while list.encoding() == Encoding::Listpack {
        list.push_back(b"fifteen bytes..", &limits);
        pushed += 1;
    }
    assert_eq!(pushed, 8192 / 17 + 1);
    while list.encoding() == Encoding::Quicklist {
        list.pop_back(|_| ());
        pushed -= 1;
    }
    assert_eq!(pushed, 4096 / 17);

    let mut list = List::new();
    list.push_back(&[0; 9000], &limits);
    assert_eq!(list.encoding(), Encoding::Quicklist);
    let mut list = List::new();
    for _ in 0..4 {
        list.push_back(b"x", &Limits::new(3));
    }
    assert_eq!(list.encoding().as_str(), "quicklist");
}

#[test]
fn a_queue_that_moves_stays_one_node() {
    let limits = Limits::default();
    for (push, pop) in [(End::Back, End::Front), (End::Front, End::Back)] {
        let mut list = List::new();
        for _ in 0..480 {
            list.push(push, b"fifteen bytes..", &limits);
        }
        for _ in 0..10_000 {
            list.pop(pop, |_| ());
            list.push(push, b"fifteen bytes..", &limits);
        }
        assert_eq!((list.len(), list.encoding()), (480, Encoding::Listpack));
        assert!(list.heap_bytes() <= 10240);
    }
}

#[test]
fn either_way_of_filling_costs_the_same() {
    for end in [End::Front, End::Back] {
        let mut list = List::new();
        for _ in 0..100_000 {
            list.push(end, b"fifteen bytes..", &Limits::default());
        }
        assert!(
            list.heap_bytes() < 100_000 * 18,
            "{end:?}: {}",
            list.heap_bytes()
        );
    }
}

#[test]
fn memory_comes_back() {
    let limits = Limits::default();
    let mut list = List::new();
    for _ in 0..50_000 {
        list.push_back(b"fifteen bytes..", &limits);
    }
    list.trim(100, 103);
    assert!(list.heap_bytes() <= 128, "{}", list.heap_bytes());
    list.drop_items(End::Front, 3);
    assert!(list.is_empty());

    for n in 0..50_000 {
        list.push_back(if n % 100 == 0 { b"keep" } else { b"drop" }, &limits);
    }
    assert_eq!(list.remove(b"drop", End::Back, usize::MAX), 49_500);
    assert!(list.heap_bytes() < 500 * 12, "{}", list.heap_bytes());
}

/// A list of `n` items, 200 or so a node.
fn long(n: usize, limits: &Limits) -> List {
    let mut list = List::new();
    for i in 0..n {
        list.push_back(
            format!("element number {i:06}, as it were").as_bytes(),
            limits,
        );
    }
    list
}

#[test]
fn the_middle_is_compressed() {
    let plain = long(10_000, &Limits::default());
    let (nodes, none) = compressed(&plain);
    assert_eq!(none, 0);
    for depth in 1..4 {
        let limits = Limits::default().compress_depth(depth as i64);
        let mut list = long(10_000, &limits);
        assert_eq!(compressed(&list), (nodes, nodes - 2 * depth));
        assert!(list.heap_bytes() < plain.heap_bytes() / 2);
        let bytes = list.heap_bytes();

        // Reading and copying leave it as it is; so does a change of one item, node for node.
        assert_eq!(all(list.iter()), all(plain.iter()));
        assert_eq!(list.heap_bytes(), bytes);
        assert!(list.clone().heap_bytes() <= bytes);
        assert_eq!(compressed(&list.clone()), (nodes, nodes - 2 * depth));
        assert!(list.set(5000, b"element number five thousand, as it were", &limits));
        list.insert(5000, b"another", &limits);
        assert_eq!(list.remove(b"another", End::Back, 1), 1);
        let (nodes, packed) = compressed(&list);
        assert_eq!(packed, nodes - 2 * depth);

        // Whatever is dropped, as many nodes as before are plain at the ends.
        for n in [1, 300, 4000] {
            list.drop_items(End::Front, n);
            list.drop_items(End::Back, n);
            let (nodes, packed) = compressed(&list);
            assert_eq!(packed, nodes - 2 * depth);
        }
        while list.pop_front(|_| ()).is_some() {}
        assert!(list.is_empty() && list.heap_bytes() <= 64);
    }
}

#[test]
fn another_depth_moves_the_borders() {
    let with = |depth| Limits::default().compress_depth(depth);
    let mut list = long(10_000, &with(3));
    let (nodes, packed) = compressed(&list);
    assert_eq!(packed, nodes - 6);
    for (depth, plain) in [(1, 2), (2, 4), (0, 4), (4, 8)] {
        list.set(9_999, b"x", &with(depth));
        assert_eq!(compressed(&list), (nodes, nodes - plain), "{depth}");
    }
    // What was not compressed when it came to lie deep stays so until it is touched.
    let mut list = long(10_000, &with(0));
    list.set(5_000, b"x", &with(1));
    assert_eq!(compressed(&list), (nodes, 1));
}

#[test]
fn noise_stays_plain() {
    let limits = Limits::default().compress_depth(1);
    let mut list = List::new();
    let mut state = 1u64;
    for _ in 0..10_000 {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let mixed = (state ^ (state >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        list.push_back(&mixed.to_le_bytes(), &limits);
    }
    assert_eq!(compressed(&list).1, 0);
    // A node that was tried is tried again when it has changed.
    assert_eq!(list.remove(b"none", End::Front, 1), 0);
    for index in 5_000..5_100 {
        list.set(index, &[0; 200], &limits);
    }
    assert!(compressed(&list).1 > 0);
}

#[test]
fn the_handle_is_small() {
    assert_eq!(size_of::<List>(), 24);
    assert_eq!(List::new().heap_bytes(), 0);
}
