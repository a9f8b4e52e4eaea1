//! The request parser: bytes in, argument slices out.
//!
//! A request is an array of bulk strings (`*2\r\n$3\r\nGET\r\n$1\r\nk\r\n`) or one inline line
//! (`GET k\r\n`). Arguments are handed out as slices of the caller's buffer: nothing is copied and,
//! for a request that has wholly arrived, nothing is allocated. A request that has not wholly
//! arrived leaves its progress in the parser, so that a million arguments trickling in are looked
//! at once and not once for every read. The rejected alternative, parsing again from the start of
//! the request on each read, is simpler and quadratic.
//!
//! Invariants: declared lengths are never trusted with memory; after `Incomplete` the caller passes
//! the same request, at the start of a buffer that only grew.

use std::fmt;

/// The longest inline request and the longest line that announces a length, in bytes.
const LINE_MAX: usize = 64 * 1024;

/// What a request may ask for; smaller before authentication.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The longest argument, in bytes (`proto-max-bulk-len`).
    pub bulk_max: usize,
    /// Whether the client has yet to authenticate: at most 10 arguments of 16 KiB.
    pub unauthenticated: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bulk_max: 512 * 1024 * 1024,
            unauthenticated: false,
        }
    }
}

/// A violation of the protocol. The reply is `-ERR Protocol error: ...`, then the connection closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ProtocolError {
    MultibulkLength,
    UnauthenticatedMultibulkLength,
    BulkLength,
    UnauthenticatedBulkLength,
    ExpectedDollar(u8),
    TooBigInline,
    TooBigMultibulkCount,
    TooBigBulkCount,
    UnbalancedQuotes,
    InvalidCrlf,
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Protocol error: ")?;
        match self {
            ProtocolError::MultibulkLength => f.write_str("invalid multibulk length"),
            ProtocolError::UnauthenticatedMultibulkLength => {
                f.write_str("unauthenticated multibulk length")
            }
            ProtocolError::BulkLength => f.write_str("invalid bulk length"),
            ProtocolError::UnauthenticatedBulkLength => f.write_str("unauthenticated bulk length"),
            // An error reply is one line: a byte that would end it is shown as a space.
            ProtocolError::ExpectedDollar(byte) => {
                let shown = if matches!(byte, b'\r' | b'\n') {
                    ' '
                } else {
                    *byte as char
                };
                write!(f, "expected '$', got '{shown}'")
            }
            ProtocolError::TooBigInline => f.write_str("too big inline request"),
            ProtocolError::TooBigMultibulkCount => f.write_str("too big mbulk count string"),
            ProtocolError::TooBigBulkCount => f.write_str("too big bulk count string"),
            ProtocolError::UnbalancedQuotes => f.write_str("unbalanced quotes in request"),
            ProtocolError::InvalidCrlf => f.write_str("invalid CRLF in request"),
        }
    }
}

/// How far one call of [`RequestParser::next`] came.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// One request: its arguments, at least one, were appended.
    Complete,
    /// An inline request with quotes or escapes, whose arguments had to be unescaped into memory
    /// of their own.
    Unescaped(Vec<Vec<u8>>),
    /// Nothing to execute: an empty line or an array of no elements was skipped.
    Skipped,
    /// More bytes are needed. `pos` stays at the start of the request.
    Incomplete,
}

/// The state of one connection's request stream.
#[derive(Debug, Default)]
pub struct RequestParser {
    partial: Option<Box<Partial>>,
}

/// A multibulk request that has not wholly arrived. Offsets count from its first byte.
#[derive(Debug)]
struct Partial {
    spans: Vec<(usize, usize)>,
    remaining: usize,
    offset: usize,
}

impl RequestParser {
    /// Whether part of a multibulk request has been taken in.
    pub fn is_mid_request(&self) -> bool {
        self.partial.is_some()
    }

