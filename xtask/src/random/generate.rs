//! From grammar lines to commands: chooses lines by weight, expands them, and seldom spoils the result.

use std::collections::HashSet;

use fastrand::Rng;

use super::line::{Line, Mutation, Node, View};
use super::values::{self, Values};

/// A command as it is sent, with what there is to know to judge its reply.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) words: Vec<Vec<u8>>,
    pub(super) view: View,
    /// The line that it comes from; `None` for those that the task sends by itself.
    pub(super) line: Option<usize>,
    pub(super) reads_only: bool,
    /// The reply speaks of all keys.
    pub(super) global: bool,
}

impl Command {
    /// A command of the task's own.
    pub(super) fn plain(words: &[&[u8]]) -> Self {
        Self {
            words: words.iter().map(|word| word.to_vec()).collect(),
            view: View::Exact,
            line: None,
            reads_only: true,
            global: false,
        }
    }

    /// The name, in upper case.
    pub(super) fn name(&self) -> String {
        String::from_utf8_lossy(&self.words[0]).to_uppercase()
    }
}

/// What the generator may choose from.
pub(super) struct Choice {
    /// Indices of lines, each as often as it weighs.
    weighted: Vec<usize>,
    /// The same of the lines that the run is about, if it is not about all.
    wanted: Vec<usize>,
}

impl Choice {
    /// Of the lines that are `enabled`; `groups` are names of groups or of commands, none for all.
    pub(super) fn new(lines: &[Line], enabled: &[bool], groups: &[String]) -> Self {
        let weighted = |keep: &dyn Fn(&Line) -> bool| {
            let kept = lines
                .iter()
                .enumerate()
                .filter(|(index, line)| enabled[*index] && keep(line));
            kept.flat_map(|(index, line)| std::iter::repeat_n(index, line.weight as usize))
                .collect()
        };
        let is_wanted = |line: &Line| {
            groups.iter().any(|group| {
                group.eq_ignore_ascii_case(&line.group) || group.eq_ignore_ascii_case(&line.name)
            })
        };
        Self {
            weighted: weighted(&|_| true),
            wanted: weighted(&is_wanted),
        }
    }

    fn line(&self, rng: &mut Rng) -> usize {
        // What the run is about needs data of other commands to work on.
        let list = if !self.wanted.is_empty() && rng.u32(0..100) < 85 {
            &self.wanted
        } else {
            &self.weighted
        };
        list[rng.usize(0..list.len())]
    }

    /// Whether there is anything to choose.
    pub(super) fn is_empty(&self) -> bool {
        self.weighted.is_empty()
    }
}

/// The next commands: one, or a query and the command whose reply must agree with it.
pub(super) fn next(
    lines: &[Line],
    choice: &Choice,
    readonly: &HashSet<String>,
    rng: &mut Rng,
) -> Vec<Command> {
    let index = choice.line(rng);
    let line = &lines[index];
    let mut expansion = Expansion {
        values: Values { rng, wide: false },
        words: vec![line.name.clone().into_bytes()],
        counted: 1,
        key_at: None,
    };
    expansion.sequence(&line.body);
    let key_at = expansion.key_at;
    let mut words = expansion.words;
    let mutated =
        line.mutation != Mutation::None && rng.u32(0..100) < 7 && mutate(&mut words, line, rng);
    if rng.u32(0..100) < 8 {
        other_case(&mut words, rng);
    }
    let command = Command {
        view: if mutated && line.whole {
            View::Type
        } else {
            line.view
        },
        line: Some(index),
        reads_only: readonly.contains(&line.name),
        global: line.global,
        words,
    };
    let key = key_at.and_then(|at| command.words.get(at)).cloned();
    match (&line.member_query, key) {
        (Some(query), Some(key)) => {
            let mut words: Vec<&[u8]> = query.iter().map(String::as_bytes).collect();
            words.insert(1, &key);
            let query = Command {
                view: View::Deep,
                ..Command::plain(&words)
            };
            vec![query, command]
        }
        _ => vec![command],
    }
}

struct Expansion<'a> {
    values: Values<'a>,
    words: Vec<Vec<u8>>,
    /// How many were counted last.
    counted: usize,
    /// Where the first key is.
    key_at: Option<usize>,
}

