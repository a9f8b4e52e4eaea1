//! The arguments of a command, as a tree, from the one line in which its spec writes them.
//!
//! ```text
//! alternatives := sequence { "|" sequence }
//! sequence     := { unit [ "..." ] }
//! unit         := word | "[" alternatives [ "..." ] "]" | "<" alternatives ">"
//! ```
//!
//! A word without lower-case letters is a token, to be typed as it stands; any other names an
//! argument. `[ ]` is optional, `< >` only groups, `|` separates alternatives. An optional group
//! with `...` repeats what stands before it if that is the same (`field value [field value ...]`),
//! or else may itself be given any number of times; `...` behind a unit repeats the unit.
//!
//! A token belongs to the plain arguments behind it: `EX seconds` is one argument `seconds` with a
//! token, `LIMIT offset count` a block with one. Types follow from names, by the conventions of
//! [`kind_of`]. Writing the trees down as constants was rejected: the line is needed anyway, for
//! people, and two descriptions of one syntax drift apart.

use std::fmt::Write;

use crate::spec::{CommandSpec, Group, flags};

/// One argument of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name, in lower case.
    pub name: String,
    /// What it is.
    pub kind: ArgumentKind,
    /// The token before it; of a pure token, itself.
    pub token: Option<String>,
    /// Whether it may be left out.
    pub is_optional: bool,
    /// Whether it may be repeated.
    pub is_multiple: bool,
    /// Whether each repetition has the token before it.
    pub repeats_token: bool,
    /// Of a key, which of the command's key specs finds it.
    pub key_spec: Option<usize>,
    /// The alternatives or the parts.
    pub parts: Vec<Argument>,
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ArgumentKind {
    String,
    Integer,
    Double,
    Key,
    Pattern,
    UnixTime,
    PureToken,
    OneOf,
    Block,
}

impl ArgumentKind {
    /// The name in COMMAND DOCS.
    pub fn name(self) -> &'static str {
        match self {
            ArgumentKind::String => "string",
            ArgumentKind::Integer => "integer",
            ArgumentKind::Double => "double",
            ArgumentKind::Key => "key",
            ArgumentKind::Pattern => "pattern",
            ArgumentKind::UnixTime => "unix-time",
            ArgumentKind::PureToken => "pure-token",
            ArgumentKind::OneOf => "oneof",
            ArgumentKind::Block => "block",
        }
    }

    /// Whether it has parts.
    pub fn is_composite(self) -> bool {
        matches!(self, ArgumentKind::OneOf | ArgumentKind::Block)
    }
}

/// Why a syntax is none; a defect of the spec that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong, and where.
    pub reason: String,
}

/// The arguments of a command.
///
/// # Errors
/// If the spec's syntax is not of the grammar above.
pub fn arguments(spec: &CommandSpec) -> Result<Vec<Argument>, SyntaxError> {
    let mut arguments = lower(&parse(spec.syntax)?, spec);
    number_keys(&mut arguments, spec.keys.len(), &mut 0);
    Ok(arguments)
}

/// The syntax as HELP writes it: `<name>` for an argument, `(A|B)` for a choice.
pub fn usage(syntax: &str) -> String {
    match parse(syntax) {
        Ok(units) => {
            let mut text = String::new();
            write_sequence(&units, &mut text);
            text
        }
        Err(_) => syntax.to_owned(),
    }
}

type Alternatives = Vec<Vec<Unit>>;

/// What a sequence consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unit {
    form: Form,
    is_repeated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Token(String),
    Name(String),
    Optional(Alternatives),
    Group(Alternatives),
    /// Units that are repeated together, from `a b [a b ...]`.
    Several(Vec<Unit>),
}

impl Form {
    fn unit(self) -> Unit {
        Unit {
            form: self,
            is_repeated: false,
        }
    }
}

fn parse(syntax: &str) -> Result<Vec<Unit>, SyntaxError> {
    let mut parser = Parser { rest: syntax };
    let mut alternatives = parser.alternatives()?;
    match (parser.next(), alternatives.pop()) {
        (None, Some(units)) if alternatives.is_empty() => Ok(units),
        (None, _) => Err(parser.error("alternatives outside of brackets")),
        (Some(word), _) => Err(parser.error(&format!("unexpected '{word}'"))),
    }
}