    /// The number of bytes, from the request's first, that the request needs at least; 0 when that
    /// is not known yet. Lets the reader size its buffer for one big argument.
    pub fn bytes_wanted(&self, buf: &[u8]) -> usize {
        let Some(partial) = &self.partial else {
            return 0;
        };
        match buf
            .get(partial.offset..)
            .and_then(|rest| read_line(rest, b'$'))
        {
            Some((Some(len), used)) if len >= 0 => partial.offset + used + len as usize + 2,
            _ => 0,
        }
    }

    /// Parses one request of `buf` from `*pos` on, appends its arguments to `args` and moves `*pos`
    /// behind it.
    ///
    /// # Errors
    /// A [`ProtocolError`] when the bytes are no request; the connection can't go on after it.
    #[inline]
    pub fn next<'b>(
        &mut self,
        buf: &'b [u8],
        pos: &mut usize,
        args: &mut Vec<&'b [u8]>,
        limits: &Limits,
    ) -> Result<Progress, ProtocolError> {
        if self.partial.is_some() {
            return self.resume(buf, pos, args, limits);
        }
        match buf.get(*pos) {
            None => Ok(Progress::Incomplete),
            Some(b'*') => self.multibulk(buf, pos, args, limits),
            Some(_) => inline(buf, pos, args),
        }
    }

    #[inline]
    fn multibulk<'b>(
        &mut self,
        buf: &'b [u8],
        pos: &mut usize,
        args: &mut Vec<&'b [u8]>,
        limits: &Limits,
    ) -> Result<Progress, ProtocolError> {
        let start = *pos;
        let Some((count, used)) = read_line(&buf[start..], b'*') else {
            if buf.len() - start > LINE_MAX {
                return Err(ProtocolError::TooBigMultibulkCount);
            }
            return Ok(Progress::Incomplete);
        };
        let count = match count {
            Some(count) if count <= i32::MAX as i64 => count,
            _ => return Err(ProtocolError::MultibulkLength),
        };
        if count > 10 && limits.unauthenticated {
            return Err(ProtocolError::UnauthenticatedMultibulkLength);
        }
        if count <= 0 {
            *pos = start + used;
            return Ok(Progress::Skipped);
        }
        let first_arg = args.len();
        let mut at = start + used;
        for taken in 0..count as usize {
            match bulk(&buf[at.min(buf.len())..], limits)? {
                Some((from, to, used)) => {
                    args.push(&buf[at + from..at + to]);
                    at += used;
                }
                None => {
                    let spans = args[first_arg..]
                        .iter()
                        .map(|arg| {
                            let from = arg.as_ptr() as usize - buf.as_ptr() as usize - start;
                            (from, from + arg.len())
                        })
                        .collect();
                    args.truncate(first_arg);
                    let remaining = count as usize - taken;
                    self.partial = Some(Box::new(Partial {
                        spans,
                        remaining,
                        offset: at - start,
                    }));
                    return Ok(Progress::Incomplete);
                }
            }
        }
        *pos = at;
        Ok(Progress::Complete)
    }

    #[cold]
    fn resume<'b>(
        &mut self,
        buf: &'b [u8],
        pos: &mut usize,
        args: &mut Vec<&'b [u8]>,
        limits: &Limits,
    ) -> Result<Progress, ProtocolError> {
        let Some(partial) = &mut self.partial else {
            return Ok(Progress::Incomplete);
        };
        let request = &buf[*pos..];
        while partial.remaining > 0 {
            let at = partial.offset;
            match bulk(&request[at.min(request.len())..], limits)? {
                Some((from, to, used)) => {
                    partial.spans.push((at + from, at + to));
                    partial.offset += used;
                    partial.remaining -= 1;
                }
                None => return Ok(Progress::Incomplete),
            }
        }
        args.extend(partial.spans.iter().map(|&(from, to)| &request[from..to]));
        *pos += partial.offset;
        self.partial = None;
        Ok(Progress::Complete)
    }
}

