//! Finds where replies end, without building them.
//!
//! A load generator needs two facts about a reply: that it is complete, and whether it is an error.
//! So the scanner keeps no tree and no buffer: nested aggregates are one count of values still
//! owed, payloads are skipped by length, and a reply cut anywhere by the network goes on from a few
//! bytes of state. The rejected alternative is the parser of the `resp` crate, which wants a whole
//! reply in memory and would make long LRANGE replies the client's bottleneck.
//!
//! | first byte | what follows |
//! |---|---|
//! | `+ - : , # _ (` | a line |
//! | `$ = !` | a length line, that many bytes, CR LF; length -1 is null and has no payload |
//! | `* ~ >` | a count line, then so many values; -1 is null |
//! | `%` | a count line, then twice so many values |
//! | `\|` | a count line, twice so many values (attributes), and then the value they belong to |
//!
//! Invariants: `owed` is 0 exactly between replies. A push (`>`) on its own is not a reply to
//! anything and is not reported. Values of unknown length (`$?`, `*?`) are refused: no server sends
//! them.

use std::mem;

/// The end of one reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply<'a> {
    /// Anything but an error; errors inside an aggregate count as this.
    Fine,
    /// A simple or bulk error, its text without the type byte, cut at [`ERROR_TEXT_MAX`] bytes.
    Error(&'a [u8]),
}

/// Bytes that are not the protocol.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Violation {
    #[error("Protocol error: a reply cannot start with \"{}\"", .0.escape_ascii())]
    Type(u8),
    #[error("Protocol error: \"{}\" in the length of a reply", .0.escape_ascii())]
    Length(u8),
    #[error("Protocol error: a payload is not followed by a line end")]
    Payload,
}

/// How much of an error text is kept.
pub(crate) const ERROR_TEXT_MAX: usize = 512;

/// No length above this is believed; the largest payload Redis allows is far below.
const LENGTH_MAX: u64 = 1 << 40;

#[derive(Clone, Copy, Debug)]
enum State {
    /// The next byte is a type byte.
    Type,
    /// Inside a line whose content does not matter, or is the text of an error.
    Line,
    /// Inside the digits of a length or count.
    Header {
        kind: u8,
        value: u64,
        negative: bool,
    },
    /// This many bytes of payload and line end are still to come; never 0.
    Payload(u64),
}

/// The scanner of one connection.
#[derive(Debug)]
pub(crate) struct Framing {
    state: State,
    /// Values that the current top-level reply still lacks.
    owed: u64,
    /// The type byte of the current top-level reply.
    top: u8,
    error: Vec<u8>,
}

impl Framing {
    pub(crate) const fn new() -> Self {
        Self {
            state: State::Type,
            owed: 0,
            top: 0,
            error: Vec::new(),
        }
    }

