//! A server that does no work: it finds where each command ends and answers `+OK`.
//!
//! What it costs is what any server on one thread of this kernel must cost, so it is the floor in the tables. One
//! thread, one poll, one read and one write per turn of a connection, no allocation in the steady state.

use std::io::{ErrorKind, Read, Write};
use std::net::SocketAddr;

use anyhow::Result;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};

const LISTENER: Token = Token(usize::MAX);

struct Connection {
    stream: TcpStream,
    /// Bytes of a command that has not wholly arrived.
    pending: Vec<u8>,
}

/// Serves for ever.
pub(super) fn serve(port: u16) -> Result<()> {
    let mut poll = Poll::new()?;
    let mut listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], port)))?;
    poll.registry()
        .register(&mut listener, LISTENER, Interest::READABLE)?;
    let mut events = Events::with_capacity(1024);
    let mut connections: Vec<Option<Connection>> = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut replies = Vec::new();
    loop {
        match poll.poll(&mut events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            polled => polled?,
        }
        for event in &events {
            if event.token() == LISTENER {
                while let Ok((mut stream, _)) = listener.accept() {
                    stream.set_nodelay(true)?;
                    let token = Token(connections.len());
                    poll.registry()
                        .register(&mut stream, token, Interest::READABLE)?;
                    connections.push(Some(Connection {
                        stream,
                        pending: Vec::new(),
                    }));
                }
                continue;
            }
            let slot = &mut connections[event.token().0];
            let open = match slot {
                Some(connection) => connection.turn(&mut buffer, &mut replies),
                None => continue,
            };
            if !open {
                *slot = None;
            }
        }
    }
}

impl Connection {
    /// Reads until there is nothing more and answers; `false` when the connection is over.
    fn turn(&mut self, buffer: &mut [u8], replies: &mut Vec<u8>) -> bool {
        loop {
            let count = match self.stream.read(buffer) {
                Ok(0) => return false,
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return false,
            };
            let mut input = &buffer[..count];
            let joined;
            if !self.pending.is_empty() {
                self.pending.extend_from_slice(input);
                joined = std::mem::take(&mut self.pending);
                input = &joined;
            }
            replies.clear();
            while let Some(length) = command_length(input) {
                input = &input[length..];
                replies.extend_from_slice(b"+OK\r\n");
            }
            self.pending.extend_from_slice(input);
            // The load reads all that it is owed before it sends more, so this fits the socket's buffer.
            if self.stream.write_all(replies).is_err() {
                return false;
            }
            if count < buffer.len() {
                return true;
            }
        }
    }
}

/// The length of the command that `input` begins with, if all of it is there.
fn command_length(input: &[u8]) -> Option<usize> {
    let line_end = |from: usize| {
        input[from..]
            .iter()
            .position(|&byte| byte == b'\n')
            .map(|at| from + at + 1)
    };
    let number = |from: usize, to: usize| {
        input[from + 1..to - 2]
            .iter()
            .fold(0, |number: usize, &digit| {
                number * 10 + usize::from(digit.wrapping_sub(b'0'))
            })
    };
    let mut at = line_end(0)?;
    if input[0] != b'*' {
        return Some(at);
    }
    for _ in 0..number(0, at) {
        let end = line_end(at)?;
        let length = number(at, end);
        at = end + length + 2;
        if at > input.len() {
            return None;
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_measured_whole_or_not_at_all() {
        let command = b"*2\r\n$3\r\nGET\r\n$10\r\n0123456789\r\n";
        assert_eq!(command_length(command), Some(command.len()));
        assert_eq!(command_length(b"PING\r\nPING\r\n"), Some(6));
        for end in 0..command.len() {
            assert_eq!(command_length(&command[..end]), None);
        }
    }
}