/// One `$len\r\n<bytes>\r\n`: the span of its bytes and the length of the whole. `None`: more bytes
/// are needed.
#[inline]
fn bulk(buf: &[u8], limits: &Limits) -> Result<Option<(usize, usize, usize)>, ProtocolError> {
    // Nearly every argument is shorter than 10 bytes or than 100: no loop for those.
    let (len, header) = match buf {
        [b'$', a @ b'0'..=b'9', b'\r', _, ..] => ((a - b'0') as usize, 4),
        [b'$', a @ b'1'..=b'9', b @ b'0'..=b'9', b'\r', _, ..] => {
            ((a - b'0') as usize * 10 + (b - b'0') as usize, 5)
        }
        _ => match long_bulk_header(buf, limits)? {
            Some(found) => found,
            None => return Ok(None),
        },
    };
    let end = header + len;
    match buf.get(end..end + 2) {
        Some(b"\r\n") => Ok(Some((header, end, end + 2))),
        Some(_) => Err(ProtocolError::InvalidCrlf),
        None => Ok(None),
    }
}

fn long_bulk_header(buf: &[u8], limits: &Limits) -> Result<Option<(usize, usize)>, ProtocolError> {
    match buf.first() {
        None => return Ok(None),
        Some(b'$') => {}
        Some(&other) => return Err(ProtocolError::ExpectedDollar(other)),
    }
    let Some((len, header)) = read_line(buf, b'$') else {
        if buf.len() > LINE_MAX {
            return Err(ProtocolError::TooBigBulkCount);
        }
        return Ok(None);
    };
    match len {
        Some(len) if len >= 0 && len as u64 <= limits.bulk_max as u64 => {
            if len > 16384 && limits.unauthenticated {
                return Err(ProtocolError::UnauthenticatedBulkLength);
            }
            Ok(Some((len as usize, header)))
        }
        _ => Err(ProtocolError::BulkLength),
    }
}

/// The number on a line that starts with `marker`, and the length of the line with its CR and LF.
/// Outer `None`: the line has not wholly arrived. Inner `None`: that is no number.
#[inline]
fn read_line(buf: &[u8], marker: u8) -> Option<(Option<i64>, usize)> {
    match buf {
        [first, a @ b'0'..=b'9', b'\r', _, ..] if *first == marker => {
            Some((Some((a - b'0') as i64), 4))
        }
        _ => {
            let window = &buf[..buf.len().min(LINE_MAX + 1)];
            let end = memchr::memchr(b'\r', window)?;
            if end + 1 >= buf.len() {
                return None;
            }
            Some((crate::number::parse_i64(&buf[1..end]), end + 2))
        }
    }
}

#[cold]
fn inline<'b>(
    buf: &'b [u8],
    pos: &mut usize,
    args: &mut Vec<&'b [u8]>,
) -> Result<Progress, ProtocolError> {
    let rest = &buf[*pos..];
    let Some(newline) = memchr::memchr(b'\n', &rest[..rest.len().min(LINE_MAX + 1)]) else {
        if rest.len() > LINE_MAX {
            return Err(ProtocolError::TooBigInline);
        }
        return Ok(Progress::Incomplete);
    };
    let line = &rest[..newline];
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    *pos += newline + 1;
    if memchr::memchr2(b'"', b'\'', line).is_some() {
        let words = split_quoted(line).ok_or(ProtocolError::UnbalancedQuotes)?;
        return Ok(if words.is_empty() {
            Progress::Skipped
        } else {
            Progress::Unescaped(words)
        });
    }
    let before = args.len();
    args.extend(line.split(|b| is_space(*b)).filter(|word| !word.is_empty()));
    Ok(if args.len() == before {
        Progress::Skipped
    } else {
        Progress::Complete
    })
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0)
}