    /// Takes the next bytes of the stream and calls `on_reply` for every reply that ends in them.
    pub(crate) fn feed(
        &mut self,
        mut input: &[u8],
        mut on_reply: impl FnMut(Reply<'_>),
    ) -> Result<(), Violation> {
        while !input.is_empty() {
            match self.state {
                State::Type => {
                    self.open(input[0])?;
                    input = &input[1..];
                }
                State::Line => {
                    let (line, ended) = match memchr::memchr(b'\n', input) {
                        Some(end) => (&input[..=end], true),
                        None => (input, false),
                    };
                    input = &input[line.len()..];
                    if self.top == b'-' {
                        self.keep_error(line);
                    }
                    if ended {
                        self.close(&mut on_reply);
                    }
                }
                State::Header {
                    kind,
                    value,
                    negative,
                } => {
                    input = self.header(kind, value, negative, input, &mut on_reply)?;
                }
                State::Payload(left) => {
                    let taken = usize::try_from(left).map_or(input.len(), |n| n.min(input.len()));
                    let (payload, rest) = input.split_at(taken);
                    input = rest;
                    if self.top == b'!' {
                        self.keep_error(payload);
                    }
                    let left = left - taken as u64;
                    if left > 0 {
                        self.state = State::Payload(left);
                    } else if payload.last() != Some(&b'\n') {
                        return Err(Violation::Payload);
                    } else {
                        self.close(&mut on_reply);
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn open(&mut self, kind: u8) -> Result<(), Violation> {
        if self.owed == 0 {
            self.owed = 1;
            self.top = kind;
        } else if self.top == b'|' && self.owed == 1 {
            // The attributes are over; this is the value they describe.
            self.top = kind;
        }
        self.state = match kind {
            b'+' | b'-' | b':' | b',' | b'#' | b'_' | b'(' => State::Line,
            b'$' | b'=' | b'!' | b'*' | b'~' | b'>' | b'%' | b'|' => State::Header {
                kind,
                value: 0,
                negative: false,
            },
            other => return Err(Violation::Type(other)),
        };
        Ok(())
    }

    #[inline]
    fn header<'a>(
        &mut self,
        kind: u8,
        mut value: u64,
        mut negative: bool,
        input: &'a [u8],
        on_reply: &mut impl FnMut(Reply<'_>),
    ) -> Result<&'a [u8], Violation> {
        for (index, &byte) in input.iter().enumerate() {
            match byte {
                b'0'..=b'9' if value < LENGTH_MAX => value = value * 10 + u64::from(byte - b'0'),
                b'\r' => {}
                b'-' if value == 0 && !negative => negative = true,
                b'\n' => {
                    self.measured(kind, value, negative, on_reply);
                    return Ok(&input[index + 1..]);
                }
                other => return Err(Violation::Length(other)),
            }
        }
        self.state = State::Header {
            kind,
            value,
            negative,
        };
        Ok(&[])
    }

    /// A length or count is known.
    #[inline]
    fn measured(
        &mut self,
        kind: u8,
        value: u64,
        negative: bool,
        on_reply: &mut impl FnMut(Reply<'_>),
    ) {
        if negative {
            self.close(on_reply);
            return;
        }
        match kind {
            b'$' | b'=' | b'!' => self.state = State::Payload(value + 2),
            b'|' => {
                // The attribute itself settles no debt: its value is still to come.
                self.owed = self.owed.saturating_add(value * 2);
                self.state = State::Type;
            }
            _ => {
                let values = if kind == b'%' { value * 2 } else { value };
                self.owed = self.owed.saturating_add(values);
                self.close(on_reply);
            }
        }
    }

    /// One owed value is here.
    #[inline]
    fn close(&mut self, on_reply: &mut impl FnMut(Reply<'_>)) {
        self.state = State::Type;
        self.owed -= 1;
        if self.owed > 0 {
            return;
        }
        match self.top {
            b'>' => {}
            b'-' | b'!' => {
                let mut text = mem::take(&mut self.error);
                while matches!(text.last(), Some(b'\r' | b'\n')) {
                    text.pop();
                }
                on_reply(Reply::Error(&text));
            }
            _ => on_reply(Reply::Fine),
        }
    }

    #[cold]
    fn keep_error(&mut self, part: &[u8]) {
        let room = ERROR_TEXT_MAX - self.error.len();
        self.error.extend_from_slice(&part[..part.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What the scanner reports for a stream handed over in pieces of `size` bytes.
    fn scan(stream: &[u8], size: usize) -> Result<Vec<String>, Violation> {
        let mut framing = Framing::new();
        let mut seen = Vec::new();
        for piece in stream.chunks(size) {
            framing.feed(piece, |reply| {
                seen.push(match reply {
                    Reply::Fine => "fine".to_owned(),
                    Reply::Error(text) => String::from_utf8_lossy(text).into_owned(),
                });
            })?;
        }
        assert_eq!(framing.owed, 0, "the stream ends between two replies");
        Ok(seen)
    }

    #[track_caller]
    fn check(stream: &str, expected: &[&str]) {
        for size in 1..=stream.len() {
            assert_eq!(
                scan(stream.as_bytes(), size).as_deref(),
                Ok(&*expected
                    .iter()
                    .map(|&text| text.to_owned())
                    .collect::<Vec<_>>()),
                "pieces of {size} bytes"
            );
        }
    }

    #[test]
    fn every_type_is_one_reply() {
        for reply in [
            "+OK\r\n",
            ":-12\r\n",
            ",1.5e3\r\n",
            "#t\r\n",
            "_\r\n",
            "(123456789012345678901\r\n",
            "$0\r\n\r\n",
            "$5\r\n\r\n\r\n+\r\n",
            "$-1\r\n",
            "=7\r\ntxt:a\nb\r\n",
            "*0\r\n",
            "*-1\r\n",
            "*2\r\n$1\r\na\r\n*1\r\n:1\r\n",
            "%1\r\n+k\r\n~2\r\n:1\r\n_\r\n",
            "*3\r\n-ERR in\r\n*0\r\n%0\r\n",
            "|1\r\n+ttl\r\n:3\r\n$1\r\nx\r\n",
            "*1\r\n|1\r\n+a\r\n*1\r\n+b\r\n:1\r\n",
        ] {
            check(reply, &["fine"]);
            check(&format!("+x\r\n{reply}:1\r\n"), &["fine"; 3]);
        }
    }

    #[test]
    fn errors_are_told_with_their_text() {
        check(
            "-ERR no\r\n+OK\r\n-WRONGTYPE x\r\n",
            &["ERR no", "fine", "WRONGTYPE x"],
        );
        check("!9\r\nERR a\r\nbc\r\n", &["ERR a\r\nbc"]);
        check(
            "|1\r\n+k\r\n+v\r\n-ERR after attributes\r\n",
            &["ERR after attributes"],
        );
        let long = format!("-{}\r\n", "x".repeat(2 * ERROR_TEXT_MAX));
        assert_eq!(scan(long.as_bytes(), 7).unwrap()[0].len(), ERROR_TEXT_MAX);
    }

    #[test]
    fn a_push_is_no_reply() {
        check(">2\r\n+invalidate\r\n*1\r\n+k\r\n+OK\r\n", &["fine"]);
        check("+OK\r\n>1\r\n-ERR\r\n", &["fine"]);
    }

    #[test]
    fn other_bytes_are_refused() {
        assert_eq!(scan(b"HTTP/1.1 400\r\n", 4), Err(Violation::Type(b'H')));
        assert_eq!(scan(b"$?\r\n", 4), Err(Violation::Length(b'?')));
        assert_eq!(
            scan(b"*99999999999999999999\r\n", 4),
            Err(Violation::Length(b'9'))
        );
        assert_eq!(scan(b"$1\r\nabcdef", 10), Err(Violation::Payload));
    }

    fn reply() -> impl Strategy<Value = String> {
        let text = "[a-z]{0,12}";
        let scalar = prop_oneof![
            text.prop_map(|t| format!("+{t}\r\n")),
            text.prop_map(|t| format!("-{t}\r\n")),
            any::<i64>().prop_map(|n| format!(":{n}\r\n")),
            "[a-z\r\n$*]{0,40}".prop_map(|t| format!("${}\r\n{t}\r\n", t.len())),
            "[a-z\r\n$*]{0,40}".prop_map(|t| format!("!{}\r\n{t}x\r\n", t.len() + 1)),
            Just("$-1\r\n".to_owned()),
            Just("_\r\n".to_owned()),
        ];
        scalar.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(|items| format!(
                    "*{}\r\n{}",
                    items.len(),
                    items.concat()
                )),
                proptest::collection::vec((inner.clone(), inner.clone()), 0..4).prop_map(|pairs| {
                    let body: String = pairs.iter().map(|(k, v)| format!("{k}{v}")).collect();
                    format!("%{}\r\n{body}", pairs.len())
                }),
                (inner.clone(), inner.clone(), inner)
                    .prop_map(|(k, v, value)| { format!("|1\r\n{k}{v}{value}") }),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_cut_at_any_byte_changes_nothing(replies in proptest::collection::vec(reply(), 1..6)) {
            let stream = replies.concat();
            let whole = scan(stream.as_bytes(), stream.len()).unwrap();
            prop_assert_eq!(whole.len(), replies.len());
            for cut in 0..=stream.len() {
                let mut framing = Framing::new();
                let mut seen = Vec::new();
                for piece in [&stream.as_bytes()[..cut], &stream.as_bytes()[cut..]] {
                    framing.feed(piece, |reply| seen.push(match reply {
                        Reply::Fine => "fine".to_owned(),
                        Reply::Error(text) => String::from_utf8_lossy(text).into_owned(),
                    })).unwrap();
                }
                prop_assert_eq!(&seen, &whole, "cut at {}", cut);
            }
        }
    }
}
