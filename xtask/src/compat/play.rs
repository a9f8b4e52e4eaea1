//! Plays the corpus to one server in one protocol and collects the replies.
//!
//! Consecutive lines of one connection go out in one write and their replies are then read, so a section costs a few
//! round trips however long it is.

use std::collections::HashMap;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use resp::client::{Decoder, Value, encode_request};

use super::reply::Reply;
use super::script::{Action, Argument, Part, Script, Section, Step};
use crate::server::Server;

/// How long a reply may take. A server that owes one after this owes all that follow in the section.
const PATIENCE: Duration = Duration::from_secs(4);

/// How long a connection that must be closed may stay open.
const CLOSING: Duration = Duration::from_secs(1);

/// The replies of all sections, in the order of the scripts; `None` for a section that this protocol leaves out.
pub(super) fn play(
    server: &Server,
    protocol: u8,
    scripts: &[Script],
) -> Result<Vec<Vec<Option<Vec<Reply>>>>> {
    let mut results = Vec::new();
    for script in scripts {
        let mut sections = Vec::new();
        for section in &script.sections {
            if section.protocol.is_some_and(|only| only != protocol) {
                sections.push(None);
                continue;
            }
            let replies = Stage::new(server, protocol).play(section);
            let context = || format!("{}: {}", script.name, section.title);
            sections.push(Some(replies.with_context(context)?));
        }
        results.push(sections);
    }
    Ok(results)
}

/// The connections of a section, and the values that it keeps.
struct Stage<'a> {
    server: &'a Server,
    protocol: u8,
    connections: HashMap<char, Connection>,
    kept: HashMap<String, Vec<u8>>,
}

impl<'a> Stage<'a> {
    fn new(server: &'a Server, protocol: u8) -> Self {
        Self {
            server,
            protocol,
            connections: HashMap::new(),
            kept: HashMap::new(),
        }
    }

    fn play(mut self, section: &Section) -> Result<Vec<Reply>> {
        let mut first = self.open()?;
        first.send(&[b"FLUSHALL".to_vec()]);
        let emptied = first.reply();
        anyhow::ensure!(
            matches!(emptied, Reply::Simple(_)),
            "FLUSHALL answered {emptied}"
        );
        first.wait_until_alone();
        self.connections.insert('A', first);

        let mut replies = Vec::with_capacity(section.steps.len());
        let mut start = 0;
        while start < section.steps.len() {
            let end = batch_end(section, start);
            for step in &section.steps[start..end] {
                if !self.connections.contains_key(&step.connection) {
                    let connection = self.open()?;
                    self.connections.insert(step.connection, connection);
                }
                self.send(step.connection, &step.action);
            }
            for step in &section.steps[start..end] {
                let connection = self.connections.get_mut(&step.connection).expect("opened");
                let reply = match &step.action {
                    Action::Command(_) => connection.reply(),
                    Action::Raw { replies: 1, .. } => connection.reply(),
                    Action::Raw { replies, .. } => {
                        Reply::Array((0..*replies).map(|_| connection.reply()).collect())
                    }
                    Action::Closed => connection.closed(),
                    Action::Sleep(_) => Reply::Seen(String::new()),
                    Action::Scan(command) => {
                        let command = fill(command, &self.kept);
                        connection.scan(command)?
                    }
                };
                if let Some(name) = &step.keep {
                    let text = reply.text().unwrap_or_default();
                    self.kept.insert(name.clone(), text.into_bytes());
                }
                replies.push(reply.seen_through(&step.looks));
            }
            start = end;
        }
        Ok(replies)
    }

    fn open(&self) -> Result<Connection> {
        let mut connection = Connection {
            stream: self.server.connect().context("the server is gone")?,
            decoder: Decoder::new(),
            lost: None,
        };
        if self.protocol == 3 {
            connection.send(&[b"HELLO".to_vec(), b"3".to_vec()]);
            // Refused while a password is set: such a section speaks RESP2 until it says otherwise.
            connection.reply();
        }
        Ok(connection)
    }

    fn send(&mut self, name: char, action: &Action) {
        let connection = self.connections.get_mut(&name).expect("opened");
        match action {
            Action::Command(command) => connection.send(&fill(command, &self.kept)),
            Action::Raw { bytes, .. } => connection.write(bytes),
            Action::Sleep(time) => std::thread::sleep(*time),
            Action::Closed | Action::Scan(_) => {}
        }
    }
}

/// Where the run of lines that can be sent together ends.
fn batch_end(section: &Section, start: usize) -> usize {
    let together = |step: &&Step| {
        matches!(step.action, Action::Command(_)) && step.keep.is_none() && !step.alone
    };
    let first = &section.steps[start];
    let joined = section.steps[start..]
        .iter()
        .take_while(|step| step.connection == first.connection)
        .take_while(together);
    start + joined.count().max(1)
}

