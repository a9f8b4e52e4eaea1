//! The notation of grammar.txt: what a line says about a command, parsed into a tree.
//!
//! A line is markers, the command's name, and its arguments, with blanks around everything:
//!
//! | written | means |
//! |---|---|
//! | `WITHSCORES`, `0`, `nosort` after `BY` | this word (what is not a known small word stands for itself) |
//! | `key:zset` | a key of the pool of sorted sets, or seldom another |
//! | `score` | a value that values.rs makes |
//! | `[ A x \| B ]` | seldom one of these; neighbouring brackets come in any order |
//! | `( A \| B )` | one of these |
//! | `( x )+`, `( x )*` | at least one, any number of them |
//! | `#( x )+` | the same, with their count in front, which is seldom a wrong one |
//! | `( x )=` | as many as were counted last, and seldom another number |
//!
//! | marker | means |
//! |---|---|
//! | `@sort`, `@deep`, `@pairs`, `@len`, `@type` | how replies are compared, as in tests/compat |
//! | `@near(N)` | integers may differ by N, because time goes on |
//! | `@member(Q_x)` | the elements are chosen by chance: they must be among those of the query `Q key x`, and replies have one shape |
//! | `@global` | the reply speaks of all keys |
//! | `@whole` | the order or choice is only defined for the line as it stands: of a mutated command only the type is compared |
//! | `@tame` | a mutation puts no number in another's place: it would be a time that comes up, or a count that never ends |
//! | `@exact` | is never mutated |
//! | `@often`, `@rare` | weight |

use anyhow::{Context, Result, bail, ensure};

use super::values::Kind;

/// How two replies to a command are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum View {
    Exact,
    Sorted,
    Deep,
    Pairs,
    Length,
    Type,
    Near(i64),
    /// The shape of the reply, whose elements come from the query before it.
    Shape,
}

/// How far a mutation may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mutation {
    Any,
    Tame,
    None,
}

/// A line of the grammar.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) weight: u32,
    pub(super) view: View,
    pub(super) mutation: Mutation,
    pub(super) global: bool,
    pub(super) whole: bool,
    /// A command name and what follows the key.
    pub(super) member_query: Option<Vec<String>>,
    pub(super) body: Vec<Node>,
}

#[derive(Debug)]
pub(super) enum Node {
    Word(String),
    Value(Kind),
    Optional(Vec<Vec<Node>>),
    Choice(Vec<Vec<Node>>),
    Repeat {
        least: usize,
        counted: bool,
        of: Vec<Vec<Node>>,
    },
    AsCounted(Vec<Vec<Node>>),
}

impl Line {
    /// All lines of a grammar.
    pub(super) fn parse_all(text: &str) -> Result<Vec<Self>> {
        let mut lines = Vec::new();
        let mut group = String::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with("# ") {
                continue;
            }
            match line.strip_prefix("== ") {
                Some(title) => title.clone_into(&mut group),
                None => lines.push(Self::parse(&group, line).with_context(|| line.to_owned())?),
            }
        }
        Ok(lines)
    }

    fn parse(group: &str, text: &str) -> Result<Self> {
        let mut line = Self {
            group: group.to_owned(),
            name: String::new(),
            weight: 10,
            view: View::Exact,
            mutation: Mutation::Any,
            global: false,
            whole: false,
            member_query: None,
            body: Vec::new(),
        };
        let mut rest = text;
        while let Some(marker) = rest.strip_prefix('@') {
            let (marker, after) = marker.split_once(' ').context("only markers")?;
            rest = after.trim_start();
            let (name, argument) = match marker.split_once('(') {
                Some((name, argument)) => (name, argument.trim_end_matches(')')),
                None => (marker, ""),
            };
            match name {
                "sort" => line.view = View::Sorted,
                "deep" => line.view = View::Deep,
                "pairs" => line.view = View::Pairs,
                "len" => line.view = View::Length,
                "type" => line.view = View::Type,
                "near" => line.view = View::Near(argument.parse()?),
                "member" => {
                    line.view = View::Shape;
                    let words = argument.split('_').filter(|word| !word.is_empty());
                    line.member_query = Some(words.map(str::to_owned).collect());
                }
                "global" => line.global = true,
                "whole" => line.whole = true,
                "tame" => line.mutation = Mutation::Tame,
                "exact" => line.mutation = Mutation::None,
                "often" => line.weight = 40,
                "rare" => line.weight = 1,
                _ => bail!("there is no marker @{name}"),
            }
        }
        let mut tokens: Vec<&str> = rest.split_whitespace().rev().collect();
        tokens
            .pop()
            .context("no command")?
            .clone_into(&mut line.name);
        let mut ways = alternatives(&mut tokens)?;
        ensure!(tokens.is_empty() && ways.len() == 1, "a bracket too many");
        line.body = ways.remove(0);
        Ok(line)
    }
}

/// Reads up to a closing bracket, which stays, or to the end. `tokens` are in reverse.
fn alternatives(tokens: &mut Vec<&str>) -> Result<Vec<Vec<Node>>> {
    let mut ways = vec![Vec::new()];
    while let Some(&token) = tokens.last() {
        if token.starts_with([')', ']']) {
            break;
        }
        tokens.pop();
        let node = match token {
            "|" => {
                ways.push(Vec::new());
                continue;
            }
            "[" => {
                let of = alternatives(tokens)?;
                ensure!(tokens.pop() == Some("]"), "[ is not closed");
                Node::Optional(of)
            }
            "(" | "#(" => {
                let of = alternatives(tokens)?;
                let counted = token == "#(";
                match tokens.pop().context("( is not closed")? {
                    ")" if !counted => Node::Choice(of),
                    ")=" if !counted => Node::AsCounted(of),
                    ")+" => Node::Repeat {
                        least: 1,
                        counted,
                        of,
                    },
                    ")*" => Node::Repeat {
                        least: 0,
                        counted,
                        of,
                    },
                    other => bail!("( is closed by {other}"),
                }
            }
            word => match Kind::named(word)? {
                Some(kind) => Node::Value(kind),
                None => Node::Word(word.to_owned()),
            },
        };
        ways.last_mut().expect("there is always one").push(node);
    }
    Ok(ways)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_tree() {
        let line = Line::parse(
            "g",
            "@rare @near(5) Z key:zset [ A | B ] #( key:set )+ ( score )= 0",
        );
        let line = line.unwrap();
        assert_eq!((line.name.as_str(), line.weight), ("Z", 1));
        assert_eq!(line.view, View::Near(5));
        assert_eq!(line.body.len(), 5);
        assert!(matches!(&line.body[1], Node::Optional(ways) if ways.len() == 2));
        assert!(matches!(
            &line.body[2],
            Node::Repeat {
                least: 1,
                counted: true,
                ..
            }
        ));
        assert!(matches!(&line.body[3], Node::AsCounted(_)));
        assert!(matches!(&line.body[4], Node::Word(word) if word == "0"));
        for wrong in [
            "@often",
            "X ( a",
            "X a )",
            "@nonsense X",
            "X key:nonsense",
            "X [ a )",
        ] {
            assert!(Line::parse("g", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_grammar_is_well_formed() {
        let lines = Line::parse_all(include_str!("grammar.txt")).unwrap();
        assert!(lines.len() > 150);
        assert!(lines.iter().all(|line| !line.group.is_empty()));
    }
}
