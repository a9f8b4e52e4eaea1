//! The client's side of RESP2 and RESP3: replies in, requests out, no I/O.
//!
//! [`Decoder`] keeps an explicit stack of unfinished aggregates instead of recursing, so bytes may
//! arrive cut anywhere and no byte of a finished element is looked at twice. Re-parsing a reply
//! from its start on each read would be simpler, but quadratic in a big reply.
//!
//! Invariants: a declared length never reserves memory (only bytes that arrived do); nesting is
//! limited; after a [`DecodeError`] the stream has lost its framing and the decoder repeats the
//! error. Unknown to this module: sockets, commands, and what a reply means. The streamed types of
//! RESP3 (`$?`, `*?`) are refused, as no server sends them.
//!
//! | first byte | value | form |
//! |---|---|---|
//! | `+` `-` | simple string, error | text CRLF |
//! | `:` | integer | decimal CRLF |
//! | `$` `!` `=` | bulk string, blob error, verbatim string | length CRLF bytes CRLF (`$-1`: null bulk) |
//! | `*` `~` `>` | array, set, push | count CRLF values (`*-1`: null array) |
//! | `%` `\|` | map, attribute | count of pairs CRLF values |
//! | `_` `#` `,` `(` | null, boolean, double, big number | text CRLF |

use std::fmt;

/// One reply, or a part of one.
///
/// Text is kept as bytes: a reply need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `+OK`
    Simple(Vec<u8>),
    /// `-ERR text`, without the dash.
    Error(Vec<u8>),
    /// `:1`
    Integer(i64),
    /// `$3 abc`
    Bulk(Vec<u8>),
    /// `=7 txt:abc`
    Verbatim {
        /// Three letters, `txt` or `mkd`.
        format: [u8; 3],
        /// What follows the format and its colon.
        text: Vec<u8>,
    },
    /// `_`, the only null of RESP3.
    Null,
    /// `$-1`, RESP2's missing string.
    NullBulk,
    /// `*-1`, RESP2's missing array.
    NullArray,
    /// `*2 ..`
    Array(Vec<Value>),
    /// `%1 ..`, in the order received.
    Map(Vec<(Value, Value)>),
    /// `~2 ..`, in the order received.
    Set(Vec<Value>),
    /// `,1.5`: a valid number (or `inf`, `-inf`, `nan`) in the server's own spelling, because
    /// clients show it as it was sent. [`Value::as_f64`] reads it.
    Double(String),
    /// `#t`
    Boolean(bool),
    /// `(123`: an optional sign and digits.
    BigNumber(String),
    /// `>2 ..`: not the answer to a request.
    Push(Vec<Value>),
    /// `|1 ..` and the value that it describes.
    Attribute {
        /// The key and value pairs.
        attributes: Vec<(Value, Value)>,
        /// The reply proper.
        value: Box<Value>,
    },
    /// `!5 ERR x`
    BlobError(Vec<u8>),
}

impl Value {
    /// The bytes of a simple, bulk or verbatim string.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Simple(bytes) | Value::Bulk(bytes) => Some(bytes),
            Value::Verbatim { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The message of a simple or blob error.
    pub fn as_error(&self) -> Option<&[u8]> {
        match self {
            Value::Error(text) | Value::BlobError(text) => Some(text),
            _ => None,
        }
    }

    /// The integer of an integer reply.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Integer(integer) => Some(*integer),
            _ => None,
        }
    }

    /// The number of a double or an integer.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Double(text) => parse_double(text),
            Value::Integer(integer) => Some(*integer as f64),
            _ => None,
        }
    }

    /// The elements of an array, set or push.
    pub fn as_items(&self) -> Option<&[Value]> {
        match self {
            Value::Array(items) | Value::Set(items) | Value::Push(items) => Some(items),
            _ => None,
        }
    }

    /// Whether this is any of the three nulls.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null | Value::NullBulk | Value::NullArray)
    }
}

