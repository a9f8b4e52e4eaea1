//! The worker threads: a single-threaded runtime each, with the connections that were given to it.
//!
//! The first worker runs on the thread that starts the server and also accepts connections, each of
//! which goes to the worker that has the fewest and stays there.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use config::parameter;
use engine::clients::bump;
use engine::{Server, Worker};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::connection::Connection;
use crate::listen::{Bound, Listener};
use crate::stream::Accepted;

/// How often each worker looks for expired keys and idle clients.
const TICK: Duration = Duration::from_millis(50);

/// How long accepting rests when the process has no descriptors left.
const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Ends a running server from any thread.
#[derive(Debug, Default)]
pub struct Shutdown(Notify);

impl Shutdown {
    /// Makes [`run`] return.
    pub fn trigger(&self) {
        self.0.notify_one();
    }

    /// Waits for [`trigger`](Self::trigger).
    pub async fn wait(&self) {
        self.0.notified().await;
    }
}

/// A worker as the acceptor sees it.
#[derive(Clone)]
struct Target {
    sockets: UnboundedSender<Accepted>,
    connections: Arc<AtomicUsize>,
}

/// Serves `bound` on this thread and as many more as `server` has workers beyond the first, until
/// `shutdown` is triggered. `ready` is called when connections are accepted.
///
/// # Errors
/// If the operating system gives no runtime or thread.
pub fn run(
    server: &Arc<Server>,
    bound: Bound,
    shutdown: &Shutdown,
    ready: impl FnOnce(),
) -> io::Result<()> {
    let mut targets = Vec::new();
    let mut first = None;
    for index in 0..server.stats.len() {
        let (sockets, received) = unbounded_channel();
        let target = Target {
            sockets,
            connections: Arc::default(),
        };
        let worker = Worker::new(server.clone(), index);
        let connections = target.connections.clone();
        targets.push(target);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        if index == 0 {
            runtime.spawn(work(worker, received, connections));
            first = Some(runtime);
        } else {
            std::thread::Builder::new()
                .name(format!("worker-{index}"))
                .spawn(move || runtime.block_on(work(worker, received, connections)))?;
        }
    }
    let Some(runtime) = first else { return Ok(()) };
    accept_all(&runtime, server, bound, targets)?;
    ready();
    runtime.block_on(shutdown.wait());
    // Connections are cut where they are; their replies are in the socket or they never were.
    runtime.shutdown_background();
    Ok(())
}

fn accept_all(
    runtime: &Runtime,
    server: &Arc<Server>,
    bound: Bound,
    targets: Vec<Target>,
) -> io::Result<()> {
    let _context = runtime.enter();
    for listener in bound.into_listeners()? {
        runtime.spawn(accept(listener, server.clone(), targets.clone()));
    }
    Ok(())
}

/// Accepts connections and gives each to the worker that has the fewest.
async fn accept(listener: Listener, server: Arc<Server>, targets: Vec<Target>) {
    loop {
        let accepted = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of descriptors, or the peer is gone already.
                log::warn!("Accepting client connection: {error}");
                tokio::time::sleep(ACCEPT_RETRY).await;
                continue;
            }
        };
        let Some(accepted) = admit(&server, accepted, &targets) else {
            continue;
        };
        let target = targets
            .iter()
            .min_by_key(|target| target.connections.load(Relaxed));
        if let Some(target) = target {
            target.connections.fetch_add(1, Relaxed);
            // A worker never ends before the process does.
            let _ = target.sockets.send(accepted);
        }
    }
}

/// Refuses a connection that is one too many or comes from where it may not.
fn admit(server: &Server, accepted: Accepted, targets: &[Target]) -> Option<Accepted> {
    let stats = &server.stats[0];
    let open: usize = targets
        .iter()
        .map(|target| target.connections.load(Relaxed))
        .sum();
    if open as i64 >= server.config.read(parameter::MAXCLIENTS) {
        bump(&stats.rejected_connections, 1);
        accepted.refuse(b"-ERR max number of clients reached\r\n");
        return None;
    }
    if server.config.read(parameter::PROTECTED_MODE)
        && !server.needs_password()
        && accepted
            .peer_ip()
            .is_some_and(|ip| !ip.to_canonical().is_loopback())
    {
        bump(&stats.rejected_connections, 1);
        accepted.refuse(PROTECTED.as_bytes());
        return None;
    }
    bump(&stats.connections, 1);
    Some(accepted)
}

const PROTECTED: &str = "-DENIED Caracal is running in protected mode because protected mode is \
    enabled and no password is set. Connections are only accepted from the loopback interface. To \
    connect from elsewhere, set a password (requirepass) or, if access is restricted otherwise, \
    turn it off (protected-mode no).\r\n";

/// One worker: starts a task for each connection that it is given, and keeps house.
async fn work(
    worker: Worker,
    mut sockets: UnboundedReceiver<Accepted>,
    connections: Arc<AtomicUsize>,
) {
    tokio::spawn(keep_house(worker.clone()));
    while let Some(accepted) = sockets.recv().await {
        let keepalive = worker.server().config.read(parameter::TCP_KEEPALIVE) as u64;
        let stream = match accepted.into_stream(Duration::from_secs(keepalive)) {
            Ok(stream) => stream,
            Err(error) => {
                log::debug!("A connection broke while being accepted: {error}");
                connections.fetch_sub(1, Relaxed);
                continue;
            }
        };
        let connection = Connection::new(stream, worker.clone());
        let place = Place(connections.clone());
        tokio::spawn(async move {
            let _place = place;
            connection.serve().await;
        });
    }
}

/// Counts a connection out when it ends, however it ends.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Sweeps expired keys and evicts what commands have left, in slices between which connections have
/// their turns, ends idle connections, and samples the counters for INFO's rates.
async fn keep_house(worker: Worker) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut count = 0u64;
    loop {
        ticks.tick().await;
        if worker.index() == 0 {
            worker.server().tick();
        }
        let mut sweep = worker.sweep();
        while sweep.slice(&worker) {
            tokio::task::yield_now().await;
        }
        while worker.evict_slice() {
            tokio::task::yield_now().await;
        }
        count += 1;
        if count.is_multiple_of(20) {
            close_idle(&worker);
        }
    }
}

/// Applies `timeout` to the worker's own clients.
fn close_idle(worker: &Worker) {
    let server = worker.server();
    let timeout_s = server.config.read(parameter::TIMEOUT) as u64;
    if timeout_s == 0 {
        return;
    }
    let now_ms = server.clock.now_ms();
    for client in server.clients.all() {
        let idle_ms = now_ms.saturating_sub(client.active_ms.load(Relaxed));
        if client.worker == worker.index() && idle_ms > timeout_s * 1000 {
            log::debug!("Closing idle client {}", client.address);
            client.kill();
        }
    }
}
