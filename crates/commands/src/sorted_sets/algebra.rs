//! Union, intersection and difference of inputs.
//!
//! A union is gathered in one index and sorted once. An intersection goes through the smallest
//! input and looks its members up in the others. A difference either looks the members of
//! the first input up in the others, or those of the others in the first, whichever is less.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use structures::set::{self, Set};
use structures::sorted_set::{Accumulator, Limits, SortedSet};

use super::inputs::{Input, Scored};

/// What becomes of the scores of one member in several inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    Sum,
    Min,
    Max,
}

impl Aggregate {
    /// Infinities of both signs add up to 0.
    #[inline]
    fn combine(self, a: f64, b: f64) -> f64 {
        match self {
            Aggregate::Sum => number(a + b),
            Aggregate::Min if b < a => b,
            Aggregate::Max if b > a => b,
            Aggregate::Min | Aggregate::Max => a,
        }
    }
}

/// `score`, or 0 in place of NaN: so infinity times 0 is 0.
#[inline]
fn number(score: f64) -> f64 {
    if score.is_nan() { 0.0 } else { score }
}

/// What a score is stored as: one that compares equal prints equal, so a zero has no sign. (What is
/// only replied may have one, as with the servers this follows.)
pub(super) fn stored(score: f64) -> f64 {
    score + 0.0
}

/// An input and what its scores are multiplied by.
#[derive(Clone, Copy)]
pub(super) struct Weighted<'a> {
    pub(super) input: Input<'a>,
    pub(super) weight: f64,
}

/// All members of all inputs.
pub(super) fn union(mut inputs: Vec<Weighted<'_>>, aggregate: Aggregate) -> Accumulator {
    inputs.sort_by_key(|weighted| weighted.input.len());
    let largest = inputs.last().map_or(0, |weighted| weighted.input.len());
    let mut union = Accumulator::with_capacity(largest);
    for Weighted { input, weight } in inputs {
        let _ = input.read_batches(|batch| {
            batch.iter().for_each(|m| union.prefetch(m.hash));
            batch.iter().for_each(|m| union.prefetch_member(m.hash));
            for m in batch.iter() {
                let score = number(m.score * weight);
                union.add(m.hash, m.member.as_ref(), |old| {
                    old.map_or(score, |old| aggregate.combine(old, score))
                });
            }
            ControlFlow::Continue(())
        });
    }
    union
}

/// Shows the members that all inputs have to `f`, in no order, until it breaks.
pub(super) fn intersection<'a>(
    mut inputs: Vec<Weighted<'a>>,
    aggregate: Aggregate,
    mut f: impl FnMut(Scored<'a>) -> ControlFlow<()>,
) {
    inputs.sort_by_key(|weighted| weighted.input.len());
    let Some((smallest, others)) = inputs.split_first() else {
        return;
    };
    let _ = smallest.input.read_batches(|batch| {
        for m in batch.iter_mut() {
            m.score = number(m.score * smallest.weight);
        }
        for Weighted { input, weight } in others {
            input.prefetch(batch);
            batch.retain_mut(|m| match input.score(m) {
                Some(score) => {
                    m.score = aggregate.combine(m.score, score * weight + 0.0);
                    true
                }
                None => false,
            });
        }
        batch.drain(..).try_for_each(&mut f)
    });
}

/// The members of the first input that no other has, those of a sorted set in its order.
pub(super) fn difference<'a>(inputs: &[Input<'a>]) -> Vec<Scored<'a>> {
    let Some((first, others)) = inputs.split_first() else {
        return Vec::new();
    };
    if others.iter().any(|other| other.is_same(first)) {
        return Vec::new();
    }
    // Looking up in the others stops at the one that has the member: half of the cost is a guess.
    let look_ups_in_others = first.len() * inputs.len() / 2;
    let members_in_all = inputs.iter().map(Input::len).sum();
    if look_ups_in_others <= members_in_all {
        let mut others = others.to_vec();
        others.sort_by_key(|other| Reverse(other.len()));
        without(*first, |batch| {
            for other in &others {
                other.prefetch(batch);
                batch.retain(|m| other.score(m).is_none());
            }
        })
    } else {
        let removed = common(first, others);
        without(*first, |batch| {
            if !removed.is_empty() {
                batch.iter().for_each(|m| removed.prefetch(m.hash));
                batch.retain(|m| !removed.contains_hashed(m.hash, m.member.as_ref()));
            }
        })
    }
}

