//! Help, completion and hints, from a table of commands.
//!
//! The table comes from the caller; commands that only the connected server has, such as those of
//! its modules, are added by [`Help::learn`].

use std::collections::BTreeSet;

use crate::docs;
use crate::session::is;
use crate::syntax;
use crate::{CommandHint, Program};
use resp::client::Value;

pub(crate) struct Help<'a> {
    program: Program<'a>,
    commands: Vec<CommandHint>,
}

impl<'a> Help<'a> {
    pub(crate) fn new(program: Program<'a>, commands: &[CommandHint]) -> Self {
        let mut commands = commands.to_vec();
        for command in &mut commands {
            let without_name = command
                .syntax
                .get(..command.name.len())
                .filter(|start| start.eq_ignore_ascii_case(&command.name))
                .map(|start| command.syntax[start.len()..].trim_start().to_owned());
            if let Some(arguments) = without_name {
                command.syntax = arguments.into();
            }
        }
        let mut help = Help { program, commands };
        help.sort();
        help
    }

    /// Adds what a reply to COMMAND DOCS tells beyond the table.
    pub(crate) fn learn(&mut self, command_docs: &Value) {
        let known: BTreeSet<String> = self
            .commands
            .iter()
            .map(|command| command.name.to_ascii_uppercase())
            .collect();
        let learned = docs::commands(command_docs);
        self.commands.extend(
            learned
                .into_iter()
                .filter(|new| !known.contains(&*new.name)),
        );
        self.sort();
    }

    fn sort(&mut self) {
        self.commands
            .sort_by(|one, other| one.name.cmp(&other.name));
    }

    /// The text to show if the command is `help` or `?`.
    pub(crate) fn answer(&self, command: &[Vec<u8>]) -> Option<String> {
        let (first, topic) = command.split_first()?;
        if !is(first, "help") && !is(first, "?") {
            return None;
        }
        let Some(first) = topic.first() else {
            return Some(self.overview());
        };
        let mut text = String::new();
        if let Some(group) = first.strip_prefix(b"@") {
            let members = self.commands.iter().filter(|entry| is(group, &entry.group));
            members.for_each(|entry| describe(entry, &mut text));
        } else {
            let matching = self.commands.iter().filter(|entry| {
                let words: Vec<&str> = entry.name.split(' ').collect();
                topic.len() <= words.len()
                    && topic.iter().zip(words).all(|(typed, word)| is(typed, word))
            });
            for entry in matching {
                describe(entry, &mut text);
                text.push_str(&format!("  \x1b[33mgroup:\x1b[0m {}\r\n", entry.group));
            }
        }
        text.push_str("\r\n");
        Some(text)
    }

    fn overview(&self) -> String {
        let Program { name, version } = self.program;
        format!(
            "{name} {version}
Help on commands:
      \"help @<group>\" lists the commands of a group
      \"help <command>\" explains a command
      \"help <tab>\" goes through the possible topics
      \"quit\" ends this program

Preferences:
      \":set hints\" shows the arguments of a command while it is typed
      \":set nohints\" does not
They can be kept in ~/.caracalclirc
"
        )
    }

    /// Whole lines that the typed one may become.
    pub(crate) fn completions(&self, line: &str) -> Vec<String> {
        let is_help = line
            .get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("help "));
        let prefix_length = if is_help {
            line.len() - line[5..].trim_start().len()
        } else {
            0
        };
        let (prefix, typed) = line.split_at(prefix_length);
        let mut topics: Vec<String> = self
            .commands
            .iter()
            .map(|command| command.name.to_string())
            .collect();
        if is_help {
            let groups: BTreeSet<&str> = self.commands.iter().map(|entry| &*entry.group).collect();
            topics.extend(groups.into_iter().map(|group| format!("@{group}")));
        }
        topics.retain(|topic| {
            topic
                .get(..typed.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(typed))
        });
        topics
            .into_iter()
            .map(|topic| format!("{prefix}{topic}"))
            .collect()
    }

    /// The arguments still to be typed for a command whose name is complete.
    pub(crate) fn hint(&self, args: &[Vec<u8>]) -> Option<String> {
        let words_of = |entry: &CommandHint| entry.name.split(' ').count();
        let entry = self
            .commands
            .iter()
            .filter(|entry| {
                words_of(entry) <= args.len()
                    && entry
                        .name
                        .split(' ')
                        .zip(args)
                        .all(|(word, typed)| is(typed, word))
            })
            .max_by_key(|entry| words_of(entry))?;
        let left = syntax::remaining(&entry.syntax, &args[words_of(entry)..]);
        (!left.is_empty()).then_some(left)
    }
}

fn describe(entry: &CommandHint, text: &mut String) {
    let CommandHint {
        name,
        syntax,
        summary,
        ..
    } = entry;
    text.push_str(&format!(
        "\r\n  \x1b[1m{name}\x1b[0m \x1b[90m{syntax}\x1b[0m\r\n"
    ));
    text.push_str(&format!("  \x1b[33msummary:\x1b[0m {summary}\r\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help() -> Help<'static> {
        let hint = |name: &'static str, syntax: &'static str, group: &'static str| CommandHint {
            name: name.into(),
            syntax: syntax.into(),
            summary: "Does it.".into(),
            group: group.into(),
        };
        Help::new(
            Program {
                name: "caracal cli",
                version: "1.0",
            },
            &[
                hint("GET", "GET key", "string"),
                hint("GETDEL", "key", "string"),
                hint(
                    "CLIENT LIST",
                    "[ID client-id [client-id ...]]",
                    "connection",
                ),
                hint("CLIENT", "subcommand", "connection"),
            ],
        )
    }

    fn words(line: &str) -> Vec<Vec<u8>> {
        crate::line_split::split(line.as_bytes()).unwrap()
    }

    #[test]
    fn answers() {
        let help = help();
        assert_eq!(help.answer(&words("get x")), None);
        let text = help.answer(&words("help get")).unwrap();
        assert_eq!(
            text,
            "\r\n  \x1b[1mGET\x1b[0m \x1b[90mkey\x1b[0m\r\n  \x1b[33msummary:\x1b[0m Does it.\r\n  \
             \x1b[33mgroup:\x1b[0m string\r\n\r\n"
        );
        let text = help.answer(&words("? @connection")).unwrap();
        assert!(text.contains("CLIENT LIST") && !text.contains("group:"));
        let text = help.answer(&words("HELP client")).unwrap();
        assert_eq!(text.matches("summary").count(), 2);
        assert_eq!(help.answer(&words("help nothing")).unwrap(), "\r\n");
        assert!(
            help.answer(&words("help"))
                .unwrap()
                .starts_with("caracal cli 1.0\n")
        );
    }

    #[test]
    fn completions() {
        let help = help();
        assert_eq!(help.completions("ge"), ["GET", "GETDEL"]);
        assert_eq!(help.completions("client l"), ["CLIENT LIST"]);
        assert_eq!(help.completions("help  @s"), ["help  @string"]);
        assert_eq!(help.completions("get k"), Vec::<String>::new());
        assert_eq!(help.completions("é"), Vec::<String>::new());
    }

    #[test]
    fn hints() {
        let help = help();
        assert_eq!(help.hint(&words("get")).as_deref(), Some("key"));
        assert_eq!(help.hint(&words("get k")), None);
        assert_eq!(help.hint(&words("client")).as_deref(), Some("subcommand"));
        assert!(help.hint(&words("client list")).unwrap().starts_with("[ID"));
        assert_eq!(help.hint(&words("nothing")), None);
    }
}