fn fill(command: &[Argument], kept: &HashMap<String, Vec<u8>>) -> Vec<Vec<u8>> {
    let argument = |parts: &Argument| {
        let bytes = parts.iter().map(|part| match part {
            Part::Bytes(bytes) => bytes.as_slice(),
            Part::Kept(name) => kept.get(name).map_or(&b"nothing-kept"[..], Vec::as_slice),
        });
        bytes.collect::<Vec<_>>().concat()
    };
    command.iter().map(argument).collect()
}

struct Connection {
    stream: TcpStream,
    decoder: Decoder,
    /// Why no further reply will come.
    lost: Option<Reply>,
}

impl Connection {
    fn send(&mut self, command: &[Vec<u8>]) {
        let mut bytes = Vec::new();
        encode_request(command, &mut bytes);
        self.write(&bytes);
    }

    /// A failed write is no error here: the replies will tell that the server closed the connection.
    fn write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    fn reply(&mut self) -> Reply {
        self.reply_within(PATIENCE)
    }

    fn reply_within(&mut self, patience: Duration) -> Reply {
        if let Some(lost) = &self.lost {
            return lost.clone();
        }
        let deadline = Instant::now() + patience;
        let lost = loop {
            match self.decoder.next() {
                Ok(Some(value)) => return reply(value),
                Err(error) => break Reply::Nothing(format!("not RESP: {error}")),
                Ok(None) => {}
            }
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                break Reply::Nothing("no reply".to_owned());
            };
            let _ = self
                .stream
                .set_read_timeout(Some(left.max(Duration::from_millis(1))));
            let mut buffer = [0; 64 * 1024];
            match self.stream.read(&mut buffer) {
                Ok(0) => break Reply::Closed,
                Ok(count) => self.decoder.feed(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => break Reply::Closed,
            }
        };
        self.lost = Some(lost.clone());
        lost
    }

    /// What comes until the connection closes.
    fn closed(&mut self) -> Reply {
        let mut rest = Vec::new();
        loop {
            match self.reply_within(CLOSING) {
                Reply::Closed if rest.is_empty() => return Reply::Closed,
                last @ (Reply::Closed | Reply::Nothing(_)) => {
                    rest.push(last);
                    return Reply::Array(rest);
                }
                reply => rest.push(reply),
            }
        }
    }

    /// The last section's connections are closed on our side; CLIENT LIST must not show them any more.
    fn wait_until_alone(&mut self) {
        for _ in 0..200 {
            self.send(&["CLIENT", "LIST"].map(|word| word.as_bytes().to_vec()));
            let connections = self
                .reply()
                .text()
                .unwrap_or_default()
                .trim_end()
                .lines()
                .count();
            if connections <= 1 {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Follows a cursor from 0 to its end; the reply is the set of all elements, sorted.
    fn scan(&mut self, mut command: Vec<Vec<u8>>) -> Result<Reply> {
        let at = command
            .iter()
            .position(|argument| argument == b"0")
            .context("no cursor 0")?;
        let mut all = Vec::new();
        for _ in 0..100_000 {
            self.send(&command);
            match self.reply() {
                Reply::Array(mut pair) if pair.len() == 2 => match (pair.remove(0), pair.remove(0))
                {
                    (Reply::Bulk(cursor), Reply::Array(elements)) => {
                        all.extend(elements);
                        command[at] = cursor;
                    }
                    (cursor, elements) => return Ok(Reply::Array(vec![cursor, elements])),
                },
                other => return Ok(other),
            }
            if command[at] == b"0" {
                all.sort();
                all.dedup();
                return Ok(Reply::Array(all));
            }
        }
        Ok(Reply::Nothing("the cursor never came back to 0".to_owned()))
    }
}

/// A reply from what the decoder read.
pub(crate) fn reply(value: Value) -> Reply {
    let all = |items: Vec<Value>| items.into_iter().map(reply).collect();
    match value {
        Value::Simple(text) => Reply::Simple(text),
        Value::Error(text) | Value::BlobError(text) => Reply::Error(text),
        Value::Integer(number) => Reply::Integer(number),
        Value::Bulk(text) => Reply::Bulk(text),
        Value::Verbatim { text, .. } => Reply::Verbatim(text),
        Value::Null => Reply::Null,
        Value::NullBulk => Reply::NullBulk,
        Value::NullArray => Reply::NullArray,
        Value::Array(items) => Reply::Array(all(items)),
        Value::Set(items) => Reply::Set(all(items)),
        Value::Push(items) => Reply::Push(all(items)),
        Value::Map(pairs) => Reply::Map(
            pairs
                .into_iter()
                .map(|(key, value)| (reply(key), reply(value)))
                .collect(),
        ),
        Value::Double(text) => match text.parse::<f64>() {
            Ok(number) => Reply::Double(number.to_bits()),
            Err(_) => Reply::Seen(text),
        },
        Value::Boolean(value) => Reply::Boolean(value),
        Value::BigNumber(text) => Reply::BigNumber(text.into_bytes()),
        Value::Attribute { value, .. } => reply(*value),
    }
}
