//! Parameters of several words: save points, buffer limits, addresses and their like.
//!
//! Each is stored as the text that CONFIG GET shows, and parsed again by its typed handle. So the
//! store holds two forms only, numbers and texts, and whoever needs the parsed form often keeps it
//! until [`crate::Config::version`] moves.

use std::net::IpAddr;

use crate::value::{Reason, Surroundings, format_memory, parse_loose_integer, parse_memory};

/// What a new value does to the present one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Merge {
    /// It takes its place.
    Replace,
    /// A further line of the same file: values that are lists grow.
    Accumulate,
}

type Parse = fn(&[&[u8]], Surroundings<'_>) -> Result<Vec<u8>, Reason>;

/// What follows the name on a line of a file, and whether the line must be there.
pub(crate) type FileLine = (Vec<u8>, Need);

/// A grammar of several words.
#[derive(Debug)]
pub struct Composite {
    /// The canonical text of the words, or why they are refused.
    pub(crate) parse: Parse,
    /// The text as CONFIG GET shows it.
    pub(crate) show: fn(&[u8]) -> Vec<u8>,
    /// The values of the lines that stand in a file, and whether each must be written even if the
    /// file has no such line.
    pub(crate) lines: fn(&[u8]) -> Vec<FileLine>,
    /// What is allowed, as a phrase.
    pub(crate) allowed: &'static str,
}

/// Whether CONFIG REWRITE adds a line that the file does not have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Need {
    Always,
    IfPresent,
}

/// A value that is parsed from the stored text of a composite parameter.
pub trait FromText: Sized + 'static {
    #[doc(hidden)]
    const COMPOSITE: &'static Composite;
    /// Parses the canonical text; anything else gives what it can.
    fn from_text(text: &[u8]) -> Self;
}

fn as_is(text: &[u8]) -> Vec<u8> {
    text.to_vec()
}

fn words_of(text: &[u8]) -> impl Iterator<Item = &str> {
    std::str::from_utf8(text)
        .unwrap_or("")
        .split_ascii_whitespace()
}

/// One line with the whole text, or `""`, whatever the file has.
fn one_line(text: &[u8]) -> Vec<FileLine> {
    let line = if text.is_empty() {
        b"\"\"".to_vec()
    } else {
        text.to_vec()
    };
    vec![(line, Need::Always)]
}

/// Save when at least `changes` writes happened and `seconds` have passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SavePoint {
    /// Seconds since the last save.
    pub seconds: i64,
    /// Writes since the last save.
    pub changes: i64,
}

/// The save points of `save`; none turns periodic saving off.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SavePoints(pub Vec<SavePoint>);

impl FromText for SavePoints {
    const COMPOSITE: &'static Composite = &Composite {
        parse: parse_save,
        show: as_is,
        lines: one_line,
        allowed: "pairs of seconds (1 or more) and changes (0 or more), or \"\" for none",
    };

    fn from_text(text: &[u8]) -> Self {
        let numbers: Vec<i64> = words_of(text)
            .filter_map(|word| word.parse().ok())
            .collect();
        let pairs = numbers.chunks_exact(2);
        Self(
            pairs
                .map(|pair| SavePoint {
                    seconds: pair[0],
                    changes: pair[1],
                })
                .collect(),
        )
    }
}

fn parse_save(words: &[&[u8]], at: Surroundings<'_>) -> Result<Vec<u8>, Reason> {
    const WRONG: &str = "Invalid save parameters";
    if matches!(words, [] | [b""]) {
        return Ok(Vec::new());
    }
    if !words.len().is_multiple_of(2) {
        return Err(WRONG.into());
    }
    let mut text = match at.merge {
        Merge::Accumulate => at.current.to_vec(),
        Merge::Replace => Vec::new(),
    };
    for (index, word) in words.iter().enumerate() {
        let least = if index % 2 == 0 { 1 } else { 0 };
        let number = parse_loose_integer(word)
            .filter(|n| *n >= least)
            .ok_or(WRONG)?;
        if !text.is_empty() {
            text.push(b' ');
        }
        text.extend_from_slice(number.to_string().as_bytes());
    }
    Ok(text)
}

/// What a client of a class may have in its output buffer before it is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BufferLimit {
    /// Bytes that close it at once; 0 is no limit.
    pub hard_bytes: u64,
    /// Bytes that close it after a while; 0 is no limit.
    pub soft_bytes: u64,
    /// How long it may stay above the soft limit.
    pub soft_seconds: u64,
}

/// The limits of `client-output-buffer-limit`, by class of client.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BufferLimits {
    /// Ordinary clients.
    pub normal: BufferLimit,
    /// Replicas.
    pub replica: BufferLimit,
    /// Clients with a subscription.
    pub pubsub: BufferLimit,
}

/// The default of `client-output-buffer-limit`, in the stored form.
pub(crate) const DEFAULT_BUFFER_LIMITS: &str =
    "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60";

