//! One RESP connection.
//!
//! A connection reads into a buffer that its worker lends to whoever's turn it is, and its replies
//! go to another such buffer, so an idle connection has no buffers at all and the busy ones share
//! two that stay in the cache. Only what is left over is the connection's own: the start of a
//! request that has not wholly arrived, and replies that the socket did not take.
//!
//! Reading goes on while replies wait to be sent, because a client may send its whole pipeline
//! before it reads the first reply; `client-output-buffer-limit` bounds what may pile up.

use std::cell::RefCell;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use atomic_waker::AtomicWaker;
use config::{BufferLimits, parameter};
use engine::clients::bump;
use engine::{Batch, Outcome, Session, Worker};
use resp::{Limits, Progress, ProtocolError, RequestParser};
use tokio::io::ReadBuf;

use crate::stream::Stream;
use crate::unsent::Unsent;

/// Bytes asked of a socket at a time.
const READ_SIZE: usize = 64 * 1024;

/// Reads before others have their turn: a client that sends without a pause must not be alone.
const READS_A_TURN: usize = 2;

/// Requests parsed before any is executed.
const BATCH_MAX: usize = 128;

/// Room for this many words is kept from batch to batch.
const WORDS_KEPT_MAX: usize = 16 * 1024;

/// Replies are sent before a pipeline is through when they have become this many bytes.
const SEND_EARLY: usize = 256 * 1024;

/// Others have their turn before a pipeline is through when this many bytes of replies wait for a
/// client that does not read them.
const WAIT_EARLY: usize = 1024 * 1024;

/// What the worker lends to the connection whose turn it is.
struct Lent {
    input: Box<[u8]>,
    output: Vec<u8>,
    batch: Batch<'static>,
}

thread_local! {
    static LENT: RefCell<Lent> = RefCell::new(Lent {
        input: vec![0; READ_SIZE].into_boxed_slice(),
        output: Vec::with_capacity(READ_SIZE),
        batch: Batch::default(),
    });
}

/// A connection between its turns.
pub(crate) struct Connection {
    stream: Stream,
    worker: Worker,
    session: Session,
    parser: RequestParser,
    /// Bytes received and not consumed: the start of one request.
    pending: Vec<u8>,
    /// Whether `pending` holds whole requests, whose turn has not come.
    has_requests: bool,
    /// Replies that the socket did not take yet.
    unsent: Unsent,
    /// Since when the soft limit of the output buffer is exceeded.
    over_soft_limit: Option<Instant>,
    /// No more requests: the connection ends when the replies are sent.
    is_closing: bool,
    waker: Arc<AtomicWaker>,
}

/// Why a connection ended, if not by the client's or its own wish.
enum End {
    Closed,
    Failed(io::Error),
    OutputLimit,
    QueryLimit,
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        End::Failed(error)
    }
}

impl Connection {
    pub(crate) fn new(stream: Stream, worker: Worker) -> Self {
        let waker = Arc::new(AtomicWaker::new());
        let origin = stream.origin(worker.index());
        let close = {
            let waker = waker.clone();
            move || waker.wake()
        };
        let session = Session::new(worker.server(), origin, close);
        Connection {
            stream,
            worker,
            session,
            parser: RequestParser::default(),
            pending: Vec::new(),
            has_requests: false,
            unsent: Unsent::default(),
            over_soft_limit: None,
            is_closing: false,
            waker,
        }
    }

    /// Serves the connection until it ends.
    pub(crate) async fn serve(mut self) {
        let mut is_registered = false;
        let end = std::future::poll_fn(|cx| {
            if !is_registered {
                // The waker of a task stays the same for its life.
                self.waker.register(cx.waker());
                is_registered = true;
            }
            self.poll(cx)
        })
        .await;
        let client = &self.session.client;
        match end {
            End::Closed => log::debug!("Client {} closed connection", client.address),
            End::Failed(error) => {
                log::debug!(
                    "Error on the connection of client {}: {error}",
                    client.address
                )
            }
            End::OutputLimit => {
                let stats = &self.worker.server().stats[self.worker.index()];
                bump(&stats.output_limit_disconnections, 1);
                log::warn!(
                    "Client id={} addr={} scheduled to be closed ASAP for overcoming of output \
                     buffer limits.",
                    client.id,
                    client.address
                );
            }
            End::QueryLimit => {
                let stats = &self.worker.server().stats[self.worker.index()];
                bump(&stats.query_limit_disconnections, 1);
                log::warn!(
                    "Closing client id={} addr={} that reached max query buffer length",
                    client.id,
                    client.address
                );
            }
        }
    }

