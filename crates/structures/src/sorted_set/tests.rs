//! Both encodings against a model of two standard collections, across the threshold.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use proptest::prelude::*;

use super::node::key_of;
use super::*;

/// Small, so that short runs cross it; the long test uses the defaults.
const LIMITS: Limits = Limits {
    entries_max: 8,
    member_bytes_max: 12,
};

#[derive(Default)]
struct Model {
    scores: BTreeMap<Vec<u8>, f64>,
    order: BTreeSet<(u64, Vec<u8>)>,
}

impl Model {
    fn insert(&mut self, score: f64, member: &[u8]) -> Inserted {
        match self.scores.get(member).copied() {
            Some(old) if old == score => return Inserted::Unchanged,
            Some(old) => {
                self.order.remove(&(key_of(old), member.to_vec()));
            }
            None => {}
        }
        self.order.insert((key_of(score), member.to_vec()));
        match self.scores.insert(member.to_vec(), score) {
            Some(_) => Inserted::Updated,
            None => Inserted::Added,
        }
    }

    fn remove(&mut self, member: &[u8]) -> Option<f64> {
        let score = self.scores.remove(member)?;
        self.order.remove(&(key_of(score), member.to_vec()));
        Some(score)
    }

    fn items(&self) -> Vec<(Vec<u8>, f64)> {
        self.order
            .iter()
            .map(|(_, member)| (member.clone(), self.scores[member]))
            .collect()
    }

    fn remove_items(&mut self, items: &[(Vec<u8>, f64)]) {
        for (member, _) in items {
            self.remove(member);
        }
    }
}

fn owned((member, score): (&[u8], f64)) -> (Vec<u8>, f64) {
    (member.to_vec(), score)
}

fn agree(set: &SortedSet, model: &Model) {
    set.check();
    let items = model.items();
    assert_eq!(set.len(), items.len());
    assert_eq!(set.iter().len(), items.len());
    assert_eq!(set.iter().map(owned).collect::<Vec<_>>(), items);
    let mut reversed: Vec<_> = set.iter().rev().map(owned).collect();
    reversed.reverse();
    assert_eq!(reversed, items);
    for (rank, (member, score)) in items.iter().enumerate() {
        assert_eq!(set.rank(member), Some((rank, *score)));
        assert_eq!(set.score(member), Some(*score));
        assert_eq!(set.get_by_rank(rank), Some((member.as_slice(), *score)));
    }
    assert_eq!(set.get_by_rank(items.len()), None);
}

#[derive(Clone, Debug)]
enum Op {
    Insert(f64, Vec<u8>),
    Remove(Vec<u8>),
    RemoveRank(usize),
    PopMin,
    PopMax,
    Rank(Vec<u8>),
    ByRank(usize, usize),
    ByScore(Bound<f64>, Bound<f64>),
    RemoveByRank(usize, usize),
    RemoveByScore(Bound<f64>, Bound<f64>),
    Shift(usize, f64),
    Pack,
    Scan,
}

fn member() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        20 => (0u32..600).prop_map(|n| format!("m{n}").into_bytes()),
        2 => prop::collection::vec(any::<u8>(), 0..3),
        1 => (0u32..4).prop_map(|n| vec![n as u8; 13 + 100 * n as usize]),
    ]
}

fn score() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => (-20i32..20).prop_map(f64::from),
        4 => -1e6..1e6,
        2 => any::<f64>().prop_filter("a number", |score| !score.is_nan()),
        1 => prop::sample::select(vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX]),
    ]
}