/// What `strike` leaves of the batches of an input.
fn without<'a>(input: Input<'a>, mut strike: impl FnMut(&mut Vec<Scored<'a>>)) -> Vec<Scored<'a>> {
    let mut left = Vec::new();
    let _ = input.read_batches(|batch| {
        strike(batch);
        left.append(batch);
        ControlFlow::Continue(())
    });
    left
}

/// The members of `first` that are also in one of the `others`.
fn common(first: &Input<'_>, others: &[Input<'_>]) -> Set {
    const ALWAYS_A_TABLE: set::Limits = set::Limits {
        intset_max_entries: 0,
        listpack_max_entries: 0,
        listpack_max_value: 0,
    };
    let mut common = Set::new();
    for other in others {
        let flow = other.read_batches(|batch| {
            first.prefetch(batch);
            for m in batch.iter() {
                if first.score(m).is_some() {
                    common.insert(m.member.as_ref(), &ALWAYS_A_TABLE);
                }
            }
            if common.len() == first.len() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if flow.is_break() {
            break;
        }
    }
    common
}

/// The set of members that come in no order.
pub(super) fn set_of(mut members: Vec<Scored<'_>>, limits: &Limits) -> SortedSet {
    sort(&mut members);
    let items = members.iter().map(|m| (m.hash, &m.member, stored(m.score)));
    SortedSet::from_ordered(items, limits)
}

/// Puts members in the order of a sorted set. What is in order already costs one look.
pub(super) fn sort(members: &mut [Scored<'_>]) {
    members.sort_unstable_by(|a, b| {
        // No score is NaN; zeroes of either sign are equal, which `total_cmp` would not say.
        (a.score + 0.0)
            .total_cmp(&(b.score + 0.0))
            .then_with(|| a.member.as_ref().cmp(b.member.as_ref()))
    });
}

#[cfg(test)]
mod tests {
    use structures::item::Item;

    use super::*;

    fn sorted(members: impl IntoIterator<Item = (u32, f64)>) -> SortedSet {
        let members = members
            .into_iter()
            .map(|(member, score)| (member.to_string(), score));
        SortedSet::from_items(members, &Limits::default())
    }

    fn texts(members: &[Scored<'_>]) -> Vec<String> {
        members
            .iter()
            .map(|m| String::from_utf8_lossy(m.member.as_ref()).into_owned())
            .collect()
    }

    #[test]
    fn no_score_is_nan() {
        let inf = f64::INFINITY;
        assert_eq!(Aggregate::Sum.combine(inf, -inf), 0.0);
        assert_eq!(Aggregate::Min.combine(inf, f64::NAN), inf);
        assert_eq!(Aggregate::Max.combine(-inf, f64::NAN), -inf);
        assert_eq!(number(inf * 0.0), 0.0);
    }

    /// Both ways to a difference, over sizes that choose either.
    #[test]
    fn both_differences_agree_with_a_filter() {
        for (first_len, others_len) in [(1000, 3), (1000, 400), (5, 500), (0, 3), (300, 0)] {
            let first = sorted((0..first_len).map(|n| (n, f64::from(n % 7))));
            let plain = Set::from_items(
                (0..others_len).map(|n| Item::Int(i64::from(n * 3))),
                &set::Limits::default(),
            );
            let second = sorted((0..others_len).map(|n| (n * 5, 0.0)));
            let mut inputs = vec![Input::Sorted(&first)];
            for _ in 0..4 {
                inputs.extend([Input::Plain(&plain), Input::Missing, Input::Sorted(&second)]);
            }
            let want: Vec<String> = first
                .iter()
                .map(|(member, _)| String::from_utf8_lossy(member).into_owned())
                .filter(|member| {
                    !plain.contains(member.as_bytes()) && second.score(member.as_bytes()).is_none()
                })
                .collect();
            assert_eq!(texts(&difference(&inputs)), want);
        }
    }

    #[test]
    fn a_difference_with_itself_is_empty() {
        let first = sorted([(1, 1.0), (2, 2.0)]);
        let inputs = [Input::Sorted(&first), Input::Missing, Input::Sorted(&first)];
        assert!(difference(&inputs).is_empty());
    }
}