struct Parser<'s> {
    rest: &'s str,
}

impl<'s> Parser<'s> {
    fn error(&self, reason: &str) -> SyntaxError {
        SyntaxError {
            reason: format!("{reason} before '{}'", self.rest),
        }
    }

    /// The next bracket, bar or word, without moving on, and what is behind it.
    fn peek(&self) -> Option<(&'s str, &'s str)> {
        let rest = self.rest.trim_start();
        let is_special = |c: char| "[]<>|".contains(c);
        let first = rest.chars().next()?;
        let len = if is_special(first) {
            1
        } else {
            rest.find(|c: char| is_special(c) || c.is_whitespace())
                .unwrap_or(rest.len())
        };
        Some(rest.split_at(len))
    }

    fn next(&mut self) -> Option<&'s str> {
        let (word, rest) = self.peek()?;
        self.rest = rest;
        Some(word)
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.peek().is_some_and(|(word, _)| word == wanted);
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, wanted: &str) -> Result<(), SyntaxError> {
        match self.eat(wanted) {
            true => Ok(()),
            false => Err(self.error(&format!("no '{wanted}'"))),
        }
    }

    fn alternatives(&mut self) -> Result<Alternatives, SyntaxError> {
        let mut alternatives = vec![self.sequence()?];
        while self.eat("|") {
            alternatives.push(self.sequence()?);
        }
        if alternatives.len() > 1 && alternatives.iter().any(Vec::is_empty) {
            return Err(self.error("an empty alternative"));
        }
        Ok(alternatives)
    }

    fn sequence(&mut self) -> Result<Vec<Unit>, SyntaxError> {
        let mut units: Vec<Unit> = Vec::new();
        while let Some((word, behind)) = self.peek() {
            match word {
                "]" | ">" | "|" => break,
                // This one repeats all that is in the brackets.
                "..." if behind.trim_start().starts_with(']') => break,
                "[" => {
                    self.next();
                    let alternatives = self.alternatives()?;
                    let is_repeated = self.eat("...");
                    self.expect("]")?;
                    if alternatives.concat().is_empty() {
                        return Err(self.error("empty brackets"));
                    }
                    push_optional(&mut units, alternatives, is_repeated);
                }
                "<" => {
                    self.next();
                    let alternatives = self.alternatives()?;
                    self.expect(">")?;
                    units.push(Form::Group(alternatives).unit());
                }
                "..." => {
                    self.next();
                    match units.last_mut() {
                        Some(last) if !last.is_repeated => last.is_repeated = true,
                        _ => return Err(self.error("nothing to repeat")),
                    }
                }
                word => {
                    self.next();
                    let is_token = !word.contains(|c: char| c.is_ascii_lowercase());
                    let form = if is_token { Form::Token } else { Form::Name };
                    units.push(form(word.to_owned()).unit());
                }
            }
        }
        Ok(units)
    }
}

/// Adds an optional group, which may be the repetition of what stands before it.
fn push_optional(units: &mut Vec<Unit>, mut alternatives: Alternatives, is_repeated: bool) {
    if is_repeated && alternatives.len() == 1 && units.ends_with(&alternatives[0]) {
        let mut sequence = alternatives.remove(0);
        units.truncate(units.len() - sequence.len());
        let form = match sequence.len() {
            1 => sequence.remove(0).form,
            _ => Form::Several(sequence),
        };
        units.push(Unit { form, is_repeated });
    } else {
        let form = Form::Optional(alternatives);
        units.push(Unit { form, is_repeated });
    }
}

fn write_sequence(units: &[Unit], text: &mut String) {
    for (index, unit) in units.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        let start = text.len();
        match &unit.form {
            Form::Token(token) => text.push_str(token),
            Form::Name(name) => {
                let _ = write!(text, "<{name}>");
            }
            Form::Optional(alternatives) => write_alternatives(alternatives, '[', ']', text),
            Form::Group(alternatives) => write_alternatives(alternatives, '(', ')', text),
            Form::Several(units) => write_sequence(units, text),
        }
        if unit.is_repeated {
            if matches!(unit.form, Form::Optional(_)) {
                text.pop();
                text.push_str(" ...]");
            } else {
                let again = text[start..].to_owned();
                let _ = write!(text, " [{again} ...]");
            }
        }
    }
}

