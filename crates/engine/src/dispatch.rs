//! Dispatch: from a batch of requests to their replies.
//!
//! A batch is what one read of a connection brought. The worker enters the gate once for it, and
//! executes it in *runs*: up to [`RUN_MAX`] commands in a row that each have one key. The shards of
//! a run are taken without waiting, so the memory that its commands will look at can be fetched
//! while the first ones execute: first the buckets of all, then the entries of all. Any other
//! command is executed alone, its shards taken in ascending order.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use keyspace::{Db, Event, Place};
use resp::ReplyWriter;
use smallvec::SmallVec;

use crate::args::Args;
use crate::clients::{bump, bump_signed};
use crate::ctx::Ctx;
use crate::error::{CommandError, CommandResult, Outcome};
use crate::gates;
use crate::journal::Effects;
use crate::server::Server;
use crate::session::Session;
use crate::table::TableEntry;

/// The most commands in a run: what fits in the cache's queue of outstanding fetches, twice.
const RUN_MAX: usize = 32;

/// The requests of one read: words, and where each request's end.
#[derive(Debug, Default)]
pub struct Batch<'b> {
    /// The words of all requests.
    pub words: Vec<&'b [u8]>,
    /// For each request the index behind its last word.
    pub ends: Vec<usize>,
}

impl<'b> Batch<'b> {
    /// The number of requests.
    #[inline]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no request.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The words of request `index`.
    #[inline]
    pub fn request(&self, index: usize) -> &[&'b [u8]] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.words[start..self.ends[index]]
    }

    /// Empties the batch for words of another lifetime, keeping its allocations.
    pub fn recycle<'c>(mut self) -> Batch<'c> {
        self.words.clear();
        self.ends.clear();
        // Collecting in place: the vector is empty, only its allocation changes hands.
        let words = self
            .words
            .into_iter()
            .map(|_| -> &'c [u8] { &[] })
            .collect();
        Batch {
            words,
            ends: self.ends,
        }
    }
}

/// Executes batches on one thread.
#[derive(Clone, Debug)]
pub struct Worker {
    server: Arc<Server>,
    index: usize,
}

/// A command of a run, with the place of its key.
struct Planned<'s> {
    entry: &'s TableEntry,
    place: Place,
}

impl Worker {
    /// Worker `index` of `server`. There may be one of each index at a time.
    pub fn new(server: Arc<Server>, index: usize) -> Worker {
        Worker { server, index }
    }

    /// The server.
    pub fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// The number of the worker.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Executes the requests of `batch` in order and appends their replies to `out`.
    ///
    /// Returns [`Outcome::Close`] if the connection has to end after the replies; the requests
    /// behind are not executed then.
    pub fn execute(&self, session: &mut Session, batch: &Batch<'_>, out: &mut Vec<u8>) -> Outcome {
        self.execute_some(session, batch, &mut 0, out, usize::MAX)
    }

    /// Executes the requests of `batch` from `next` on, until `out` holds `enough` bytes: a few
    /// bytes of requests may ask for any number of replies, and who sends them should get a word in.
    /// `next` is moved behind what was executed.
    pub fn execute_some(
        &self,
        session: &mut Session,
        batch: &Batch<'_>,
        next: &mut usize,
        out: &mut Vec<u8>,
        enough: usize,
    ) -> Outcome {
        let first = *next;
        let server = &*self.server;
        let now_ms = server.clock.now_ms();
        session.client.active_ms.store(now_ms, Relaxed);
        let mut inside = Some(server.gate.enter(self.index));
        let mut ctx = Ctx {
            db: Db::new(&server.keyspace, now_ms),
            reply: ReplyWriter::new(out, session.protocol()),
            session,
            effects: Effects::default(),
            server,
            stats: &server.stats[self.index],
            is_memory_full: false,
        };
        ctx.db.changes().listen(server.journal().is_some());
        let mut outcome = Outcome::Done;
        while *next < batch.len() && ctx.reply.position() < enough {
            ctx.db.select(ctx.session.database());
            ctx.apply_usage();
            self.keep_memory_limit(&mut ctx);
            let run = plan(&mut ctx, batch, *next);
            for planned in &run {
                let words = batch.request(*next);
                ctx.db.focus(words[1], planned.place);
                execute_one(&mut ctx, planned.entry, words);
                *next += 1;
                if ctx.reply.position() >= enough {
                    break;
                }
            }
            ctx.db.release();
            if run.len() < RUN_MAX && *next < batch.len() && ctx.reply.position() < enough {
                let words = batch.request(*next);
                *next += 1;
                if !run.is_empty() {
                    self.keep_memory_limit(&mut ctx);
                }
                outcome = execute_alone(&mut ctx, self.index, &mut inside, words);
            }
            if ctx.session.client.is_killed() {
                outcome = Outcome::Close;
            }
            if outcome == Outcome::Close {
                break;
            }
        }
        let executed = (*next - first) as u64;
        bump(&ctx.stats.commands, executed);
        bump(&ctx.session.client.commands, executed);
        count_keys(&ctx);
        count_growth(&mut ctx);
        outcome
    }

