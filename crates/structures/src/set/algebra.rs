//! Intersection, difference and union of sets.
//!
//! All three come down to one thing: passing the members of one set through a sieve of others,
//! each of which lets those through that it has, or those that it has not. An intersection passes
//! the smallest set through the rest, a difference its first, and a union each set through the ones
//! before it, so that none of the three keeps members on the side. Members go in batches: the
//! lookups in a table are cache misses, and those of a batch overlap. Sets of integers are ascending,
//! so among themselves a lookup goes on from where the one before ended, which makes a merge of two
//! of like size and a search in a much greater one.
//!
//! Where others are many and a member would be looked up in each, they are first united in one set.

use super::{Form, Item, Limits, Members, Set, canonical_int};
use crate::hash::hash;
use crate::item::Digits;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// Members that are looked up together: as many as the processor can wait for at a time.
const BATCH: usize = 16;

/// What adding a member to a table costs, in lookups.
const INSERT_COST: usize = 4;

/// Which members a sieve lets through.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Present,
    Absent,
}

/// Visits the members that are in all `sets`, of which there is at least one, until `found` breaks.
pub fn intersection<'a>(
    sets: &[&'a Set],
    mut found: impl FnMut(Item<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut others: SmallVec<[&Set; 8]> = sets.iter().copied().collect();
    // From the one that says no most often on.
    others.sort_by_key(|set| set.len());
    let smallest = others.remove(0);
    sieve(smallest, &others, Wanted::Present, &mut found)
}

/// Visits the members of `first` that are in none of `others`.
pub fn difference<'a>(first: &'a Set, others: &[&Set], mut found: impl FnMut(Item<'a>)) {
    let excluded;
    let mut others: SmallVec<[&Set; 8]> = others.iter().copied().collect();
    // The greatest is the most likely one to have a member.
    others.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let together: usize = others.iter().map(|set| set.len()).sum();
    let one_by_one = first.len().saturating_mul(others.len());
    if one_by_one > first.len() + together.saturating_mul(INSERT_COST) {
        excluded = united(&others, &Limits::default());
        others.clear();
        others.push(&excluded);
    }
    let _ = sieve(first, &others, Wanted::Absent, &mut |item| {
        found(item);
        ControlFlow::Continue(())
    });
}

/// Visits each member of any of `sets` once; if all are sets of integers, in ascending order.
pub fn union(sets: &[&Set], mut found: impl FnMut(Item<'_>)) {
    if let Some(values) = united_ints(sets) {
        return values.into_iter().map(Item::Int).for_each(found);
    }
    let mut sets: SmallVec<[&Set; 8]> = sets.iter().copied().collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let lookups: usize = sets
        .iter()
        .enumerate()
        .map(|(before, set)| before * set.len())
        .sum();
    let together: usize = sets.iter().map(|set| set.len()).sum();
    if lookups > together * INSERT_COST {
        return united(&sets, &Limits::default()).iter().for_each(found);
    }
    for (before, set) in sets.iter().enumerate() {
        let _ = sieve(set, &sets[..before], Wanted::Absent, &mut |item| {
            found(item);
            ControlFlow::Continue(())
        });
    }
}

/// The union as a set.
pub fn united(sets: &[&Set], limits: &Limits) -> Set {
    if let Some(values) = united_ints(sets) {
        return Set::from_items(values.into_iter().map(Item::Int), limits);
    }
    let mut sets: SmallVec<[&Set; 8]> = sets.iter().copied().collect();
    sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
    let together: usize = sets.iter().map(|set| set.len()).sum();
    let Some((greatest, others)) = sets.split_first() else {
        return Set::new();
    };
    let mut result = match &greatest.0 {
        Form::Table(members) => {
            // Room for all if there are no doubles, but not so much that the table is half empty if
            // there are nothing else.
            let mut copy = Members::with_capacity(together.min(2 * greatest.len()));
            members
                .table()
                .iter()
                .for_each(|member| copy.insert_new(member));
            Set(Form::Table(Box::new(copy)))
        }
        _ => Set::from_items(greatest.iter(), limits),
    };
    for set in others {
        result.insert_all(set, limits);
    }
    result
}

/// All members of sets of integers in ascending order; `None` if some set is of another form.
fn united_ints(sets: &[&Set]) -> Option<Vec<i64>> {
    let mut values = Vec::new();
    for set in sets {
        match &set.0 {
            Form::Ints(ints) => values.extend(ints.iter()),
            _ => return None,
        }
    }
    // Of ascending runs, which a stable sort merges.
    values.sort();
    values.dedup();
    Some(values)
}

/// Visits the members of `source` that each of `others` lets through, until `found` breaks.
fn sieve<'a>(
    source: &'a Set,
    others: &[&Set],
    wanted: Wanted,
    found: &mut impl FnMut(Item<'a>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let needs_hash = others.iter().any(|set| matches!(set.0, Form::Table(_)));
    let needs_text = others.iter().any(|set| !matches!(set.0, Form::Ints(_)));
    // Where the search in sets of integers goes on.
    let mut cursors: SmallVec<[usize; 8]> = SmallVec::from_elem(0, others.len());
    let mut items = source.iter();
    let mut digits: [Digits; BATCH] = Default::default();
    loop {
        let batch: SmallVec<[Item<'a>; BATCH]> = items.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            return ControlFlow::Continue(());
        }
        let mut texts: [&[u8]; BATCH] = [&[]; BATCH];
        if needs_text {
            let room = texts.iter_mut().zip(&mut digits);
            batch
                .iter()
                .zip(room)
                .for_each(|(item, (text, digits))| *text = item.text(digits));
        }
        let mut hashes = [0u64; BATCH];
        if needs_hash {
            let texts = texts.iter().take(batch.len());
            hashes
                .iter_mut()
                .zip(texts)
                .for_each(|(to, text)| *to = hash(text));
        }
        let mut passing = Lanes((1u32 << batch.len()) - 1);
        for (set, cursor) in others.iter().zip(&mut cursors) {
            if passing.0 == 0 {
                break;
            }
            passing.for_each(|lane| set.prefetch(hashes[lane]));
            passing.for_each(|lane| set.prefetch_member(hashes[lane]));
            passing.retain(|lane| {
                let is_present = match (&set.0, batch[lane]) {
                    (Form::Ints(ints), Item::Int(value)) => ints.seek(cursor, value),
                    (Form::Ints(ints), Item::Bytes(text)) => {
                        canonical_int(text).is_some_and(|value| ints.contains(value))
                    }
                    _ => set.contains_hashed(hashes[lane], texts[lane]),
                };
                is_present == (wanted == Wanted::Present)
            });
        }
        passing.try_for_each(|lane| found(batch[lane]))?;
    }
}

impl Set {
    /// Adds the members of another set.
    fn insert_all(&mut self, other: &Set, limits: &Limits) {
        let mut items = other.iter();
        // Until it is a table, which it may become on the way, there is nothing to wait for.
        while !matches!(self.0, Form::Table(_)) {
            match items.next() {
                Some(item) => self.insert_item(item, limits),
                None => return,
            };
        }
        let Form::Table(members) = &mut self.0 else {
            return;
        };
        let mut digits: [Digits; BATCH] = Default::default();
        loop {
            let batch: SmallVec<[Item<'_>; BATCH]> = items.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return;
            }
            let mut ready: SmallVec<[(u64, &[u8]); BATCH]> = SmallVec::new();
            for (item, digits) in batch.iter().zip(&mut digits) {
                let text = item.text(digits);
                let hash = hash(text);
                members.table().prefetch_bucket(hash);
                ready.push((hash, text));
            }
            ready
                .iter()
                .for_each(|(hash, _)| members.table().prefetch_element(*hash));
            for (hash, text) in ready {
                members.insert_hashed(hash, text);
            }
        }
    }
}

/// Some of the places of a batch, as bits.
#[derive(Clone, Copy)]
struct Lanes(u32);

impl Lanes {
    #[inline]
    fn try_for_each(self, mut f: impl FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut left = self.0;
        while left != 0 {
            f(left.trailing_zeros() as usize)?;
            left &= left - 1;
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn for_each(self, mut f: impl FnMut(usize)) {
        let _ = self.try_for_each(|lane| {
            f(lane);
            ControlFlow::Continue(())
        });
    }

    #[inline]
    fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let mut kept = 0;
        self.for_each(|lane| kept |= u32::from(keep(lane)) << lane);
        self.0 = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The members of a set in one of the forms.
    fn set() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let member = prop_oneof![
            (0i64..400).prop_map(|value| value.to_string().into_bytes()),
            "[a-e]{0,2}".prop_map(String::into_bytes),
        ];
        let ints = (0i64..40, 1i64..8, 0i64..200).prop_map(|(start, step, len)| {
            let values = (0..len).map(|i| (start + i * step).to_string().into_bytes());
            values.collect::<Vec<_>>()
        });
        prop_oneof![
            ints,
            proptest::collection::vec(member.clone(), 0..40),
            proptest::collection::vec(member, 100..400),
        ]
    }

    fn built(members: &[Vec<u8>]) -> (Set, BTreeSet<Vec<u8>>) {
        let mut set = Set::new();
        for member in members {
            set.insert(member, &Limits::default());
        }
        (set, members.iter().cloned().collect())
    }

    fn sorted(items: Vec<Vec<u8>>) -> BTreeSet<Vec<u8>> {
        let count = items.len();
        let set: BTreeSet<_> = items.into_iter().collect();
        assert_eq!(set.len(), count, "a member came twice");
        set
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn like_trees(input in proptest::collection::vec(set(), 1..12)) {
            let input: Vec<_> = input.iter().map(|members| built(members)).collect();
            let sets: Vec<&Set> = input.iter().map(|(set, _)| set).collect();
            let models: Vec<_> = input.iter().map(|(_, model)| model).collect();

            let mut got = Vec::new();
            let _ = intersection(&sets, |item| {
                got.push(item.to_vec());
                ControlFlow::Continue(())
            });
            let want = models[1..].iter().fold(models[0].clone(), |a, b| &a & b);
            prop_assert_eq!(sorted(got), want);

            let mut got = Vec::new();
            difference(sets[0], &sets[1..], |item| got.push(item.to_vec()));
            let want = models[1..].iter().fold(models[0].clone(), |a, b| &a - b);
            prop_assert_eq!(sorted(got), want);

            let mut got = Vec::new();
            union(&sets, |item| got.push(item.to_vec()));
            let want = models[1..].iter().fold(models[0].clone(), |a, b| &a | b);
            prop_assert_eq!(&sorted(got), &want);
            let items: Vec<Item<'_>> = sets[0].iter().collect();
            let copy = Set::from_new_items(&items, &Limits::default());
            prop_assert_eq!(&sorted(copy.iter().map(Item::to_vec).collect()), models[0]);
            let result = united(&sets, &Limits::default());
            prop_assert_eq!(result.len(), want.len());
            prop_assert_eq!(sorted(result.iter().map(Item::to_vec).collect()), want);
        }
    }

    #[test]
    fn an_intersection_stops_when_told() {
        let members: Vec<_> = (0..1000).map(Item::Int).collect();
        let set = Set::from_items(members, &Limits::default());
        let mut seen = 0;
        let _ = intersection(&[&set, &set], |_| {
            seen += 1;
            if seen == 7 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert_eq!(seen, 7);
    }

    #[test]
    fn integers_come_in_order() {
        let of = |values: &[i64]| {
            Set::from_items(values.iter().copied().map(Item::Int), &Limits::default())
        };
        let (a, b) = (of(&[5, 1, 9]), of(&[2, 9, -3]));
        let mut got = Vec::new();
        union(&[&a, &b], |item| got.push(item.to_vec()));
        assert_eq!(got, [-3, 1, 2, 5, 9].map(|value| Item::Int(value).to_vec()));
    }
}
