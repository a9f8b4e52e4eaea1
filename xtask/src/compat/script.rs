//! The language of tests/compat/*.txt.
//!
//! One command a line, with redis-cli's quoting. What else there is:
//!
//! | line | meaning |
//! |---|---|
//! | `# text` | a comment |
//! | `== title` | a new section: FLUSHALL, and new connections; `@resp2` or `@resp3` at its end limits it to one protocol |
//! | `B: GET k` | sent on connection B; without a letter it is connection A |
//! | `@marker … GET k` | how to send the command or to look at its reply, see below |
//! | `@raw(N) "bytes" …` | these bytes (arguments joined), which get N replies (1 if not stated) |
//! | `@closed` | the server must have closed the connection by now; further replies are collected |
//! | `@sleep(MS)` | all connections wait |
//!
//! | marker | meaning |
//! |---|---|
//! | `@repeat(A..B)` | the line once for each number of the range, both ends included; `{i}` is the number |
//! | `@let(x)` | keeps the reply as `{$x}`; only its type is compared |
//! | `@alone` | sends the command in a packet of its own |
//! | `@scan` | the command's argument `0` is a cursor: follows it to the end; the reply is the sorted set of elements |
//! | `@sort` | the order of the reply's elements does not matter |
//! | `@deep` | as `@sort`, at all depths |
//! | `@pairs` | the order of the pairs of a flat array, or of a map, does not matter |
//! | `@type` | only the reply's type is compared |
//! | `@len` | only the reply's type and its length |
//! | `@range(A,B)` | an integer (or text that is one) from A to B, both included, is as good as any other |
//! | `@word` | only the first word, such as an error's code |
//! | `@at(I.J)` | only element J of element I |
//! | `@only(a,b)` | of text with `a=1 b=2` words or `a:1` lines, only the named fields |
//! | `@names(a,b)` | the same, without the values |
//! | `@has(text)` | whether the text contains this |
//! | `@version` | replaces the servers' names and version numbers |
//!
//! Outside quotes `{A..B}` makes one argument for each number and `{text*N}` repeats a text.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

/// A file of the corpus.
pub(super) struct Script {
    pub(super) name: String,
    pub(super) sections: Vec<Section>,
}

/// Steps that begin with an empty server and new connections.
pub(super) struct Section {
    pub(super) title: String,
    pub(super) protocol: Option<u8>,
    pub(super) steps: Vec<Step>,
}

/// One line, or one round of a repeated line.
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) connection: char,
    pub(super) action: Action,
    pub(super) looks: Vec<Look>,
    pub(super) keep: Option<String>,
    pub(super) alone: bool,
}

pub(super) enum Action {
    Command(Vec<Argument>),
    Scan(Vec<Argument>),
    Raw { bytes: Vec<u8>, replies: usize },
    Closed,
    Sleep(Duration),
}

/// An argument, in parts because a kept value may stand inside it.
pub(super) type Argument = Vec<Part>;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Bytes(Vec<u8>),
    Kept(String),
}

/// What of a reply is compared.
pub(crate) enum Look {
    Sorted,
    DeeplySorted,
    Pairs,
    Type,
    Length,
    Range(i64, i64),
    FirstWord,
    At(Vec<usize>),
    Only(Vec<String>),
    Names(Vec<String>),
    Has(String),
    Versionless,
}

impl Script {
    pub(super) fn parse(name: &str, text: &str) -> Result<Self> {
        let mut script = Self {
            name: name.to_owned(),
            sections: Vec::new(),
        };
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            script
                .add(index + 1, line)
                .with_context(|| format!("{name}.txt:{}", index + 1))?;
        }
        Ok(script)
    }

    fn add(&mut self, number: usize, line: &str) -> Result<()> {
        if let Some(title) = line.strip_prefix("==") {
            let (title, protocol) = match title.trim() {
                title if title.ends_with("@resp2") => (title.trim_end_matches("@resp2"), Some(2)),
                title if title.ends_with("@resp3") => (title.trim_end_matches("@resp3"), Some(3)),
                title => (title, None),
            };
            let title = title.trim().to_owned();
            let known = self.sections.iter().any(|section| section.title == title);
            ensure!(!known, "two sections have the title {title}");
            self.sections.push(Section {
                title,
                protocol,
                steps: Vec::new(),
            });
            return Ok(());
        }
        let section = self
            .sections
            .last_mut()
            .context("a line before the first `==` section")?;
        let mut line = Line::take(line)?;
        match line.repeat.take() {
            None => section.steps.push(line.step(number, None)?),
            Some((first, last)) => {
                for i in first..=last {
                    section.steps.push(line.step(number, Some(i))?);
                }
            }
        }
        Ok(())
    }
}