/// Why bytes are not RESP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// The first byte of a value names no type.
    UnknownType(u8),
    /// A count or length that is no number, is negative, or is beyond what can be addressed.
    BadLength,
    /// An integer, double or big number that does not read as one.
    BadNumber,
    /// Neither `#t` nor `#f`.
    BadBoolean,
    /// A null with text.
    BadNull,
    /// A verbatim string without its format.
    BadVerbatim,
    /// A string that does not end in CRLF where its length says so.
    MissingTerminator,
    /// Aggregates nested beyond the limit.
    TooDeep,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::UnknownType(byte) => {
                write!(f, "got \"{}\" as reply type byte", byte.escape_ascii())
            }
            DecodeError::BadLength => f.write_str("bad length"),
            DecodeError::BadNumber => f.write_str("bad number"),
            DecodeError::BadBoolean => f.write_str("bad boolean"),
            DecodeError::BadNull => f.write_str("bad null"),
            DecodeError::BadVerbatim => f.write_str("bad verbatim string"),
            DecodeError::MissingTerminator => f.write_str("string is not terminated by CRLF"),
            DecodeError::TooDeep => f.write_str("nested too deeply"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Nesting that [`Decoder::new`] accepts. Dropping and printing a [`Value`] recurse, so this also
/// bounds their stack.
const DEPTH_MAX: usize = 256;

/// Consumed bytes are moved out of the buffer only beyond this many.
const COMPACT_MIN_BYTES: usize = 64 * 1024;

/// Turns the bytes of a connection into values.
///
/// ```
/// use resp::client::{Decoder, Value};
/// let mut decoder = Decoder::new();
/// decoder.feed(b"*2\r\n:1\r\n$3\r\nab");
/// assert_eq!(decoder.next(), Ok(None));
/// decoder.feed(b"c\r\n");
/// let array = Value::Array(vec![Value::Integer(1), Value::Bulk(b"abc".to_vec())]);
/// assert_eq!(decoder.next(), Ok(Some(array)));
/// ```
#[derive(Debug)]
pub struct Decoder {
    buffer: Vec<u8>,
    /// Where the next element starts.
    position: usize,
    /// Up to where the current line is known to have no end, so that it is searched once.
    searched: usize,
    /// The aggregates around the next element, outermost first.
    stack: Vec<Frame>,
    depth_max: usize,
    failed: Option<DecodeError>,
}

#[derive(Debug)]
struct Frame {
    kind: Kind,
    /// Elements still to come, never 0; two for each pair of a map.
    remaining: usize,
    items: Vec<Value>,
}

#[derive(Debug)]
enum Kind {
    Array,
    Set,
    Push,
    Map,
    /// The pairs of an attribute.
    Attribute,
    /// The one value that a finished attribute describes.
    Described(Vec<(Value, Value)>),
}

/// What one element turned out to be.
enum Element {
    Whole(Value),
    Open(Kind, usize),
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// A decoder at the start of a stream.
    pub fn new() -> Self {
        Self::with_depth_max(DEPTH_MAX)
    }

    /// A decoder that refuses aggregates nested more than `depth_max` deep.
    pub fn with_depth_max(depth_max: usize) -> Self {
        Decoder {
            buffer: Vec::new(),
            position: 0,
            searched: 0,
            stack: Vec::new(),
            depth_max,
            failed: None,
        }
    }

    /// Appends bytes that arrived.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.position == self.buffer.len() {
            self.buffer.clear();
            self.searched = 0;
            self.position = 0;
        } else if self.position >= COMPACT_MIN_BYTES && self.position >= self.buffer.len() / 2 {
            self.buffer.drain(..self.position);
            self.searched = self.searched.saturating_sub(self.position);
            self.position = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete value, or `None` until more bytes are fed.
    // Not an `Iterator`: `None` means "not yet", and iteration would hide the error.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Value>, DecodeError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.advance();
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }

    /// Whether the stream stands between two values: nothing fed is waiting for its rest.
    pub fn is_idle(&self) -> bool {
        self.stack.is_empty() && self.position == self.buffer.len()
    }

    fn advance(&mut self) -> Result<Option<Value>, DecodeError> {
        loop {
            let Some(element) = self.element()? else {
                return Ok(None);
            };
            let value = match element {
                Element::Whole(value) => value,
                Element::Open(kind, 0) => match close(kind, Vec::new()) {
                    Closed::Value(value) => value,
                    Closed::Describes(pairs) => {
                        self.open(Kind::Described(pairs), 1)?;
                        continue;
                    }
                },
                Element::Open(kind, count) => {
                    self.open(kind, count)?;
                    continue;
                }
            };
            if let Some(value) = self.place(value) {
                return Ok(Some(value));
            }
        }
    }

    fn open(&mut self, kind: Kind, remaining: usize) -> Result<(), DecodeError> {
        if self.stack.len() >= self.depth_max {
            return Err(DecodeError::TooDeep);
        }
        self.stack.push(Frame {
            kind,
            remaining,
            items: Vec::new(),
        });
        Ok(())
    }

    /// Puts a finished value where it belongs and returns it if that is the top level.
    fn place(&mut self, mut value: Value) -> Option<Value> {
        while let Some(mut frame) = self.stack.pop() {
            frame.items.push(value);
            frame.remaining -= 1;
            if frame.remaining > 0 {
                self.stack.push(frame);
                return None;
            }
            match close(frame.kind, frame.items) {
                Closed::Value(closed) => value = closed,
                Closed::Describes(pairs) => {
                    // It takes the place of the frame just popped, so the depth stays in bounds.
                    let kind = Kind::Described(pairs);
                    self.stack.push(Frame {
                        kind,
                        remaining: 1,
                        items: Vec::new(),
                    });
                    return None;
                }
            }
        }
        Some(value)
    }

    /// Reads one scalar or one aggregate's header; consumes nothing if it is incomplete.
    fn element(&mut self) -> Result<Option<Element>, DecodeError> {
        let Some(&type_byte) = self.buffer.get(self.position) else {
            return Ok(None);
        };
        if !b"+-:$!=*~>%|_#,(".contains(&type_byte) {
            return Err(DecodeError::UnknownType(type_byte));
        }
        let Some(line_end) = self.line_end() else {
            return Ok(None);
        };
        let line = &self.buffer[self.position + 1..line_end];
        let mut next = line_end + 2;
        let element = match type_byte {
            b'+' => Element::Whole(Value::Simple(line.to_vec())),
            b'-' => Element::Whole(Value::Error(line.to_vec())),
            b':' => Element::Whole(Value::Integer(
                parse_i64(line).ok_or(DecodeError::BadNumber)?,
            )),
            b'_' if line.is_empty() => Element::Whole(Value::Null),
            b'_' => return Err(DecodeError::BadNull),
            b'#' => Element::Whole(Value::Boolean(match line {
                b"t" => true,
                b"f" => false,
                _ => return Err(DecodeError::BadBoolean),
            })),
            b',' => {
                let text = std::str::from_utf8(line).map_err(|_| DecodeError::BadNumber)?;
                parse_double(text).ok_or(DecodeError::BadNumber)?;
                Element::Whole(Value::Double(text.to_owned()))
            }
            b'(' => {
                let digits = line
                    .strip_prefix(b"-")
                    .or(line.strip_prefix(b"+"))
                    .unwrap_or(line);
                if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
                    return Err(DecodeError::BadNumber);
                }
                Element::Whole(Value::BigNumber(String::from_utf8_lossy(line).into_owned()))
            }
            b'$' if line == b"-1" => Element::Whole(Value::NullBulk),
            b'*' if line == b"-1" => Element::Whole(Value::NullArray),
            b'$' | b'!' | b'=' => {
                let length = parse_length(line)?;
                let end = next.checked_add(length).ok_or(DecodeError::BadLength)?;
                let Some(terminator) = self.buffer.get(end..).and_then(|rest| rest.get(..2)) else {
                    return Ok(None);
                };
                if terminator != b"\r\n" {
                    return Err(DecodeError::MissingTerminator);
                }
                let bytes = &self.buffer[next..end];
                next = end + 2;
                Element::Whole(match type_byte {
                    b'$' => Value::Bulk(bytes.to_vec()),
                    b'!' => Value::BlobError(bytes.to_vec()),
                    _ => verbatim(bytes)?,
                })
            }
            b'*' => Element::Open(Kind::Array, parse_length(line)?),
            b'~' => Element::Open(Kind::Set, parse_length(line)?),
            b'>' => Element::Open(Kind::Push, parse_length(line)?),
            b'%' | b'|' => {
                let pairs = parse_length(line)?;
                let count = pairs.checked_mul(2).ok_or(DecodeError::BadLength)?;
                Element::Open(
                    if type_byte == b'%' {
                        Kind::Map
                    } else {
                        Kind::Attribute
                    },
                    count,
                )
            }
            _ => return Err(DecodeError::UnknownType(type_byte)),
        };
        self.position = next;
        Ok(Some(element))
    }

    /// The offset of the CRLF that ends the line at `position`.
    fn line_end(&mut self) -> Option<usize> {
        // One byte back, in case a CR was the last byte of the previous search.
        let mut from = self.searched.saturating_sub(1).max(self.position + 1);
        while let Some(found) = self
            .buffer
            .get(from..)
            .and_then(|rest| memchr::memchr(b'\r', rest))
            .map(|at| from + at)
        {
            match self.buffer.get(found + 1) {
                Some(b'\n') => return Some(found),
                Some(_) => from = found + 1,
                None => break,
            }
        }
        self.searched = self.buffer.len();
        None
    }
}

