//! Listening sockets.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use config::{Address, Config, parameter};
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpListener, UnixListener};

use crate::stream::Accepted;

/// Sockets that are bound and listen, not yet tied to a runtime.
#[derive(Debug)]
pub struct Bound {
    sockets: Vec<BoundSocket>,
    unix_path: Option<PathBuf>,
}

#[derive(Debug)]
enum BoundSocket {
    Tcp(std::net::TcpListener),
    Unix(std::os::unix::net::UnixListener),
}

/// Why the server can't listen. `Display` is the line for the log.
#[derive(Debug)]
pub struct BindError {
    message: String,
}

impl std::fmt::Display for BindError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BindError {}

impl Bound {
    /// Binds the addresses and the Unix socket that the configuration names.
    ///
    /// # Errors
    /// A [`BindError`] if an address that is not optional can't be had, or none at all.
    pub fn open(config: &Config) -> Result<Bound, BindError> {
        let port = config.read(parameter::PORT) as u16;
        let backlog = config.read(parameter::TCP_BACKLOG) as i32;
        let mut bound = Bound {
            sockets: Vec::new(),
            unix_path: None,
        };
        if port != 0 {
            bound.open_tcp(&config.read(parameter::BIND), port, backlog)?;
        }
        let path = config.read(parameter::UNIXSOCKET);
        if !path.is_empty() {
            let path = PathBuf::from(String::from_utf8_lossy(&path).into_owned());
            bound.open_unix(&path, config.read(parameter::UNIXSOCKETPERM) as u32)?;
        }
        if bound.sockets.is_empty() {
            return Err(BindError {
                message: "Configured to not listen anywhere, exiting.".to_owned(),
            });
        }
        Ok(bound)
    }

    fn open_tcp(
        &mut self,
        addresses: &[Address],
        port: u16,
        backlog: i32,
    ) -> Result<(), BindError> {
        let before = self.sockets.len();
        for address in addresses {
            let result = match address.ip() {
                Some(ip) => tcp(ip, port, backlog),
                None => Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    "not an IP address",
                )),
            };
            match result {
                Ok(listener) => self.sockets.push(BoundSocket::Tcp(listener)),
                Err(error) => {
                    let text = cause(&error);
                    log::warn!(
                        "Warning: Could not create server TCP listening socket {}:{port}: {text}",
                        address.host
                    );
                    if !address.is_optional || error.kind() == io::ErrorKind::AddrInUse {
                        let message = format!("Failed listening on port {port} (tcp), aborting.");
                        return Err(BindError { message });
                    }
                }
            }
        }
        if self.sockets.len() == before {
            return Err(BindError {
                message: format!("Failed listening on port {port} (tcp), aborting."),
            });
        }
        Ok(())
    }

    fn open_unix(&mut self, path: &Path, mode: u32) -> Result<(), BindError> {
        let failed = |error: io::Error| BindError {
            message: format!(
                "Failed opening Unix socket: bind: {} ({})",
                cause(&error),
                path.display()
            ),
        };
        // A socket left over from an earlier run; one that is in use is not ours to remove, but
        // Redis does the same, and its users rely on it.
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let listener = std::os::unix::net::UnixListener::bind(path).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        if mode != 0 {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).map_err(failed)?;
        }
        self.sockets.push(BoundSocket::Unix(listener));
        self.unix_path = Some(path.to_owned());
        Ok(())
    }

    /// The TCP addresses, for a caller that let the system choose the port.
    pub fn tcp_addresses(&self) -> Vec<SocketAddr> {
        let tcp = |socket: &BoundSocket| match socket {
            BoundSocket::Tcp(listener) => listener.local_addr().ok(),
            BoundSocket::Unix(_) => None,
        };
        self.sockets.iter().filter_map(tcp).collect()
    }

    /// The path of the Unix socket, to be removed at the end.
    pub fn unix_path(&self) -> Option<&Path> {
        self.unix_path.as_deref()
    }

    /// Ties the sockets to the runtime of this thread.
    pub(crate) fn into_listeners(self) -> io::Result<Vec<Listener>> {
        let tie = |socket| {
            Ok(match socket {
                BoundSocket::Tcp(listener) => Listener::Tcp(TcpListener::from_std(listener)?),
                BoundSocket::Unix(listener) => Listener::Unix(UnixListener::from_std(listener)?),
            })
        };
        self.sockets.into_iter().map(tie).collect()
    }
}

fn tcp(ip: IpAddr, port: u16, backlog: i32) -> io::Result<std::net::TcpListener> {
    let address = SocketAddr::new(ip, port);
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    socket.set_reuse_address(true)?;
    if address.is_ipv6() {
        // `*` and `::*` are both bound by default; the second must not take the first's port.
        socket.set_only_v6(true)?;
    }
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(backlog)?;
    Ok(socket.into())
}

/// The system's message alone, without Rust's "(os error 98)".
fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// A listening socket.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    pub(crate) async fn accept(&self) -> io::Result<Accepted> {
        Ok(match self {
            Listener::Tcp(listener) => Accepted::Tcp(listener.accept().await?.0.into_std()?),
            Listener::Unix(listener) => Accepted::Unix(listener.accept().await?.0.into_std()?),
        })
    }
}
