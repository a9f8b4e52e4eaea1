//! Numbers as text, by Redis's rules: which texts are integers and floats, and how a double prints.

mod big;
pub mod extended;

/// The powers of ten that fit in 64 bits.
const POWERS_OF_TEN: [u64; 20] = {
    let mut powers = [1; 20];
    let mut index = 1;
    while index < 20 {
        powers[index] = powers[index - 1] * 10;
        index += 1;
    }
    powers
};

/// The integer that `text` spells canonically: no leading zero or plus, no space, `-0` is none.
/// `None` for anything else, so that a value that parses can be printed back to the same bytes.
#[inline]
pub fn parse_i64(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'0'] => return Some(0),
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 19 || !(b'1'..=b'9').contains(&digits[0]) {
        return None;
    }
    let mut value: u64 = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // 19 digits fit in a u64.
        value = value * 10 + digit as u64;
    }
    if negative {
        (value <= i64::MIN.unsigned_abs()).then(|| (value as i64).wrapping_neg())
    } else {
        (value <= i64::MAX as u64).then_some(value as i64)
    }
}

/// The double that `text` spells: what C's `strtod` takes whole (decimal, hexadecimal, `inf`,
/// `infinity`, in any case), but neither NaN nor an empty text nor one that starts with a space.
pub fn parse_f64(text: &[u8]) -> Option<f64> {
    let first = *text.first()?;
    if first.is_ascii_whitespace() {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(hex) = unsigned
        .strip_prefix("0x")
        .or_else(|| unsigned.strip_prefix("0X"))
    {
        let value = parse_hex(hex)?;
        return Some(if text.starts_with('-') { -value } else { value });
    }
    let value: f64 = text.parse().ok()?;
    // Rust reads "1e999" as infinity; strtod reports a range error besides.
    let overflow = value.is_infinite() && !unsigned.as_bytes()[0].eq_ignore_ascii_case(&b'i');
    // "1e-400" is a range error too: it is not zero, and no double but zero is near.
    let mantissa = unsigned.split(['e', 'E']).next().unwrap_or_default();
    let underflow = value == 0.0 && mantissa.contains(|digit| matches!(digit, '1'..='9'));
    (!value.is_nan() && !overflow && !underflow).then_some(value)
}

/// The double that C's `strtod` makes of `text`, its range error ignored: nothing at all is 0,
/// and what is too great is infinity. A zero byte ends the text. The ends of ranges are read like this.
pub fn parse_f64_loosely(text: &[u8]) -> Option<f64> {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    if text.is_empty() {
        return Some(0.0);
    }
    parse_f64(text).or_else(|| {
        let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
        (!value.is_nan()).then_some(value)
    })
}

/// `ddd.ddd[p±exp]` in hexadecimal.
fn parse_hex(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once(['p', 'P']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0f64;
    for digit in whole.chars() {
        value = value * 16.0 + digit.to_digit(16)? as f64;
    }
    let mut scale = 1.0 / 16.0;
    for digit in fraction.chars() {
        value += digit.to_digit(16)? as f64 * scale;
        scale /= 16.0;
    }
    let scaled = value * 2f64.powi(exponent);
    (scaled.is_finite() && (scaled == 0.0) == (value == 0.0)).then_some(scaled)
}

/// A buffer for [`format_f64`].
#[derive(Debug)]
pub struct DoubleBuffer {
    bytes: [u8; 40],
}

impl Default for DoubleBuffer {
    fn default() -> Self {
        DoubleBuffer { bytes: [0; 40] }
    }
}

/// The shortest text that reads back as `value`, laid out as Redis 7.2 does: integers of 62
/// bits plainly, others plainly while few zeros are needed, `d.ddde±x` beyond; `inf`, `-inf`, `nan`.
pub fn format_f64(value: f64, buffer: &mut DoubleBuffer) -> &str {
    if value.is_nan() {
        return "nan";
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" };
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0" } else { "0" };
    }
    let mut out = Text {
        bytes: &mut buffer.bytes,
        len: 0,
    };
    const INTEGERS: f64 = (1u64 << 62) as f64;
    if (-INTEGERS..=INTEGERS).contains(&value) && value == value.trunc() {
        out.push(itoa::Buffer::new().format(value as i64).as_bytes());
        return out.finish();
    }
    let mut shortest = ryu::Buffer::new();
    let (digits, count, exponent) = significant(shortest.format_finite(value.abs()));
    let digits = &digits[..count];
    if value < 0.0 {
        out.push(b"-");
    }
    // `exponent` is that of the last digit: value = digits * 10^exponent.
    let scientific = exponent + count as i32 - 1;
    if exponent >= 0 && scientific < count as i32 + 7 {
        out.push(digits);
        for _ in 0..exponent {
            out.push(b"0");
        }
    } else if exponent < 0 && (exponent > -7 || scientific.abs() < 4) {
        let whole = count as i32 + exponent;
        if whole <= 0 {
            out.push(b"0.");
            for _ in 0..-whole {
                out.push(b"0");
            }
            out.push(digits);
        } else {
            out.push(&digits[..whole as usize]);
            out.push(b".");
            out.push(&digits[whole as usize..]);
        }
    } else {
        out.push(&digits[..1]);
        if count > 1 {
            out.push(b".");
            out.push(&digits[1..]);
        }
        out.push(if scientific < 0 { b"e-" } else { b"e+" });
        out.push(
            itoa::Buffer::new()
                .format(scientific.unsigned_abs())
                .as_bytes(),
        );
    }
    out.finish()
}

struct Text<'a> {
    bytes: &'a mut [u8; 40],
    len: usize,
}

impl<'a> Text<'a> {
    fn push(&mut self, part: &[u8]) {
        self.bytes[self.len..self.len + part.len()].copy_from_slice(part);
        self.len += part.len();
    }

    fn finish(self) -> &'a str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or("")
    }
}

