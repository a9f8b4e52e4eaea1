//! A round: emptied servers, thresholds chosen by the seed, and a few thousand commands in batches.

use std::collections::BTreeSet;

use anyhow::Result;
use fastrand::Rng;

use super::Run;
use super::fleet::Fleet;
use super::generate::{self, Command};
use super::judge::{self, Taint, Verdict};
use super::line::View;
use super::shrink::LOST;
use crate::compat::Reply;

const COMMANDS: usize = 3000;
const BATCH: usize = 40;

/// After how many batches the keys that were touched are read.
const PROBED_EVERY: usize = 4;

/// Small thresholds, so that few elements are enough to cross them.
const THRESHOLDS: &[(&str, &[&str])] = &[
    ("hash-max-listpack-entries", &["2", "8", "32", "0"]),
    ("hash-max-listpack-value", &["4", "16", "100"]),
    ("list-max-listpack-size", &["2", "8", "-1", "1"]),
    ("set-max-intset-entries", &["2", "8", "32"]),
    ("set-max-listpack-entries", &["2", "8", "32", "0"]),
    ("set-max-listpack-value", &["4", "16"]),
    ("zset-max-listpack-entries", &["2", "8", "32", "0"]),
    ("zset-max-listpack-value", &["4", "16"]),
];

struct Round<'f, 'a> {
    run: &'f mut Run<'a>,
    fleet: &'f mut Fleet,
    seed: u64,
    protocol: u8,
    rng: Rng,
    /// What was sent since the servers were emptied.
    log: Vec<Command>,
    taint: Taint,
    /// The selected database.
    db: u8,
    touched: BTreeSet<Vec<u8>>,
}

/// Plays a round; false if a server went away and all must be started anew.
pub(super) fn play(run: &mut Run<'_>, fleet: &mut Fleet, seed: u64) -> Result<bool> {
    let mut rng = Rng::with_seed(seed);
    let protocol = if rng.bool() { 2 } else { 3 };
    fleet.reset(protocol)?;
    let mut round = Round {
        run,
        fleet,
        seed,
        protocol,
        rng,
        log: Vec::new(),
        taint: Taint::new(),
        db: 0,
        touched: BTreeSet::new(),
    };
    round.thresholds();
    for number in 1..=COMMANDS / BATCH {
        if !round.batch()? || (number % PROBED_EVERY == 0 && !round.probe()?) {
            return Ok(false);
        }
    }
    Ok(true)
}

impl Round<'_, '_> {
    fn thresholds(&mut self) {
        // Every third round has the defaults.
        if self.rng.u32(0..3) == 0 {
            return;
        }
        let mut commands = Vec::new();
        for (name, values) in THRESHOLDS {
            if self.rng.u32(0..3) > 0 {
                let value = values[self.rng.usize(0..values.len())];
                commands.push(Command::plain(&[
                    b"CONFIG",
                    b"SET",
                    name.as_bytes(),
                    value.as_bytes(),
                ]));
            }
        }
        self.fleet.exchange(&commands);
        self.log.extend(commands);
    }

    /// Sends a batch and judges it; false if a server is lost.
    fn batch(&mut self) -> Result<bool> {
        let mut commands = Vec::new();
        while commands.len() < BATCH {
            let run = &self.run;
            commands.extend(generate::next(
                &run.lines,
                &run.choice,
                &run.readonly,
                &mut self.rng,
            ));
        }
        let replies = self.fleet.exchange(&commands);
        if !self.fleet.is_whole() {
            self.log.extend(commands);
            let log = std::mem::take(&mut self.log);
            self.run.found(self.seed, self.protocol, &log, LOST)?;
            return Ok(false);
        }
        for (index, (command, replies_here)) in commands.iter().zip(&replies).enumerate() {
            self.log.push(command.clone());
            self.count(command, replies_here);
            self.touched.extend(self.taint.keys_of(command));
            self.follow(command, replies_here);
            if !self.taint.admits(command) {
                continue;
            }
            let query = index.checked_sub(1).map(|before| &replies[before][0]);
            self.judge(command, replies_here, query)?;
            if command.view == View::Shape && !command.reads_only {
                self.taint.add(command);
            }
        }
        let cure = self.taint.cure(self.db);
        if !cure.is_empty() {
            self.fleet.exchange(&cure);
            self.log.extend(cure);
        }
        Ok(self.fleet.is_whole())
    }

