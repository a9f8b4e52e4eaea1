//! A session: what a connection has told the server, seen by its own commands only.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use config::parameter;
use resp::Protocol;

use crate::clients::{Client, Origin};
use crate::server::Server;

/// The user that connections are before they say otherwise.
pub const DEFAULT_USER: &[u8] = b"default";

/// The state of one connection.
#[derive(Debug)]
pub struct Session {
    /// What others see of it.
    pub client: Arc<Client>,
    /// Whether it may use commands other than those marked `no_auth`.
    pub is_authenticated: bool,
    database: usize,
    protocol: Protocol,
}

impl Session {
    /// A session of a new client.
    pub fn new(
        server: &Server,
        origin: Origin,
        close: impl Fn() + Send + Sync + 'static,
    ) -> Session {
        let client = Client::new(origin, server.clock.now_ms(), close);
        Session {
            client: server.clients.add(client),
            is_authenticated: !server.needs_password(),
            database: 0,
            protocol: Protocol::Resp2,
        }
    }

    /// The selected database.
    #[inline]
    pub fn database(&self) -> usize {
        self.database
    }

    /// Selects a database, which there is.
    pub fn select(&mut self, database: usize) {
        self.database = database;
        self.client.database.store(database, Relaxed);
    }

    /// The protocol of replies.
    #[inline]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Changes the protocol of replies.
    pub fn set_protocol(&mut self, protocol: Protocol) {
        self.protocol = protocol;
        self.client
            .protocol
            .store(if protocol == Protocol::Resp3 { 3 } else { 2 }, Relaxed);
    }

    /// Makes the connection that of `user`, if there is such a user and this is the password. The
    /// default user without a password takes any. Otherwise the session stays what it was.
    #[must_use]
    pub fn authenticate(&mut self, server: &Server, user: &[u8], password: &[u8]) -> bool {
        let wanted = server.config.read(parameter::REQUIREPASS);
        let is_right = server.has_user(user) && (wanted.is_empty() || is_same(&wanted, password));
        if is_right {
            self.is_authenticated = true;
            self.client.identity.lock().user = user.to_vec();
        }
        is_right
    }

    /// Forgets what the connection has told, as RESET does. The names of the client's library stay:
    /// the library is still the same.
    pub fn reset(&mut self, server: &Server) {
        self.select(0);
        self.set_protocol(Protocol::Resp2);
        self.is_authenticated = !server.needs_password();
        self.client.is_kept.store(false, Relaxed);
        self.client.leaves_no_marks.store(false, Relaxed);
        let mut identity = self.client.identity.lock();
        identity.name.clear();
        identity.user = DEFAULT_USER.to_vec();
    }
}

/// Whether two secrets are equal, in a time that depends on the length of `given` only, so that
/// nobody can guess a password byte by byte.
fn is_same(wanted: &[u8], given: &[u8]) -> bool {
    let mut difference = wanted.len() ^ given.len();
    for (index, byte) in given.iter().enumerate() {
        let wanted = wanted[index % wanted.len()];
        difference |= usize::from(std::hint::black_box(wanted ^ byte));
    }
    difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets() {
        assert!(is_same(b"secret", b"secret"));
        for other in [&b""[..], b"secre", b"secrets", b"Secret", b"secretsecret"] {
            assert!(!is_same(b"secret", other));
        }
    }
}
