//! Floating point numbers with a mantissa of 64 bits: what C calls `long double` on x86-64, and what
//! INCRBYFLOAT and HINCRBYFLOAT compute with.
//!
//! Redis leaves parsing, addition and printing to the C library and the processor. Here they are done
//! with integers, bit for bit the same as there and the same on every processor: a decimal text becomes
//! the nearest number that the format has, a sum is rounded once to the nearest with ties to even, and
//! 17 decimals are printed, less the zeros at their end. So 0.1 + 0.2 is 0.3, and 1000 + 0.1 is
//! 1000.09999999999999998, as clients of Redis on x86-64 see it. Decimal arithmetic was rejected because
//! its sums differ from Redis's in the last digits, and a client that checks them cannot tell why.
//!
//! ```text
//! value = (-1)^negative * mantissa * 2^exponent
//! ```
//!
//! Invariants: the mantissa's top bit is set, except for numbers that are too small for it, which have
//! the least exponent (zero is one of them). Infinity has an exponent above the greatest. There is no
//! NaN: what would produce one is `None`.

use std::fmt;

use super::big::Big;

/// The exponent of the last bit of the smallest numbers, and of the greatest.
const EXPONENT_MIN: i32 = -16_445;
const EXPONENT_MAX: i32 = 16_320;

/// Texts of this length are no numbers for Redis, whatever they say.
const TEXT_LEN: usize = 5 * 1024;

/// Numbers of a greater power of ten than this, up or down, are outside the format's range.
const POWER_OF_TEN_MAX: i64 = 5_000;

/// How many powers of five fit in 64 bits, the power 0 included.
const FIVES: usize = 28;
const POWERS_OF_FIVE: [u64; FIVES] = {
    let mut powers = [1; FIVES];
    let mut index = 1;
    while index < FIVES {
        powers[index] = powers[index - 1] * 5;
        index += 1;
    }
    powers
};

/// As many significant digits as a u128 holds whatever they are.
const SHORT_DIGITS: usize = 38;

const DECIMALS: usize = 17;
const TEN_TO_DECIMALS: u128 = 10u128.pow(DECIMALS as u32);

/// A number of this format, never NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extended {
    negative: bool,
    mantissa: u64,
    exponent: i32,
}

impl Extended {
    /// Zero.
    pub const ZERO: Extended = Extended {
        negative: false,
        mantissa: 0,
        exponent: EXPONENT_MIN,
    };

    /// The number nearest to what `text` spells: what C's `strtold` takes whole (decimal, hexadecimal,
    /// `inf`, `infinity`, in any case), but neither NaN nor a number outside the format's range.
    pub fn parse(text: &[u8]) -> Option<Extended> {
        if text.len() >= TEXT_LEN {
            return None;
        }
        let (negative, unsigned) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        match unsigned {
            [b'0', b'x' | b'X', hex @ ..] => parse_hex(negative, hex),
            [b'i' | b'I', ..] => {
                let is_infinity = unsigned.eq_ignore_ascii_case(b"inf")
                    || unsigned.eq_ignore_ascii_case(b"infinity");
                is_infinity.then(|| Extended::infinity(negative))
            }
            _ => Decimal::parse(unsigned)?.nearest(negative),
        }
    }

    /// Whether this is not an infinity.
    pub fn is_finite(self) -> bool {
        self.exponent <= EXPONENT_MAX
    }

    /// The sum, rounded to the nearest; `None` if it is infinite or no number.
    pub fn checked_add(self, other: Extended) -> Option<Extended> {
        if !self.is_finite() || !other.is_finite() {
            return None;
        }
        let (great, small) = if (self.exponent, self.mantissa) >= (other.exponent, other.mantissa) {
            (self, other)
        } else {
            (other, self)
        };
        // Both with 62 bits behind the great one's last, and what is lost beyond in one more.
        const BEHIND: i32 = 62;
        let distance = (great.exponent - small.exponent) as u32;
        let aligned = (small.mantissa as u128) << BEHIND;
        let addend = aligned.checked_shr(distance).unwrap_or(0);
        let is_inexact = addend.checked_shl(distance).unwrap_or(0) != aligned;
        let sum = (great.mantissa as u128) << BEHIND;
        let sum = if great.negative == small.negative {
            sum + addend
        } else {
            // The addend is a little more than what is left of it.
            sum - addend - is_inexact as u128
        };
        let negative = great.negative && sum != 0;
        let sum = round(negative, sum, great.exponent - BEHIND, is_inexact);
        sum.is_finite().then_some(sum)
    }

