//! The reply writer: one method per RESP type, each choosing the RESP2 shape where RESP3 has a
//! type of its own.
//!
//! Replies go to the end of a buffer that the caller owns, so that a batch of commands becomes one
//! write. A handler that fails midway has its half reply cut off by [`ReplyWriter::rewind`].

use crate::number::{DoubleBuffer, format_f64};

/// The protocol version a client has chosen with HELLO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// RESP2, which every connection starts with.
    #[default]
    Resp2,
    /// RESP3.
    Resp3,
}

/// Appends replies to a buffer.
#[derive(Debug)]
pub struct ReplyWriter<'a> {
    out: &'a mut Vec<u8>,
    protocol: Protocol,
}

/// Where an aggregate starts whose length is not known yet; ended by [`ReplyWriter::end_array`] or
/// its like.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Deferred(usize);

impl<'a> ReplyWriter<'a> {
    /// A writer that appends to `out`.
    pub fn new(out: &'a mut Vec<u8>, protocol: Protocol) -> Self {
        ReplyWriter { out, protocol }
    }

    /// The protocol in which replies are written.
    #[inline]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Changes the protocol for the replies that follow.
    pub fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
    }

    fn is_resp3(&self) -> bool {
        self.protocol == Protocol::Resp3
    }

    /// The number of bytes written so far: a place to [`rewind`](Self::rewind) to.
    #[inline]
    pub fn position(&self) -> usize {
        self.out.len()
    }

    /// Takes back everything written since `position`.
    pub fn rewind(&mut self, position: usize) {
        self.out.truncate(position);
    }

    /// `+OK`.
    #[inline]
    pub fn ok(&mut self) {
        self.out.extend_from_slice(b"+OK\r\n");
    }

    /// A simple string. `text` holds neither CR nor LF.
    #[inline]
    pub fn simple(&mut self, text: &str) {
        debug_assert!(!text.contains(['\r', '\n']));
        self.out.push(b'+');
        self.out.extend_from_slice(text.as_bytes());
        self.out.extend_from_slice(b"\r\n");
    }

    /// An error, `text` beginning with its code. A CR or LF would start a second reply: they are
    /// written as spaces.
    pub fn error(&mut self, text: &[u8]) {
        self.out.push(b'-');
        let text = text.strip_suffix(b"\r\n").unwrap_or(text);
        self.out.extend(
            text.iter()
                .map(|b| if matches!(b, b'\r' | b'\n') { b' ' } else { *b }),
        );
        self.out.extend_from_slice(b"\r\n");
    }

    /// An integer.
    #[inline]
    pub fn integer(&mut self, value: i64) {
        if (0..10).contains(&value) {
            self.out
                .extend_from_slice(&[b':', b'0' + value as u8, b'\r', b'\n']);
        } else {
            self.header(b':', value);
        }
    }

    /// A count, as an integer.
    #[inline]
    pub fn count(&mut self, value: usize) {
        self.integer(value as i64);
    }

    /// A bulk string.
    #[inline]
    pub fn bulk(&mut self, bytes: &[u8]) {
        // Short strings are most of all replies, and in LRANGE hundreds of them in a row: composed
        // in a block of constant size they cost one capacity check and no call of memcpy.
        const BLOCK: usize = 64;
        let len = bytes.len();
        if len < 10 {
            let mut block = [0u8; 16];
            block[0] = b'$';
            block[1] = b'0' + len as u8;
            block[2] = b'\r';
            block[3] = b'\n';
            block[4..4 + len].copy_from_slice(bytes);
            block[4 + len] = b'\r';
            block[5 + len] = b'\n';
            self.block(&block, len + 6);
        } else if len <= BLOCK - 7 {
            let mut block = [0u8; BLOCK];
            block[0] = b'$';
            block[1] = b'0' + (len / 10) as u8;
            block[2] = b'0' + (len % 10) as u8;
            block[3] = b'\r';
            block[4] = b'\n';
            block[5..5 + len].copy_from_slice(bytes);
            block[5 + len] = b'\r';
            block[6 + len] = b'\n';
            self.block(&block, len + 7);
        } else {
            self.out.reserve(len + 32);
            self.header(b'$', len as i64);
            self.out.extend_from_slice(bytes);
            self.out.extend_from_slice(b"\r\n");
        }
    }

    /// Appends the first `len` bytes of `block`, copying the whole block because a copy of constant
    /// size is cheaper than one of few bytes.
    #[inline]
    fn block<const N: usize>(&mut self, block: &[u8; N], len: usize) {
        let before = self.out.len();
        self.out.extend_from_slice(block);
        self.out.truncate(before + len);
    }

    /// An integer, as a bulk string.
    #[inline]
    pub fn bulk_integer(&mut self, value: i64) {
        self.bulk(itoa::Buffer::new().format(value).as_bytes());
    }

    /// A double: RESP3's type, or its text as a bulk string.
    pub fn double(&mut self, value: f64) {
        let mut buffer = DoubleBuffer::default();
        self.double_text(format_f64(value, &mut buffer).as_bytes());
    }

    /// As [`double`](Self::double), of a number whose text the caller has.
    pub fn double_text(&mut self, text: &[u8]) {
        if self.is_resp3() {
            self.out.push(b',');
            self.out.extend_from_slice(text);
            self.out.extend_from_slice(b"\r\n");
        } else {
            self.bulk(text);
        }
    }

    /// A boolean: RESP3's type, or 1 and 0.
    pub fn boolean(&mut self, value: bool) {
        if self.is_resp3() {
            self.out
                .extend_from_slice(if value { b"#t\r\n" } else { b"#f\r\n" });
        } else {
            self.integer(value as i64);
        }
    }

    /// The null that stands for a missing string.
    #[inline]
    pub fn null(&mut self) {
        let text: &[u8] = if self.is_resp3() {
            b"_\r\n"
        } else {
            b"$-1\r\n"
        };
        self.out.extend_from_slice(text);
    }

    /// The null that stands for a missing array.
    pub fn null_array(&mut self) {
        let text: &[u8] = if self.is_resp3() {
            b"_\r\n"
        } else {
            b"*-1\r\n"
        };
        self.out.extend_from_slice(text);
    }

    /// The header of an array of `len` elements, which the caller writes next.
    #[inline]
    pub fn array(&mut self, len: usize) {
        self.header(b'*', len as i64);
    }

    /// The header of a map of `len` pairs; an array of 2 * `len` in RESP2.
    pub fn map(&mut self, len: usize) {
        if self.is_resp3() {
            self.header(b'%', len as i64);
        } else {
            self.header(b'*', 2 * len as i64);
        }
    }

    /// The header of a set; an array in RESP2.
    pub fn set(&mut self, len: usize) {
        self.header(if self.is_resp3() { b'~' } else { b'*' }, len as i64);
    }

    /// The header of an out-of-band push; an array in RESP2.
    pub fn push(&mut self, len: usize) {
        self.header(if self.is_resp3() { b'>' } else { b'*' }, len as i64);
    }

    /// A text with its format (three bytes, such as `txt`); a bulk string in RESP2.
    pub fn verbatim(&mut self, format: &str, text: &[u8]) {
        debug_assert_eq!(format.len(), 3);
        if self.is_resp3() {
            self.header(b'=', text.len() as i64 + 4);
            self.out.extend_from_slice(format.as_bytes());
            self.out.push(b':');
            self.out.extend_from_slice(text);
            self.out.extend_from_slice(b"\r\n");
        } else {
            self.bulk(text);
        }
    }

    /// Marks the place of an aggregate whose length will be known at its end.
    pub fn begin(&self) -> Deferred {
        Deferred(self.out.len())
    }

    /// Makes what was written since `begin` an array of `len` elements.
    pub fn end_array(&mut self, begin: Deferred, len: usize) {
        self.insert_header(begin, b'*', len as i64);
    }

    /// Makes what was written since `begin` a map of `len` pairs.
    pub fn end_map(&mut self, begin: Deferred, len: usize) {
        if self.is_resp3() {
            self.insert_header(begin, b'%', len as i64);
        } else {
            self.insert_header(begin, b'*', 2 * len as i64);
        }
    }

    /// Makes what was written since `begin` a set of `len` members.
    pub fn end_set(&mut self, begin: Deferred, len: usize) {
        self.insert_header(begin, if self.is_resp3() { b'~' } else { b'*' }, len as i64);
    }

    fn insert_header(&mut self, Deferred(at): Deferred, marker: u8, len: i64) {
        let body = self.out.len() - at;
        self.header(marker, len);
        self.out[at..].rotate_left(body);
    }

    #[inline]
    fn header(&mut self, marker: u8, value: i64) {
        if (0..10).contains(&value) {
            self.out
                .extend_from_slice(&[marker, b'0' + value as u8, b'\r', b'\n']);
            return;
        }
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(value);
        let mut block = [0u8; 24];
        block[0] = marker;
        block[1..1 + text.len()].copy_from_slice(text.as_bytes());
        block[1 + text.len()] = b'\r';
        block[2 + text.len()] = b'\n';
        self.block(&block, text.len() + 3);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(protocol: Protocol, write: impl Fn(&mut ReplyWriter<'_>), want: &str) {
        let mut out = Vec::new();
        write(&mut ReplyWriter::new(&mut out, protocol));
        assert_eq!(String::from_utf8(out).unwrap(), want);
    }

    #[test]
    fn every_type_in_both_protocols() {
        use Protocol::{Resp2, Resp3};
        check(Resp2, |w| w.null(), "$-1\r\n");
        check(Resp3, |w| w.null_array(), "_\r\n");
        check(Resp2, |w| w.null_array(), "*-1\r\n");
        check(Resp2, |w| w.double(1.5), "$3\r\n1.5\r\n");
        check(Resp3, |w| w.double(1.5), ",1.5\r\n");
        check(Resp2, |w| w.map(2), "*4\r\n");
        check(Resp3, |w| w.map(2), "%2\r\n");
        check(Resp3, |w| w.set(12), "~12\r\n");
        check(Resp3, |w| w.boolean(true), "#t\r\n");
        check(Resp2, |w| w.boolean(true), ":1\r\n");
        check(Resp3, |w| w.verbatim("txt", b"hi"), "=6\r\ntxt:hi\r\n");
        check(Resp2, |w| w.integer(-12345), ":-12345\r\n");
        check(Resp2, |w| w.error(b"ERR a\r\nb"), "-ERR a  b\r\n");
    }

    #[test]
    fn bulks_of_every_length_class() {
        for len in [0, 1, 9, 10, 56, 57, 58, 99, 100, 1000, 70_000] {
            let body = vec![b'x'; len];
            let want = format!("${len}\r\n{}\r\n", "x".repeat(len));
            check(Protocol::Resp2, |w| w.bulk(&body), &want);
        }
    }

    #[test]
    fn a_deferred_length_is_put_in_front() {
        let write = |w: &mut ReplyWriter<'_>| {
            w.integer(7);
            let begin = w.begin();
            w.bulk(b"a");
            w.bulk(b"b");
            w.end_array(begin, 2);
        };
        check(Protocol::Resp2, write, ":7\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n");
    }
}
