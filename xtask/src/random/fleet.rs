//! The servers that get the same commands, each over one connection.

use std::collections::HashSet;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use resp::client::{Decoder, encode_request};

use super::generate::Command;
use crate::compat::{Reply, reply_of};
use crate::server::{Server, plain_flags};

/// A server's name and program.
pub(super) type Program = (String, PathBuf);

/// How long a batch may take: a debug build on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is set anew at the start of each round, and before each replay.
const DEFAULTS: &[(&str, &str)] = &[
    ("hash-max-listpack-entries", "128"),
    ("hash-max-listpack-value", "64"),
    ("list-max-listpack-size", "-2"),
    ("set-max-intset-entries", "512"),
    ("set-max-listpack-entries", "128"),
    ("set-max-listpack-value", "64"),
    ("zset-max-listpack-entries", "128"),
    ("zset-max-listpack-value", "64"),
    // So that a word of an offset does not make strings of half a gigabyte.
    ("proto-max-bulk-len", "1048576"),
];

/// Ours first, then the oracles, the main one before the others.
pub(super) struct Fleet {
    players: Vec<Player>,
}

struct Player {
    name: String,
    server: Server,
    stream: TcpStream,
    decoder: Decoder,
    lost: bool,
}

impl Fleet {
    pub(super) fn start(programs: &[Program]) -> Result<Self> {
        let players = programs.iter().map(|(name, program)| {
            let server = Server::start(program, &plain_flags(), None)?;
            Ok(Player {
                name: name.clone(),
                stream: server.connect()?,
                server,
                decoder: Decoder::new(),
                lost: false,
            })
        });
        Ok(Self {
            players: players.collect::<Result<_>>()?,
        })
    }

    /// Empties the servers, and opens new connections with this protocol.
    pub(super) fn reset(&mut self, protocol: u8) -> Result<()> {
        for player in &mut self.players {
            player.stream = player.server.connect()?;
            player.decoder = Decoder::new();
        }
        let mut commands = vec![
            words(&["FLUSHALL"]),
            words(&["HELLO", &protocol.to_string()]),
        ];
        commands.extend(
            DEFAULTS
                .iter()
                .map(|(name, value)| words(&["CONFIG", "SET", name, value])),
        );
        let replies = self.exchange(&commands);
        let flushed = replies[0]
            .iter()
            .all(|reply| matches!(reply, Reply::Simple(_)));
        ensure!(flushed, "FLUSHALL: {:?}", replies[0]);
        Ok(())
    }

    /// Sends all commands to all servers, and collects the replies: by command, then by server.
    pub(super) fn exchange(&mut self, commands: &[Command]) -> Vec<Vec<Reply>> {
        let mut bytes = Vec::new();
        for command in commands {
            encode_request(&command.words, &mut bytes);
        }
        for player in &mut self.players {
            // A failed write shows in the replies.
            player.lost |= player.stream.write_all(&bytes).is_err();
        }
        let mut replies = vec![Vec::with_capacity(self.players.len()); commands.len()];
        for player in &mut self.players {
            for list in &mut replies {
                list.push(player.reply());
            }
        }
        replies
    }

    /// Whether each server still answers.
    pub(super) fn is_whole(&self) -> bool {
        self.players.iter().all(|player| !player.lost)
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.players
            .iter()
            .map(|player| player.name.as_str())
            .collect()
    }

    /// The names of the commands of each server, in upper case.
    pub(super) fn commands(&mut self) -> Vec<HashSet<String>> {
        let mut replies = self.exchange(&[words(&["COMMAND", "LIST"])]);
        let names = |reply: Reply| match reply {
            Reply::Array(list) | Reply::Set(list) => list
                .iter()
                .filter_map(Reply::text)
                .map(|name| name.to_uppercase())
                .collect(),
            _ => HashSet::new(),
        };
        replies.remove(0).into_iter().map(names).collect()
    }

    /// Which of these commands the main oracle marks as reading only.
    pub(super) fn readonly(&mut self, names: &HashSet<String>) -> HashSet<String> {
        let mut command = words(&["COMMAND", "INFO"]);
        command
            .words
            .extend(names.iter().map(|name| name.clone().into_bytes()));
        let replies = self.exchange(&[command]);
        let main = replies[0].get(1).or(replies[0].first());
        let Some(Reply::Array(list)) = main else {
            return HashSet::new();
        };
        let is_readonly = |info: &&Reply| {
            let Reply::Array(parts) = info else {
                return false;
            };
            match parts.get(2) {
                Some(Reply::Array(flags) | Reply::Set(flags)) => flags
                    .iter()
                    .any(|flag| flag.text().as_deref() == Some("readonly")),
                _ => false,
            }
        };
        let name = |info: &Reply| match info {
            Reply::Array(parts) => parts
                .first()
                .and_then(Reply::text)
                .map(|name| name.to_uppercase()),
            _ => None,
        };
        list.iter().filter(is_readonly).filter_map(name).collect()
    }
}

impl Player {
    fn reply(&mut self) -> Reply {
        let deadline = Instant::now() + PATIENCE;
        while !self.lost {
            match self.decoder.next() {
                Ok(Some(value)) => return reply_of(value),
                Err(error) => {
                    self.lost = true;
                    return Reply::Nothing(format!("not RESP: {error}"));
                }
                Ok(None) => {}
            }
            let Some(left) = deadline.checked_duration_since(Instant::now()) else {
                self.lost = true;
                return Reply::Nothing("no reply".to_owned());
            };
            let _ = self
                .stream
                .set_read_timeout(Some(left.max(Duration::from_millis(1))));
            let mut buffer = [0; 64 * 1024];
            match self.stream.read(&mut buffer) {
                Ok(0) => self.lost = true,
                Ok(count) => self.decoder.feed(&buffer[..count]),
                Err(error) => {
                    let again = [
                        ErrorKind::Interrupted,
                        ErrorKind::WouldBlock,
                        ErrorKind::TimedOut,
                    ];
                    self.lost |= !again.contains(&error.kind());
                }
            }
        }
        Reply::Closed
    }
}

fn words(words: &[&str]) -> Command {
    let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    Command::plain(&words)
}