    fn infinity(negative: bool) -> Extended {
        Extended {
            negative,
            mantissa: 1 << 63,
            exponent: EXPONENT_MAX + 1,
        }
    }
}

impl From<i64> for Extended {
    fn from(value: i64) -> Self {
        round(value < 0, value.unsigned_abs() as u128, 0, false)
    }
}

/// With 17 decimals, less the zeros at their end; never `-0`.
impl fmt::Display for Extended {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        if !self.is_finite() {
            return write!(out, "{sign}inf");
        }
        if self.exponent > 64 {
            let mut big = Big::from(self.mantissa as u128);
            big.shift_left(self.exponent as usize);
            return write!(out, "{sign}{}", big.into_decimal());
        }
        if self.exponent >= 0 {
            return write!(out, "{sign}{}", (self.mantissa as u128) << self.exponent);
        }
        // 64 bits times 57 bits. Behind 121 bits, all is less than half of the last decimal.
        let scaled = self.mantissa as u128 * TEN_TO_DECIMALS;
        let rounded = match self.exponent.unsigned_abs() {
            shift @ 0..=127 => round_shift(scaled, shift, false),
            _ => 0,
        };
        if rounded == 0 {
            return out.write_str("0");
        }
        write!(out, "{sign}{}", rounded / TEN_TO_DECIMALS)?;
        let mut decimals = rounded % TEN_TO_DECIMALS;
        if decimals == 0 {
            return Ok(());
        }
        let mut width = DECIMALS;
        while decimals.is_multiple_of(10) {
            decimals /= 10;
            width -= 1;
        }
        write!(out, ".{decimals:0width$}")
    }
}

/// The number nearest to `bits * 2^exponent`. With `is_inexact`, to a number a little greater, of which
/// `bits` are at least the first 65.
fn round(negative: bool, bits: u128, exponent: i32, is_inexact: bool) -> Extended {
    if bits == 0 {
        return Extended {
            negative,
            ..Extended::ZERO
        };
    }
    let shift = (64 - bits.leading_zeros() as i32).max(EXPONENT_MIN.saturating_sub(exponent));
    let mut exponent = exponent + shift;
    let mut mantissa = match shift {
        ..=0 => bits << -shift,
        1..=127 => round_shift(bits, shift as u32, is_inexact),
        // All of it is behind the last bit; at 128, more than a half of it may be.
        128 => (bits > 1 << 127 || (bits == 1 << 127 && is_inexact)) as u128,
        _ => 0,
    };
    if mantissa >> 64 != 0 {
        mantissa >>= 1;
        exponent += 1;
    }
    if exponent > EXPONENT_MAX {
        return Extended::infinity(negative);
    }
    Extended {
        negative,
        mantissa: mantissa as u64,
        exponent,
    }
}

/// `bits / 2^shift`, rounded to the nearest, a half to even; `shift` is 1 to 127.
fn round_shift(bits: u128, shift: u32, is_inexact: bool) -> u128 {
    let kept = bits >> shift;
    let rest = bits & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let up = rest > half || (rest == half && (is_inexact || kept & 1 == 1));
    kept + up as u128
}

/// The significant digits of a decimal text, and the power of ten of the last.
#[derive(Debug, PartialEq)]
struct Decimal {
    /// Without zeros at either end; only the first [`SHORT_DIGITS`] count towards `short`.
    digits: Vec<u8>,
    short: u128,
    power_of_ten: i64,
}

