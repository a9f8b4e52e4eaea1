//! Tests against a model: an array of ranks, filled by the same marks.

use proptest::prelude::*;

use super::*;
use crate::simd::{Enabled, set_enabled};

const SPARSE_LEN_MAX: usize = 3000;

fn marks(count: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<Mark>> {
    // Neighbours and small ranks, so that runs are split and joined.
    let register = prop_oneof![0..REGISTERS, 0..300usize, REGISTERS - 20..REGISTERS];
    let rank = prop_oneof![1..4u8, 1..=32u8, Just(33), Just(RANK_MAX)];
    let rank = prop_oneof![20 => 1..4u8, 10 => 1..=32u8, 1 => rank];
    let mark = (register, rank).prop_map(|(register, rank)| Mark { register, rank });
    proptest::collection::vec(mark, count)
}

fn ranks(string: &[u8]) -> Vec<u8> {
    let mut registers = Registers::default();
    registers.merge(string).unwrap();
    registers.ranks().to_vec()
}

/// A string that is nearly a HyperLogLog.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let registers = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        proptest::collection::vec(
            prop_oneof![Just(0x7f), Just(0xff), Just(0x83), any::<u8>()],
            0..200
        ),
        (marks(0..100), any::<u8>(), any::<prop::sample::Index>()).prop_map(|(marks, byte, at)| {
            let mut string = empty();
            add(&mut string, marks, SPARSE_LEN_MAX).unwrap();
            string.drain(..HEADER);
            let at = at.index(string.len());
            string[at] = byte;
            string
        }),
        Just(vec![0xff; dense::LEN]),
    ];
    (
        registers,
        0u8..3,
        proptest::collection::vec(any::<u8>(), 11),
    )
        .prop_map(|(registers, encoding, header)| {
            let mut string = MAGIC.to_vec();
            string.push(encoding);
            string.extend(header);
            string.extend(registers);
            string
        })
}

