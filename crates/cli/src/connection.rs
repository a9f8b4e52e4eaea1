//! One connection to a server: bytes out, replies in, blocking.
//!
//! Knows the transport and RESP's framing, and nothing of users, databases or output. Waiting with
//! an eye on Ctrl-C or the keyboard is up to the caller, by [`Connection::try_receive`] and
//! [`Connection::fill`] around its own poll.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use resp::client::{DecodeError, Decoder, Value, encode_request};
use socket2::{SockRef, TcpKeepalive};

use crate::args::{Endpoint, IpPreference};

/// Long commands keep a connection silent; probes tell a slow server from a dead one.
const KEEPALIVE: Duration = Duration::from_secs(15);

const READ_BYTES: usize = 64 * 1024;

/// Why a connection can no longer be used.
#[derive(Debug)]
pub(crate) enum Lost {
    Closed,
    Io(io::Error),
    Protocol(DecodeError),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Closed => f.write_str("Server closed the connection"),
            Lost::Io(error) => f.write_str(&reason(error)),
            Lost::Protocol(error) => write!(f, "Protocol error, {error}"),
        }
    }
}

impl From<io::Error> for Lost {
    fn from(error: io::Error) -> Self {
        Lost::Io(error)
    }
}

/// The system's text for an error, without Rust's `(os error 111)`.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

pub(crate) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    pub(crate) fn try_clone(&self) -> io::Result<Stream> {
        Ok(match self {
            Stream::Tcp(stream) => Stream::Tcp(stream.try_clone()?),
            Stream::Unix(stream) => Stream::Unix(stream.try_clone()?),
        })
    }

    fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.set_read_timeout(timeout),
            Stream::Unix(stream) => stream.set_read_timeout(timeout),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(buffer),
            Stream::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.write(bytes),
            Stream::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) struct Connection {
    stream: Stream,
    decoder: Decoder,
    requests: Vec<u8>,
    read_buffer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(
        endpoint: &Endpoint,
        timeout: Option<Duration>,
        preference: IpPreference,
    ) -> io::Result<Connection> {
        let stream = match endpoint {
            Endpoint::Unix(path) => Stream::Unix(UnixStream::connect(path)?),
            Endpoint::Tcp { host, port } => {
                let stream = connect_tcp(host, *port, timeout, preference)?;
                stream.set_nodelay(true)?;
                let keepalive = TcpKeepalive::new()
                    .with_time(KEEPALIVE)
                    .with_interval(KEEPALIVE / 3);
                SockRef::from(&stream).set_tcp_keepalive(&keepalive)?;
                Stream::Tcp(stream)
            }
        };
        Ok(Connection {
            stream,
            decoder: Decoder::new(),
            requests: Vec::new(),
            read_buffer: vec![0; READ_BYTES],
        })
    }

    /// Appends a request to those that [`Connection::flush`] will send.
    pub(crate) fn queue<A: AsRef<[u8]>>(&mut self, args: &[A]) {
        encode_request(args, &mut self.requests);
    }

    pub(crate) fn flush(&mut self) -> Result<(), Lost> {
        let sent = self.stream.write_all(&self.requests);
        self.requests.clear();
        Ok(sent?)
    }

    pub(crate) fn send<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Result<(), Lost> {
        self.queue(args);
        self.flush()
    }

    /// A value that has already arrived.
    pub(crate) fn try_receive(&mut self) -> Result<Option<Value>, Lost> {
        self.decoder.next().map_err(Lost::Protocol)
    }

    /// Waits for bytes and takes them in. They need not complete a value.
    pub(crate) fn fill(&mut self) -> Result<(), Lost> {
        loop {
            match self.stream.read(&mut self.read_buffer) {
                Ok(0) => return Err(Lost::Closed),
                Ok(count) => {
                    self.decoder.feed(&self.read_buffer[..count]);
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The next value, pushes included.
    pub(crate) fn receive(&mut self) -> Result<Value, Lost> {
        loop {
            if let Some(value) = self.try_receive()? {
                return Ok(value);
            }
            self.fill()?;
        }
    }

    /// Like [`Connection::receive`], but `None` if nothing arrives within `timeout`.
    pub(crate) fn receive_within(&mut self, timeout: Duration) -> Result<Option<Value>, Lost> {
        self.stream.set_read_timeout(Some(timeout))?;
        let received = match self.receive() {
            Err(Lost::Io(error))
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                ) =>
            {
                Ok(None)
            }
            other => other.map(Some),
        };
        self.stream.set_read_timeout(None)?;
        received
    }

    /// The reply to one request; pushes that come before it are dropped.
    pub(crate) fn call<A: AsRef<[u8]>>(&mut self, args: &[A]) -> Result<Value, Lost> {
        self.send(args)?;
        self.reply()
    }

    /// The next value that is no push.
    pub(crate) fn reply(&mut self) -> Result<Value, Lost> {
        loop {
            let value = self.receive()?;
            if !matches!(value, Value::Push(_)) {
                return Ok(value);
            }
        }
    }

    /// Whether the server has hung up, for instance because this client was idle. Bytes that have
    /// arrived meanwhile are kept.
    pub(crate) fn has_hung_up(&mut self) -> bool {
        let mut fds = [PollFd::new(self.stream.as_fd(), PollFlags::POLLIN)];
        match poll(&mut fds, PollTimeout::ZERO) {
            Ok(0) => false,
            Ok(_) => self.fill().is_err(),
            Err(_) => true,
        }
    }

    /// A second handle on the stream, to send from another thread.
    pub(crate) fn sender(&self) -> io::Result<Stream> {
        self.stream.try_clone()
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Stream::Tcp(stream) => stream.as_fd(),
            Stream::Unix(stream) => stream.as_fd(),
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// Tries each address of the host, the preferred family first, and reports the last failure.
fn connect_tcp(
    host: &str,
    port: u16,
    timeout: Option<Duration>,
    preference: IpPreference,
) -> io::Result<TcpStream> {
    let mut addresses: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
    match preference {
        IpPreference::None => {}
        IpPreference::V4 => addresses.sort_by_key(|address| !address.is_ipv4()),
        IpPreference::V6 => addresses.sort_by_key(|address| !address.is_ipv6()),
    }
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "The host has no address");
    for address in addresses {
        let connected = match timeout {
            Some(timeout) => TcpStream::connect_timeout(&address, timeout),
            None => TcpStream::connect(address),
        };
        match connected {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}