impl Decimal {
    /// `ddd.ddd[e±ddd]`, with a digit at least, and nothing behind it.
    fn parse(text: &[u8]) -> Option<Decimal> {
        let (whole, rest) = split_digits(text);
        let (fraction, rest) = match rest {
            [b'.', rest @ ..] => split_digits(rest),
            _ => (&[][..], rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let exponent = match rest {
            [] => 0,
            [b'e' | b'E', exponent @ ..] => parse_exponent(exponent)?,
            _ => return None,
        };
        let mut decimal = Decimal {
            digits: Vec::new(),
            short: 0,
            power_of_ten: exponent - fraction.len() as i64,
        };
        let all = whole.iter().chain(fraction);
        let mut significant = all.skip_while(|digit| **digit == b'0');
        decimal.digits.extend(significant.by_ref());
        while decimal.digits.last() == Some(&b'0') {
            decimal.digits.pop();
            decimal.power_of_ten += 1;
        }
        let short = decimal.digits.iter().take(SHORT_DIGITS);
        decimal.short = short.fold(0, |value, digit| value * 10 + (digit - b'0') as u128);
        Some(decimal)
    }

    /// The nearest number; `None` if it is outside the range.
    fn nearest(&self, negative: bool) -> Option<Extended> {
        if self.digits.is_empty() {
            return Some(Extended {
                negative,
                ..Extended::ZERO
            });
        }
        let magnitude = self.power_of_ten + self.digits.len() as i64;
        if magnitude.abs() > POWER_OF_TEN_MAX {
            return None;
        }
        let number = self
            .nearest_of_short(negative)
            .unwrap_or_else(|| self.nearest_of_long(negative));
        (number.is_finite() && number.mantissa != 0).then_some(number)
    }

    /// For what can be done in 128 bits, which is nearly all that occurs.
    fn nearest_of_short(&self, negative: bool) -> Option<Extended> {
        if self.digits.len() > SHORT_DIGITS {
            return None;
        }
        let power = self.power_of_ten as i32;
        let five = *POWERS_OF_FIVE.get(self.power_of_ten.unsigned_abs() as usize)? as u128;
        if power >= 0 {
            let product = self.short.checked_mul(five)?;
            return Some(round(negative, product, power, false));
        }
        // 128 bits divided by 63 at the most are 65 at least.
        let shift = self.short.leading_zeros();
        let dividend = self.short << shift;
        let exponent = power - shift as i32;
        Some(round(
            negative,
            dividend / five,
            exponent,
            !dividend.is_multiple_of(five),
        ))
    }

    fn nearest_of_long(&self, negative: bool) -> Extended {
        let mut number = Big::from_decimal(&self.digits);
        let power = self.power_of_ten as i32;
        if power >= 0 {
            number.multiply_by_power_of_five(power as u32);
            let (bits, dropped, is_inexact) = number.first_bits();
            return round(negative, bits, power + dropped as i32, is_inexact);
        }
        let mut divisor = Big::from(1);
        divisor.multiply_by_power_of_five(power.unsigned_abs());
        // The quotient has 66 or 67 bits.
        const QUOTIENT: i32 = 66;
        let shift = QUOTIENT + divisor.bit_len() as i32 - number.bit_len() as i32;
        if shift >= 0 {
            number.shift_left(shift as usize);
        } else {
            divisor.shift_left(-shift as usize);
        }
        let (quotient, is_inexact) = number.divide_by(divisor, QUOTIENT as usize);
        round(negative, quotient, power - shift, is_inexact)
    }
}

/// The decimal digits that `text` begins with, and the rest.
fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let len = text
        .iter()
        .position(|byte| !is_digit(byte))
        .unwrap_or(text.len());
    text.split_at(len)
}

/// `[±]ddd`, cut to what is far outside the range anyway.
fn parse_exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    const FAR: i64 = 1_000_000;
    let value = digits.iter().fold(0, |value, digit| {
        (value * 10 + (digit - b'0') as i64).min(FAR)
    });
    Some(if negative { -value } else { value })
}