fn score_bound() -> impl Strategy<Value = Bound<f64>> {
    prop_oneof![
        score().prop_map(Bound::Included),
        score().prop_map(Bound::Excluded),
        Just(Bound::Unbounded),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        40 => (score(), member()).prop_map(|(score, member)| Op::Insert(score, member)),
        6 => member().prop_map(Op::Remove),
        4 => any::<usize>().prop_map(Op::RemoveRank),
        2 => Just(Op::PopMin),
        2 => Just(Op::PopMax),
        4 => member().prop_map(Op::Rank),
        2 => (0usize..700, 0usize..700).prop_map(|(start, end)| Op::ByRank(start, end)),
        4 => (score_bound(), score_bound()).prop_map(|(min, max)| Op::ByScore(min, max)),
        1 => (0usize..700, 0usize..20).prop_map(|(at, count)| Op::RemoveByRank(at, at + count)),
        1 => (score(), 0.0..2.0f64).prop_map(|(min, width)| {
            Op::RemoveByScore(Bound::Included(min), Bound::Excluded(min + width))
        }),
        4 => (any::<usize>(), -3.0..3.0f64).prop_map(|(rank, by)| Op::Shift(rank, by)),
        1 => Just(Op::Pack),
        1 => Just(Op::Scan),
    ]
}

fn apply(set: &mut SortedSet, model: &mut Model, op: Op) {
    match op {
        Op::Insert(score, member) => {
            assert_eq!(
                set.insert(score, &member, &LIMITS),
                model.insert(score, &member)
            );
        }
        Op::Remove(member) => assert_eq!(set.remove(&member), model.remove(&member)),
        Op::RemoveRank(rank) => {
            if !set.is_empty() {
                let (member, score) = set.get_by_rank(rank % set.len()).map(owned).unwrap();
                assert_eq!(set.remove(&member), Some(score));
                assert_eq!(model.remove(&member), Some(score));
            }
        }
        Op::PopMin => {
            let popped = set.pop_min(|member, score| owned((member, score)));
            assert_eq!(popped, model.items().first().cloned());
            model.remove_items(popped.as_slice());
        }
        Op::PopMax => {
            let popped = set.pop_max(|member, score| owned((member, score)));
            assert_eq!(popped, model.items().last().cloned());
            model.remove_items(popped.as_slice());
        }
        Op::Rank(member) => {
            let rank = model.items().iter().position(|(other, _)| *other == member);
            assert_eq!(set.rank(&member).map(|(rank, _)| rank), rank);
            assert_eq!(set.score(&member), model.scores.get(&member).copied());
        }
        Op::ByRank(start, end) => {
            let items = model.items();
            let end_met = end.min(items.len());
            let expected = &items[start.min(end_met)..end_met];
            ranges_agree(set.range_by_rank(start..end), expected);
        }
        Op::ByScore(min, max) => {
            let range = ScoreRange { min, max };
            let expected = in_range(model, &range);
            assert_eq!(set.ranks_by_score(&range).len(), expected.len());
            ranges_agree(set.range_by_score(&range), &expected);
        }
        Op::RemoveByRank(start, end) => {
            let items = model.items();
            let end_met = end.min(items.len());
            let expected = &items[start.min(end_met)..end_met];
            removals_agree(set, start..end, expected);
            model.remove_items(expected);
        }
        Op::RemoveByScore(min, max) => {
            let range = ScoreRange { min, max };
            let expected = in_range(model, &range);
            removals_agree(set, set.ranks_by_score(&range), &expected);
            model.remove_items(&expected);
        }
        Op::Shift(rank, by) => {
            if !set.is_empty() {
                let (member, old) = set.get_by_rank(rank % set.len()).map(owned).unwrap();
                let new = if old.is_finite() { old + by } else { by };
                let change = set.upsert(&member, &LIMITS, |score| {
                    assert_eq!(score, Some(old));
                    Some(new)
                });
                assert_eq!(
                    change,
                    Change {
                        previous: Some(old),
                        current: Some(new)
                    }
                );
                model.insert(new, &member);
            }
        }
        Op::Pack => {
            let small = set.encoding() == Encoding::Listpack
                || (model.scores.len() <= LIMITS.entries_max
                    && model
                        .scores
                        .keys()
                        .all(|m| m.len() <= LIMITS.member_bytes_max));
            assert_eq!(set.pack_within(&LIMITS), small);
        }
        Op::Scan => {
            let mut seen = BTreeMap::new();
            let mut cursor = 0;
            loop {
                cursor = set.scan(cursor, |member, score| {
                    seen.insert(member.to_vec(), score);
                });
                if cursor == 0 {
                    break;
                }
            }
            assert_eq!(seen, model.scores);
        }
    }
}

