//! Natural numbers of any size, with no more arithmetic than reading and printing floating point
//! numbers at the ends of their range takes.
//!
//! A number is its 64-bit digits, the lowest first, without zeros at the top.

use std::cmp::Ordering;

use super::POWERS_OF_TEN;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Big {
    digits: Vec<u64>,
}

impl From<u128> for Big {
    fn from(value: u128) -> Self {
        let mut big = Big {
            digits: vec![value as u64, (value >> 64) as u64],
        };
        big.trim();
        big
    }
}

impl Big {
    /// The number that decimal digits spell.
    pub(super) fn from_decimal(text: &[u8]) -> Big {
        let mut big = Big { digits: Vec::new() };
        for part in text.chunks(19) {
            let value = part
                .iter()
                .fold(0, |value, digit| value * 10 + (digit - b'0') as u64);
            big.multiply_add(POWERS_OF_TEN[part.len()], value);
        }
        big
    }

    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
    }

    fn multiply_add(&mut self, factor: u64, addend: u64) {
        let mut carry = addend;
        for digit in &mut self.digits {
            let product = *digit as u128 * factor as u128 + carry as u128;
            *digit = product as u64;
            carry = (product >> 64) as u64;
        }
        if carry != 0 {
            self.digits.push(carry);
        }
    }

    pub(super) fn multiply_by_power_of_five(&mut self, power: u32) {
        const STEP: u32 = 27;
        for _ in 0..power / STEP {
            self.multiply_add(5u64.pow(STEP), 0);
        }
        self.multiply_add(5u64.pow(power % STEP), 0);
    }

    pub(super) fn shift_left(&mut self, bits: usize) {
        let (digits, bits) = (bits / 64, bits % 64);
        if bits > 0 {
            self.multiply_add(1 << bits, 0);
        }
        self.digits.splice(0..0, std::iter::repeat_n(0, digits));
        self.trim();
    }

    fn halve(&mut self) {
        let mut carry = 0;
        for digit in self.digits.iter_mut().rev() {
            (*digit, carry) = (*digit >> 1 | carry << 63, *digit & 1);
        }
        self.trim();
    }

    fn subtract(&mut self, other: &Big) {
        let mut borrow = false;
        let others = other.digits.iter().chain(std::iter::repeat(&0));
        for (digit, other) in self.digits.iter_mut().zip(others) {
            let (less, first) = digit.overflowing_sub(*other);
            let (less, second) = less.overflowing_sub(borrow as u64);
            (*digit, borrow) = (less, first || second);
        }
        debug_assert!(!borrow, "only smaller numbers are subtracted");
        self.trim();
    }

    /// The number of bits up to the topmost that is set.
    pub(super) fn bit_len(&self) -> usize {
        let top = self.digits.last().copied().unwrap_or(0);
        (self.digits.len() * 64).saturating_sub(top.leading_zeros() as usize)
    }

    /// The topmost 128 bits, how many bits are below them, and whether any of those is set.
    pub(super) fn first_bits(mut self) -> (u128, usize, bool) {
        let below = self.bit_len().saturating_sub(128);
        // Moved up so that the 128 bits are whole digits.
        let up = (64 - below % 64) % 64;
        self.shift_left(up);
        let split = (below + up) / 64;
        let top = self.digits[split..]
            .iter()
            .rev()
            .fold(0, |bits, digit| bits << 64 | *digit as u128);
        (
            top,
            below,
            self.digits[..split].iter().any(|digit| *digit != 0),
        )
    }

    /// The quotient, which has at most `quotient_bits + 1` bits, and whether there is a remainder.
    pub(super) fn divide_by(mut self, mut divisor: Big, quotient_bits: usize) -> (u128, bool) {
        divisor.shift_left(quotient_bits);
        let mut quotient = 0;
        for _ in 0..=quotient_bits {
            quotient <<= 1;
            if self.compare(&divisor) != Ordering::Less {
                self.subtract(&divisor);
                quotient |= 1;
            }
            divisor.halve();
        }
        (quotient, !self.digits.is_empty())
    }

    fn compare(&self, other: &Big) -> Ordering {
        let by_len = self.digits.len().cmp(&other.digits.len());
        by_len.then_with(|| self.digits.iter().rev().cmp(other.digits.iter().rev()))
    }

    /// The decimal digits.
    pub(super) fn into_decimal(mut self) -> String {
        const PART: u64 = POWERS_OF_TEN[19];
        let mut parts = Vec::new();
        while !self.digits.is_empty() {
            let mut rest = 0;
            for digit in self.digits.iter_mut().rev() {
                let value = (rest as u128) << 64 | *digit as u128;
                *digit = (value / PART as u128) as u64;
                rest = (value % PART as u128) as u64;
            }
            self.trim();
            parts.push(rest);
        }
        let mut text = parts.pop().unwrap_or(0).to_string();
        for part in parts.iter().rev() {
            text.push_str(&format!("{part:019}"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decimal_and_back(text in "[1-9][0-9]{0,200}") {
            prop_assert_eq!(Big::from_decimal(text.as_bytes()).into_decimal(), text);
        }

        #[test]
        fn arithmetic(a in any::<u64>(), power in 0u32..27, shift in 0usize..60, divisor in 1u64..) {
            let mut big = Big::from(a as u128);
            big.multiply_by_power_of_five(power);
            prop_assert_eq!(&big, &Big::from(a as u128 * 5u128.pow(power)));
            let mut shifted = Big::from(a as u128);
            shifted.shift_left(shift);
            prop_assert_eq!(shifted, Big::from((a as u128) << shift));
            let want = (a as u128 / divisor as u128, a % divisor != 0);
            prop_assert_eq!(Big::from(a as u128).divide_by(Big::from(divisor as u128), 64), want);
        }

        #[test]
        fn first_bits(a in 1u128.., shift in 0usize..300) {
            let mut big = Big::from(a);
            big.shift_left(shift);
            let (bits, below, is_inexact) = big.first_bits();
            prop_assert!(!is_inexact);
            let less = below as i64 - shift as i64;
            let want = if less < 0 { bits >> -less == a && bits == a << -less } else { bits << less == a };
            prop_assert!(want);
        }
    }
}
