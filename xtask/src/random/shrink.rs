//! From the commands of a round that ended in a difference to the few that it needs, and those as a script of
//! tests/compat.
//!
//! First only the commands are kept that share keys with the last one, at any remove; then ever smaller parts are left
//! out while the difference stays (delta debugging); then arguments are. Each attempt is a replay on emptied servers.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::fleet::{Fleet, Program};
use super::generate::Command;
use super::judge::{self, Verdict};
use super::line::View;
use crate::compat::Reply;

/// How long a difference may be worked on.
const PATIENCE: Duration = Duration::from_secs(25);

/// The class of all findings in which our server goes away.
pub(super) const LOST: &str = "the connection is lost";

/// Replays on servers of its own.
pub(super) struct Shrinker<'a> {
    programs: &'a [Program],
    fleet: Option<Fleet>,
    deadline: Instant,
    protocol: u8,
    class: String,
}

/// What a difference came down to.
pub(super) struct Shrunk {
    pub(super) commands: Vec<Command>,
    /// The replies to the last command.
    pub(super) replies: Vec<Reply>,
}

impl<'a> Shrinker<'a> {
    pub(super) fn new(programs: &'a [Program]) -> Self {
        Self {
            programs,
            fleet: None,
            deadline: Instant::now(),
            protocol: 2,
            class: String::new(),
        }
    }

    /// The least part of `log` after which its last command still ends in a finding of this class; `None` if not even
    /// all of it does that again.
    pub(super) fn shrink(
        &mut self,
        protocol: u8,
        log: &[Command],
        class: &str,
    ) -> Result<Option<Shrunk>> {
        self.deadline = Instant::now() + PATIENCE;
        self.protocol = protocol;
        class.clone_into(&mut self.class);
        let mut commands = related(log);
        if class == LOST || self.replay(&commands)?.is_none() {
            commands = log.to_vec();
            if self.replay(&commands)?.is_none() {
                return Ok(None);
            }
        }
        self.fewer_commands(&mut commands)?;
        self.fewer_words(&mut commands)?;
        // Without a word here and there, another command may no longer matter.
        self.fewer_commands(&mut commands)?;
        self.deadline = Instant::now() + PATIENCE;
        let replies = self.replay(&commands)?;
        Ok(replies.map(|replies| Shrunk { commands, replies }))
    }

    fn fewer_commands(&mut self, commands: &mut Vec<Command>) -> Result<()> {
        let mut size = (commands.len() / 2).max(1);
        loop {
            let mut removed = false;
            let mut end = commands.len() - last_ones(commands);
            while end > 0 {
                let start = end.saturating_sub(size);
                let mut fewer = commands.clone();
                fewer.drain(start..end);
                if self.replay(&fewer)?.is_some() {
                    *commands = fewer;
                    removed = true;
                }
                end = start;
            }
            if size == 1 && !removed {
                return Ok(());
            }
            if !removed || size > 1 {
                size = (size / 2).max(1);
            }
            if Instant::now() > self.deadline {
                return Ok(());
            }
        }
    }

    fn fewer_words(&mut self, commands: &mut Vec<Command>) -> Result<()> {
        for index in (0..commands.len()).rev() {
            let mut size = commands[index].words.len() / 2;
            while size > 0 {
                let mut end = commands[index].words.len();
                while end > 1 {
                    let start = end.saturating_sub(size).max(1);
                    let mut fewer = commands.clone();
                    fewer[index].words.drain(start..end);
                    if self.replay(&fewer)?.is_some() {
                        *commands = fewer;
                    }
                    end = start;
                }
                size /= 2;
            }
            for at in 1..commands[index].words.len() {
                while commands[index].words[at].len() > 8 {
                    let mut shorter = commands.clone();
                    let half = shorter[index].words[at].len() / 2;
                    shorter[index].words[at].truncate(half);
                    if self.replay(&shorter)?.is_none() {
                        break;
                    }
                    *commands = shorter;
                }
            }
        }
        Ok(())
    }