fn in_range(model: &Model, range: &ScoreRange) -> Vec<(Vec<u8>, f64)> {
    model
        .items()
        .into_iter()
        .filter(|(_, score)| range.contains(*score))
        .collect()
}

fn ranges_agree(iter: Iter<'_>, expected: &[(Vec<u8>, f64)]) {
    assert_eq!(iter.len(), expected.len());
    assert_eq!(iter.clone().map(owned).collect::<Vec<_>>(), expected);
    let mut reversed: Vec<_> = iter.clone().rev().map(owned).collect();
    reversed.reverse();
    assert_eq!(reversed, expected);
    let mut folded = Vec::new();
    iter.clone().for_each(|item| folded.push(owned(item)));
    assert_eq!(folded, expected);
    // From both ends in turn, and with jumps.
    let (mut ends, mut met) = (iter.clone(), 0);
    while let Some(item) = ends.next() {
        assert_eq!(owned(item), expected[met]);
        let back = ends.next_back().map(owned);
        met += 1;
        let last = expected.len() - met;
        assert_eq!(back, (last >= met).then(|| expected[last].clone()));
    }
    for jump in [0, 1, 7, 100] {
        assert_eq!(
            iter.clone().nth(jump).map(owned),
            expected.get(jump).cloned()
        );
        let back = expected.len().checked_sub(jump + 1);
        assert_eq!(
            iter.clone().nth_back(jump).map(owned),
            back.map(|index| expected[index].clone())
        );
    }
}

fn removals_agree(set: &mut SortedSet, ranks: Range<usize>, expected: &[(Vec<u8>, f64)]) {
    let mut removed = Vec::new();
    let count = set.remove_range(ranks, |member, score| removed.push(owned((member, score))));
    assert_eq!(count, expected.len());
    assert_eq!(removed, expected);
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 96 },
        ..ProptestConfig::default()
    }
}

const OPS: usize = if cfg!(miri) { 250 } else { 1200 };

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn behaves_as_the_model(
        start in prop_oneof![Just(0usize), 0usize..20, 300usize..1500],
        ops in prop::collection::vec(op(), 1..OPS),
    ) {
        let start = if cfg!(miri) { start % 300 } else { start };
        let mut set = SortedSet::new();
        let mut model = Model::default();
        for n in 0..start {
            let member = format!("s{n}").into_bytes();
            let score = (n * 7919 % 1000) as f64 / 10.0;
            set.insert(score, &member, &LIMITS);
            model.insert(score, &member);
        }
        for (step, op) in ops.into_iter().enumerate() {
            apply(&mut set, &mut model, op);
            if step % 64 == 0 {
                agree(&set, &model);
            }
        }
        agree(&set, &model);
    }

    #[test]
    fn lex_ranges_follow_the_members(
        members in prop::collection::btree_set(prop::collection::vec(0u8..4, 0..6), 0..400),
        bounds in prop::collection::vec((lex_bound(), lex_bound()), 1..30),
        limits in prop::sample::select(vec![LIMITS, Limits::default()]),
    ) {
        let set =
            SortedSet::from_items(members.iter().map(|member| (member, 5.0)), &limits);
        set.check();
        for ((min, min_kind), (max, max_kind)) in bounds {
            let range = LexRange { min: bound(&min, min_kind), max: bound(&max, max_kind) };
            let expected: Vec<_> = members
                .iter()
                .filter(|member| range.contains(member))
                .map(|member| (member.clone(), 5.0))
                .collect();
            prop_assert_eq!(set.ranks_by_lex(&range).len(), expected.len());
            ranges_agree(set.range_by_lex(&range), &expected);
        }
    }

    #[test]
    fn from_items_is_insertion(
        items in prop::collection::vec((member(), score()), 0..600),
        sorted in any::<bool>(),
        limits in prop::sample::select(vec![LIMITS, Limits::default()]),
    ) {
        let mut items = items;
        if sorted {
            items.sort_by(|a, b| (key_of(a.1), &a.0).cmp(&(key_of(b.1), &b.0)));
        }
        let mut model = Model::default();
        let mut by_insertion = SortedSet::new();
        for (member, score) in &items {
            model.insert(*score, member);
            by_insertion.insert(*score, member, &limits);
        }
        let set = SortedSet::from_items(items, &limits);
        agree(&set, &model);
        agree(&by_insertion, &model);
        agree(&set.clone(), &model);
        prop_assert_eq!(set.clone().encoding(), set.encoding());
        prop_assert_eq!(set.encoding(), by_insertion.encoding());
    }
}