/// Splits a line into words by the quoting rules of inline requests and redis.conf: `"..."` with
/// `\n \r \t \b \a \xHH` escapes, `'...'` with `\'` only. `None`: a quote is not closed, or is
/// followed by something other than a space.
pub fn split_quoted(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        while at < line.len() && is_space(line[at]) {
            at += 1;
        }
        if at == line.len() {
            return Some(words);
        }
        let mut word = Vec::new();
        while at < line.len() && !is_space(line[at]) {
            match line[at] {
                quote @ (b'"' | b'\'') => {
                    at = quoted(line, at + 1, quote, &mut word)?;
                    if at < line.len() && !is_space(line[at]) {
                        return None;
                    }
                }
                byte => {
                    word.push(byte);
                    at += 1;
                }
            }
        }
        words.push(word);
    }
}

/// Reads up to the closing `quote` and returns the index behind it.
fn quoted(line: &[u8], mut at: usize, quote: u8, word: &mut Vec<u8>) -> Option<usize> {
    loop {
        match *line.get(at)? {
            byte if byte == quote => return Some(at + 1),
            b'\\' if quote == b'"' => {
                let hex = |i: usize| line.get(i).and_then(|b| (*b as char).to_digit(16));
                if line.get(at + 1) == Some(&b'x')
                    && let (Some(high), Some(low)) = (hex(at + 2), hex(at + 3))
                {
                    word.push((high * 16 + low) as u8);
                    at += 4;
                    continue;
                }
                word.push(match *line.get(at + 1)? {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    other => other,
                });
                at += 2;
            }
            b'\\' if line.get(at + 1) == Some(&b'\'') => {
                word.push(b'\'');
                at += 2;
            }
            byte => {
                word.push(byte);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Everything that `input` holds: the requests as owned words, and how parsing ended.
    fn parse_all(input: &[u8]) -> (Vec<Vec<Vec<u8>>>, Result<(), ProtocolError>) {
        let mut parser = RequestParser::default();
        let (mut pos, mut requests) = (0, Vec::new());
        loop {
            let mut args = Vec::new();
            match parser.next(input, &mut pos, &mut args, &Limits::default()) {
                Ok(Progress::Complete) => {
                    requests.push(args.iter().map(|arg| arg.to_vec()).collect())
                }
                Ok(Progress::Unescaped(words)) => requests.push(words),
                Ok(Progress::Skipped) => {}
                Ok(Progress::Incomplete) => return (requests, Ok(())),
                Err(error) => return (requests, Err(error)),
            }
        }
    }

    /// The same, but the input arrives in pieces and the consumed part is dropped in between.
    fn parse_pieces(
        input: &[u8],
        cuts: &[usize],
    ) -> (Vec<Vec<Vec<u8>>>, Result<(), ProtocolError>) {
        let mut parser = RequestParser::default();
        let (mut buf, mut requests, mut from) = (Vec::new(), Vec::new(), 0);
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (input.len() + 1)).collect();
        ends.sort_unstable();
        ends.push(input.len());
        for end in ends {
            buf.extend_from_slice(&input[from..end.max(from)]);
            from = end.max(from);
            let mut pos = 0;
            loop {
                let mut args = Vec::new();
                match parser.next(&buf, &mut pos, &mut args, &Limits::default()) {
                    Ok(Progress::Complete) => {
                        requests.push(args.iter().map(|arg| arg.to_vec()).collect())
                    }
                    Ok(Progress::Unescaped(words)) => requests.push(words),
                    Ok(Progress::Skipped) => {}
                    Ok(Progress::Incomplete) => break,
                    Err(error) => return (requests, Err(error)),
                }
            }
            buf.drain(..pos);
        }
        (requests, Ok(()))
    }

    fn check(input: &str, want: &str) {
        let (requests, end) = parse_all(input.as_bytes());
        let mut shown: Vec<String> = requests
            .iter()
            .map(|words| {
                let words: Vec<_> = words
                    .iter()
                    .map(|word| word.escape_ascii().to_string())
                    .collect();
                words.join("|")
            })
            .collect();
        if let Err(error) = end {
            shown.push(error.to_string());
        }
        assert_eq!(shown.join(" ; "), want);
    }

    #[test]
    fn requests() {
        check("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "GET|k");
        check("*1\r\n$4\r\nPING\r\nPING\r\n", "PING ; PING");
        check("*0\r\n*-5\r\n\r\nPING\n", "PING");
        check("*2\r\n$3\r\nGET\r\n$0\r\n\r\n", "GET|");
        check("set  k 'a b' \"\\x41\\n\"\r\n", "set|k|a b|A\\n");
        check(
            "*2\r\n$3\r\nGET\r\n$12\r\n123456789012\r\n",
            "GET|123456789012",
        );
    }

    #[test]
    fn protocol_errors() {
        check("*a\r\n", "Protocol error: invalid multibulk length");
        check(
            "*3000000000\r\n",
            "Protocol error: invalid multibulk length",
        );
        check("*1\r\n!4\r\n", "Protocol error: expected '$', got '!'");
        check("*1\r\n$-1\r\n", "Protocol error: invalid bulk length");
        check("*1\r\n$a\r\n", "Protocol error: invalid bulk length");
        check(
            "*1\r\n$600000000\r\n",
            "Protocol error: invalid bulk length",
        );
        check(
            "set k 'a\r\n",
            "Protocol error: unbalanced quotes in request",
        );
        check(
            "set k \"a\"b\r\n",
            "Protocol error: unbalanced quotes in request",
        );
        check(
            &"a".repeat(70_000),
            "Protocol error: too big inline request",
        );
        check(
            &format!("*{}", "1".repeat(70_000)),
            "Protocol error: too big mbulk count string",
        );
        check(
            &format!("*1\r\n${}", "1".repeat(70_000)),
            "Protocol error: too big bulk count string",
        );
    }

    #[test]
    fn limits_before_authentication() {
        let strict = Limits {
            unauthenticated: true,
            ..Limits::default()
        };
        let mut args = Vec::new();
        let mut next =
            |input: &'static [u8]| RequestParser::default().next(input, &mut 0, &mut args, &strict);
        assert_eq!(
            next(b"*11\r\n"),
            Err(ProtocolError::UnauthenticatedMultibulkLength)
        );
        assert_eq!(
            next(b"*1\r\n$16385\r\n"),
            Err(ProtocolError::UnauthenticatedBulkLength)
        );
    }

    #[test]
    fn a_big_argument_announces_its_size() {
        let mut parser = RequestParser::default();
        let buf = b"*2\r\n$3\r\nGET\r\n$100000\r\nabc";
        let next = parser.next(buf, &mut 0, &mut Vec::new(), &Limits::default());
        assert_eq!(next, Ok(Progress::Incomplete));
        assert_eq!(parser.bytes_wanted(buf), 13 + 9 + 100_000 + 2);
    }

    fn request() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..130), 1..6)
                .prop_map(|words| {
                    let mut out = format!("*{}\r\n", words.len()).into_bytes();
                    for word in words {
                        out.extend(format!("${}\r\n", word.len()).bytes());
                        out.extend(word);
                        out.extend(b"\r\n");
                    }
                    out
                }),
            "[a-z '\"\\\\]{0,12}\r\n".prop_map(String::into_bytes),
            // Near misses of the protocol, so that the error paths are cut too.
            "[*$0-9\r\n-]{0,8}".prop_map(String::into_bytes),
        ]
    }

    proptest! {
        /// However the bytes are cut into reads, the requests and the error are the same.
        #[test]
        fn cuts_change_nothing(
            requests in proptest::collection::vec(request(), 0..6),
            cuts in proptest::collection::vec(any::<usize>(), 0..8),
        ) {
            let input = requests.concat();
            prop_assert_eq!(parse_pieces(&input, &cuts), parse_all(&input));
        }

        #[test]
        fn garbage_never_panics(
            input in proptest::collection::vec(any::<u8>(), 0..300),
            cuts in proptest::collection::vec(any::<usize>(), 0..4),
        ) {
            let _ = parse_pieces(&input, &cuts);
        }
    }
}