fn write_alternatives(alternatives: &Alternatives, open: char, close: char, text: &mut String) {
    text.push(open);
    for (index, sequence) in alternatives.iter().enumerate() {
        if index > 0 {
            text.push('|');
        }
        write_sequence(sequence, text);
    }
    text.push(close);
}

/// The arguments that a sequence stands for.
fn lower(units: &[Unit], spec: &CommandSpec) -> Vec<Argument> {
    let mut arguments = Vec::new();
    let mut rest = units;
    while let Some((unit, behind)) = rest.split_first() {
        rest = behind;
        let Form::Token(token) = &unit.form else {
            arguments.push(lower_unit(unit, spec));
            continue;
        };
        let is_plain = |unit: &&Unit| matches!(unit.form, Form::Name(_) | Form::Several(_));
        let mut taken = rest.iter().take_while(is_plain).count();
        if taken == 0 && matches!(rest.first(), Some(unit) if matches!(unit.form, Form::Group(_))) {
            taken = 1;
        }
        if unit.is_repeated {
            taken = 0;
        }
        let mut parts = lower(&rest[..taken], spec);
        rest = &rest[taken..];
        let mut argument = match parts.len() {
            0 => leaf(&token_name(token), ArgumentKind::PureToken),
            1 => parts.remove(0),
            _ => composite(token_name(token), ArgumentKind::Block, parts),
        };
        if argument.kind == ArgumentKind::OneOf {
            argument.name = token_name(token);
        }
        argument.token = Some(token.clone());
        argument.is_multiple |= unit.is_repeated;
        arguments.push(argument);
    }
    arguments
}

fn lower_unit(unit: &Unit, spec: &CommandSpec) -> Argument {
    let mut argument = match &unit.form {
        Form::Token(_) => unreachable!("tokens take what is behind them"),
        Form::Name(name) => leaf(name, kind_of(name, spec)),
        Form::Several(units) => {
            let argument = block(lower(units, spec));
            Argument {
                repeats_token: argument.token.is_some(),
                ..argument
            }
        }
        Form::Group(alternatives) => lower_alternatives(alternatives, spec),
        Form::Optional(alternatives) => {
            let argument = lower_alternatives(alternatives, spec);
            Argument {
                is_optional: true,
                ..argument
            }
        }
    };
    argument.is_multiple |= unit.is_repeated;
    argument
}

fn lower_alternatives(alternatives: &Alternatives, spec: &CommandSpec) -> Argument {
    let mut lowered: Vec<Argument> = alternatives
        .iter()
        .map(|sequence| block(lower(sequence, spec)))
        .collect();
    match lowered.len() {
        1 => lowered.remove(0),
        _ => composite(choice_name(&lowered), ArgumentKind::OneOf, lowered),
    }
}

/// Several arguments as one.
fn block(mut arguments: Vec<Argument>) -> Argument {
    if arguments.len() == 1 {
        return arguments.remove(0);
    }
    let names: Vec<&str> = arguments.iter().map(|part| &*part.name).collect();
    let name = match names[..] {
        [first, second] => format!("{first}-{second}"),
        [first, ..] => format!("{first}-block"),
        [] => String::new(),
    };
    composite(name, ArgumentKind::Block, arguments)
}

fn leaf(name: &str, kind: ArgumentKind) -> Argument {
    Argument {
        name: name.to_ascii_lowercase(),
        kind,
        token: None,
        is_optional: false,
        is_multiple: false,
        repeats_token: false,
        key_spec: None,
        parts: Vec::new(),
    }
}

fn composite(name: String, kind: ArgumentKind, parts: Vec<Argument>) -> Argument {
    Argument {
        parts,
        ..leaf(&name, kind)
    }
}

/// What a token is called: its letters in lower case, or what its sign means.
fn token_name(token: &str) -> String {
    match token {
        "=" => "equal".to_owned(),
        "~" => "approximately".to_owned(),
        "*" => "auto-id".to_owned(),
        "$" => "last-id".to_owned(),
        "\"\"" => "empty-string".to_owned(),
        token => token.to_ascii_lowercase(),
    }
}