fn lex_bound() -> impl Strategy<Value = (Vec<u8>, u8)> {
    (
        prop::collection::vec(0u8..4, 0..6),
        prop::sample::select(vec![0, 1, 2, 2, 2, 3, 3, 3]),
    )
}

fn bound(member: &[u8], kind: u8) -> LexBound<'_> {
    match kind {
        0 => LexBound::Min,
        1 => LexBound::Max,
        2 => LexBound::Included(member),
        _ => LexBound::Excluded(member),
    }
}

/// A fixed sequence of numbers without a pattern.
fn numbers(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state >> 33
    }
}

fn tree_of(set: &SortedSet) -> &tree::Tree {
    match &set.store {
        Store::Indexed(indexed) => indexed.tree(),
        Store::Packed(_) => panic!("a small set"),
    }
}

const MANY: usize = if cfg!(miri) { 1000 } else { 60_000 };

#[test]
fn loads_at_an_edge_fill_the_leaves() {
    for descending in [false, true] {
        let mut set = SortedSet::new();
        for n in 0..MANY {
            let score = if descending { -(n as f64) } else { n as f64 };
            set.insert(
                score,
                format!("member:{n:08}").as_bytes(),
                &Limits::default(),
            );
        }
        set.check();
        // The two that conversion and the edge leave unfilled weigh little.
        let least = if cfg!(miri) { 0.8 } else { 0.99 };
        assert!(tree_of(&set).fill() > least, "{}", tree_of(&set).fill());
    }
}

#[test]
fn random_loads_fill_most_of_the_leaves() {
    let mut next = numbers(1);
    let mut set = SortedSet::new();
    for n in 0..MANY {
        set.insert(
            next() as f64,
            format!("member:{n:08}").as_bytes(),
            &Limits::default(),
        );
    }
    set.check();
    assert!(tree_of(&set).fill() > 0.75, "{}", tree_of(&set).fill());
}

#[test]
fn a_set_shrinks_to_nothing_from_everywhere() {
    for order in 0..4 {
        let mut next = numbers(order);
        let mut set = SortedSet::from_items(
            (0..MANY).map(|n| (format!("member:{n:08}"), (n / 3) as f64)),
            &Limits::default(),
        );
        set.check();
        while !set.is_empty() {
            for _ in 0..MANY / 12 {
                match order {
                    0 => set.pop_min(|_, _| ()),
                    1 => set.pop_max(|_, _| ()),
                    _ if set.is_empty() => None,
                    _ => {
                        let rank = next() as usize % set.len();
                        let count = if order == 2 { 1 } else { 100 };
                        set.remove_range(rank..rank + count, |_, _| ());
                        Some(())
                    }
                };
            }
            set.check();
        }
        assert_eq!(tree_of(&set).heap_bytes(), 0);
        assert_eq!(set.encoding(), Encoding::Skiplist);
    }
}

