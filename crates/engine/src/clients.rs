//! The clients of a server, as CLIENT LIST and CLIENT KILL see them.
//!
//! A connection belongs to one worker; what others may see of it stands in its [`Client`], whose
//! fields are atomics, or locked when they change rarely.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed};

use parking_lot::Mutex;

/// One client.
pub struct Client {
    /// Its number, never used again.
    pub id: u64,
    /// Its address.
    pub address: String,
    /// The server's address that it connected to.
    pub local_address: String,
    /// The file descriptor of its socket.
    pub descriptor: i32,
    /// The worker that its connection belongs to.
    pub worker: usize,
    /// When it connected, in Unix milliseconds.
    pub created_ms: u64,
    /// When it last sent something, in Unix milliseconds.
    pub active_ms: AtomicU64,
    /// The database it has selected.
    pub database: AtomicUsize,
    /// 2 or 3.
    pub protocol: AtomicU8,
    /// The index of its last command in the command table plus one; 0 for none yet.
    pub last_command: AtomicUsize,
    /// Bytes of its requests that are not executed yet.
    pub query_bytes: AtomicUsize,
    /// Bytes allocated for its requests.
    pub query_capacity: AtomicUsize,
    /// Bytes of its replies that are not sent yet.
    pub output_bytes: AtomicUsize,
    /// Bytes received from it.
    pub received_bytes: AtomicU64,
    /// Bytes sent to it.
    pub sent_bytes: AtomicU64,
    /// Commands it has sent.
    pub commands: AtomicU64,
    /// What it says of itself.
    pub identity: Mutex<Identity>,
    is_killed: AtomicBool,
    close: Box<dyn Fn() + Send + Sync>,
}

/// What a client says of itself.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// CLIENT SETNAME.
    pub name: Vec<u8>,
    /// CLIENT SETINFO LIB-NAME.
    pub library_name: Vec<u8>,
    /// CLIENT SETINFO LIB-VER.
    pub library_version: Vec<u8>,
    /// The user it has authenticated as.
    pub user: Vec<u8>,
}

/// Where a connection comes from, told by whoever accepted it.
#[derive(Debug, Default)]
pub struct Origin {
    /// See [`Client::address`].
    pub address: String,
    /// See [`Client::local_address`].
    pub local_address: String,
    /// See [`Client::descriptor`].
    pub descriptor: i32,
    /// See [`Client::worker`].
    pub worker: usize,
}

impl Client {
    /// A client that [`Clients::add`] will number. `close` makes its connection end soon; it may be
    /// called from any thread and more than once.
    pub fn new(origin: Origin, now_ms: u64, close: impl Fn() + Send + Sync + 'static) -> Client {
        let identity = Identity {
            user: b"default".to_vec(),
            ..Identity::default()
        };
        Client {
            id: 0,
            address: origin.address,
            local_address: origin.local_address,
            descriptor: origin.descriptor,
            worker: origin.worker,
            created_ms: now_ms,
            active_ms: AtomicU64::new(now_ms),
            database: AtomicUsize::new(0),
            protocol: AtomicU8::new(2),
            last_command: AtomicUsize::new(0),
            query_bytes: AtomicUsize::new(0),
            query_capacity: AtomicUsize::new(0),
            output_bytes: AtomicUsize::new(0),
            received_bytes: AtomicU64::new(0),
            sent_bytes: AtomicU64::new(0),
            commands: AtomicU64::new(0),
            identity: Mutex::new(identity),
            is_killed: AtomicBool::new(false),
            close: Box::new(close),
        }
    }

    /// Ends the client's connection: it executes nothing more.
    pub fn kill(&self) {
        self.is_killed.store(true, Relaxed);
        (self.close)();
    }

    /// Whether the connection has to end.
    #[inline]
    pub fn is_killed(&self) -> bool {
        self.is_killed.load(Relaxed)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("id", &self.id)
            .field("address", &self.address)
            .finish()
    }
}

/// Adds to a counter that only one thread writes: no locked instruction.
#[inline]
pub fn bump(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Relaxed) + by, Relaxed);
}

/// All clients, by number.
#[derive(Debug, Default)]
pub struct Clients {
    by_id: Mutex<BTreeMap<u64, Arc<Client>>>,
    last_id: AtomicU64,
}

impl Clients {
    /// Numbers a client and enters it.
    pub fn add(&self, mut client: Client) -> Arc<Client> {
        client.id = self.last_id.fetch_add(1, Relaxed) + 1;
        let client = Arc::new(client);
        self.by_id.lock().insert(client.id, client.clone());
        client
    }

    /// Strikes out a client whose connection has ended.
    pub fn remove(&self, id: u64) {
        self.by_id.lock().remove(&id);
    }

    /// The number of clients.
    pub fn len(&self) -> usize {
        self.by_id.lock().len()
    }

    /// Whether there is no client.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All clients, by ascending number.
    pub fn all(&self) -> Vec<Arc<Client>> {
        self.by_id.lock().values().cloned().collect()
    }

    /// The client of this number.
    pub fn get(&self, id: u64) -> Option<Arc<Client>> {
        self.by_id.lock().get(&id).cloned()
    }
}