proptest! {
    #[test]
    fn marks_are_kept(marks in marks(0..600), len_max in prop_oneof![Just(SPARSE_LEN_MAX), 0..600usize]) {
        let mut string = empty();
        let mut model = vec![0u8; REGISTERS];
        for mark in &marks {
            let is_greater = model[mark.register] < mark.rank;
            model[mark.register] = model[mark.register].max(mark.rank);
            if let Some(would_change) = would_change(&string, [*mark]) {
                prop_assert_eq!(would_change, is_greater);
            }
            set_cached(&mut string, 0);
            prop_assert_eq!(add(&mut string, [*mark], len_max), Ok(is_greater));
            prop_assert_eq!(cached(&string).is_none(), is_greater);
            let encoding = check(&string).unwrap();
            prop_assert!(encoding == Encoding::Dense || string.len() <= len_max.max(HEADER + 2));
        }
        prop_assert_eq!(ranks(&string), &model[..]);
        let dense = to_dense(&string).unwrap();
        prop_assert_eq!(ranks(&dense), &model[..]);
        let registers = super::dense(&dense).unwrap();
        for (register, rank) in model.iter().enumerate() {
            prop_assert_eq!(dense::get(registers, register), *rank);
        }
        prop_assert_eq!(estimate(&string), estimate(&dense));
        prop_assert_eq!(estimate(&dense).unwrap(), Histogram::of(&model).estimate());
    }

    /// Writing all at once gives the bytes that setting mark by mark gives.
    #[test]
    fn merging_into_nothing(marks in marks(0..600), len_max in prop_oneof![Just(SPARSE_LEN_MAX), 0..600usize]) {
        let mut registers = Registers::default();
        for mark in &marks {
            registers.ranks[mark.register] = registers.ranks[mark.register].max(mark.rank);
        }
        let all = registers.ranks.iter().enumerate().filter(|(_, rank)| **rank != 0);
        let mut one_by_one = empty();
        add(&mut one_by_one, all.map(|(register, rank)| Mark { register, rank: *rank }), len_max).unwrap();
        put_out_of_date(&mut one_by_one);
        let at_once = raised_to(&empty(), &registers, Encoding::Sparse, len_max).unwrap();
        prop_assert_eq!(at_once, one_by_one);
        let dense = raised_to(&empty(), &registers, Encoding::Dense, len_max).unwrap();
        prop_assert_eq!(ranks(&dense), registers.ranks());
    }

    #[test]
    fn merging(a in marks(0..300), b in marks(0..300)) {
        let (mut first, mut second) = (empty(), empty());
        add(&mut first, a.iter().copied(), SPARSE_LEN_MAX).unwrap();
        add(&mut second, b.iter().copied(), 0).unwrap();
        let mut registers = Registers::default();
        registers.merge(&first).unwrap();
        registers.merge(&second).unwrap();
        let merged = raised_to(&first, &registers, Encoding::Sparse, SPARSE_LEN_MAX).unwrap();
        add(&mut first, b, SPARSE_LEN_MAX).unwrap();
        prop_assert_eq!(ranks(&merged), ranks(&first));
        prop_assert_eq!(registers.estimate(), estimate(&first).unwrap());
    }

    /// Whatever a string holds, reading it gives an error or a result that reads back.
    #[test]
    fn no_string_makes_it_panic(string in damaged(), marks in marks(1..20)) {
        let Some(_) = check(&string) else { return Ok(()) };
        cached(&string);
        sparse::describe(&string);
        let _ = would_change(&string, marks.iter().copied());
        let is_whole = estimate(&string).is_ok();
        prop_assert_eq!(to_dense(&string).is_ok(), is_whole);
        prop_assert_eq!(Registers::default().merge(&string).is_ok(), is_whole);
        let registers = Registers::default();
        let _ = raised_to(&string, &registers, Encoding::Sparse, SPARSE_LEN_MAX);
        let mut changed = string.clone();
        if add(&mut changed, marks, SPARSE_LEN_MAX).is_ok() && is_whole {
            prop_assert!(estimate(&changed).is_ok());
        }
    }

    #[test]
    fn the_plain_loops_and_the_wide_ones_agree(bytes in proptest::collection::vec(any::<u8>(), dense::LEN)) {
        let registers: &[u8; dense::LEN] = bytes.as_slice().try_into().unwrap();
        let by_one: Vec<u8> = (0..REGISTERS).map(|register| dense::get(registers, register)).collect();
        let mut ranks = [0; REGISTERS];
        for enabled in [Enabled::No, Enabled::Yes] {
            set_enabled(enabled);
            ranks = [0; REGISTERS];
            dense::merge(&mut ranks, registers);
            prop_assert_eq!(&ranks[..], &by_one[..]);
            prop_assert_eq!(dense::histogram(registers), Histogram::of(&by_one));
        }
        let mut packed = Vec::new();
        dense::push(&mut packed, &ranks);
        prop_assert_eq!(packed, bytes);
    }
}

#[test]
fn the_error_is_that_of_the_registers() {
    let mut string = empty();
    let mut checkpoint = 1;
    for element in 1..=100_000u64 {
        add(
            &mut string,
            [Mark::of(&element.to_le_bytes())],
            SPARSE_LEN_MAX,
        )
        .unwrap();
        if element == checkpoint {
            let got = estimate(&string).unwrap() as f64;
            let error_max = (element as f64 * 6.0 * 0.0081).max(1.0);
            assert!(
                (got - element as f64).abs() <= error_max,
                "{element}: {got}"
            );
            checkpoint *= 10;
        }
    }
    assert_eq!(check(&string), Some(Encoding::Dense));
}

#[test]
fn what_is_no_hyperloglog() {
    assert_eq!(check(b""), None);
    assert_eq!(check(b"HYLL"), None);
    assert_eq!(check(b"HYLL\x00aaabbbbbbbb"), None, "dense has one length");
    assert_eq!(check(b"HYLL\x02aaabbbbbbbb"), None);
    assert_eq!(check(b"HYLX\x01aaabbbbbbbb"), None);
    assert_eq!(check(b"HYLL\x01aaabbbbbbbb"), Some(Encoding::Sparse));
    assert_eq!(estimate(b"HYLL\x01aaabbbbbbbb"), Err(Corrupt));
}