#[test]
fn scores_that_wander_keep_the_tree_whole() {
    let mut next = numbers(3);
    let members = if cfg!(miri) { 300 } else { 3_000 };
    let mut set = SortedSet::new();
    let mut model = Model::default();
    for step in 0..members * 12 {
        let member = format!("member:{}", next() as usize % members).into_bytes();
        // Ties, clusters of very different scale, and both infinities.
        let score = match next() % 5 {
            0 => (next() % 4) as f64,
            1 => 1e300 * (next() as f64),
            2 => 1.0 + next() as f64 * 1e-15,
            3 => -(next() as f64),
            _ => [f64::INFINITY, f64::NEG_INFINITY, 1e-310][next() as usize % 3],
        };
        assert_eq!(
            set.insert(score, &member, &Limits::default()),
            model.insert(score, &member)
        );
        if step % (members * 3) == 0 {
            agree(&set, &model);
        }
    }
    agree(&set, &model);
}

#[test]
fn the_encoding_follows_the_limits() {
    let limits = Limits::default();
    let mut set = SortedSet::new();
    for n in 0..128 {
        set.insert(f64::from(n), format!("{n}").as_bytes(), &limits);
    }
    assert_eq!(set.encoding().as_str(), "listpack");
    set.insert(0.0, b"5", &limits);
    assert_eq!(set.encoding(), Encoding::Listpack);
    set.insert(0.0, b"one more", &limits);
    assert_eq!(set.encoding().as_str(), "skiplist");
    set.remove(b"one more");
    assert_eq!(set.encoding(), Encoding::Skiplist);
    assert!(set.pack_within(&limits));
    assert_eq!(set.encoding(), Encoding::Listpack);

    let mut set = SortedSet::new();
    set.insert(1.0, &[b'x'; 64], &limits);
    assert_eq!(set.encoding(), Encoding::Listpack);
    set.insert(1.0, &[b'x'; 65], &limits);
    assert_eq!(set.encoding(), Encoding::Skiplist);
    assert!(!set.pack_within(&limits));
}

#[test]
fn zeroes_of_either_sign_are_one_score() {
    for limits in [
        Limits::default(),
        Limits {
            entries_max: 0,
            member_bytes_max: 0,
        },
    ] {
        let mut set = SortedSet::new();
        set.insert(-0.0, b"b", &limits);
        set.insert(0.0, b"a", &limits);
        assert_eq!(set.insert(0.0, b"b", &limits), Inserted::Unchanged);
        assert!(
            set.score(b"b")
                .is_some_and(|score| score.is_sign_negative())
        );
        assert_eq!(set.rank(b"a").map(|(rank, _)| rank), Some(0));
        let range = ScoreRange {
            min: Bound::Included(0.0),
            max: Bound::Included(-0.0),
        };
        assert_eq!(set.ranks_by_score(&range), 0..2);
    }
}

#[test]
fn a_queue_in_the_small_encoding_keeps_its_memory() {
    let limits = Limits::default();
    let mut set = SortedSet::new();
    for n in 0..20 {
        set.insert(f64::from(n), format!("job:{n:06}").as_bytes(), &limits);
    }
    let bytes = set.heap_bytes();
    for n in 20..5_000 {
        set.insert(f64::from(n), format!("job:{n:06}").as_bytes(), &limits);
        let popped = set.pop_min(|_, score| score);
        assert_eq!(popped, Some(f64::from(n - 20)));
        set.check();
    }
    assert!(set.heap_bytes() <= bytes * 2);
}

#[test]
fn an_empty_set_answers() {
    let mut set = SortedSet::default();
    assert_eq!(set.heap_bytes(), 0);
    assert_eq!(set.pop_min(|_, _| ()), None);
    assert_eq!(set.pop_max(|_, _| ()), None);
    assert_eq!(set.remove(b"a"), None);
    assert_eq!(set.remove_range(0..usize::MAX, |_, _| ()), 0);
    assert_eq!(set.iter().next(), None);
    assert_eq!(
        set.upsert(b"a", &LIMITS, |_| None).kind(),
        Inserted::Unchanged
    );
    assert!(set.is_empty());
}