    /// The replies to the last command, if they make a finding of the class.
    fn replay(&mut self, commands: &[Command]) -> Result<Option<Vec<Reply>>> {
        if Instant::now() > self.deadline {
            return Ok(None);
        }
        let mut fleet = match self.fleet.take() {
            Some(fleet) => fleet,
            None => Fleet::start(self.programs)?,
        };
        fleet.reset(self.protocol)?;
        let mut replies: Vec<Vec<Reply>> = Vec::new();
        for batch in commands.chunks(200) {
            replies.extend(fleet.exchange(batch));
        }
        if !fleet.is_whole() {
            let last = replies.pop().filter(|_| self.class == LOST);
            return Ok(last);
        }
        self.fleet = Some(fleet);
        let (Some(last), Some(command)) = (replies.pop(), commands.last()) else {
            return Ok(None);
        };
        let query = replies.last().and_then(|replies| replies.first());
        let again = match judge::judge(command, &last, query) {
            Verdict::Finding(class) | Verdict::Accepted(Some(class)) => class == self.class,
            _ => false,
        };
        Ok(again.then_some(last))
    }
}

/// How many commands at the end belong together.
fn last_ones(commands: &[Command]) -> usize {
    let with_query = commands
        .last()
        .is_some_and(|command| command.view == View::Shape);
    if with_query { 2 } else { 1 }.min(commands.len())
}

/// The commands that share keys with the last one, or with one that does; and those without keys.
fn related(log: &[Command]) -> Vec<Command> {
    let known: HashSet<Vec<u8>> = super::values::all_keys().into_iter().collect();
    let mut keys: HashSet<Vec<u8>> = HashSet::new();
    let mut kept = Vec::new();
    for (index, command) in log.iter().enumerate().rev() {
        let own = judge::keys_of(command, &known);
        let is_last = index + last_ones(log) >= log.len();
        if is_last
            || (own.is_empty() && !command.reads_only)
            || own.iter().any(|key| keys.contains(key))
        {
            if command.reads_only && !is_last && !own.is_empty() {
                continue;
            }
            // One that deletes many keys to make servers equal again says nothing about the others.
            if command.line.is_some() || is_last {
                keys.extend(own);
            }
            kept.push(command.clone());
        } else if matches!(command.name().as_str(), "SELECT" | "CONFIG") {
            kept.push(command.clone());
        }
    }
    kept.reverse();
    kept
}

/// Commands in the language of tests/compat.
pub(super) fn script(commands: &[Command]) -> Vec<String> {
    let line = |command: &Command| {
        let words: Vec<String> = command.words.iter().map(|word| quoted(word)).collect();
        format!("{}{}", command.view.marker(), words.join(" "))
    };
    commands.iter().map(line).collect()
}

fn quoted(word: &[u8]) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_graphic() && !b"\"'{}\\@=".contains(byte);
    match word {
        [first, rest @ ..]
            if rest.len() > 30 && is_plain(first) && rest.iter().all(|byte| byte == first) =>
        {
            format!("{{{}*{}}}", *first as char, word.len())
        }
        [] => "\"\"".to_owned(),
        plain if plain.iter().all(is_plain) => String::from_utf8_lossy(plain).into_owned(),
        other => {
            let mut text = String::from("\"");
            for byte in other {
                match byte {
                    b'"' | b'\\' => text.extend(['\\', *byte as char]),
                    b'\r' => text += "\\r",
                    b'\n' => text += "\\n",
                    b' '..=b'~' => text.push(*byte as char),
                    other => text += &format!("\\x{other:02x}"),
                }
            }
            text + "\""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Command {
        let words: Vec<&[u8]> = text.split(' ').map(str::as_bytes).collect();
        let reads_only = text.starts_with("GET") || text.starts_with("SMEMBERS");
        Command {
            reads_only,
            line: Some(0),
            ..Command::plain(&words)
        }
    }

    #[test]
    fn only_related_commands_are_kept() {
        let log = [
            "SADD e1 a",
            "SADD e2 a",
            "SADD e3 a",
            "SMEMBERS e1",
            "SUNIONSTORE e4 e1 e2",
            "SMEMBERS e4",
        ];
        let kept = related(&log.map(command));
        assert_eq!(
            script(&kept),
            [
                "SADD e1 a",
                "SADD e2 a",
                "SUNIONSTORE e4 e1 e2",
                "SMEMBERS e4"
            ]
        );
    }

    #[test]
    fn words_are_quoted_as_scripts_read_them() {
        assert_eq!(quoted(b"a-1.5"), "a-1.5");
        assert_eq!(quoted(b""), "\"\"");
        assert_eq!(quoted(b"a b\r\n\0\xff\""), r#""a b\r\n\x00\xff\"""#);
        assert_eq!(quoted(&[b'x'; 64]), "{x*64}");
    }
}
