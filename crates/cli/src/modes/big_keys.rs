//! `--bigkeys` and `--memkeys`: the biggest key of each type, by elements or by bytes.
//!
//! Each round asks for the types of a batch of keys in one pipeline and for their sizes in another.
//! A key may vanish or change its type in between; it is then skipped or reported.

use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::thread;

use resp::client::Value;

use crate::connection::Connection;
use crate::format::quote;
use crate::modes::scan::Scan;
use crate::modes::unexpected;
use crate::session::{Session, print};
use crate::terminal;
use crate::{Failure, complain};

/// Progress is printed each time this many more keys were looked at.
const PROGRESS_KEYS: u64 = 1_000_000;

/// Rounds of SCAN between two pauses of `-i`.
pub(super) const ROUNDS_PER_PAUSE: u64 = 100;

/// What makes a key big.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Elements,
    /// MEMORY USAGE, with its SAMPLES.
    Memory {
        samples: Option<u64>,
    },
}

/// What was seen of one type of value.
struct Type {
    name: String,
    /// The command that counts elements; types of modules have none.
    size_command: Option<&'static str>,
    unit: &'static str,
    keys: u64,
    size: u64,
    biggest: u64,
    biggest_key: Option<String>,
}

impl Type {
    fn new(name: &str, size_command: Option<&'static str>, unit: &'static str) -> Self {
        let name = name.to_owned();
        Type {
            name,
            size_command,
            unit,
            keys: 0,
            size: 0,
            biggest: 0,
            biggest_key: None,
        }
    }
}

struct Survey {
    measure: Measure,
    types: Vec<Type>,
    sampled: u64,
    name_bytes: u64,
}

pub(super) fn run(session: &mut Session, measure: Measure) -> Result<u8, Failure> {
    let mut scan = Scan::new(session);
    let interval = session.options.interval;
    let interrupted = terminal::interrupt_flag().map_err(Failure::Output)?;
    let connection = session.connect_or_fail()?;
    let total = prepare(connection)?;
    print(
        b"
# Scanning the entire keyspace to find biggest keys as well as
# average sizes per key type.  You can use -i 0.1 to sleep 0.1 sec
# per 100 SCAN commands (not usually needed).

",
    )?;
    let mut survey = Survey::new(measure);
    let mut rounds = 0;
    loop {
        let percent = 100.0 * survey.sampled as f64 / total as f64;
        let keys = scan.next(connection)?;
        survey.look_at(&keys, percent, connection)?;
        if scan.is_done() || interrupted.load(Ordering::Relaxed) {
            let stopped_at = (!scan.is_done()).then_some(percent);
            print(survey.summary(stopped_at).as_bytes())?;
            return Ok(0);
        }
        rounds += 1;
        if rounds % ROUNDS_PER_PAUSE == 0 {
            thread::sleep(interval);
        }
    }
}

/// Counts the keys, and lets a replica of a cluster answer.
pub(super) fn prepare(connection: &mut Connection) -> Result<i64, Failure> {
    let reply = connection.call(&["DBSIZE"])?;
    let total = reply
        .as_i64()
        .ok_or_else(|| unexpected("Couldn't determine DBSIZE", &reply))?;
    // Not an error outside of a cluster.
    connection.call(&["READONLY"])?;
    Ok(total)
}

/// `05.20%` as C's `%05.2f%%` prints it.
pub(super) fn percentage(percent: f64) -> String {
    if percent.is_nan() {
        "00.00%".into()
    } else {
        format!("{percent:05.2}%")
    }
}

impl Survey {
    fn new(measure: Measure) -> Self {
        let types = vec![
            Type::new("string", Some("STRLEN"), "bytes"),
            Type::new("list", Some("LLEN"), "items"),
            Type::new("set", Some("SCARD"), "members"),
            Type::new("hash", Some("HLEN"), "fields"),
            Type::new("zset", Some("ZCARD"), "members"),
            Type::new("stream", Some("XLEN"), "entries"),
        ];
        Survey {
            measure,
            types,
            sampled: 0,
            name_bytes: 0,
        }
    }

    fn look_at(
        &mut self,
        keys: &[Vec<u8>],
        percent: f64,
        connection: &mut Connection,
    ) -> Result<(), Failure> {
        let types = self.types_of(keys, connection)?;
        let sizes = self.sizes_of(keys, &types, connection)?;
        let mut text = String::new();
        for ((key, kind), size) in keys.iter().zip(types).zip(sizes) {
            let Some(kind) = kind else { continue };
            let unit = self.unit(&self.types[kind]);
            let kind = &mut self.types[kind];
            kind.size += size;
            kind.keys += 1;
            self.name_bytes += key.len() as u64;
            self.sampled += 1;
            if kind.biggest < size {
                kind.biggest = size;
                let shown = quoted(key);
                let _ = writeln!(
                    text,
                    "[{}] Biggest {:<6} found so far '{shown}' with {size} {unit}",
                    percentage(percent),
                    kind.name,
                );
                kind.biggest_key = Some(shown);
            }
            if self.sampled.is_multiple_of(PROGRESS_KEYS) {
                let _ = writeln!(
                    text,
                    "[{}] Sampled {} keys so far",
                    percentage(percent),
                    self.sampled
                );
            }
        }
        print(text.as_bytes())
    }