    fn judge(&mut self, command: &Command, replies: &[Reply], query: Option<&Reply>) -> Result<()> {
        match judge::judge(command, replies, query) {
            Verdict::Same => {}
            Verdict::Accepted(sided) => {
                if !command.reads_only {
                    self.taint.add(command);
                }
                if let Some(class) = sided {
                    if self.run.options.sided {
                        let protocol = self.protocol;
                        self.run.found(self.seed, protocol, &self.log, &class)?;
                    }
                    *self.run.sided.entry(class).or_default() += 1;
                }
            }
            Verdict::Finding(class) => {
                self.taint.add(command);
                let lacks = |text: &[u8]| text.starts_with(b"ERR unknown subcommand");
                if let (Reply::Error(text), Some(line)) = (&replies[0], command.line)
                    && lacks(text)
                {
                    self.run.disable(line);
                    return Ok(());
                }
                self.run
                    .found(self.seed, self.protocol, &self.log, &class)?;
            }
        }
        Ok(())
    }

    fn count(&mut self, command: &Command, replies: &[Reply]) {
        if let Some(line) = command.line {
            let (sent, fine) = &mut self.run.sent[line];
            *sent += 1;
            *fine += u64::from(!matches!(replies.get(1), Some(Reply::Error(_))));
        }
    }

    /// Keeps track of the selected database.
    fn follow(&mut self, command: &Command, replies: &[Reply]) {
        if command.name() == "SELECT"
            && matches!(replies.get(1), Some(Reply::Simple(_)))
            && let Some(db) = command.words.get(1).and_then(|word| word.first())
        {
            self.db = db - b'0';
        }
    }

    /// Reads the keys that were touched since the last time; false if a server is lost.
    fn probe(&mut self) -> Result<bool> {
        let touched = std::mem::take(&mut self.touched);
        let mut commands = Vec::new();
        for key in &touched {
            commands.push(Command::plain(&[b"TYPE", key]));
            commands.push(Command::plain(&[b"OBJECT", b"ENCODING", key]));
            commands.push(Command {
                view: View::Near(5000),
                ..Command::plain(&[b"PTTL", key])
            });
        }
        let replies = self.fleet.exchange(&commands);
        let mut dumps = Vec::new();
        for (key, replies) in touched.iter().zip(replies.iter().step_by(3)) {
            let kind = replies.get(1).and_then(Reply::text).unwrap_or_default();
            let (words, view): (&[&[u8]], View) = match kind.as_str() {
                "string" => (&[b"GET", key], View::Exact),
                "list" => (&[b"LRANGE", key, b"0", b"-1"], View::Exact),
                "set" => (&[b"SMEMBERS", key], View::Sorted),
                "hash" => (&[b"HGETALL", key], View::Pairs),
                "zset" => (&[b"ZRANGE", key, b"0", b"-1", b"WITHSCORES"], View::Exact),
                _ => continue,
            };
            dumps.push(Command {
                view,
                ..Command::plain(words)
            });
        }
        let dumped = self.fleet.exchange(&dumps);
        for (command, replies) in commands
            .iter()
            .chain(&dumps)
            .zip(replies.iter().chain(&dumped))
        {
            if self.taint.admits(command) {
                self.log.push(command.clone());
                self.judge(command, replies, None)?;
                self.log.pop();
            }
        }
        let cure = self.taint.cure(self.db);
        self.fleet.exchange(&cure);
        self.log.extend(cure);
        Ok(self.fleet.is_whole())
    }
}
