//! The clients of a server, as CLIENT LIST and CLIENT KILL see them.
//!
//! A connection belongs to one worker; what others may see of it stands in its [`Client`], whose
//! fields are atomics, or locked when they change rarely.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicU8, AtomicU64, AtomicUsize, Ordering::Relaxed,
};

use parking_lot::Mutex;

use crate::session::DEFAULT_USER;
use crate::table::CommandTable;

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
    /// Channels it has subscribed to.
    pub channels: AtomicUsize,
    /// Patterns of channels it has subscribed to.
    pub patterns: AtomicUsize,
    /// Sharded channels it has subscribed to.
    pub shard_channels: AtomicUsize,
    /// Commands queued in its transaction; -1 outside of one.
    pub queued: AtomicI64,
    /// Keys it watches.
    pub watched: AtomicUsize,
    /// Whether it waits in a blocking command.
    pub is_blocked: AtomicBool,
    /// Whether it keeps its connection when the buffers of all clients take too much memory.
    pub is_kept: AtomicBool,
    /// Whether its lookups leave no marks of use on keys.
    pub leaves_no_marks: AtomicBool,
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
            user: DEFAULT_USER.to_vec(),
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
            channels: AtomicUsize::new(0),
            patterns: AtomicUsize::new(0),
            shard_channels: AtomicUsize::new(0),
            queued: AtomicI64::new(-1),
            watched: AtomicUsize::new(0),
            is_blocked: AtomicBool::new(false),
            is_kept: AtomicBool::new(false),
            leaves_no_marks: AtomicBool::new(false),
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

    /// Whether it is on this machine: on a Unix socket, or on TCP from a loopback address.
    pub fn is_local(&self) -> bool {
        match self.address.parse::<SocketAddr>() {
            Ok(address) => address.ip().to_canonical().is_loopback(),
            Err(_) => true,
        }
    }

    /// Whether it has subscribed to anything.
    pub fn is_subscribed(&self) -> bool {
        let counts = [&self.channels, &self.patterns, &self.shard_channels];
        counts.iter().any(|count| count.load(Relaxed) > 0)
    }

    /// The letters of what it is and does, `N` for nothing special.
    pub fn flags(&self) -> String {
        let letters = [
            (self.is_subscribed(), 'P'),
            (self.queued.load(Relaxed) >= 0, 'x'),
            (self.is_blocked.load(Relaxed), 'b'),
            (self.is_killed(), 'A'),
            (self.is_on_unix_socket(), 'U'),
            (self.is_kept.load(Relaxed), 'e'),
            (self.leaves_no_marks.load(Relaxed), 'T'),
        ];
        let flags: String = letters
            .iter()
            .filter(|(is_set, _)| *is_set)
            .map(|(_, letter)| letter)
            .collect();
        if flags.is_empty() {
            "N".to_owned()
        } else {
            flags
        }
    }

    fn is_on_unix_socket(&self) -> bool {
        !self.address.is_empty() && self.address.parse::<SocketAddr>().is_err()
    }

    /// The bytes that it takes: what is known of it, and what its buffers hold between its turns.
    pub fn memory_bytes(&self) -> usize {
        let query = self.query_capacity.load(Relaxed);
        let output = self.output_bytes.load(Relaxed);
        size_of::<Client>() + query.max(self.query_bytes.load(Relaxed)) + output
    }

    /// Seconds since it connected.
    pub fn age_s(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(self.created_ms) / 1000
    }

    /// Seconds since it last sent something.
    pub fn idle_s(&self, now_ms: u64) -> u64 {
        now_ms.saturating_sub(self.active_ms.load(Relaxed)) / 1000
    }

    /// Appends its line of CLIENT LIST, without a newline.
    ///
    /// Buffers are lent to connections while it is their turn, so the sizes are those of what is
    /// left over between turns.
    pub fn describe(&self, now_ms: u64, commands: &CommandTable, line: &mut Vec<u8>) {
        let count = |counter: &AtomicUsize| counter.load(Relaxed);
        let total = |counter: &AtomicU64| counter.load(Relaxed);
        let (query, capacity) = (count(&self.query_bytes), count(&self.query_capacity));
        let output = count(&self.output_bytes);
        let command = match count(&self.last_command) {
            0 => "NULL",
            index => commands.full_name(&commands.all()[index - 1]),
        };
        let identity = self.identity.lock();
        // Writing to a vector does not fail.
        let _ = write!(
            line,
            "id={} addr={} laddr={} fd={} name=",
            self.id, self.address, self.local_address, self.descriptor
        );
        line.extend_from_slice(&identity.name);
        let _ = write!(
            line,
            " age={} idle={} flags={} db={} sub={} psub={} ssub={} multi={} watch={} qbuf={query} \
             qbuf-free={} argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll={} omem={output} \
             tot-mem={} events={} cmd={command} user=",
            self.age_s(now_ms),
            self.idle_s(now_ms),
            self.flags(),
            count(&self.database),
            count(&self.channels),
            count(&self.patterns),
            count(&self.shard_channels),
            self.queued.load(Relaxed),
            count(&self.watched),
            capacity.saturating_sub(query),
            usize::from(output > 0),
            self.memory_bytes(),
            if output > 0 { "rw" } else { "r" },
        );
        line.extend_from_slice(&identity.user);
        let _ = write!(
            line,
            " redir=-1 resp={} lib-name=",
            self.protocol.load(Relaxed)
        );
        line.extend_from_slice(&identity.library_name);
        line.extend_from_slice(b" lib-ver=");
        line.extend_from_slice(&identity.library_version);
        let _ = write!(
            line,
            " tot-net-in={} tot-net-out={} tot-cmds={}",
            total(&self.received_bytes),
            total(&self.sent_bytes),
            total(&self.commands),
        );
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

/// As [`bump`], for a counter that may fall.
#[inline]
pub fn bump_signed(counter: &AtomicI64, by: i64) {
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

    /// The bytes that all clients take.
    pub fn memory_bytes(&self) -> usize {
        let by_id = self.by_id.lock();
        by_id.values().map(|client| client.memory_bytes()).sum()
    }

    /// Ends the connections that take the most, until all others together take no more than
    /// `limit_bytes` or all those that are left are to be kept. Returns how many were ended.
    pub fn evict(&self, limit_bytes: usize) -> usize {
        let by_id = self.by_id.lock();
        let alive = by_id.values().filter(|client| !client.is_killed());
        let mut sizes: Vec<(usize, &Arc<Client>)> = alive
            .map(|client| (client.memory_bytes(), client))
            .collect();
        let mut total: usize = sizes.iter().map(|(bytes, _)| bytes).sum();
        if total <= limit_bytes {
            return 0;
        }
        sizes.retain(|(_, client)| !client.is_kept.load(Relaxed));
        sizes.sort_unstable_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
        let mut ended = 0;
        for (bytes, client) in sizes {
            if total <= limit_bytes {
                break;
            }
            log::info!(
                "Evicting client id={} addr={} tot-mem={bytes}",
                client.id,
                client.address
            );
            client.kill();
            total -= bytes;
            ended += 1;
        }
        ended
    }

    /// The client of this number.
    pub fn get(&self, id: u64) -> Option<Arc<Client>> {
        self.by_id.lock().get(&id).cloned()
    }
}