impl BufferLimits {
    fn class_mut(&mut self, class: &[u8]) -> Option<&mut BufferLimit> {
        match class.to_ascii_lowercase().as_slice() {
            b"normal" => Some(&mut self.normal),
            b"slave" | b"replica" => Some(&mut self.replica),
            b"pubsub" => Some(&mut self.pubsub),
            _ => None,
        }
    }
}

impl FromText for BufferLimits {
    const COMPOSITE: &'static Composite = &Composite {
        parse: parse_buffer_limits,
        show: as_is,
        lines: buffer_limit_lines,
        allowed: "<class> <hard bytes> <soft bytes> <soft seconds>, where the class is normal, \
                  replica or pubsub",
    };

    fn from_text(text: &[u8]) -> Self {
        let words: Vec<&str> = words_of(text).collect();
        let mut limits = Self::default();
        for group in words.chunks_exact(4) {
            if let Some(limit) = limits.class_mut(group[0].as_bytes()) {
                let number = |index: usize| group[index].parse().unwrap_or(0);
                *limit = BufferLimit {
                    hard_bytes: number(1),
                    soft_bytes: number(2),
                    soft_seconds: number(3),
                };
            }
        }
        limits
    }
}

fn parse_buffer_limits(words: &[&[u8]], at: Surroundings<'_>) -> Result<Vec<u8>, Reason> {
    if !words.len().is_multiple_of(4) {
        return Err("Wrong number of arguments in buffer limit configuration.".into());
    }
    let mut limits = BufferLimits::from_text(at.current);
    for group in words.chunks_exact(4) {
        let limit = limits
            .class_mut(group[0])
            .ok_or("Invalid client class specified in buffer limit configuration.")?;
        let seconds = parse_loose_integer(group[3]).and_then(|n| u64::try_from(n).ok());
        let (Some(hard_bytes), Some(soft_bytes), Some(soft_seconds)) =
            (parse_memory(group[1]), parse_memory(group[2]), seconds)
        else {
            return Err(
                "Error in hard, soft or soft_seconds setting in buffer limit configuration.".into(),
            );
        };
        *limit = BufferLimit {
            hard_bytes,
            soft_bytes,
            soft_seconds,
        };
    }
    let show = |class: &str, l: BufferLimit| {
        format!(
            "{class} {} {} {}",
            l.hard_bytes, l.soft_bytes, l.soft_seconds
        )
    };
    let classes = [
        show("normal", limits.normal),
        show("slave", limits.replica),
        show("pubsub", limits.pubsub),
    ];
    Ok(classes.join(" ").into_bytes())
}

/// A line a class, and only those that differ from the defaults are added to a file.
fn buffer_limit_lines(text: &[u8]) -> Vec<FileLine> {
    let now = BufferLimits::from_text(text);
    let default = BufferLimits::from_text(DEFAULT_BUFFER_LIMITS.as_bytes());
    let classes = [
        ("normal", now.normal, default.normal),
        ("replica", now.replica, default.replica),
        ("pubsub", now.pubsub, default.pubsub),
    ];
    let line = |(class, now, default): (&str, BufferLimit, BufferLimit)| {
        let hard = format_memory(now.hard_bytes);
        let soft = format_memory(now.soft_bytes);
        let line = format!("{class} {hard} {soft} {}", now.soft_seconds);
        (
            line.into_bytes(),
            if now == default {
                Need::IfPresent
            } else {
                Need::Always
            },
        )
    };
    classes.map(line).into()
}

/// One address of `bind`, as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The text without its leading `-`: an address, `*`, `::*` or a host name.
    pub host: String,
    /// It had a leading `-`: go on without it if this machine has no such address.
    pub is_optional: bool,
}

impl Address {
    /// The socket address' host: `*` is every IPv4 address, `::*` every IPv6 address; nothing for a
    /// name that has to be resolved.
    pub fn ip(&self) -> Option<IpAddr> {
        match self.host.as_str() {
            "*" => Some(IpAddr::from([0, 0, 0, 0])),
            "::*" => Some(IpAddr::from([0u16; 8])),
            host => host.parse().ok(),
        }
    }
}

impl FromText for Vec<Address> {
    const COMPOSITE: &'static Composite = &Composite {
        parse: parse_bind,
        show: as_is,
        lines: bind_lines,
        allowed: "up to 16 addresses; * is every IPv4 address, ::* every IPv6 address, a leading - \
                  makes one optional",
    };

    fn from_text(text: &[u8]) -> Self {
        let address = |word: &str| Address {
            host: word.strip_prefix('-').unwrap_or(word).to_owned(),
            is_optional: word.starts_with('-'),
        };
        words_of(text).map(address).collect()
    }
}

pub(crate) const DEFAULT_BIND: &str = "* -::*";