    /// The index of each key's type; `None` for a key that is gone.
    fn types_of(
        &mut self,
        keys: &[Vec<u8>],
        connection: &mut Connection,
    ) -> Result<Vec<Option<usize>>, Failure> {
        for key in keys {
            connection.queue(&[b"TYPE", key.as_slice()]);
        }
        connection.flush()?;
        let mut types = Vec::with_capacity(keys.len());
        for _ in keys {
            let reply = connection.reply()?;
            let Value::Simple(name) = &reply else {
                return Err(unexpected("TYPE returned an error", &reply));
            };
            if name == b"none" {
                types.push(None);
                continue;
            }
            let name = String::from_utf8_lossy(name);
            let known = self.types.iter().position(|known| known.name == name);
            types.push(Some(known.unwrap_or_else(|| {
                self.types.push(Type::new(&name, None, "?"));
                self.types.len() - 1
            })));
        }
        Ok(types)
    }

    fn sizes_of(
        &self,
        keys: &[Vec<u8>],
        types: &[Option<usize>],
        connection: &mut Connection,
    ) -> Result<Vec<u64>, Failure> {
        let commands: Vec<Option<&'static str>> = types
            .iter()
            .map(|kind| match self.measure {
                Measure::Elements => self.types[(*kind)?].size_command,
                Measure::Memory { .. } => kind.map(|_| "MEMORY USAGE"),
            })
            .collect();
        for (key, command) in keys.iter().zip(&commands) {
            let Some(command) = command else { continue };
            let mut args: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
            args.push(key);
            let samples = match self.measure {
                Measure::Memory {
                    samples: Some(samples),
                } => samples.to_string(),
                _ => String::new(),
            };
            if !samples.is_empty() {
                args.extend([&b"SAMPLES"[..], samples.as_bytes()]);
            }
            connection.queue(&args);
        }
        connection.flush()?;
        let mut sizes = Vec::with_capacity(keys.len());
        for (key, command) in keys.iter().zip(&commands) {
            let Some(command) = command else {
                sizes.push(0);
                continue;
            };
            match connection.reply()? {
                Value::Integer(size) => sizes.push(u64::try_from(size).unwrap_or(0)),
                _ => {
                    let key = String::from_utf8_lossy(key);
                    complain(&format!(
                        "Warning:  {command} on '{key}' failed (may have changed type)"
                    ));
                    sizes.push(0);
                }
            }
        }
        Ok(sizes)
    }

    fn unit(&self, kind: &Type) -> &'static str {
        match self.measure {
            Measure::Elements => kind.unit,
            Measure::Memory { .. } => "bytes",
        }
    }

    fn summary(&self, stopped_at: Option<f64>) -> String {
        let mut text = String::from("\n-------- summary -------\n\n");
        if let Some(percent) = stopped_at {
            let _ = write!(text, "[{}] ", percentage(percent));
        }
        let average = |sum: u64, count: u64| {
            if count == 0 {
                0.0
            } else {
                sum as f64 / count as f64
            }
        };
        let Survey {
            sampled,
            name_bytes,
            ..
        } = self;
        let _ = writeln!(text, "Sampled {sampled} keys in the keyspace!");
        let _ = writeln!(
            text,
            "Total key length in bytes is {name_bytes} (avg len {:.2})\n",
            average(*name_bytes, *sampled)
        );
        for kind in &self.types {
            if let Some(key) = &kind.biggest_key {
                let Type { name, biggest, .. } = kind;
                let unit = self.unit(kind);
                let _ = writeln!(text, "Biggest {name:>6} found '{key}' has {biggest} {unit}");
            }
        }
        text.push('\n');
        for kind in &self.types {
            let Type {
                name, keys, size, ..
            } = kind;
            let share = 100.0 * average(*keys, *sampled);
            let _ = writeln!(
                text,
                "{keys} {name}s with {size} {} ({} of keys, avg size {:.2})",
                self.unit(kind),
                percentage(share),
                average(*size, *keys)
            );
        }
        text
    }
}

pub(super) fn quoted(key: &[u8]) -> String {
    let mut text = Vec::new();
    quote(key, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