/// A line whose connection and markers have been taken off its front.
struct Line<'a> {
    connection: char,
    markers: Vec<(&'a str, &'a str)>,
    repeat: Option<(i64, i64)>,
    rest: &'a str,
}

impl<'a> Line<'a> {
    fn take(line: &'a str) -> Result<Self> {
        let mut this = Line {
            connection: 'A',
            markers: Vec::new(),
            repeat: None,
            rest: line,
        };
        let bytes = line.as_bytes();
        if bytes.len() > 2 && bytes[0].is_ascii_uppercase() && &bytes[1..3] == b": " {
            this.connection = bytes[0] as char;
            this.rest = line[3..].trim_start();
        }
        while let Some(marker) = this.rest.strip_prefix('@') {
            let end = marker.find([' ', '(']).unwrap_or(marker.len());
            let name = &marker[..end];
            let mut argument = "";
            this.rest = &marker[end..];
            if let Some(open) = this.rest.strip_prefix('(') {
                let close = open.find(')').context("a marker lacks its `)`")?;
                argument = &open[..close];
                this.rest = &open[close + 1..];
            }
            this.rest = this.rest.trim_start();
            if name == "repeat" {
                this.repeat = Some(range(argument)?);
            } else {
                this.markers.push((name, argument));
            }
        }
        Ok(this)
    }

    fn step(&self, line: usize, round: Option<i64>) -> Result<Step> {
        let mut looks = Vec::new();
        let mut keep = None;
        let mut action = None;
        let mut scan = false;
        let mut alone = false;
        let names = |list: &str| list.split(',').map(|name| name.trim().to_owned()).collect();
        for &(name, argument) in &self.markers {
            match name {
                "raw" => {
                    let mut bytes = Vec::new();
                    for part in arguments(self.rest, round)?.into_iter().flatten() {
                        let Part::Bytes(part) = part else {
                            bail!("@raw keeps no values")
                        };
                        bytes.extend(part);
                    }
                    let replies = if argument.is_empty() {
                        1
                    } else {
                        argument.parse()?
                    };
                    action = Some(Action::Raw { bytes, replies });
                }
                "closed" => action = Some(Action::Closed),
                "sleep" => action = Some(Action::Sleep(Duration::from_millis(argument.parse()?))),
                "let" => {
                    keep = Some(argument.to_owned());
                    looks.push(Look::Type);
                }
                "alone" => alone = true,
                "scan" => scan = true,
                "sort" => looks.push(Look::Sorted),
                "deep" => looks.push(Look::DeeplySorted),
                "pairs" => looks.push(Look::Pairs),
                "type" => looks.push(Look::Type),
                "len" => looks.push(Look::Length),
                "range" => {
                    let (low, high) = argument.split_once(',').context("@range(A,B)")?;
                    looks.push(Look::Range(low.trim().parse()?, high.trim().parse()?));
                }
                "word" => looks.push(Look::FirstWord),
                "at" => {
                    let path = argument
                        .split('.')
                        .map(str::parse)
                        .collect::<Result<_, _>>()?;
                    looks.push(Look::At(path));
                }
                "only" => looks.push(Look::Only(names(argument))),
                "names" => looks.push(Look::Names(names(argument))),
                "has" => looks.push(Look::Has(argument.to_owned())),
                "version" => looks.push(Look::Versionless),
                _ => bail!("there is no marker @{name}"),
            }
        }
        let action = match action {
            Some(action) => action,
            None => {
                let arguments = arguments(self.rest, round)?;
                ensure!(!arguments.is_empty(), "no command");
                if scan {
                    Action::Scan(arguments)
                } else {
                    Action::Command(arguments)
                }
            }
        };
        let text = match round {
            Some(i) => self.rest.replace("{i}", &i.to_string()),
            None => self.rest.to_owned(),
        };
        let text = match action {
            Action::Raw { .. } => format!("@raw {text}"),
            Action::Closed => "@closed".to_owned(),
            _ => text,
        };
        Ok(Step {
            line,
            text,
            connection: self.connection,
            action,
            looks,
            keep,
            alone,
        })
    }
}

fn range(text: &str) -> Result<(i64, i64)> {
    let (first, last) = text.split_once("..").context("a range is A..B")?;
    Ok((first.parse()?, last.parse()?))
}

/// Splits a line as redis-cli does, and expands the braces outside quotes.
fn arguments(line: &str, round: Option<i64>) -> Result<Vec<Argument>> {
    let mut list = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        if rest.starts_with(['"', '\'']) {
            let (bytes, after) = quoted(rest)?;
            ensure!(
                after.is_empty() || after.starts_with(' '),
                "text right after a quote"
            );
            list.push(vec![Part::Bytes(bytes)]);
            rest = after.trim_start();
        } else {
            let end = rest.find(' ').unwrap_or(rest.len());
            braces(&rest[..end], round, &mut list)?;
            rest = rest[end..].trim_start();
        }
    }
    Ok(list)
}

