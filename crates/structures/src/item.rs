//! What a collection yields: borrowed bytes, or an integer that is stored as one.
//!
//! A set of integers keeps no text, so an item of it is an [`Item::Int`] and the reader formats it
//! where the text has to go. Yielding owned strings instead would allocate on every read.

/// One item of a collection, borrowed from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// The item's bytes.
    Bytes(&'a [u8]),
    /// An integer; as a byte string it is the decimal text without a plus sign or leading zeros.
    Int(i64),
}

/// Room on the stack for the text of an integer item.
#[derive(Default)]
pub struct Digits(itoa::Buffer);

impl Digits {
    /// Room for one text.
    #[inline]
    pub fn new() -> Digits {
        Digits(itoa::Buffer::new())
    }

    /// The decimal text of `value`.
    #[inline]
    pub fn format(&mut self, value: i64) -> &[u8] {
        self.0.format(value).as_bytes()
    }
}

impl<'a> Item<'a> {
    /// The item as bytes; an integer's text is written into `digits`.
    #[inline]
    pub fn text<'b>(self, digits: &'b mut Digits) -> &'b [u8]
    where
        'a: 'b,
    {
        match self {
            Item::Bytes(bytes) => bytes,
            Item::Int(value) => digits.format(value),
        }
    }

    /// Calls `f` with the item as bytes.
    #[inline]
    pub fn with_bytes<R>(self, f: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Item::Bytes(bytes) => f(bytes),
            Item::Int(value) => f(Digits::new().format(value)),
        }
    }

    /// An owned copy of the bytes.
    pub fn to_vec(self) -> Vec<u8> {
        self.with_bytes(<[u8]>::to_vec)
    }
}

/// The integer whose canonical text `bytes` is: an optional minus, no leading zeros, no plus,
/// within 64 bits; `-0` is not canonical. Exactly these strings survive being stored as an integer.
#[inline]
pub fn canonical_int(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    // One look at the first and the last byte turns away most words before the loop.
    let (&first, &last) = (digits.first()?, digits.last()?);
    if !first.is_ascii_digit() || !last.is_ascii_digit() || digits.len() > 19 {
        return None;
    }
    if first == b'0' {
        return (digits.len() == 1 && !negative).then_some(0);
    }
    let mut value: u64 = 0;
    for &digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // 19 digits stay below 2^64.
        value = value * 10 + u64::from(digit);
    }
    if negative {
        (value <= 1 << 63).then(|| (value as i64).wrapping_neg())
    } else {
        i64::try_from(value).ok()
    }
}

/// A number below `bound` from 64 random bits, with a bias below `bound` / 2^64.
#[inline]
pub(crate) fn below(random: u64, bound: usize) -> usize {
    ((u128::from(random) * bound as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_canonical_text_is_an_integer() {
        for (text, value) in [
            ("0", Some(0)),
            ("7", Some(7)),
            ("-1", Some(-1)),
            ("9223372036854775807", Some(i64::MAX)),
            ("9223372036854775808", None),
            ("-9223372036854775808", Some(i64::MIN)),
            ("-9223372036854775809", None),
            ("9999999999999999999", None),
            ("10000000000000000000", None),
            ("", None),
            ("-", None),
            ("-0", None),
            ("00", None),
            ("01", None),
            ("+1", None),
            (" 1", None),
            ("1 ", None),
            ("1a1", None),
        ] {
            assert_eq!(canonical_int(text.as_bytes()), value, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_integer_round_trips(value: i64) {
            let text = Item::Int(value).to_vec();
            prop_assert_eq!(&text, &value.to_string().into_bytes());
            prop_assert_eq!(canonical_int(&text), Some(value));
        }

        #[test]
        fn what_parses_formats_back(text in "[-+0-9]{0,20}") {
            if let Some(value) = canonical_int(text.as_bytes()) {
                prop_assert_eq!(value.to_string(), text);
            }
        }
    }
}