/// What a choice is called, by its best known alternative.
fn choice_name(alternatives: &[Argument]) -> String {
    let label = |argument: &Argument| argument.token.clone().unwrap_or(argument.name.clone());
    let name = match &*label(&alternatives[0]) {
        "NX" | "XX" => "condition",
        "GT" | "LT" => "comparison",
        "EX" | "PX" | "EXAT" | "PXAT" => "expiration",
        "LEFT" | "RIGHT" | "BEFORE" | "AFTER" => "where",
        "ASC" | "DESC" => "order",
        "M" | "BYTE" | "BIT" => "unit",
        "SUM" => "aggregate",
        "ASYNC" | "SYNC" => "flush-type",
        "MAXLEN" | "MINID" => "strategy",
        "=" | "~" => "operator",
        "FROMMEMBER" => "from",
        "BYRADIUS" => "by",
        "BYSCORE" | "BYLEX" => "sortby",
        "NOSAVE" => "save-selector",
        _ if alternatives.len() > 3 => "option",
        _ => {
            let names: Vec<&str> = alternatives.iter().map(|part| &*part.name).collect();
            return names.join("-or-");
        }
    };
    name.to_owned()
}

/// The type of an argument, by its name and what is known of its command.
fn kind_of(name: &str, spec: &CommandSpec) -> ArgumentKind {
    let is_float = spec.name.contains("FLOAT") || spec.group == Group::SortedSet;
    let is_blocking = spec.has(flags::BLOCKING);
    // Ends of a range of scores or strings or stream entries, not of positions.
    let is_range_of_values = spec.group == Group::Stream || spec.syntax.contains("BYSCORE");
    if !spec.keys.is_empty() && is_key(name) {
        return ArgumentKind::Key;
    }
    match name {
        "start" | "stop" | "end" if is_range_of_values => ArgumentKind::String,
        _ if name.ends_with("pattern") => ArgumentKind::Pattern,
        _ if name.starts_with("unix-time") => ArgumentKind::UnixTime,
        "increment" if is_float => ArgumentKind::Double,
        "timeout" if is_blocking && spec.group != Group::Generic => ArgumentKind::Double,
        "min" | "max" if is_range_of_values => ArgumentKind::String,
        "min" | "max" if is_float && !spec.name.contains("LEX") => ArgumentKind::Double,
        "score" | "weight" | "radius" | "width" | "height" | "longitude" | "latitude" | "delay" => {
            ArgumentKind::Double
        }
        "value" if spec.group == Group::Bitmap => ArgumentKind::Integer,
        "count" | "index" | "start" | "stop" | "end" | "offset" | "cursor" | "increment"
        | "decrement" | "seconds" | "milliseconds" | "ms" | "limit" | "timeout" | "db"
        | "destination-db" | "port" | "cluster-bus-port" | "len" | "min-match-len" | "length"
        | "rank" | "bit" | "bits" | "iteration" | "client-id" | "protover" | "maxage" | "idle"
        | "ttl" | "position" | "frequency" | "min-idle-time" | "entries-added" | "entries-read"
        | "entriesread" | "slot" | "start-slot" | "end-slot" | "config-epoch" | "version" => {
            ArgumentKind::Integer
        }
        _ if name.starts_with("num") => ArgumentKind::Integer,
        _ if name.starts_with("index") => ArgumentKind::Integer,
        _ => ArgumentKind::String,
    }
}

fn is_key(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(name, "source" | "destination" | "src" | "dst") || name.ends_with("key")
}

