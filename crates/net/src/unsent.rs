//! Replies that a socket did not take yet.
//!
//! A list of chunks: a client that reads nothing may be owed hundreds of megabytes, and one buffer
//! that holds them all is copied whenever it grows. Large output changes hands without a copy.
//!
//! Invariants: no chunk is empty, and `sent` lies within the first.

use std::collections::VecDeque;

/// Output shorter than this is copied behind what is there already, so that many short replies do not
/// make many chunks.
const CHUNK_SIZE: usize = 64 * 1024;

/// The chunks, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Unsent {
    chunks: VecDeque<Vec<u8>>,
    /// Bytes of the first chunk that the socket has taken.
    sent: usize,
    bytes: usize,
}

impl Unsent {
    /// The bytes that wait.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Adds `output` from byte `from` on, and leaves it empty.
    #[cold]
    pub(crate) fn push(&mut self, output: &mut Vec<u8>, from: usize) {
        let added = output.len() - from;
        if added == 0 {
            output.clear();
            return;
        }
        self.bytes += added;
        match self.chunks.back_mut() {
            Some(last) if added <= CHUNK_SIZE && last.len() + added <= last.capacity() => {
                last.extend_from_slice(&output[from..]);
                output.clear();
            }
            _ if added <= CHUNK_SIZE => {
                let mut chunk = Vec::new();
                // The first leftover is often the only one.
                if !self.chunks.is_empty() {
                    chunk.reserve_exact(CHUNK_SIZE);
                }
                chunk.extend_from_slice(&output[from..]);
                self.chunks.push_back(chunk);
                output.clear();
            }
            _ => {
                if self.chunks.is_empty() {
                    self.sent = from;
                } else {
                    output.drain(..from);
                }
                self.chunks.push_back(std::mem::take(output));
            }
        }
    }

    /// What is to be sent next.
    pub(crate) fn front(&self) -> &[u8] {
        self.chunks
            .front()
            .map_or(&[][..], |chunk| &chunk[self.sent..])
    }

    /// Notes that the socket took `count` bytes of [`front`](Self::front).
    pub(crate) fn advance(&mut self, count: usize) {
        self.sent += count;
        self.bytes -= count;
        if self
            .chunks
            .front()
            .is_some_and(|first| first.len() == self.sent)
        {
            self.chunks.pop_front();
            self.sent = 0;
        }
        if self.bytes == 0 {
            self.chunks = VecDeque::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let mut unsent = Unsent::default();
        let (mut expected, mut sent) = (Vec::new(), Vec::new());
        let mut state = 1u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        };
        for round in 0..2_000 {
            let len = [0, 1, 100, CHUNK_SIZE, CHUNK_SIZE + 1, 3 * CHUNK_SIZE][random(6)];
            let mut output: Vec<u8> = (0..len).map(|byte| (byte + round) as u8).collect();
            let from = random(len + 1);
            expected.extend_from_slice(&output[from..]);
            unsent.push(&mut output, from);
            assert!(output.is_empty());
            for _ in 0..random(4) {
                let front = unsent.front();
                if front.is_empty() {
                    assert!(unsent.is_empty());
                    break;
                }
                let taken = 1 + random(front.len());
                sent.extend_from_slice(&front[..taken]);
                unsent.advance(taken);
            }
            assert_eq!(unsent.len(), expected.len() - sent.len());
        }
        while !unsent.is_empty() {
            sent.extend_from_slice(unsent.front());
            unsent.advance(unsent.front().len());
        }
        assert!(sent == expected);
    }
}
