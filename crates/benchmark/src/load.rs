//! One measured run: many connections, a number of requests, one command.
//!
//! Connections stand before the clock starts. Worker threads take batches from one shared count
//! until it is used up; the calling thread only waits, and tells of progress four times a second.
//! Latencies are kept by each worker and merged at the end, so nothing but that count is contended.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::endpoint::{Endpoint, Stream};
use crate::failure::Failure;
use crate::histogram::Histogram;
use crate::options::Options;
use crate::report::Progress;
use crate::request::{Batch, encode};
use crate::worker::Worker;

/// How often progress is told, and how long a worker may take to notice that another one failed.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// What every new connection sends first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Greeting {
    auth: Option<Vec<String>>,
    bytes: Vec<u8>,
    replies: usize,
}

impl Greeting {
    pub(crate) fn new(options: &Options) -> Self {
        let mut greeting = Self::default();
        if let Some(password) = &options.password {
            let mut auth = vec!["AUTH".to_owned()];
            auth.extend(options.user.clone());
            auth.push(password.clone());
            greeting.push(&auth);
            greeting.auth = Some(auth);
        }
        if options.database != 0 {
            greeting.push(&["SELECT", &options.database.to_string()]);
        }
        if options.resp3 {
            greeting.push(&["HELLO", "3"]);
        }
        if options.tracking {
            greeting.push(&["CLIENT", "TRACKING", "on"]);
        }
        greeting
    }

    fn push<A: AsRef<[u8]>>(&mut self, command: &[A]) {
        self.bytes.extend(encode(command));
        self.replies += 1;
    }

    pub(crate) fn auth(&self) -> Option<&[String]> {
        self.auth.as_deref()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) const fn replies(&self) -> usize {
        self.replies
    }
}

/// What is to be run against one server.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    pub(crate) endpoint: &'a Endpoint,
    pub(crate) greeting: &'a Greeting,
    pub(crate) options: &'a Options,
    pub(crate) title: &'a str,
    /// One encoded command.
    pub(crate) command: &'a [u8],
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) finished: u64,
    pub(crate) errors: u64,
    pub(crate) elapsed: Duration,
    pub(crate) latencies: Histogram,
}

impl Outcome {
    pub(crate) fn rate(&self) -> f64 {
        self.finished as f64 / self.elapsed.as_secs_f64()
    }
}

/// What workers share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Requests handed out to connections.
    issued: AtomicU64,
    requests: u64,
    stop: AtomicBool,
    started: Instant,
    /// The second after the start in which an error was last shown.
    complained: AtomicU64,
}

impl Shared {
    /// Claims the next `count` requests; false if there are none left.
    pub(crate) fn claim(&self, count: u64) -> bool {
        self.issued.fetch_add(count, Ordering::Relaxed) < self.requests
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// True once in a second.
    pub(crate) fn may_complain(&self) -> bool {
        let second = self.started.elapsed().as_secs() + 1;
        self.complained.swap(second, Ordering::Relaxed) != second
    }
}

/// What a worker shows of its progress; each has a cache line pair of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counter {
    pub(crate) finished: AtomicU64,
    pub(crate) latency_sum_us: AtomicU64,
}

/// What a worker reports.
#[derive(Debug)]
pub(crate) enum Message {
    /// The text of an error reply that did not end the run.
    Complaint(String),
    Done(Result<Share, Failure>),
}

/// A worker's part of the outcome.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) latencies: Histogram,
    pub(crate) errors: u64,
    pub(crate) ended: Instant,
}

/// Opens all connections of a plan.
pub(crate) fn connect(plan: &Plan<'_>) -> Result<Vec<Stream>, Failure> {
    (0..plan.options.clients)
        .map(|_| plan.endpoint.connect().and_then(Stream::try_from))
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::connect(plan.endpoint, &error))
}

/// Runs a plan over the connections that [`connect`] opened. Progress and tolerated errors go to
/// `progress` and `errors`.
pub(crate) fn run(
    plan: &Plan<'_>,
    streams: Vec<Stream>,
    progress: &mut Progress<'_>,
    errors: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let options = plan.options;
    let threads = options.threads.unwrap_or(1).min(streams.len());
    let batch = Batch::new(plan.command, options.pipeline, options.keyspace);
    let mut shares: Vec<Vec<Connection>> = (0..threads).map(|_| Vec::new()).collect();
    let now = Instant::now();
    for (index, stream) in streams.into_iter().enumerate() {
        shares[index % threads].push(Connection::new(stream, now));
    }
    let counters: Vec<Counter> = (0..threads).map(|_| Counter::default()).collect();
    let shared = Shared {
        issued: AtomicU64::new(0),
        requests: options.requests,
        stop: AtomicBool::new(false),
        started: Instant::now(),
        complained: AtomicU64::new(0),
    };
    let mut total = Outcome {
        finished: 0,
        errors: 0,
        elapsed: Duration::ZERO,
        latencies: Histogram::new(options.precision),
    };
    thread::scope(|scope| {
        let (sender, messages) = mpsc::channel();
        for (index, connections) in shares.into_iter().enumerate() {
            let (sender, shared, counter) = (sender.clone(), &shared, &counters[index]);
            let batch = batch.clone();
            scope.spawn(move || {
                let result = Worker::new(plan, shared, counter, index, batch, connections)
                    .and_then(|worker| worker.run(&sender));
                // The receiver lives until the last worker is done.
                let _ = sender.send(Message::Done(result));
            });
        }
        drop(sender);
        let mut failure = None;
        let mut ended = shared.started;
        loop {
            match messages.recv_timeout(TICK) {
                Ok(Message::Complaint(text)) => {
                    let _ = writeln!(errors, "Error from server: {text}");
                }
                Ok(Message::Done(Ok(share))) => {
                    total.latencies.merge(&share.latencies);
                    total.errors += share.errors;
                    ended = ended.max(share.ended);
                }
                Ok(Message::Done(Err(error))) => {
                    shared.stop.store(true, Ordering::Relaxed);
                    failure.get_or_insert(error);
                }
                Err(RecvTimeoutError::Timeout) => {
                    let sum = |field: fn(&Counter) -> &AtomicU64| {
                        counters
                            .iter()
                            .map(|c| field(c).load(Ordering::Relaxed))
                            .sum::<u64>()
                    };
                    progress.tell(
                        plan.title,
                        shared.started.elapsed(),
                        sum(|c| &c.finished),
                        sum(|c| &c.latency_sum_us),
                    );
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        progress.clear();
        total.elapsed = ended - shared.started;
        match failure {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    })?;
    total.finished = total.latencies.total();
    Ok(total)
}