fn parse_bind(words: &[&[u8]], _: Surroundings<'_>) -> Result<Vec<u8>, Reason> {
    if words.len() > 16 {
        return Err("Too many bind addresses specified.".into());
    }
    if matches!(words, [b""]) {
        return Ok(Vec::new());
    }
    let is_address = |word: &&[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_graphic);
    if !words.iter().all(is_address) {
        return Err("Failed to bind to specified addresses.".into());
    }
    Ok(words.join(&b' '))
}

fn bind_lines(text: &[u8]) -> Vec<FileLine> {
    if text == DEFAULT_BIND.as_bytes() {
        Vec::new()
    } else {
        one_line(text)
    }
}

/// The primary that a replica follows; nothing for a primary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplicaOf(pub Option<(String, u16)>);

impl FromText for ReplicaOf {
    const COMPOSITE: &'static Composite = &Composite {
        parse: parse_replica_of,
        show: as_is,
        lines: |text| {
            if text.is_empty() {
                Vec::new()
            } else {
                one_line(text)
            }
        },
        allowed: "<host> <port>, or no one",
    };

    fn from_text(text: &[u8]) -> Self {
        let mut words = words_of(text);
        let host_and_port = match (words.next(), words.next()) {
            (Some(host), Some(port)) => port.parse().ok().map(|port| (host.to_owned(), port)),
            _ => None,
        };
        Self(host_and_port)
    }
}

fn parse_replica_of(words: &[&[u8]], _: Surroundings<'_>) -> Result<Vec<u8>, Reason> {
    let [host, port] = words else {
        return Err("wrong number of arguments".into());
    };
    if host.eq_ignore_ascii_case(b"no") && port.eq_ignore_ascii_case(b"one") {
        return Ok(Vec::new());
    }
    let port = parse_loose_integer(port).and_then(|port| u16::try_from(port).ok());
    let port = port.ok_or("Invalid master port")?;
    if host.is_empty() || !host.iter().all(u8::is_ascii_graphic) {
        return Err("Invalid master host".into());
    }
    Ok([host, port.to_string().as_bytes()].join(&b' '))
}

/// The percentiles of `latency-tracking-info-percentiles`, each from 0 to 100.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Percentiles(pub Vec<f64>);

impl FromText for Percentiles {
    const COMPOSITE: &'static Composite = &Composite {
        parse: parse_percentiles,
        show: as_is,
        lines: one_line,
        allowed: "numbers from 0 to 100, or \"\" for none",
    };

    fn from_text(text: &[u8]) -> Self {
        Self(
            words_of(text)
                .filter_map(|word| word.parse().ok())
                .collect(),
        )
    }
}

fn parse_percentiles(words: &[&[u8]], _: Surroundings<'_>) -> Result<Vec<u8>, Reason> {
    if matches!(words, [b""]) {
        return Ok(Vec::new());
    }
    let mut shown = Vec::new();
    for word in words {
        let number = std::str::from_utf8(word)
            .ok()
            .and_then(|text| text.parse::<f64>().ok());
        let number = number
            .filter(|n| !n.is_nan())
            .ok_or("Invalid latency-tracking-info-percentiles parameters")?;
        if !(0.0..=100.0).contains(&number) {
            return Err(
                "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]"
                    .into(),
            );
        }
        let text = format!("{number:.6}");
        shown.push(text.trim_end_matches('0').trim_end_matches('.').to_owned());
    }
    Ok(shown.join(" ").into_bytes())
}

/// The scores of `oom-score-adj-values`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OomScoreAdjust {
    /// A primary's.
    pub primary: i64,
    /// A replica's.
    pub replica: i64,
    /// That of a background child.
    pub child: i64,
}

pub(crate) const DEFAULT_OOM_SCORES: &str = "0 200 800";

impl FromText for OomScoreAdjust {
    const COMPOSITE: &'static Composite = &Composite {
        parse: parse_oom_scores,
        show: as_is,
        lines: |text| {
            let is_default = text == DEFAULT_OOM_SCORES.as_bytes();
            vec![(
                text.to_vec(),
                if is_default {
                    Need::IfPresent
                } else {
                    Need::Always
                },
            )]
        },
        allowed: "three numbers from -2000 to 2000",
    };

    fn from_text(text: &[u8]) -> Self {
        let mut numbers = words_of(text).map(|word| word.parse().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        Self {
            primary: next(),
            replica: next(),
            child: next(),
        }
    }
}

fn parse_oom_scores(words: &[&[u8]], _: Surroundings<'_>) -> Result<Vec<u8>, Reason> {
    if words.len() != 3 {
        return Err("wrong number of arguments".into());
    }
    let mut scores = Vec::new();
    for word in words {
        let score = parse_loose_integer(word)
            .filter(|score| (-2000..=2000).contains(score))
            .ok_or("Invalid oom-score-adj-values, elements must be between -2000 and 2000.")?;
        scores.push(score.to_string());
    }
    Ok(scores.join(" ").into_bytes())
}
