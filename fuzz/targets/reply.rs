//! The reader of replies: however the bytes are cut, the values and the end are the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use resp::client::{DecodeError, Decoder, Value};

fn decode<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Value>, Option<DecodeError>) {
    let mut decoder = Decoder::new();
    let mut values = Vec::new();
    for piece in pieces {
        decoder.feed(piece);
        loop {
            match decoder.next() {
                Ok(Some(value)) => values.push(value),
                Ok(None) => break,
                Err(error) => return (values, Some(error)),
            }
        }
    }
    (values, None)
}

fuzz_target!(|input: (u8, &[u8])| {
    let (size, bytes) = input;
    let (whole, error) = decode(std::iter::once(bytes));
    let (pieces, error_in_pieces) = decode(bytes.chunks(usize::from(size).max(1)));
    assert_eq!(whole, pieces);
    assert_eq!(error.is_some(), error_in_pieces.is_some());
});
