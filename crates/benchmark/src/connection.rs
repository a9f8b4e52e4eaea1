//! One connection of the load: what it sent, what it still waits for.
//!
//! A connection has at most one batch under way. It tries to write at once and waits for the socket
//! only if the kernel does not take everything, so a round trip is one write, one read and a share
//! of one poll.

use std::io::{ErrorKind, Read, Write};
use std::time::Instant;

use crate::endpoint::Stream;
use crate::failure::{Failure, describe};
use crate::framing::{Framing, Reply};
use crate::load::Greeting;

/// A connection and its batch.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: Stream,
    framing: Framing,
    /// Replies to the greeting that are still due; they come first.
    greeting_due: usize,
    /// Replies to the batch that are still due.
    due: usize,
    sent_at: Instant,
    /// Microseconds from the send to the first bytes that came back.
    latency_us: Option<u64>,
    /// What the kernel did not take, from `unsent_from` on; empty if it took all.
    unsent: Vec<u8>,
    unsent_from: usize,
    fresh: bool,
    ended: bool,
}

/// Error replies that came in.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) count: u64,
    /// The first text since it was last taken.
    pub(crate) text: Option<String>,
    /// A greeting was refused.
    pub(crate) greeting: Option<String>,
}

impl Connection {
    pub(crate) fn new(stream: Stream, now: Instant) -> Self {
        Self {
            stream,
            framing: Framing::new(),
            greeting_due: 0,
            due: 0,
            sent_at: now,
            latency_us: None,
            unsent: Vec::new(),
            unsent_from: 0,
            fresh: true,
            ended: false,
        }
    }

    pub(crate) const fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Whether it has sent a batch before.
    pub(crate) const fn is_used(&self) -> bool {
        !self.fresh
    }

    /// The latency of the batch that just ended.
    pub(crate) fn latency_us(&self) -> u64 {
        self.latency_us.unwrap_or(0)
    }

    /// Sends a batch of `replies` requests; on a new connection the greeting goes first.
    pub(crate) fn send(
        &mut self,
        batch: &[u8],
        replies: usize,
        greeting: &Greeting,
    ) -> Result<(), Failure> {
        debug_assert!(self.due == 0 && self.unsent.is_empty());
        if self.ended {
            return Err(Failure::Closed);
        }
        self.due = replies;
        self.latency_us = None;
        self.sent_at = Instant::now();
        if self.fresh && greeting.replies() > 0 {
            self.greeting_due = greeting.replies();
            self.unsent.extend_from_slice(greeting.bytes());
            self.unsent.extend_from_slice(batch);
            self.fresh = false;
            return self.flush();
        }
        self.fresh = false;
        let taken = write(&mut self.stream, batch)?;
        self.unsent.extend_from_slice(&batch[taken..]);
        Ok(())
    }

    /// Writes what was left over, as far as the kernel takes it.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.unsent_from += write(&mut self.stream, &self.unsent[self.unsent_from..])?;
        if self.unsent_from == self.unsent.len() {
            self.unsent.clear();
            self.unsent_from = 0;
        }
        Ok(())
    }

    pub(crate) const fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Reads what is there; true if that ended the batch. `hung_up` says that the other side has
    /// closed, so that the end of the stream has to be looked for: no event will tell of it again.
    pub(crate) fn receive(
        &mut self,
        buffer: &mut [u8],
        hung_up: bool,
        faults: &mut Faults,
    ) -> Result<bool, Failure> {
        let was_due = self.due > 0;
        loop {
            let now = Instant::now();
            match self.stream.read(buffer) {
                Ok(0) => {
                    self.ended = true;
                    if self.due > 0 {
                        return Err(Failure::Closed);
                    }
                    break;
                }
                Ok(count) => {
                    if self.latency_us.is_none() {
                        self.latency_us = Some((now - self.sent_at).as_micros() as u64);
                    }
                    self.scan(&buffer[..count], faults)?;
                    // A short read has emptied the socket; asking again would only cost a system
                    // call.
                    if count < buffer.len() && !hung_up {
                        break;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::io(&error)),
            }
        }
        Ok(was_due && self.due == 0)
    }

    fn scan(&mut self, bytes: &[u8], faults: &mut Faults) -> Result<(), Failure> {
        let Self {
            framing,
            greeting_due,
            due,
            ..
        } = self;
        framing.feed(bytes, |reply| {
            if *greeting_due > 0 {
                *greeting_due -= 1;
                if let Reply::Error(text) = reply {
                    faults.greeting.get_or_insert_with(|| lossy(text));
                }
                return;
            }
            *due = due.saturating_sub(1);
            if let Reply::Error(text) = reply {
                faults.count += 1;
                faults.text.get_or_insert_with(|| lossy(text));
            }
        })?;
        Ok(())
    }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// How many bytes the kernel took. A connection that the other side has closed takes none and is no
/// failure here: what it said before, or that it said nothing, is found by reading.
fn write(stream: &mut Stream, bytes: &[u8]) -> Result<usize, Failure> {
    let mut taken = 0;
    while taken < bytes.len() {
        match stream.write(&bytes[taken..]) {
            Ok(count) => {
                taken += count;
            }
            Err(error) => match error.kind() {
                ErrorKind::Interrupted => {}
                ErrorKind::WouldBlock | ErrorKind::NotConnected => break,
                ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => break,
                _ => return Err(Failure::Io(describe(&error))),
            },
        }
    }
    Ok(taken)
}