/// `hhh.hhh[p±ddd]`.
fn parse_hex(negative: bool, text: &[u8]) -> Option<Extended> {
    let (mantissa, power) = match text.iter().position(|byte| matches!(byte, b'p' | b'P')) {
        Some(at) => (&text[..at], parse_exponent(&text[at + 1..])?),
        None => (text, 0),
    };
    let mut exponent = power as i32;
    let (mut bits, mut is_inexact) = (0u128, false);
    let (mut is_fraction, mut digits) = (false, 0);
    for byte in mantissa {
        if *byte == b'.' && !is_fraction {
            is_fraction = true;
            continue;
        }
        let digit = (*byte as char).to_digit(16)?;
        digits += 1;
        if bits >> 124 == 0 {
            bits = bits << 4 | digit as u128;
            exponent -= if is_fraction { 4 } else { 0 };
        } else {
            is_inexact |= digit != 0;
            exponent += if is_fraction { 0 } else { 4 };
        }
    }
    if digits == 0 {
        return None;
    }
    let number = round(negative, bits, exponent, is_inexact);
    let is_in_range = number.is_finite() && (number.mantissa != 0 || bits == 0);
    is_in_range.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(a: &str, b: &str) -> Option<String> {
        let (a, b) = (
            Extended::parse(a.as_bytes())?,
            Extended::parse(b.as_bytes())?,
        );
        Some(a.checked_add(b)?.to_string())
    }

    #[test]
    fn sums_are_those_of_redis_on_x86_64() {
        let check = |a, b, want: &str| assert_eq!(sum(a, b).as_deref(), Some(want), "{a} + {b}");
        check("0.1", "0.2", "0.3");
        check("10.5", "0.1", "10.6");
        check("3.0e3", "5.0e3", "8000");
        check("1000", "0.1", "1000.09999999999999998");
        check("5.0e3", "2.0e2", "5200");
        check("17179869184", "1.5", "17179869185.5");
        check("1", "-1.1", "-0.1");
        check("0", "-1e-20", "0");
        check("1e17", "0.5", "100000000000000000.5");
        check("0x1.8p3", "-0x.4", "11.75");
        check("9223372036854775807", "1", "9223372036854775808");
        check("1e30", "1", "1000000000000000000024696061952");
        check("4e-4951", "0", "0");
        assert_eq!(sum("1.18e4932", "1.18e4932"), None);
        assert_eq!(sum("inf", "1"), None);
    }

    #[test]
    fn what_is_no_number() {
        for text in [
            "",
            " 1",
            "1 ",
            "nan",
            "1x",
            "1e",
            "1e+",
            ".",
            "e5",
            "0x",
            "0xp1",
            "0x1p",
            "--1",
            "1e5000",
            "1e-5000",
            "0x1p99999",
            "1.2.3",
            "0x1.2.3",
            "1e4933",
            "1e-4960",
            "infin",
            "1\0",
            "+-1",
        ] {
            assert_eq!(Extended::parse(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(Extended::parse(&[b'1'; TEXT_LEN]), None);
    }

    #[test]
    fn what_is_a_number() {
        for (text, want) in [
            ("1.", "1"),
            (".5", "0.5"),
            ("+5", "5"),
            ("0e999999999999999999999", "0"),
            ("-0", "0"),
            ("0x10", "16"),
            ("1E2", "100"),
            ("-Infinity", "-inf"),
            ("000000000000000000000000000000000000000000001.50000", "1.5"),
        ] {
            let number = Extended::parse(text.as_bytes());
            assert_eq!(number.map(|n| n.to_string()).as_deref(), Some(want));
        }
    }

    proptest! {
        /// The two ways of reading a decimal agree where both can be used.
        #[test]
        fn short_is_long(digits in 1u128..10u128.pow(38), power in -27i64..=27) {
            let text = format!("{digits}e{power}");
            let decimal = Decimal::parse(text.as_bytes()).unwrap();
            if let Some(short) = decimal.nearest_of_short(false) {
                prop_assert_eq!(short, decimal.nearest_of_long(false));
            }
        }

        /// Every double is a number of this format, so reading its exact text and then rounding to a
        /// double gives it back, and sums of integers are exact.
        #[test]
        fn doubles_are_exact(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite() && value != 0.0);
            let exact = format!("{value:.1074}");
            let number = Extended::parse(exact.as_bytes()).unwrap();
            let (mantissa, exponent) = (number.mantissa, number.exponent);
            prop_assert_eq!(mantissa & 0x7ff, 0, "53 bits suffice");
            let magnitude = (mantissa >> 11) as f64;
            let scaled = magnitude * 2f64.powi((exponent + 11) / 2) * 2f64.powi(exponent + 11 - (exponent + 11) / 2);
            prop_assert_eq!(scaled, value.abs());
        }

        #[test]
        fn integers_add_up(a in any::<i64>(), b in any::<i64>()) {
            let sum = Extended::from(a).checked_add(Extended::from(b)).unwrap();
            let exact = a as i128 + b as i128;
            if exact.unsigned_abs() <= 1 << 64 {
                prop_assert_eq!(sum.to_string(), exact.to_string());
            }
        }

        #[test]
        fn adding_nothing_changes_nothing(text in "-?[0-9]{1,40}(\\.[0-9]{0,40})?(e-?[0-9]{1,4})?") {
            if let Some(number) = Extended::parse(text.as_bytes()) {
                let zero = Extended::ZERO;
                if number.mantissa != 0 {
                    prop_assert_eq!(number.checked_add(zero), Some(number));
                }
                // What prints with fewer than 17 decimals lost reads back.
                if number.exponent >= 0 {
                    prop_assert_eq!(Extended::parse(number.to_string().as_bytes()).unwrap().mantissa, number.mantissa);
                }
            }
        }
    }
}
