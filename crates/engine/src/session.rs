//! A session: what a connection has told the server, seen by its own commands only.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use resp::Protocol;

use crate::clients::{Client, Origin};
use crate::server::Server;

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

    /// Forgets what the connection has told, as RESET does.
    pub fn reset(&mut self, server: &Server) {
        self.select(0);
        self.set_protocol(Protocol::Resp2);
        self.is_authenticated = !server.needs_password();
        let mut identity = self.client.identity.lock();
        identity.name.clear();
        identity.user = b"default".to_vec();
    }
}