    /// Evicts keys if more memory is used than is allowed. No shard is held.
    #[inline]
    fn keep_memory_limit(&self, ctx: &mut Ctx<'_>) {
        let growth = count_growth(ctx);
        ctx.is_memory_full = !self.make_room(growth, ctx.db.now_ms());
    }
}

/// Puts by how much the shards have grown into the statistics, and returns it.
#[inline]
fn count_growth(ctx: &mut Ctx<'_>) -> isize {
    let growth = ctx.db.take_growth();
    if growth != 0 {
        bump_signed(&ctx.stats.growth, growth as i64);
    }
    growth
}

/// Takes the shards of the commands from `first` on that can be part of a run, and fetches what they
/// will look at.
#[inline]
fn plan<'s>(
    ctx: &mut Ctx<'s>,
    batch: &Batch<'_>,
    first: usize,
) -> SmallVec<[Planned<'s>; RUN_MAX]> {
    let mut run: SmallVec<[Planned<'s>; RUN_MAX]> = SmallVec::new();
    let table = &ctx.server.commands;
    let end = batch.len().min(first + RUN_MAX);
    let (mut last_name, mut last_key): (&[u8], &[u8]) = (&[], &[]);
    let mut is_scattered = false;
    for index in first..end {
        let words = batch.request(index);
        // Most pipelines repeat a command, and some a key: what is known of them is kept.
        let entry = match run.last() {
            Some(last) if words[0] == last_name => last.entry,
            _ => match table.find(words[0]) {
                Some(entry) => entry,
                None => break,
            },
        };
        if !entry.is_simple || words.len() < 2 {
            break;
        }
        let place = match run.last() {
            Some(last) if words[1] == last_key => last.place,
            _ => {
                let Some(place) = ctx.db.try_hold(words[1]) else {
                    break;
                };
                is_scattered |= !run.is_empty();
                place
            }
        };
        (last_name, last_key) = (words[0], words[1]);
        run.push(Planned { entry, place });
    }
    if is_scattered {
        run.iter()
            .for_each(|planned| ctx.db.prefetch(planned.place));
    }
    run
}

/// Puts what the database has counted into the statistics.
fn count_keys(ctx: &Ctx<'_>) {
    let counts = ctx.db.take_counts();
    bump(&ctx.stats.hits, counts.hits);
    bump(&ctx.stats.misses, counts.misses);
    bump(&ctx.stats.expired, counts.expired);
}

/// Executes a command that is not part of a run.
fn execute_alone<'s>(
    ctx: &mut Ctx<'s>,
    worker: usize,
    inside: &mut Option<keyspace::sync::Shared<'s>>,
    words: &[&[u8]],
) -> Outcome {
    let server = ctx.server;
    let entry = match resolve(server, words) {
        Ok(entry) => entry,
        Err(_) if is_http(words[0]) => {
            log::warn!(
                "Possible SECURITY ATTACK detected. A client is sending {} as if this were a web \
                 server. Connection from {} aborted.",
                String::from_utf8_lossy(words[0]),
                ctx.session.client.address
            );
            return Outcome::Close;
        }
        Err(error) => {
            fail(ctx, error);
            return Outcome::Done;
        }
    };
    count_keys(ctx);
    let spec = entry.command.spec;
    if spec.is_exclusive(words) {
        // Out of the gate first: whoever wants it for itself waits for all who are inside.
        ctx.db.release();
        *inside = None;
        let alone = server.gate.exclusive();
        ctx.db.begin_alone();
        let outcome = execute_holding(ctx, &entry, words);
        ctx.db.end_alone();
        drop(alone);
        *inside = Some(server.gate.enter(worker));
        ctx.db.refresh();
        return outcome;
    }
    execute_holding(ctx, &entry, words)
}