    /// One turn: takes and sends what the socket gives and takes.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<End> {
        LENT.with_borrow_mut(|lent| match ready!(self.turn(lent, cx)) {
            Ok(()) => Poll::Ready(End::Closed),
            Err(end) => {
                // Replies that could not be sent are this client's and not the next one's.
                lent.output = Vec::with_capacity(READ_SIZE);
                Poll::Ready(end)
            }
        })
    }

    fn turn(&mut self, lent: &mut Lent, cx: &mut Context<'_>) -> Poll<Result<(), End>> {
        for _ in 0..READS_A_TURN {
            if self.session.client.is_killed() {
                return Poll::Ready(Ok(()));
            }
            if !self.unsent.is_empty() {
                self.send_rest(cx)?;
            }
            if self.is_closing {
                return if self.unsent.is_empty() {
                    Poll::Ready(Ok(()))
                } else {
                    Poll::Pending
                };
            }
            if self.has_requests {
                self.execute_pending(lent, cx)?;
                self.send(&mut lent.output, cx)?;
                continue;
            }
            let received = if self.pending.is_empty() {
                let mut input = std::mem::take(&mut lent.input);
                let received = self.receive_into(&mut input, lent, cx);
                lent.input = input;
                received
            } else {
                self.receive_more(lent, cx)
            };
            match ready!(received)? {
                0 => return Poll::Ready(Ok(())),
                received => {
                    let stats = &self.worker.server().stats[self.worker.index()];
                    bump(&stats.received_bytes, received as u64);
                    bump(&self.session.client.received_bytes, received as u64);
                }
            }
            self.send(&mut lent.output, cx)?;
        }
        // Not done, but others wait. Yielding polls their sockets too, which waking alone does not.
        let _ = pin!(tokio::task::yield_now()).poll(cx);
        Poll::Pending
    }

    /// Reads into the lent buffer and executes what has arrived.
    #[inline]
    fn receive_into(
        &mut self,
        input: &mut [u8],
        lent: &mut Lent,
        cx: &mut Context<'_>,
    ) -> Poll<Result<usize, End>> {
        let mut buf = ReadBuf::new(input);
        ready!(self.stream.poll_read(cx, &mut buf))?;
        let received = buf.filled();
        let consumed = self.execute(received, lent, cx)?;
        self.pending.extend_from_slice(&received[consumed..]);
        self.note_pending();
        Poll::Ready(Ok(received.len()))
    }

    /// Reads behind the bytes that are pending and executes what has become whole.
    #[cold]
    fn receive_more(&mut self, lent: &mut Lent, cx: &mut Context<'_>) -> Poll<Result<usize, End>> {
        // As much again as there is, so that a long argument is copied a few times only.
        let before = self.pending.len();
        let wanted = self
            .parser
            .bytes_wanted(&self.pending)
            .saturating_sub(before);
        let room = before.clamp(READ_SIZE, wanted.clamp(READ_SIZE, 16 << 20));
        self.pending.resize(before + room, 0);
        let mut buf = ReadBuf::new(&mut self.pending[before..]);
        let result = self.stream.poll_read(cx, &mut buf);
        let received = buf.filled().len();
        self.pending.truncate(before + received);
        ready!(result)?;
        self.execute_pending(lent, cx)?;
        let limit = self
            .worker
            .server()
            .config
            .read(parameter::CLIENT_QUERY_BUFFER_LIMIT);
        if self.pending.len() as i64 > limit {
            return Poll::Ready(Err(End::QueryLimit));
        }
        Poll::Ready(Ok(received))
    }

    /// Executes the whole requests among the bytes that are pending.
    fn execute_pending(&mut self, lent: &mut Lent, cx: &mut Context<'_>) -> Result<(), End> {
        let pending = std::mem::take(&mut self.pending);
        let consumed = self.execute(&pending, lent, cx)?;
        self.pending = pending;
        self.pending.drain(..consumed);
        if self.pending.is_empty() {
            self.pending = Vec::new();
        }
        self.note_pending();
        Ok(())
    }

    fn note_pending(&self) {
        self.session
            .client
            .query_bytes
            .store(self.pending.len(), Relaxed);
        self.session
            .client
            .query_capacity
            .store(self.pending.capacity(), Relaxed);
    }

    /// Executes the whole requests in `input` and returns how many bytes they were. Some are left for
    /// another turn, and `has_requests` says so, if the client does not take its replies.
    fn execute(
        &mut self,
        input: &[u8],
        lent: &mut Lent,
        cx: &mut Context<'_>,
    ) -> Result<usize, End> {
        let mut batch = std::mem::take(&mut lent.batch).recycle();
        let mut consumed = 0;
        let mut end = Ok(());
        self.has_requests = false;
        while !self.is_closing {
            let start = consumed;
            let parsed = self.parse(input, &mut consumed, &mut batch);
            if !batch.is_empty() {
                let executed = self.run(&batch, &mut lent.output, cx);
                let requests = batch.len();
                batch = batch.recycle();
                match executed {
                    Ok(executed) if executed < requests && !self.is_closing => {
                        consumed = self.start_of(executed, &input[start..], &mut batch) + start;
                        batch = batch.recycle();
                        self.has_requests = true;
                        break;
                    }
                    Ok(_) => {}
                    Err(error) => {
                        end = Err(error);
                        break;
                    }
                }
            }
            match parsed {
                Ok(Parsed::More) => {}
                Ok(Parsed::Unescaped(words)) => {
                    let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
                    let ends = vec![words.len()];
                    let batch = Batch { words, ends };
                    if let Err(error) = self.run(&batch, &mut lent.output, cx) {
                        end = Err(error);
                        break;
                    }
                }
                Ok(Parsed::All) => break,
                Err(error) => {
                    lent.output
                        .extend_from_slice(format!("-ERR {error}\r\n").as_bytes());
                    log::debug!("{error} from client {}", self.session.client.address);
                    self.is_closing = true;
                }
            }
        }
        lent.batch = batch.recycle();
        // A request of a million words is no reason to keep room for as many.
        lent.batch.words.shrink_to(WORDS_KEPT_MAX);
        end.map(|()| consumed)
    }

    /// Where request number `index` begins in `input`, which begins with a request and whose requests
    /// have been parsed before. They are parsed once more, because it is seldom asked.
    #[cold]
    fn start_of<'b>(&mut self, index: usize, input: &'b [u8], batch: &mut Batch<'b>) -> usize {
        self.parser = RequestParser::default();
        let mut start = 0;
        while batch.len() < index {
            let limits = self.limits();
            match self
                .parser
                .next(input, &mut start, &mut batch.words, &limits)
            {
                Ok(Progress::Complete) => batch.ends.push(batch.words.len()),
                Ok(Progress::Skipped) => {}
                Ok(Progress::Unescaped(_) | Progress::Incomplete) | Err(_) => break,
            }
        }
        start
    }

    #[inline]
    fn limits(&self) -> Limits {
        let config = &self.worker.server().config;
        Limits {
            bulk_max: config.read(parameter::PROTO_MAX_BULK_LEN) as usize,
            unauthenticated: !self.session.is_authenticated,
        }
    }

    /// Fills `batch` with requests.
    #[inline]
    fn parse<'b>(
        &mut self,
        input: &'b [u8],
        consumed: &mut usize,
        batch: &mut Batch<'b>,
    ) -> Result<Parsed, ProtocolError> {
        let limits = self.limits();
        // Before authentication one at a time: the first may be AUTH, which lifts the limits.
        let batch_max = if limits.unauthenticated { 1 } else { BATCH_MAX };
        while batch.len() < batch_max {
            match self
                .parser
                .next(input, consumed, &mut batch.words, &limits)?
            {
                Progress::Complete => batch.ends.push(batch.words.len()),
                Progress::Skipped => {}
                Progress::Unescaped(words) => return Ok(Parsed::Unescaped(words)),
                Progress::Incomplete => return Ok(Parsed::All),
            }
        }
        Ok(Parsed::More)
    }

    /// Executes `batch`, and sends replies before it is through when they have become many. Returns how
    /// many requests were executed: not all, if their client does not take its replies.
    #[inline]
    fn run(
        &mut self,
        batch: &Batch<'_>,
        output: &mut Vec<u8>,
        cx: &mut Context<'_>,
    ) -> Result<usize, End> {
        let mut next = 0;
        while next < batch.len() && !self.is_closing {
            let outcome =
                self.worker
                    .execute_some(&mut self.session, batch, &mut next, output, SEND_EARLY);
            if outcome == Outcome::Close {
                self.is_closing = true;
            }
            if output.len() >= SEND_EARLY {
                self.send(output, cx)?;
                if self.unsent.len() >= WAIT_EARLY {
                    break;
                }
            }
        }
        Ok(next)
    }

    /// Sends `output`, keeping what the socket does not take.
    #[inline]
    fn send(&mut self, output: &mut Vec<u8>, cx: &mut Context<'_>) -> Result<(), End> {
        let mut from = 0;
        while self.unsent.is_empty() && from < output.len() {
            match self.stream.poll_write(cx, &output[from..]) {
                Poll::Ready(Ok(0)) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Poll::Ready(Ok(written)) => from += written,
                Poll::Ready(Err(error)) => return Err(error.into()),
                Poll::Pending => break,
            }
        }
        self.count_sent(from);
        if from < output.len() {
            self.unsent.push(output, from);
            self.check_output_limit()?;
        }
        output.clear();
        // A reply of megabytes is no reason to keep them for ever.
        output.shrink_to(64 * SEND_EARLY);
        Ok(())
    }

    /// Sends what an earlier turn could not.
    #[cold]
    fn send_rest(&mut self, cx: &mut Context<'_>) -> Result<(), End> {
        while !self.unsent.is_empty() {
            match self.stream.poll_write(cx, self.unsent.front()) {
                Poll::Ready(Ok(0)) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Poll::Ready(Ok(written)) => {
                    self.unsent.advance(written);
                    self.count_sent(written);
                }
                Poll::Ready(Err(error)) => return Err(error.into()),
                Poll::Pending => return self.check_output_limit(),
            }
        }
        self.over_soft_limit = None;
        self.session.client.output_bytes.store(0, Relaxed);
        Ok(())
    }

    fn count_sent(&self, bytes: usize) {
        if bytes > 0 {
            bump(
                &self.worker.server().stats[self.worker.index()].sent_bytes,
                bytes as u64,
            );
            bump(&self.session.client.sent_bytes, bytes as u64);
        }
    }

    /// Applies `client-output-buffer-limit normal`.
    fn check_output_limit(&mut self) -> Result<(), End> {
        let waiting = self.unsent.len() as u64;
        self.session
            .client
            .output_bytes
            .store(waiting as usize, Relaxed);
        let limits: BufferLimits = self
            .worker
            .server()
            .config
            .read(parameter::CLIENT_OUTPUT_BUFFER_LIMIT);
        let limit = limits.normal;
        if limit.hard_bytes > 0 && waiting > limit.hard_bytes {
            return Err(End::OutputLimit);
        }
        if limit.soft_bytes == 0 || waiting <= limit.soft_bytes {
            self.over_soft_limit = None;
            return Ok(());
        }
        let since = *self.over_soft_limit.get_or_insert_with(Instant::now);
        if since.elapsed() > Duration::from_secs(limit.soft_seconds) {
            return Err(End::OutputLimit);
        }
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.worker.server().clients.remove(self.session.client.id);
    }
}

/// How far a batch was filled.
enum Parsed {
    /// The batch is full and there may be more.
    More,
    /// Behind the batch comes a request in memory of its own.
    Unescaped(Vec<Vec<u8>>),
    /// All whole requests are in the batch.
    All,
}