/// The significant digits of a positive number in ryu's notation, without leading or trailing
/// zeros, how many they are, and the power of ten of the last.
fn significant(text: &str) -> ([u8; 24], usize, i32) {
    let (mantissa, exponent) = match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().unwrap_or(0)),
        None => (text, 0),
    };
    let fraction = mantissa
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.len() as i32);
    let mut exponent = exponent - fraction;
    let (mut digits, mut count) = ([0u8; 24], 0);
    for byte in mantissa.bytes().filter(u8::is_ascii_digit) {
        if count > 0 || byte != b'0' {
            digits[count] = byte;
            count += 1;
        }
    }
    while count > 1 && digits[count - 1] == b'0' {
        count -= 1;
        exponent += 1;
    }
    (digits, count, exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn integers() {
        for text in [
            "0",
            "-1",
            "9223372036854775807",
            "-9223372036854775808",
            "10",
        ] {
            assert_eq!(
                parse_i64(text.as_bytes()).map(|n| n.to_string()).as_deref(),
                Some(text)
            );
        }
        for text in [
            "",
            "-",
            "-0",
            "00",
            "01",
            "+1",
            " 1",
            "1 ",
            "9223372036854775808",
            "1a",
        ] {
            assert_eq!(parse_i64(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn floats() {
        assert_eq!(parse_f64(b"0x1p4"), Some(16.0));
        assert_eq!(parse_f64(b"-Inf"), Some(f64::NEG_INFINITY));
        assert_eq!(parse_f64(b"+infinity"), Some(f64::INFINITY));
        assert_eq!(parse_f64(b".5"), Some(0.5));
        assert_eq!(parse_f64(b"5."), Some(5.0));
        assert_eq!(parse_f64(b"-0e5"), Some(0.0));
        assert_eq!(parse_f64(b"5e-324"), Some(5e-324));
        for text in [
            "",
            " 1",
            "1 ",
            "nan",
            "1x",
            "1e999",
            "1e-400",
            "-0.1e-400",
            "0x1p-1100",
            "0x",
            "--1",
        ] {
            assert_eq!(parse_f64(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn loose_floats() {
        let check =
            |text: &str, want| assert_eq!(parse_f64_loosely(text.as_bytes()), want, "{text:?}");
        check("", Some(0.0));
        check(" 5", None);
        check("1e999", Some(f64::INFINITY));
        check("1e-400", Some(0.0));
        check("\0x", Some(0.0));
        check("1.5\0x", Some(1.5));
        check("nan", None);
        check("5 ", None);
    }

    #[test]
    fn doubles_print_as_redis_does() {
        let check = |value: f64, want: &str| {
            assert_eq!(format_f64(value, &mut DoubleBuffer::default()), want);
        };
        check(3.1, "3.1");
        check(-0.0, "-0");
        check(1e20, "1e+20");
        check(1e17, "100000000000000000");
        check(12345678901234567890.0, "12345678901234567000");
        check(1e-5, "0.00001");
        check(1e22, "1e+22");
        check(1.5e-7, "1.5e-7");
        check(0.0001, "0.0001");
        check(0.000001, "0.000001");
        check(1234567.891, "1234567.891");
        check(f64::MAX, "1.7976931348623157e+308");
        check(4503599627370497.5, "4503599627370498");
        check(f64::INFINITY, "inf");
    }

    proptest! {
        #[test]
        fn what_prints_reads_back(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let mut buffer = DoubleBuffer::default();
            let text = format_f64(value, &mut buffer);
            prop_assert_eq!(parse_f64(text.as_bytes()), Some(value));
        }
    }
}
