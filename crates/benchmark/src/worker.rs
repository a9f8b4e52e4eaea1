//! The event loop of one thread.
//!
//! Sockets are registered once, edge-triggered, for both directions: no interest is ever changed,
//! so a batch costs no `epoll_ctl`. With edges a socket must be read until it is empty, and a
//! hang-up is told only once; `Connection::receive` takes care of both.

use std::io::ErrorKind;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::Instant;

use mio::{Events, Interest, Poll, Token};

use crate::connection::{Connection, Faults};
use crate::failure::{Failure, describe};
use crate::histogram::Histogram;
use crate::load::{Counter, Message, Plan, Share, Shared, TICK};
use crate::request::Batch;

const READ_BUFFER: usize = 64 * 1024;
const EVENTS: usize = 1024;

/// A thread's connections and what it counts.
pub(crate) struct Worker<'a> {
    plan: &'a Plan<'a>,
    shared: &'a Shared,
    counter: &'a Counter,
    poll: Poll,
    /// A connection's token is its index.
    connections: Vec<Connection>,
    /// Connections with a batch under way.
    busy: usize,
    batch: Batch,
    random: fastrand::Rng,
    latencies: Histogram,
    faults: Faults,
    buffer: Vec<u8>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(
        plan: &'a Plan<'a>,
        shared: &'a Shared,
        counter: &'a Counter,
        index: usize,
        batch: Batch,
        mut connections: Vec<Connection>,
    ) -> Result<Self, Failure> {
        let poll = Poll::new().map_err(|error| Failure::Io(describe(&error)))?;
        for (token, connection) in connections.iter_mut().enumerate() {
            register(&poll, connection, token)?;
        }
        let random = match plan.options.seed {
            Some(seed) => fastrand::Rng::with_seed(seed.wrapping_add(index as u64)),
            None => fastrand::Rng::new(),
        };
        Ok(Self {
            plan,
            shared,
            counter,
            poll,
            connections,
            busy: 0,
            batch,
            random,
            latencies: Histogram::new(plan.options.precision),
            faults: Faults::default(),
            buffer: vec![0; READ_BUFFER],
        })
    }

    /// Sends batches until all are claimed, and waits for the last replies.
    pub(crate) fn run(mut self, messages: &Sender<Message>) -> Result<Share, Failure> {
        for index in 0..self.connections.len() {
            self.next_batch(index)?;
        }
        let mut events = Events::with_capacity(EVENTS);
        while self.busy > 0 && !self.shared.stopped() {
            match self.poll.poll(&mut events, Some(TICK)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                result => result.map_err(|error| Failure::Io(describe(&error)))?,
            }
            for event in &events {
                let Token(index) = event.token();
                let connection = &mut self.connections[index];
                if event.is_writable() && connection.has_unsent() {
                    connection.flush().map_err(|failure| self.named(failure))?;
                }
                let hung_up = event.is_read_closed() || event.is_error();
                if event.is_readable() || hung_up {
                    self.receive(index, hung_up, messages)?;
                }
            }
        }
        Ok(Share {
            latencies: self.latencies,
            errors: self.faults.count,
            ended: Instant::now(),
        })
    }

    fn receive(
        &mut self,
        index: usize,
        hung_up: bool,
        messages: &Sender<Message>,
    ) -> Result<(), Failure> {
        let connection = &mut self.connections[index];
        let received = connection.receive(&mut self.buffer, hung_up, &mut self.faults);
        // An error reply explains the hang-up that often follows it, so it is told first.
        if let Some(message) = self.faults.greeting.take() {
            return Err(Failure::Greeting {
                endpoint: self.plan.endpoint.to_string(),
                message,
            });
        }
        if let Some(text) = self.faults.text.take() {
            if !self.plan.options.tolerate_errors {
                return Err(Failure::Reply(text));
            }
            if self.shared.may_complain() {
                // Nobody listening means that the run is over.
                let _ = messages.send(Message::Complaint(text));
            }
        }
        if received.map_err(|failure| self.named(failure))? {
            self.finish(index)?;
        }
        Ok(())
    }

    /// A batch is complete.
    fn finish(&mut self, index: usize) -> Result<(), Failure> {
        self.busy -= 1;
        let count = self.plan.options.pipeline as u64;
        self.latencies
            .record(self.connections[index].latency_us(), count);
        self.counter
            .finished
            .store(self.latencies.total(), Ordering::Relaxed);
        self.counter
            .latency_sum_us
            .store(self.latencies.sum_us(), Ordering::Relaxed);
        self.next_batch(index)
    }

    fn next_batch(&mut self, index: usize) -> Result<(), Failure> {
        let plan = self.plan;
        if !self.shared.claim(plan.options.pipeline as u64) {
            return Ok(());
        }
        self.busy += 1;
        let connection = &mut self.connections[index];
        if !plan.options.keep_alive && connection.is_used() {
            let stream = connection
                .stream()
                .reconnect(plan.endpoint)
                .map_err(|error| Failure::connect(plan.endpoint, &error))?;
            *connection = Connection::new(stream, Instant::now());
            register(&self.poll, connection, index)?;
        }
        let sent = connection.send(
            self.batch.next(&mut self.random),
            plan.options.pipeline,
            plan.greeting,
        );
        sent.map_err(|failure| self.named(failure))
    }

    /// A connection that never stood fails at its first write or read; that is told as a failure to
    /// connect.
    fn named(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Io(reason) if reason == "Connection refused" => Failure::Connect {
                endpoint: self.plan.endpoint.to_string(),
                reason,
            },
            other => other,
        }
    }
}

fn register(poll: &Poll, connection: &mut Connection, token: usize) -> Result<(), Failure> {
    poll.registry()
        .register(
            connection.stream(),
            Token(token),
            Interest::READABLE | Interest::WRITABLE,
        )
        .map_err(|error| Failure::Io(describe(&error)))
}