/// Gives keys, in order, the key specs, in order.
fn number_keys(arguments: &mut [Argument], specs: usize, next: &mut usize) {
    for argument in arguments {
        if argument.kind == ArgumentKind::Key {
            argument.key_spec = Some((*next).min(specs - 1));
            *next += 1;
        }
        number_keys(&mut argument.parts, specs, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{KeySpec, access};

    /// The tree as text: `name:type`, with the token before it and flags behind it.
    fn show(arguments: &[Argument]) -> String {
        let one = |argument: &Argument| {
            let mut text = String::new();
            if let Some(token) = &argument.token {
                let _ = write!(text, "{token} ");
            }
            let _ = write!(text, "{}:{}", argument.name, argument.kind.name());
            for (is_set, sign) in [
                (argument.is_optional, '?'),
                (argument.is_multiple, '+'),
                (argument.repeats_token, '!'),
            ] {
                text.extend(is_set.then_some(sign));
            }
            if argument.kind.is_composite() {
                let _ = write!(text, "({})", show(&argument.parts));
            }
            text
        };
        arguments.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[track_caller]
    fn check(syntax: &'static str, want: &str) {
        static KEYS: &[KeySpec] = &[KeySpec::first(access::RO)];
        let spec = CommandSpec::new("TEST").syntax(syntax).keys(KEYS);
        assert_eq!(show(&arguments(&spec).unwrap()), want);
    }

    #[test]
    fn words() {
        check("", "");
        check("key value", "key:key, value:string");
        check("key [count]", "key:key, count:integer?");
        check(
            "key WITHVALUES",
            "key:key, WITHVALUES withvalues:pure-token",
        );
    }

    #[test]
    fn tokens_take_the_plain_arguments_behind_them() {
        check("[EX seconds]", "EX seconds:integer?");
        check(
            "[LIMIT offset count]",
            "LIMIT limit:block?(offset:integer, count:integer)",
        );
        check(
            "[COUNT count [ANY]]",
            "count-any:block?(COUNT count:integer, ANY any:pure-token?)",
        );
        check(
            "GROUP group consumer [COUNT count] STREAMS key [key ...] id [id ...]",
            "GROUP group:block(group:string, consumer:string), COUNT count:integer?, \
             STREAMS streams:block(key:key+, id:string+)",
        );
        check("KEYS key [key ...]", "KEYS key:key+");
        check("NO ONE", "NO no:pure-token, ONE one:pure-token");
    }

    #[test]
    fn alternatives() {
        check(
            "[NX | XX]",
            "condition:oneof?(NX nx:pure-token, XX xx:pure-token)",
        );
        check(
            "[EX seconds | PXAT unix-time-milliseconds | KEEPTTL]",
            "expiration:oneof?(EX seconds:integer, PXAT unix-time-milliseconds:unix-time, \
             KEEPTTL keepttl:pure-token)",
        );
        check(
            "TYPE <NORMAL | PUBSUB>",
            "TYPE type:oneof(NORMAL normal:pure-token, PUBSUB pubsub:pure-token)",
        );
        check(
            "<FROMMEMBER member | FROMLONLAT longitude latitude>",
            "from:oneof(FROMMEMBER member:string, \
             FROMLONLAT fromlonlat:block(longitude:double, latitude:double))",
        );
    }

    #[test]
    fn repetitions() {
        check("key [key ...]", "key:key+");
        check("[key ...]", "key:key?+");
        check(
            "field value [field value ...]",
            "field-value:block+(field:string, value:string)",
        );
        check(
            "[field value ...]",
            "field-value:block?+(field:string, value:string)",
        );
        check("[GET pattern [GET pattern ...]]", "GET pattern:pattern?+!");
        check(
            "<ID client-id | USER username> ...",
            "client-id-or-username:oneof+(ID client-id:integer, USER username:string)",
        );
    }

    #[test]
    fn what_is_no_syntax() {
        for syntax in ["[key", "key]", "a | b", "[]", "...", "<a | >", "a ... ..."] {
            let spec = CommandSpec::new("TEST").syntax(syntax);
            assert!(arguments(&spec).is_err(), "{syntax}");
        }
    }

    #[test]
    fn usages() {
        assert_eq!(
            usage("parameter [parameter ...]"),
            "<parameter> [<parameter> ...]"
        );
        assert_eq!(
            usage("[TYPE <NORMAL | PUBSUB>] [ID client-id [client-id ...]]"),
            "[TYPE (NORMAL|PUBSUB)] [ID <client-id> [<client-id> ...]]"
        );
        assert_eq!(usage("[command-name ...]"), "[<command-name> ...]");
    }
}
