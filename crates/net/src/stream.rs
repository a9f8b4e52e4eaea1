//! A connected socket, TCP or Unix.

use std::io;
use std::net::IpAddr;
use std::os::fd::AsRawFd;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use engine::clients::Origin;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

/// A socket on which nothing has been read yet, free of any runtime: it may go to another worker.
#[derive(Debug)]
pub(crate) enum Accepted {
    Tcp(std::net::TcpStream),
    Unix(std::os::unix::net::UnixStream),
}

/// A connected socket.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Accepted {
    /// Ties the socket to the runtime of this thread.
    pub(crate) fn into_stream(self, keepalive: Duration) -> io::Result<Stream> {
        Ok(match self {
            Accepted::Tcp(stream) => {
                stream.set_nodelay(true)?;
                if !keepalive.is_zero() {
                    let options = TcpKeepalive::new()
                        .with_time(keepalive)
                        .with_interval((keepalive / 3).max(Duration::from_secs(1)))
                        .with_retries(3);
                    SockRef::from(&stream).set_tcp_keepalive(&options)?;
                }
                Stream::Tcp(TcpStream::from_std(stream)?)
            }
            Accepted::Unix(stream) => Stream::Unix(UnixStream::from_std(stream)?),
        })
    }

    /// The peer's address; `None` on a Unix socket.
    pub(crate) fn peer_ip(&self) -> Option<IpAddr> {
        match self {
            Accepted::Tcp(stream) => stream.peer_addr().ok().map(|address| address.ip()),
            Accepted::Unix(_) => None,
        }
    }

    /// Tries to say a last word before the socket is dropped.
    pub(crate) fn refuse(self, message: &[u8]) {
        use std::io::Write;
        // What can't be written now to a socket just accepted is of no use to its peer.
        let _ = match self {
            Accepted::Tcp(mut stream) => stream.write(message),
            Accepted::Unix(mut stream) => stream.write(message),
        };
    }
}

impl Stream {
    /// What CLIENT LIST shows of the socket.
    pub(crate) fn origin(&self, worker: usize) -> Origin {
        match self {
            Stream::Tcp(stream) => {
                let text = |address: io::Result<std::net::SocketAddr>| match address {
                    Ok(address) => address.to_string(),
                    Err(_) => "?:0".to_owned(),
                };
                Origin {
                    address: text(stream.peer_addr()),
                    local_address: text(stream.local_addr()),
                    descriptor: stream.as_raw_fd(),
                    worker,
                }
            }
            Stream::Unix(stream) => {
                let path = stream
                    .local_addr()
                    .ok()
                    .and_then(|address| Some(address.as_pathname()?.display().to_string()))
                    .unwrap_or_default();
                Origin {
                    address: format!("{path}:0"),
                    local_address: format!("{path}:0"),
                    descriptor: stream.as_raw_fd(),
                    worker,
                }
            }
        }
    }

    #[inline]
    pub(crate) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self {
            Stream::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Stream::Unix(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }

    #[inline]
    pub(crate) fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self {
            Stream::Tcp(stream) => Pin::new(stream).poll_write(cx, buf),
            Stream::Unix(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }
}