enum Closed {
    Value(Value),
    Describes(Vec<(Value, Value)>),
}

fn close(kind: Kind, items: Vec<Value>) -> Closed {
    Closed::Value(match kind {
        Kind::Array => Value::Array(items),
        Kind::Set => Value::Set(items),
        Kind::Push => Value::Push(items),
        Kind::Map => Value::Map(pairs(items)),
        Kind::Attribute => return Closed::Describes(pairs(items)),
        Kind::Described(attributes) => {
            let value = items.into_iter().next().unwrap_or(Value::Null);
            Value::Attribute {
                attributes,
                value: Box::new(value),
            }
        }
    })
}

fn pairs(items: Vec<Value>) -> Vec<(Value, Value)> {
    let mut pairs = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        pairs.push((key, value));
    }
    pairs
}

fn verbatim(bytes: &[u8]) -> Result<Value, DecodeError> {
    match bytes {
        [a, b, c, b':', text @ ..] => Ok(Value::Verbatim {
            format: [*a, *b, *c],
            text: text.to_vec(),
        }),
        _ => Err(DecodeError::BadVerbatim),
    }
}

fn parse_i64(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn parse_length(text: &[u8]) -> Result<usize, DecodeError> {
    // `usize` would take a leading plus, which is harmless.
    let text = std::str::from_utf8(text).map_err(|_| DecodeError::BadLength)?;
    text.parse().map_err(|_| DecodeError::BadLength)
}

/// Any case of `inf` and `nan` is taken: servers print what their C library prints.
fn parse_double(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// Appends one request: an array of bulk strings.
pub fn encode_request<A: AsRef<[u8]>>(args: &[A], out: &mut Vec<u8>) {
    let mut digits = itoa::Buffer::new();
    out.push(b'*');
    out.extend_from_slice(digits.format(args.len()).as_bytes());
    out.extend_from_slice(b"\r\n");
    for arg in args {
        let arg = arg.as_ref();
        out.push(b'$');
        out.extend_from_slice(digits.format(arg.len()).as_bytes());
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(arg);
        out.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode_all(bytes: &[u8]) -> Result<Vec<Value>, DecodeError> {
        let mut decoder = Decoder::new();
        decoder.feed(bytes);
        drain(&mut decoder)
    }

    fn drain(decoder: &mut Decoder) -> Result<Vec<Value>, DecodeError> {
        let mut values = Vec::new();
        while let Some(value) = decoder.next()? {
            values.push(value);
        }
        Ok(values)
    }

    fn decode_one(bytes: &[u8]) -> Value {
        let values = decode_all(bytes).unwrap();
        assert_eq!(values.len(), 1, "{values:?}");
        values.into_iter().next().unwrap()
    }

    /// The reference encoder, written from the protocol's table and not from the decoder.
    fn encode(value: &Value, out: &mut Vec<u8>) {
        let line = |out: &mut Vec<u8>, first: u8, text: &[u8]| {
            out.push(first);
            out.extend_from_slice(text);
            out.extend_from_slice(b"\r\n");
        };
        let blob = |out: &mut Vec<u8>, first: u8, text: &[u8]| {
            line(out, first, text.len().to_string().as_bytes());
            out.extend_from_slice(text);
            out.extend_from_slice(b"\r\n");
        };
        let all = |out: &mut Vec<u8>, first: u8, items: &[Value]| {
            line(out, first, items.len().to_string().as_bytes());
            items.iter().for_each(|item| encode(item, out));
        };
        let map = |out: &mut Vec<u8>, first: u8, pairs: &[(Value, Value)]| {
            line(out, first, pairs.len().to_string().as_bytes());
            for (key, value) in pairs {
                encode(key, out);
                encode(value, out);
            }
        };
        match value {
            Value::Simple(text) => line(out, b'+', text),
            Value::Error(text) => line(out, b'-', text),
            Value::Integer(integer) => line(out, b':', integer.to_string().as_bytes()),
            Value::Bulk(bytes) => blob(out, b'$', bytes),
            Value::BlobError(bytes) => blob(out, b'!', bytes),
            Value::Verbatim { format, text } => {
                blob(out, b'=', &[format.as_slice(), b":", text].concat());
            }
            Value::Null => line(out, b'_', b""),
            Value::NullBulk => line(out, b'$', b"-1"),
            Value::NullArray => line(out, b'*', b"-1"),
            Value::Array(items) => all(out, b'*', items),
            Value::Set(items) => all(out, b'~', items),
            Value::Push(items) => all(out, b'>', items),
            Value::Map(pairs) => map(out, b'%', pairs),
            Value::Attribute { attributes, value } => {
                map(out, b'|', attributes);
                encode(value, out);
            }
            Value::Double(text) => line(out, b',', text.as_bytes()),
            Value::Boolean(boolean) => line(out, b'#', if *boolean { b"t" } else { b"f" }),
            Value::BigNumber(text) => line(out, b'(', text.as_bytes()),
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        // CR alone and LF alone are legal inside a line; only the pair ends it.
        let line = || {
            prop::collection::vec(any::<u8>(), 0..12).prop_map(|mut text| {
                text.retain(|byte| *byte != b'\n');
                text
            })
        };
        let bytes = || prop::collection::vec(any::<u8>(), 0..20);
        let leaf = prop_oneof![
            line().prop_map(Value::Simple),
            line().prop_map(Value::Error),
            any::<i64>().prop_map(Value::Integer),
            bytes().prop_map(Value::Bulk),
            bytes().prop_map(Value::BlobError),
            bytes().prop_map(|text| Value::Verbatim {
                format: *b"txt",
                text
            }),
            Just(Value::Null),
            Just(Value::NullBulk),
            Just(Value::NullArray),
            any::<f64>().prop_map(|double| Value::Double(double.to_string())),
            any::<bool>().prop_map(Value::Boolean),
            any::<i128>().prop_map(|big| Value::BigNumber(big.to_string())),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            let many = || prop::collection::vec(inner.clone(), 0..5);
            let map = || prop::collection::vec((inner.clone(), inner.clone()), 0..4);
            prop_oneof![
                many().prop_map(Value::Array),
                many().prop_map(Value::Set),
                many().prop_map(Value::Push),
                map().prop_map(Value::Map),
                (map(), inner.clone()).prop_map(|(attributes, value)| Value::Attribute {
                    attributes,
                    value: Box::new(value)
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn round_trip_cut_at_every_byte(sent in prop::collection::vec(values(), 1..4)) {
            let mut bytes = Vec::new();
            sent.iter().for_each(|value| encode(value, &mut bytes));
            prop_assert_eq!(&decode_all(&bytes).unwrap(), &sent);
            for cut in 0..=bytes.len() {
                let mut decoder = Decoder::new();
                decoder.feed(&bytes[..cut]);
                let mut got = drain(&mut decoder).unwrap();
                decoder.feed(&bytes[cut..]);
                got.extend(drain(&mut decoder).unwrap());
                prop_assert_eq!(&got, &sent);
                prop_assert!(decoder.is_idle());
            }
        }

        #[test]
        fn byte_by_byte(sent in values()) {
            let mut bytes = Vec::new();
            encode(&sent, &mut bytes);
            let mut decoder = Decoder::new();
            for byte in &bytes[..bytes.len() - 1] {
                decoder.feed(&[*byte]);
                prop_assert_eq!(decoder.next(), Ok(None));
                prop_assert!(!decoder.is_idle());
            }
            decoder.feed(&bytes[bytes.len() - 1..]);
            prop_assert_eq!(decoder.next(), Ok(Some(sent)));
        }

        #[test]
        fn noise_never_panics(bytes in prop::collection::vec(
            prop_oneof![prop::sample::select(&b"+-:$!=*~>%|_#,(0123456789\r\n"[..]), any::<u8>()],
            0..60,
        )) {
            let whole = decode_all(&bytes);
            let mut decoder = Decoder::new();
            let mut pieces = Ok(Vec::new());
            for byte in &bytes {
                decoder.feed(&[*byte]);
                if let Ok(values) = &mut pieces {
                    match drain(&mut decoder) {
                        Ok(more) => values.extend(more),
                        Err(error) => pieces = Err(error),
                    }
                }
            }
            prop_assert_eq!(whole, pieces);
        }
    }

    #[test]
    fn the_three_nulls_stay_apart() {
        assert_eq!(decode_one(b"_\r\n"), Value::Null);
        assert_eq!(decode_one(b"$-1\r\n"), Value::NullBulk);
        assert_eq!(decode_one(b"*-1\r\n"), Value::NullArray);
        assert!(decode_one(b"*-1\r\n").is_null());
    }

    #[test]
    fn doubles_keep_their_spelling() {
        let double = decode_one(b",0.10000000000000001\r\n");
        assert_eq!(double, Value::Double("0.10000000000000001".into()));
        assert_eq!(double.as_f64(), Some(0.1));
        assert_eq!(decode_one(b",-inf\r\n").as_f64(), Some(f64::NEG_INFINITY));
        assert!(decode_one(b",nan\r\n").as_f64().unwrap().is_nan());
        assert_eq!(decode_one(b",1e300\r\n").as_f64(), Some(1e300));
    }

    #[test]
    fn errors() {
        let check = |bytes: &[u8], error| assert_eq!(decode_all(bytes), Err(error), "{bytes:?}");
        check(b"?1\r\n", DecodeError::UnknownType(b'?'));
        check(b":x\r\n", DecodeError::BadNumber);
        check(b":9223372036854775808\r\n", DecodeError::BadNumber);
        check(b",x\r\n", DecodeError::BadNumber);
        check(b"(12x\r\n", DecodeError::BadNumber);
        check(b"(-\r\n", DecodeError::BadNumber);
        check(b"$-2\r\n", DecodeError::BadLength);
        check(b"$?\r\n", DecodeError::BadLength);
        check(b"%-1\r\n", DecodeError::BadLength);
        check(b"$18446744073709551615\r\n", DecodeError::BadLength);
        check(b"%18446744073709551615\r\n", DecodeError::BadLength);
        check(b"#x\r\n", DecodeError::BadBoolean);
        check(b"_x\r\n", DecodeError::BadNull);
        check(b"=3\r\nabc\r\n", DecodeError::BadVerbatim);
        check(b"$1\r\nabc", DecodeError::MissingTerminator);
    }

    #[test]
    fn an_error_is_final() {
        let mut decoder = Decoder::new();
        decoder.feed(b":x\r\n");
        assert_eq!(decoder.next(), Err(DecodeError::BadNumber));
        decoder.feed(b":1\r\n");
        assert_eq!(decoder.next(), Err(DecodeError::BadNumber));
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| [b"*1\r\n".repeat(depth).as_slice(), b":1\r\n"].concat();
        let mut decoder = Decoder::with_depth_max(3);
        decoder.feed(&nested(3));
        assert!(matches!(decoder.next(), Ok(Some(Value::Array(_)))));
        decoder.feed(&nested(4));
        assert_eq!(decoder.next(), Err(DecodeError::TooDeep));
        assert_eq!(
            decode_all(&b"|0\r\n".repeat(100_000)),
            Err(DecodeError::TooDeep)
        );
    }

    #[test]
    fn a_declared_length_reserves_nothing() {
        // Would abort the process if any of these were taken at its word.
        for declared in ["*4000000000000000000\r\n", "$4000000000000000000\r\n"] {
            assert_eq!(decode_all(declared.as_bytes()), Ok(vec![]));
        }
        assert_eq!(decode_all(b"%4000000000000000000\r\n:1\r\n"), Ok(vec![]));
    }

    #[test]
    fn the_buffer_is_compacted_under_a_partial_value() {
        let mut decoder = Decoder::new();
        let big = vec![b'x'; 3 * COMPACT_MIN_BYTES];
        let mut bytes = Vec::new();
        encode(&Value::Bulk(big.clone()), &mut bytes);
        bytes.extend_from_slice(b"+par");
        decoder.feed(&bytes);
        assert_eq!(decoder.next(), Ok(Some(Value::Bulk(big))));
        assert_eq!(decoder.next(), Ok(None));
        decoder.feed(b"tial\r\n");
        assert!(decoder.buffer.len() < 100);
        assert_eq!(decoder.next(), Ok(Some(Value::Simple(b"partial".to_vec()))));
    }

    #[test]
    fn requests() {
        let mut out = Vec::new();
        encode_request(&["SET", "k", ""], &mut out);
        assert_eq!(out, b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n");
    }
}