/// Executes a command with the shards of its keys, and waits for them.
fn execute_holding(ctx: &mut Ctx<'_>, entry: &TableEntry, words: &[&[u8]]) -> Outcome {
    let spec = entry.command.spec;
    if spec.keys.is_empty() {
        return execute_one(ctx, entry, words);
    }
    let keys = spec.key_positions(words).map(|position| words[position]);
    let databases = ctx.server.keyspace.databases();
    let second = spec.also_in.filter(|_| spec.allows(words.len()));
    match second.and_then(|of| of(words)) {
        Some(other) if other < databases => ctx.db.hold_in_both(keys, other),
        // One that does not exist is for the handler to refuse.
        _ => ctx.db.hold_all(keys),
    }
    let outcome = execute_one(ctx, entry, words);
    ctx.db.release();
    outcome
}

/// The command, or the subcommand, that `words` name.
fn resolve(server: &Server, words: &[&[u8]]) -> Result<TableEntry, CommandError> {
    let name = words[0];
    let Some(entry) = server.commands.find(name) else {
        return Err(unknown_command(words));
    };
    if entry.command.subcommands.is_empty() || words.len() < 2 {
        return Ok(*entry);
    }
    server
        .commands
        .find_subcommand(entry, words[1])
        .copied()
        .ok_or_else(|| {
            let shown = &words[1][..words[1].len().min(SHOWN_MAX)];
            let after = format!("'. Try {} HELP.", entry.command.spec.name);
            CommandError::quoting("ERR unknown subcommand '", shown, &after)
        })
}

/// The most bytes of an unknown command's name, and of its arguments, that an error repeats.
const SHOWN_MAX: usize = 128;

fn unknown_command(words: &[&[u8]]) -> CommandError {
    let mut text = b"ERR unknown command '".to_vec();
    text.extend_from_slice(&words[0][..words[0].len().min(SHOWN_MAX)]);
    text.extend_from_slice(b"', with args beginning with: ");
    let mut room = SHOWN_MAX;
    for word in &words[1..] {
        let shown = &word[..word.len().min(room)];
        text.push(b'\'');
        text.extend_from_slice(shown);
        text.extend_from_slice(b"' ");
        room = room.saturating_sub(shown.len() + 3);
        if room == 0 {
            break;
        }
    }
    CommandError::Text(text.into())
}

/// Whether the request is the beginning of an HTTP request: a web page that was tricked into talking
/// to the server on behalf of its visitor. Nothing it sends behind may be executed.
fn is_http(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"POST") || name.eq_ignore_ascii_case(b"Host:")
}

/// Executes one command whose shards are held: gates, handler, and what follows from its changes.
#[inline]
fn execute_one(ctx: &mut Ctx<'_>, entry: &TableEntry, words: &[&[u8]]) -> Outcome {
    let spec = entry.command.spec;
    let counters = ctx.stats;
    let stats = &counters.by_command[entry.index];
    ctx.session
        .client
        .last_command
        .store(entry.index + 1, Relaxed);
    if !spec.allows(words.len()) {
        bump(&stats.rejected, 1);
        fail(
            ctx,
            CommandError::arity(ctx.server.commands.full_name(entry)),
        );
        return Outcome::Done;
    }
    if let Err(error) = gates::pass(ctx, spec) {
        bump(&stats.rejected, 1);
        fail(ctx, error);
        return Outcome::Done;
    }
    bump(&stats.calls, 1);
    let reply_start = ctx.reply.position();
    let changes_before = ctx.db.changes().count();
    ctx.effects.begin(ctx.server.journal().is_some());
    let run = entry.command.run;
    let result = catch_unwind(AssertUnwindSafe(|| run(ctx, Args::new(words))))
        .unwrap_or_else(|panic| internal_error(spec.name, &*panic));
    ctx.db
        .bury_seen(spec.key_positions(words).map(|position| words[position]));
    if let Some(journal) = ctx.server.journal() {
        for change in ctx.db.changes().take() {
            if change.event == Event::EXPIRED {
                Effects::of_departure(journal, change.database, &change.key);
            }
        }
        if ctx.db.changes().count() != changes_before {
            ctx.effects.flush(journal, ctx.db.database(), words);
        }
    }
    match result {
        Ok(outcome) => outcome,
        Err(error) => {
            bump(&stats.failed, 1);
            ctx.reply.rewind(reply_start);
            fail(ctx, error);
            Outcome::Done
        }
    }
}

#[cold]
fn fail(ctx: &mut Ctx<'_>, error: CommandError) {
    ctx.stats.count_error(error.text());
    ctx.reply.error(error.text());
}

/// A panic is a defect of one command: it is logged, and the server lives.
#[cold]
fn internal_error(name: &str, panic: &(dyn std::any::Any + Send)) -> CommandResult {
    let cause = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    log::error!("The command {name} panicked, which is a defect of this program: {cause}");
    Err(CommandError::Fixed(
        "ERR internal error: the command failed, see the server's log",
    ))
}
