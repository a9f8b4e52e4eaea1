//! Dense registers: six bits each, in 12,288 bytes.
//!
//! ```text
//! byte    0         1         2         3
//!        +--------+--------+--------+-------
//!        |11000000|22221111|33333322|44...     register, the highest bit of a byte first
//!        +--------+--------+--------+-------
//! ```
//!
//! Register `i` is bits `6i` to `6i + 5`, the lowest bit of a byte first. Eight registers are six
//! bytes, and 32 of them three words of 64 bits: those are unpacked to a byte each with three shifts
//! for eight registers, and loops over bytes do the rest.
#![allow(unsafe_code)] // inside `wide!`, which says why it is safe

use super::estimate::{Counters, Histogram};
use super::{Mark, REGISTERS};
use crate::simd::wide;

/// The length of all registers.
pub const LEN: usize = REGISTERS * BITS / 8;

const BITS: usize = 6;
const MASK: u16 = (1 << BITS) - 1;

/// As many registers as are whole words, and their bytes.
const BLOCK: usize = 32;
const BLOCK_LEN: usize = BLOCK * BITS / 8;

/// The two bytes in which a register lies, as a number, and its place there. The last registers lie in
/// one byte.
fn window(registers: &[u8; LEN], register: usize) -> (usize, u16, usize) {
    let (at, shift) = (register * BITS / 8, register * BITS % 8);
    let high = registers.get(at + 1).copied().unwrap_or(0);
    (at, u16::from_le_bytes([registers[at], high]), shift)
}

/// The rank in a register.
pub fn get(registers: &[u8; LEN], register: usize) -> u8 {
    let (_, window, shift) = window(registers, register);
    (window >> shift & MASK) as u8
}

/// Writes a register.
pub fn set(registers: &mut [u8; LEN], mark: Mark) {
    let (at, window, shift) = window(registers, mark.register);
    let [low, high] =
        (window & !(MASK << shift) | (mark.rank as u16 & MASK) << shift).to_le_bytes();
    registers[at] = low;
    if let Some(byte) = registers.get_mut(at + 1) {
        *byte = high;
    }
}

/// Sets a mark. Returns whether the register changed.
pub fn raise(registers: &mut [u8; LEN], mark: Mark) -> bool {
    let is_greater = get(registers, mark.register) < mark.rank;
    if is_greater {
        set(registers, mark);
    }
    is_greater
}

/// Eight registers of six bits, to a byte each: first halves of 32 bits, then quarters, then eighths.
#[inline(always)]
fn spread(packed: u64) -> u64 {
    let x = packed;
    let x = x & 0x0000_0000_00ff_ffff | (x & 0x0000_ffff_ff00_0000) << 8;
    let x = x & 0x0000_0fff_0000_0fff | (x & 0x00ff_f000_00ff_f000) << 4;
    x & 0x003f_003f_003f_003f | (x & 0x0fc0_0fc0_0fc0_0fc0) << 2
}

/// The inverse of [`spread`].
#[inline(always)]
fn gather(bytes: u64) -> u64 {
    let x = bytes;
    let x = x & 0x003f_003f_003f_003f | (x & 0x3f00_3f00_3f00_3f00) >> 2;
    let x = x & 0x0000_0fff_0000_0fff | (x & 0x0fff_0000_0fff_0000) >> 4;
    x & 0x0000_0000_00ff_ffff | (x & 0x00ff_ffff_0000_0000) >> 8
}

#[inline(always)]
fn unpack(block: &[u8; BLOCK_LEN]) -> [u8; BLOCK] {
    let word = |index: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&block[8 * index..8 * index + 8]);
        u64::from_le_bytes(bytes)
    };
    let (a, b, c) = (word(0), word(1), word(2));
    let words = [a, a >> 48 | b << 16, b >> 32 | c << 32, c >> 16].map(spread);
    let mut ranks = [0; BLOCK];
    for (ranks, word) in ranks.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *ranks = word.to_le_bytes();
    }
    ranks
}

fn blocks(registers: &[u8; LEN]) -> &[[u8; BLOCK_LEN]] {
    registers.as_chunks::<BLOCK_LEN>().0
}

wide! {
    /// Raises `ranks` to those of `registers`.
    pub(super) fn merge(ranks: &mut [u8; REGISTERS], registers: &[u8; LEN]) {
        for (ranks, block) in ranks.as_chunks_mut::<BLOCK>().0.iter_mut().zip(blocks(registers)) {
            for (rank, other) in ranks.iter_mut().zip(unpack(block)) {
                *rank = (*rank).max(other);
            }
        }
    }
}

wide! {
    /// How many registers have each rank.
    pub(super) fn histogram(registers: &[u8; LEN]) -> Histogram {
        let mut counters = Counters::default();
        for block in blocks(registers) {
            counters.add(&unpack(block));
        }
        counters.sum()
    }
}

/// Appends registers of these ranks.
pub(super) fn push(string: &mut Vec<u8>, ranks: &[u8; REGISTERS]) {
    for ranks in ranks.as_chunks::<8>().0 {
        let packed = gather(u64::from_le_bytes(*ranks)).to_le_bytes();
        string.extend_from_slice(&packed[..BITS]);
    }
}