fn quoted(text: &str) -> Result<(Vec<u8>, &str)> {
    let bytes = text.as_bytes();
    let quote = bytes[0];
    let mut result = Vec::new();
    let mut at = 1;
    loop {
        let byte = *bytes.get(at).context("a quote is not closed")?;
        at += 1;
        if byte == quote {
            return Ok((result, &text[at..]));
        }
        if byte != b'\\' {
            result.push(byte);
            continue;
        }
        let escaped = *bytes.get(at).context("a quote is not closed")?;
        at += 1;
        if quote == b'\'' {
            if escaped != b'\'' {
                result.push(b'\\');
            }
            result.push(escaped);
            continue;
        }
        match escaped {
            b'n' => result.push(b'\n'),
            b'r' => result.push(b'\r'),
            b't' => result.push(b'\t'),
            b'a' => result.push(7),
            b'b' => result.push(8),
            b'x' => {
                let digits = text.get(at..at + 2).context("\\x needs two digits")?;
                result.push(u8::from_str_radix(digits, 16)?);
                at += 2;
            }
            other => result.push(other),
        }
    }
}

/// Adds the argument or arguments that a word with braces stands for.
fn braces(word: &str, round: Option<i64>, list: &mut Vec<Argument>) -> Result<()> {
    let mut words: Vec<Argument> = vec![Vec::new()];
    let push = |words: &mut Vec<Argument>, part: Part| {
        words.iter_mut().for_each(|word| word.push(part.clone()));
    };
    let mut rest = word;
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}').map(|at| open + at) else {
            break;
        };
        push(&mut words, Part::Bytes(rest[..open].into()));
        let inside = &rest[open + 1..close];
        if inside == "i" {
            let i = round.context("{i} outside @repeat")?;
            push(&mut words, Part::Bytes(i.to_string().into()));
        } else if let Some(name) = inside.strip_prefix('$') {
            push(&mut words, Part::Kept(name.to_owned()));
        } else if let Some((text, count)) = inside.rsplit_once('*') {
            push(&mut words, Part::Bytes(text.repeat(count.parse()?).into()));
        } else if inside.contains("..") {
            let (first, last) = range(inside)?;
            let before = std::mem::take(&mut words);
            for i in first..=last {
                for word in &before {
                    let mut word = word.clone();
                    word.push(Part::Bytes(i.to_string().into()));
                    words.push(word);
                }
            }
        } else {
            push(&mut words, Part::Bytes(rest[open..=close].into()));
        }
        rest = &rest[close + 1..];
    }
    push(&mut words, Part::Bytes(rest.into()));
    list.extend(words);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<Vec<u8>> {
        let plain = |argument: Argument| {
            let parts = argument.into_iter().map(|part| match part {
                Part::Bytes(bytes) => bytes,
                Part::Kept(name) => format!("<{name}>").into_bytes(),
            });
            parts.collect::<Vec<_>>().concat()
        };
        arguments(line, Some(7))
            .unwrap()
            .into_iter()
            .map(plain)
            .collect()
    }

    #[test]
    fn quoting_is_that_of_redis_cli() {
        assert_eq!(
            split(r#"SET "a b\x00\r\n\"" 'it\'s \n'"#),
            [&b"SET"[..], b"a b\0\r\n\"", b"it's \\n"]
        );
        assert!(arguments("GET \"open", None).is_err());
        assert!(arguments("GET \"a\"b", None).is_err());
    }

    #[test]
    fn braces_expand_outside_quotes() {
        assert_eq!(
            split("m{1..3} {ab*2} x{i} {$id} \"{1..2}\""),
            [&b"m1"[..], b"m2", b"m3", b"abab", b"x7", b"<id>", b"{1..2}"]
        );
    }

    #[test]
    fn markers_and_connections_come_off_the_front() {
        let text = "== one @resp3\nB: @sort @at(0.1) KEYS *\n@repeat(1..3) INCR k{i}\n@raw(2) \"PING\\r\\n\"";
        let script = Script::parse("t", text).unwrap();
        let section = &script.sections[0];
        assert_eq!((section.title.as_str(), section.protocol), ("one", Some(3)));
        assert_eq!(section.steps.len(), 5);
        assert_eq!(section.steps[0].connection, 'B');
        assert_eq!(section.steps[0].looks.len(), 2);
        assert_eq!(section.steps[3].text, "INCR k3");
        assert!(matches!(
            section.steps[4].action,
            Action::Raw { replies: 2, .. }
        ));
        assert!(Script::parse("t", "GET k").is_err());
        assert!(Script::parse("t", "== s\n@nonsense GET k").is_err());
    }
}