impl Expansion<'_> {
    fn sequence(&mut self, nodes: &[Node]) {
        let mut rest = nodes;
        while let Some(node) = rest.first() {
            let options = rest
                .iter()
                .take_while(|node| matches!(node, Node::Optional(_)))
                .count();
            if options > 1 {
                self.options(&rest[..options]);
                rest = &rest[options..];
            } else {
                self.node(node);
                rest = &rest[1..];
            }
        }
    }

    /// Neighbouring options, often in another order than they stand.
    fn options(&mut self, nodes: &[Node]) {
        let mut order: Vec<&Node> = nodes.iter().collect();
        if self.values.chance(40) {
            self.values.rng.shuffle(&mut order);
        }
        for node in order {
            self.node(node);
        }
    }

    fn node(&mut self, node: &Node) {
        match node {
            Node::Word(word) => self.words.push(word.clone().into_bytes()),
            Node::Value(kind) => self.value(*kind),
            Node::Optional(ways) => {
                if self.values.chance(33) {
                    self.one(ways);
                }
            }
            Node::Choice(ways) => self.one(ways),
            Node::Repeat { least, counted, of } => {
                let count = self.repetitions(*least, *counted);
                if *counted {
                    let stated = match self.values.rng.u32(0..30) {
                        0 => self.values.one_of(values::ODD_NUMBERS).to_owned(),
                        1 => (count + 1).to_string(),
                        2 => count.saturating_sub(1).to_string(),
                        _ => count.to_string(),
                    };
                    self.words.push(stated.into_bytes());
                    self.counted = count;
                }
                self.values.wide = count > 8;
                for _ in 0..count {
                    self.one(of);
                }
                self.values.wide = false;
            }
            Node::AsCounted(of) => {
                let count = match self.values.rng.u32(0..25) {
                    0 => self.counted + 1,
                    1 => self.counted.saturating_sub(1),
                    _ => self.counted,
                };
                for _ in 0..count {
                    self.one(of);
                }
            }
        }
    }

    fn one(&mut self, ways: &[Vec<Node>]) {
        let way = self.values.rng.usize(0..ways.len());
        self.sequence(&ways[way]);
    }

    fn value(&mut self, kind: values::Kind) {
        let is_key = !matches!(kind, values::Kind::Plain(_));
        let mut word = self.values.draw(kind);
        if is_key {
            match self.key_at {
                None => self.key_at = Some(self.words.len()),
                // The same key as source and as destination.
                Some(at)
                    if self.values.chance(8)
                        && !values::is_apart(&word)
                        && !values::is_apart(&self.words[at]) =>
                {
                    word = self.words[at].clone();
                }
                Some(_) => {}
            }
        }
        self.words.push(word);
    }

    fn repetitions(&mut self, least: usize, counted: bool) -> usize {
        let count = match self.values.rng.u32(0..100) {
            0..45 => 1,
            45..80 => self.values.rng.usize(0..4),
            80..94 => self.values.rng.usize(4..9),
            _ if counted => self.values.rng.usize(1..9),
            94..98 => self.values.rng.usize(9..40),
            _ => self.values.rng.usize(40..300),
        };
        count.max(least)
    }
}

/// Spoils a command in one place; whether it did.
fn mutate(words: &mut Vec<Vec<u8>>, line: &Line, rng: &mut Rng) -> bool {
    if words.len() < 2 {
        words.push(b"extra".to_vec());
        return true;
    }
    let tame = line.mutation == Mutation::Tame;
    let apart = words.iter().any(|word| values::is_apart(word));
    // The container's subcommand is part of the name.
    let first = if line.name == "OBJECT" { 2 } else { 1 }.min(words.len() - 1);
    let at = rng.usize(first..words.len());
    match rng.u32(0..7) {
        0 if !apart => {
            words.remove(at);
        }
        1 if !apart => words.insert(at, words[at].clone()),
        2 if !apart && !tame && at + 1 < words.len() => words.swap(at, at + 1),
        3 => words.truncate(at.max(2)),
        4 => {
            let keywords = [
                "LIMIT",
                "COUNT",
                "WITHSCORES",
                "NX",
                "XX",
                "GET",
                "STORE",
                "WEIGHTS",
                "BY",
                "extra",
                "EX",
                "",
            ];
            words.push(keywords[rng.usize(0..keywords.len())].into());
        }
        _ if values::is_apart(&words[at]) => return false,
        kind if tame || kind == 5 => {
            words[at] = values::TAME[rng.usize(0..values::TAME.len())].into()
        }
        _ => words[at] = values::ODD_NUMBERS[rng.usize(0..values::ODD_NUMBERS.len())].into(),
    }
    true
}

/// Keywords are the same in any case.
fn other_case(words: &mut [Vec<u8>], rng: &mut Rng) {
    for word in words {
        let is_keyword = word.len() > 1 && word.iter().all(u8::is_ascii_uppercase);
        if is_keyword && rng.bool() {
            word.make_ascii_lowercase();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(grammar: &str, count: usize) -> Vec<String> {
        let lines = Line::parse_all(grammar).unwrap();
        let choice = Choice::new(&lines, &vec![true; lines.len()], &[]);
        let mut rng = Rng::with_seed(7);
        let mut all = Vec::new();
        for _ in 0..count {
            for command in next(&lines, &choice, &HashSet::new(), &mut rng) {
                all.push(String::from_utf8_lossy(&command.words.join(&b' ')).into_owned());
            }
        }
        all
    }

    #[test]
    fn an_exact_line_comes_as_it_stands() {
        for command in commands("@exact X ( A | B ) #( C )+", 100) {
            let words: Vec<&str> = command.split(' ').collect();
            assert_eq!(words[0].to_uppercase(), "X");
            assert!(["A", "B"].contains(&words[1]), "{command}");
            assert!(words[3..].iter().all(|word| *word == "C"), "{command}");
        }
    }

    #[test]
    fn one_seed_gives_one_stream() {
        let grammar = include_str!("grammar.txt");
        assert_eq!(commands(grammar, 200), commands(grammar, 200));
    }

    #[test]
    fn a_query_stands_before_a_command_of_chance() {
        let all = commands("@exact @member(ZRANGE_0_-1) P key:zset", 1);
        assert!(
            all[0].starts_with("ZRANGE z") && all[0].ends_with(" 0 -1"),
            "{all:?}"
        );
        assert!(all[1].starts_with("P z"), "{all:?}");
    }
}
