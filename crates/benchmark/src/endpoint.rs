//! Where a server listens, and how to get a connection to it.

use std::fmt;
use std::io::{self, Read, Write};
use std::net;
use std::os::unix::net as unix;
use std::path::PathBuf;

use mio::event::Source;
use mio::{Interest, Registry, Token};

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Tcp { host: String, port: u16 },
    Unix(PathBuf),
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// A connection that blocks, for the few commands before and after a run.
#[derive(Debug)]
pub(crate) enum Blocking {
    Tcp(net::TcpStream),
    Unix(unix::UnixStream),
}

impl Endpoint {
    /// Waits until the connection stands.
    pub(crate) fn connect(&self) -> io::Result<Blocking> {
        match self {
            Self::Tcp { host, port } => {
                let stream = net::TcpStream::connect((host.as_str(), *port))?;
                stream.set_nodelay(true)?;
                Ok(Blocking::Tcp(stream))
            }
            Self::Unix(path) => unix::UnixStream::connect(path).map(Blocking::Unix),
        }
    }
}

impl Blocking {
    /// Whether both ends have the same address, as on loopback.
    pub(crate) fn stays_on_this_machine(&self) -> bool {
        match self {
            Self::Tcp(stream) => match (stream.local_addr(), stream.peer_addr()) {
                (Ok(local), Ok(peer)) => local.ip() == peer.ip(),
                _ => false,
            },
            Self::Unix(_) => true,
        }
    }
}

impl Read for Blocking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Blocking {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A connection for the event loop.
#[derive(Debug)]
pub(crate) enum Stream {
    /// With the address it leads to, which a closed socket no longer knows.
    Tcp(mio::net::TcpStream, net::SocketAddr),
    Unix(mio::net::UnixStream),
}

impl TryFrom<Blocking> for Stream {
    type Error = io::Error;

    fn try_from(blocking: Blocking) -> io::Result<Self> {
        match blocking {
            Blocking::Tcp(stream) => {
                let peer = stream.peer_addr()?;
                stream.set_nonblocking(true)?;
                Ok(Self::Tcp(mio::net::TcpStream::from_std(stream), peer))
            }
            Blocking::Unix(stream) => {
                stream.set_nonblocking(true)?;
                Ok(Self::Unix(mio::net::UnixStream::from_std(stream)))
            }
        }
    }
}

impl Stream {
    /// Another connection to the same server. Over TCP it may not stand yet: the first write then
    /// has to wait. A unix socket with a full backlog refuses a caller that does not wait, so there
    /// the call blocks.
    pub(crate) fn reconnect(&self, endpoint: &Endpoint) -> io::Result<Self> {
        match self {
            Self::Tcp(_, peer) => {
                let next = mio::net::TcpStream::connect(*peer)?;
                next.set_nodelay(true)?;
                Ok(Self::Tcp(next, *peer))
            }
            Self::Unix(_) => endpoint.connect()?.try_into(),
        }
    }
}

impl Read for Stream {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream, _) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream, _) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Source for Stream {
    fn register(
        &mut self,
        registry: &Registry,
        token: Token,
        interest: Interest,
    ) -> io::Result<()> {
        match self {
            Self::Tcp(stream, _) => stream.register(registry, token, interest),
            Self::Unix(stream) => stream.register(registry, token, interest),
        }
    }

    fn reregister(
        &mut self,
        registry: &Registry,
        token: Token,
        interest: Interest,
    ) -> io::Result<()> {
        match self {
            Self::Tcp(stream, _) => stream.reregister(registry, token, interest),
            Self::Unix(stream) => stream.reregister(registry, token, interest),
        }
    }

    fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
        match self {
            Self::Tcp(stream, _) => stream.deregister(registry),
            Self::Unix(stream) => stream.deregister(registry),
        }
    }
}
