//! Coordinates and distances as text.

/// Room for either.
pub(super) struct Buffer {
    bytes: [u8; 48],
    len: usize,
}

impl Default for Buffer {
    fn default() -> Self {
        Buffer {
            bytes: [0; 48],
            len: 0,
        }
    }
}

impl Buffer {
    fn push(&mut self, text: &[u8]) {
        self.bytes[self.len..self.len + text.len()].copy_from_slice(text);
        self.len += text.len();
    }

    fn push_integer(&mut self, value: u64) {
        self.push(itoa::Buffer::new().format(value).as_bytes());
    }

    /// Exactly `digits` of them, with zeros in front.
    fn push_padded(&mut self, mut value: u64, digits: usize) {
        let place = &mut self.bytes[self.len..self.len + digits];
        for byte in place.iter_mut().rev() {
            *byte = b'0' + (value % 10) as u8;
            value /= 10;
        }
        self.len += digits;
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// A coordinate with 17 digits behind the point, without the zeros at their end.
///
/// The digits are exact. A double's fraction is a number of 53 bits over a power of two, so times
/// 10^17 it fits in 128 bits and is divided by a shift; formatting it by the general way would
/// take big integers.
pub(super) fn coordinate(value: f64, buffer: &mut Buffer) -> &[u8] {
    const DIGITS: usize = 17;
    const SCALE: u128 = 10u128.pow(DIGITS as u32);
    debug_assert!(value.abs() < 1e9, "a coordinate is a number of degrees");
    let bits = value.abs().to_bits();
    let (exponent, fraction) = ((bits >> 52) as u32, bits & ((1 << 52) - 1));
    // value = mantissa / 2^shift, and a shift of 127 leaves less than a digit of any mantissa.
    let mantissa = u128::from(if exponent == 0 {
        fraction
    } else {
        fraction | 1 << 52
    });
    let shift = (1075 - exponent.max(1)).min(127);
    let mut whole = (mantissa >> shift) as u64;
    let scaled = (mantissa & ((1 << shift) - 1)) * SCALE;
    let (mut digits, rest) = (scaled >> shift, scaled & ((1 << shift) - 1));
    let half = 1 << (shift - 1);
    if rest > half || rest == half && digits & 1 == 1 {
        digits += 1;
    }
    if digits == SCALE {
        (whole, digits) = (whole + 1, 0);
    }
    buffer.len = 0;
    if value < 0.0 && (whole, digits) != (0, 0) {
        buffer.push(b"-");
    }
    buffer.push_integer(whole);
    if digits > 0 {
        buffer.push(b".");
        buffer.push_padded(digits as u64, DIGITS);
        while buffer.bytes[buffer.len - 1] == b'0' {
            buffer.len -= 1;
        }
    }
    buffer.text()
}

/// A distance with four digits behind the point.
pub(super) fn distance(value: f64, buffer: &mut Buffer) -> &[u8] {
    let scaled = (value * 1e4).round_ties_even() as u64;
    buffer.len = 0;
    buffer.push_integer(scaled / 10_000);
    buffer.push(b".");
    buffer.push_padded(scaled % 10_000, 4);
    buffer.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinate_text(value: f64) -> String {
        let mut buffer = Buffer::default();
        String::from_utf8(coordinate(value, &mut buffer).to_vec()).unwrap()
    }

    fn distance_text(value: f64) -> String {
        let mut buffer = Buffer::default();
        String::from_utf8(distance(value, &mut buffer).to_vec()).unwrap()
    }

    /// The same by the standard library.
    fn plain(value: f64) -> String {
        let text = format!("{value:.17}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text == "-0" { "0" } else { text }.to_owned()
    }

    #[test]
    fn coordinates() {
        for (value, want) in [
            (13.361389338970184, "13.36138933897018433"),
            (-85.05112751263943, "-85.05112751263942528"),
            (85.05112878, "85.0511287799999991"),
            (180.0, "180"),
            (2.682209014892578e-6, "0.00000268220901489"),
            (0.0, "0"),
            (-0.0, "0"),
            (-1e-30, "0"),
            (5e-324, "0"),
            (0.99999999999999999, "1"),
            (-0.5, "-0.5"),
        ] {
            assert_eq!(coordinate_text(value), want);
        }
    }

    #[test]
    fn coordinates_are_exact() {
        let mut state = 3u64;
        for round in 0..100_000 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let value = (state as i64 >> 11) as f64 / (1u64 << 52) as f64 * 180.0;
            let value = value / f64::from(1 << (round % 30));
            assert_eq!(coordinate_text(value), plain(value), "{value:?}");
        }
        for exponent in -60..20 {
            for value in [1.0, 3.0, -5.0] {
                let value = value * 2f64.powi(exponent);
                assert_eq!(coordinate_text(value), plain(value), "{value:?}");
            }
        }
    }

    #[test]
    fn distances() {
        for (value, want) in [
            (0.0, "0.0000"),
            (0.00004, "0.0000"),
            (0.00005, "0.0000"),
            (0.00025, "0.0002"),
            (0.00035, "0.0004"),
            (166274.15156960032, "166274.1516"),
            (0.9999999, "1.0000"),
            (20021125.123449, "20021125.1234"),
        ] {
            assert_eq!(distance_text(value), want);
        }
    }
}
