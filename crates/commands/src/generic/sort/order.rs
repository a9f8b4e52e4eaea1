//! Putting the elements in order.
//!
//! Whatever they are sorted by becomes a number of 64 bits that orders as it does: a double with its
//! bits arranged, or the first eight bytes of a text. Sixteen bytes an element are sorted, by
//! comparing numbers; only where these are equal the rest is looked at.

use std::cmp::Ordering;
use std::ops::Range;

use engine::CommandError;
use resp::number::{parse_f64, parse_i64};
use structures::item::Item;

const NO_NUMBER: CommandError =
    CommandError::Fixed("ERR One or more scores can't be converted into double");

/// The number that an element, or what it leads to, weighs. Nothing at all weighs 0. The text ends
/// at a zero byte, as it does for `strtod`.
#[inline]
pub(super) fn score(text: &[u8]) -> Result<f64, CommandError> {
    if let Some(value) = parse_i64(text) {
        return Ok(value as f64);
    }
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    if text.is_empty() {
        return Ok(0.0);
    }
    parse_f64(text).ok_or(NO_NUMBER)
}

/// What the elements are sorted by.
pub(super) enum Weights {
    /// Numbers; equal ones are ordered by the elements' bytes.
    Numbers(Vec<f64>),
    /// The elements' bytes.
    Elements,
    /// Texts, or none, which comes first. Equal ones keep their order.
    Texts(Vec<Option<Box<[u8]>>>),
    /// Texts of elements that have no order of their own: equal ones are ordered by the elements'
    /// bytes.
    TextsOfSet(Vec<Option<Box<[u8]>>>),
}

/// Which way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Ascending,
    Descending,
}

impl Direction {
    fn key(self, key: u64) -> u64 {
        match self {
            Direction::Ascending => key,
            Direction::Descending => !key,
        }
    }

    fn turn(self, ordering: Ordering) -> Ordering {
        match self {
            Direction::Ascending => ordering,
            Direction::Descending => ordering.reverse(),
        }
    }
}

/// The positions of the elements that come at `range` when all are in order.
pub(super) fn ordered(
    items: &[Item<'_>],
    weights: &Weights,
    direction: Direction,
    range: Range<usize>,
) -> Vec<usize> {
    let by_bytes = |a: usize, b: usize| direction.turn(compare(items[a], items[b]));
    let keyed = |key: &dyn Fn(usize) -> u64| -> Vec<(u64, usize)> {
        (0..items.len())
            .map(|at| (direction.key(key(at)), at))
            .collect()
    };
    match weights {
        Weights::Numbers(scores) => {
            let keys = scores.iter().enumerate();
            let keyed = keys.map(|(at, score)| (direction.key(key_of_number(*score)), at));
            chosen(keyed.collect(), range, by_bytes)
        }
        Weights::Elements => {
            let keyed = keyed(&|at| items[at].with_bytes(key_of_text));
            chosen(keyed, range, by_bytes)
        }
        Weights::Texts(texts) | Weights::TextsOfSet(texts) => {
            let keyed = keyed(&|at| texts[at].as_deref().map_or(0, key_of_text));
            let is_set = matches!(weights, Weights::TextsOfSet(_));
            chosen(keyed, range, |a, b| {
                direction
                    .turn(texts[a].cmp(&texts[b]))
                    .then_with(|| match is_set {
                        true => by_bytes(a, b),
                        false => Ordering::Equal,
                    })
            })
        }
    }
}

/// Sorts no more than is needed to know what comes at `range`. `tie` decides between elements of
/// equal keys.
fn chosen(
    mut keyed: Vec<(u64, usize)>,
    range: Range<usize>,
    tie: impl Fn(usize, usize) -> Ordering,
) -> Vec<usize> {
    if range.is_empty() {
        return Vec::new();
    }
    let compare = |a: &(u64, usize), b: &(u64, usize)| {
        a.0.cmp(&b.0)
            .then_with(|| tie(a.1, b.1).then(a.1.cmp(&b.1)))
    };
    let mut part = &mut keyed[..];
    if range.end < part.len() {
        part.select_nth_unstable_by(range.end - 1, compare);
        part = &mut part[..range.end];
    }
    if range.start > 0 {
        part.select_nth_unstable_by(range.start, compare);
        part = &mut part[range.start..];
    }
    part.sort_unstable_by(compare);
    part.iter().map(|(_, at)| *at).collect()
}

fn compare(a: Item<'_>, b: Item<'_>) -> Ordering {
    match (a, b) {
        (Item::Bytes(a), Item::Bytes(b)) => a.cmp(b),
        _ => a.with_bytes(|a| b.with_bytes(|b| a.cmp(b))),
    }
}

/// A number that orders as the double does. Zeros are equal, and there is no NaN.
fn key_of_number(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

/// A number that orders as the first eight bytes do.
fn key_of_text(text: &[u8]) -> u64 {
    let mut first = [0; 8];
    let len = text.len().min(8);
    first[..len].copy_from_slice(&text[..len]);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_as_what_they_stand_for() {
        let numbers = [
            f64::NEG_INFINITY,
            -1e300,
            -2.0,
            -1e-300,
            0.0,
            1e-300,
            1.5,
            2.0,
            f64::INFINITY,
        ];
        assert!(numbers.map(key_of_number).is_sorted_by(|a, b| a < b));
        assert_eq!(key_of_number(-0.0), key_of_number(0.0));
        let texts: [&[u8]; 6] = [b"", b"a", b"a\x01", b"ab", b"abcdefgh", b"b"];
        assert!(texts.map(key_of_text).is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_part_is_what_it_would_be_of_the_whole() {
        let scores: Vec<f64> = (0..200).map(|i| f64::from(i * 7919 % 50)).collect();
        let names: Vec<String> = (0..200).map(|i| format!("{}", i * 31 % 200)).collect();
        let items: Vec<Item<'_>> = names
            .iter()
            .map(|name| Item::Bytes(name.as_bytes()))
            .collect();
        let texts = |i: usize| (!i.is_multiple_of(3)).then(|| names[i % 20].as_bytes().into());
        let all = [
            Weights::Numbers(scores),
            Weights::Elements,
            Weights::Texts((0..200).map(texts).collect()),
            Weights::TextsOfSet((0..200).map(texts).collect()),
        ];
        for weights in all {
            for direction in [Direction::Ascending, Direction::Descending] {
                let whole = ordered(&items, &weights, direction, 0..200);
                for range in [0..1, 0..50, 13..14, 60..160, 150..200, 199..200, 7..7] {
                    let part = ordered(&items, &weights, direction, range.clone());
                    assert_eq!(part, whole[range]);
                }
            }
        }
    }
}
