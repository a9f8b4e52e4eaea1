//! The parser of requests: however the bytes are cut into reads, the requests and the end are the same,
//! and what is announced is never more than what is asked for.

#![no_main]

use libfuzzer_sys::fuzz_target;
use resp::{Limits, Progress, ProtocolError, RequestParser};

type Parsed = (Vec<Vec<Vec<u8>>>, Result<usize, ProtocolError>);

/// Parses `input` as it grows to each of `ends`, the way a connection does.
fn parse(input: &[u8], ends: impl Iterator<Item = usize>, limits: &Limits) -> Parsed {
    let mut parser = RequestParser::default();
    let (mut start, mut requests) = (0, Vec::new());
    for end in ends {
        let buffer = &input[start..end];
        let mut consumed = 0;
        loop {
            let mut words = Vec::new();
            match parser.next(buffer, &mut consumed, &mut words, limits) {
                Ok(Progress::Complete) => {
                    requests.push(words.iter().map(|word| word.to_vec()).collect());
                }
                Ok(Progress::Unescaped(words)) => requests.push(words),
                Ok(Progress::Skipped) => {}
                Ok(Progress::Incomplete) => break,
                Err(error) => return (requests, Err(error)),
            }
        }
        assert!(consumed <= buffer.len());
        start += consumed;
    }
    (requests, Ok(start))
}

fuzz_target!(|input: (bool, Vec<u16>, &[u8])| {
    let (unauthenticated, cuts, bytes) = input;
    let limits = Limits {
        unauthenticated,
        ..Limits::default()
    };
    let whole = parse(bytes, std::iter::once(bytes.len()), &limits);
    let mut ends: Vec<usize> = cuts
        .iter()
        .map(|cut| usize::from(*cut) % (bytes.len() + 1))
        .collect();
    ends.push(bytes.len());
    ends.sort_unstable();
    assert_eq!(parse(bytes, ends.into_iter(), &limits), whole);
});
