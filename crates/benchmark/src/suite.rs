//! The tests that are run when no command is given: names, titles and commands as users of
//! redis-benchmark know them.
//!
//! The table is data; the order is the order of the run, and matters: LPOP eats what LPUSH left,
//! SPOP what SADD left.

use crate::request::{PLACEHOLDER, encode};

/// A test ready to be run.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub(crate) title: String,
    /// One command, encoded.
    pub(crate) command: Vec<u8>,
    /// It is there to fill what later tests read; a comparison does not list it.
    pub(crate) preparation: bool,
}

struct Entry {
    /// What selects it with `-t`.
    names: &'static [&'static str],
    title: &'static str,
    words: Words,
}

enum Words {
    /// A line, not an array.
    Inline(&'static str),
    /// `DATA` and `SCORE` stand for the payload and for a random or zero score.
    Array(&'static str),
    /// So many pairs of key and payload.
    Pairs(&'static str, &'static str, usize),
}

const fn entry(names: &'static [&'static str], title: &'static str, words: &'static str) -> Entry {
    Entry {
        names,
        title,
        words: Words::Array(words),
    }
}

const LRANGE_FILL: &str = "LPUSH (needed to benchmark LRANGE)";

const SUITE: &[Entry] = &[
    Entry {
        names: &["ping_inline", "ping"],
        title: "PING_INLINE",
        words: Words::Inline("PING"),
    },
    entry(&["ping_mbulk", "ping"], "PING_MBULK", "PING"),
    entry(&["set"], "SET", "SET key:__rand_int__ DATA"),
    entry(&["get"], "GET", "GET key:__rand_int__"),
    entry(&["incr"], "INCR", "INCR counter:__rand_int__"),
    entry(&["lpush"], "LPUSH", "LPUSH mylist DATA"),
    entry(&["rpush"], "RPUSH", "RPUSH mylist DATA"),
    entry(&["lpop"], "LPOP", "LPOP mylist"),
    entry(&["rpop"], "RPOP", "RPOP mylist"),
    entry(&["sadd"], "SADD", "SADD myset element:__rand_int__"),
    entry(&["hset"], "HSET", "HSET myhash element:__rand_int__ DATA"),
    entry(&["spop"], "SPOP", "SPOP myset"),
    entry(&["zadd"], "ZADD", "ZADD myzset SCORE element:__rand_int__"),
    entry(&["zpopmin"], "ZPOPMIN", "ZPOPMIN myzset"),
    entry(
        &[
            "lrange",
            "lrange_100",
            "lrange_300",
            "lrange_500",
            "lrange_600",
        ],
        LRANGE_FILL,
        "LPUSH mylist DATA",
    ),
    entry(
        &["lrange", "lrange_100"],
        "LRANGE_100 (first 100 elements)",
        "LRANGE mylist 0 99",
    ),
    entry(
        &["lrange", "lrange_300"],
        "LRANGE_300 (first 300 elements)",
        "LRANGE mylist 0 299",
    ),
    entry(
        &["lrange", "lrange_500"],
        "LRANGE_500 (first 500 elements)",
        "LRANGE mylist 0 499",
    ),
    entry(
        &["lrange", "lrange_600"],
        "LRANGE_600 (first 600 elements)",
        "LRANGE mylist 0 599",
    ),
    Entry {
        names: &["mset"],
        title: "MSET (10 keys)",
        words: Words::Pairs("MSET", "key:__rand_int__", 10),
    },
    entry(&["xadd"], "XADD", "XADD mystream * myfield DATA"),
];

/// The selected tests; all of them without a selection. `random` says that placeholders will be
/// replaced.
pub(crate) fn tests(selection: Option<&[String]>, data: &[u8], random: bool) -> Vec<Test> {
    let wanted = |entry: &&Entry| match selection {
        // Not every server has streams, and redis-benchmark 7.0 does not ask for them.
        None => entry.names != ["xadd"],
        Some(names) => names
            .iter()
            .any(|name| entry.names.contains(&name.as_str())),
    };
    SUITE
        .iter()
        .filter(wanted)
        .map(|entry| Test {
            title: entry.title.to_owned(),
            command: entry.words.encode(data, random),
            preparation: entry.title == LRANGE_FILL,
        })
        .collect()
}

/// Whether `-t name` selects anything.
pub(crate) fn is_known(name: &str) -> bool {
    SUITE.iter().any(|entry| entry.names.contains(&name))
}

impl Words {
    fn encode(&self, data: &[u8], random: bool) -> Vec<u8> {
        match *self {
            Self::Inline(line) => format!("{line}\r\n").into_bytes(),
            Self::Array(words) => {
                let args: Vec<&[u8]> = words
                    .split(' ')
                    .map(|word| match word {
                        "DATA" => data,
                        "SCORE" if random => PLACEHOLDER.as_bytes(),
                        "SCORE" => b"0",
                        word => word.as_bytes(),
                    })
                    .collect();
                encode(&args)
            }
            Self::Pairs(command, key, count) => {
                let mut args = vec![command.as_bytes()];
                for _ in 0..count {
                    args.extend([key.as_bytes(), data]);
                }
                encode(&args)
            }
        }
    }
}

/// Makes the payloads. Each run of the suite (`-l`) gets the next bytes of one fixed sequence, the
/// one redis-benchmark sends: a linear congruential generator with the constants of the C
/// standard's example, six bits a byte from `0` on.
#[derive(Debug)]
pub(crate) struct Payloads(u32);

impl Payloads {
    pub(crate) const fn new() -> Self {
        Self(1234)
    }

    pub(crate) fn next(&mut self, size: usize) -> Vec<u8> {
        (0..size)
            .map(|_| {
                self.0 = self.0.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                b'0' + (self.0 >> 16 & 63) as u8
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(selection: &[&str]) -> Vec<String> {
        let names: Vec<String> = selection.iter().map(|&name| name.to_owned()).collect();
        tests(Some(&names), b"VXK", false)
            .into_iter()
            .map(|test| test.title)
            .collect()
    }

    #[test]
    fn names_select_as_in_redis_benchmark() {
        assert_eq!(titles(&["ping"]), ["PING_INLINE", "PING_MBULK"]);
        assert_eq!(titles(&["get", "set"]), ["SET", "GET"]);
        assert_eq!(
            titles(&["lrange_300"]),
            [LRANGE_FILL, "LRANGE_300 (first 300 elements)"]
        );
        assert_eq!(titles(&["lrange"]).len(), 5);
        assert_eq!(titles(&["nothing"]), [""; 0]);
        assert_eq!(tests(None, b"VXK", false).len(), SUITE.len() - 1);
        assert_eq!(titles(&["xadd"]), ["XADD"]);
        assert!(is_known("mset") && !is_known("MSET") && !is_known("get_"));
    }

    #[test]
    fn the_payload_is_the_known_one() {
        let mut payloads = Payloads::new();
        assert_eq!(payloads.next(3), b"VXK");
        assert_ne!(payloads.next(3), b"VXK");
    }

    #[test]
    fn a_score_is_random_only_if_keys_are() {
        let zadd = |random| {
            let names = ["zadd".to_owned()];
            String::from_utf8(tests(Some(&names), b"VXK", random).remove(0).command).unwrap()
        };
        assert!(zadd(false).contains("$1\r\n0\r\n"));
        assert!(zadd(true).contains("$12\r\n__rand_int__\r\n"));
    }
}
