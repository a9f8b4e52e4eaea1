//! `cargo xtask bench commands`: what single commands cost on collections of a stated size.
//!
//! The other tables show what redis-benchmark's suite shows, small commands on small values. This one is for commands
//! whose cost lies in the data structures. Each value is built anew before each measurement, and the building is not
//! measured. A server without the command gets a dash.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use resp::client::{Decoder, Value, encode_request};

use super::{Contestant, LOAD_CPU};
use crate::server::Server;

/// A command to measure.
struct Case {
    title: &'static str,
    /// redis-benchmark puts a random number of twelve digits in the place of each `__rand_int__`.
    command: &'static str,
    requests: u64,
    values: &'static [Values],
}

/// A value to build.
#[derive(Clone, Copy)]
enum Values {
    /// Members `m:000000000000`, `m:000000000001` ..., each with its number as score.
    SortedSet(&'static str, u64),
    /// The same members, beginning with one of this number.
    Set(&'static str, u64, u64),
    Hash(&'static str, u64),
    /// The numbers from 0, in an order that is not sorted.
    List(&'static str, u64),
    /// A string of this many bytes.
    Text(&'static str, u64),
    HyperLogLog(&'static str, u64, u64),
    /// Members on a square grid with this many on each side, 10 degrees wide.
    Places(&'static str, u64),
}

use Values::{Hash, HyperLogLog, List, Places, Set, SortedSet, Text};

const PIPELINE: &str = "16";
const CONNECTIONS: &str = "50";
/// How many different numbers stand in the places of `__rand_int__`.
const KEYSPACE: &str = "100000";

const fn case(
    title: &'static str,
    command: &'static str,
    requests: u64,
    values: &'static [Values],
) -> Case {
    Case {
        title,
        command,
        requests,
        values,
    }
}

const BIG_SORTED_SET: &[Values] = &[SortedSet("z", 100_000)];

const CASES: &[Case] = &[
    case(
        "ZADD, 100,000 members",
        "ZADD z __rand_int__ m:__rand_int__",
        200_000,
        BIG_SORTED_SET,
    ),
    case("ZRANGE 0 99", "ZRANGE z 0 99", 50_000, BIG_SORTED_SET),
    case(
        "ZRANGEBYSCORE LIMIT 0 100",
        "ZRANGEBYSCORE z __rand_int__ +inf LIMIT 0 100",
        50_000,
        BIG_SORTED_SET,
    ),
    case("ZRANK", "ZRANK z m:__rand_int__", 200_000, BIG_SORTED_SET),
    case(
        "ZINCRBY",
        "ZINCRBY z 1 m:__rand_int__",
        200_000,
        BIG_SORTED_SET,
    ),
    case("HGETALL, 20 fields", "HGETALL h", 100_000, &[Hash("h", 20)]),
    case(
        "HINCRBY, 20 fields",
        "HINCRBY h m:000000000010 1",
        200_000,
        &[Hash("h", 20)],
    ),
    case(
        "SMEMBERS, 100 members",
        "SMEMBERS s",
        50_000,
        &[Set("s", 0, 100)],
    ),
    case(
        "SINTER, 1,000 and 1,000",
        "SINTER s1 s2",
        5_000,
        &[Set("s1", 0, 1000), Set("s2", 500, 1000)],
    ),
    case(
        "SUNIONSTORE, 10,000 and 10,000",
        "SUNIONSTORE d s1 s2",
        500,
        &[Set("s1", 0, 10_000), Set("s2", 5_000, 10_000)],
    ),
    case(
        "ZUNIONSTORE, 10,000 and 10,000",
        "ZUNIONSTORE d 2 z1 z2",
        500,
        &[SortedSet("z1", 10_000), SortedSet("z2", 10_000)],
    ),
    case("SORT, 1,000", "SORT l", 2_000, &[List("l", 1000)]),
    case(
        "LINDEX 5000 of 10,000",
        "LINDEX l 5000",
        100_000,
        &[List("l", 10_000)],
    ),
    // The middle of the list is where 5000 * 7919 mod 10000 stands.
    case(
        "LINSERT in the middle of 10,000",
        "LINSERT l BEFORE 5000 x",
        2_000,
        &[List("l", 10_000)],
    ),
    case(
        "BITCOUNT, 1 MB",
        "BITCOUNT t",
        5_000,
        &[Text("t", 1_048_576)],
    ),
    case("PFADD", "PFADD p __rand_int__", 200_000, &[]),
    case(
        "PFMERGE, dense",
        "PFMERGE d p1 p2",
        20_000,
        &[
            HyperLogLog("p1", 0, 50_000),
            HyperLogLog("p2", 40_000, 50_000),
        ],
    ),
    case(
        "GEOSEARCH, 1,000 of 100,000",
        "GEOSEARCH g FROMLONLAT 5 45 BYBOX 78.7 111.2 km",
        500,
        &[Places("g", 316)],
    ),
];

/// Runs all cases against all servers and returns the table as markdown.
pub(super) fn table(
    benchmark: &Path,
    requests: Option<u64>,
    rounds: usize,
    contestants: &[Contestant],
    servers: &[Server],
) -> Result<String> {
    let mut samples = vec![vec![Vec::new(); contestants.len()]; CASES.len()];
    for round in 1..=rounds {
        for (index, (contestant, server)) in contestants.iter().zip(servers).enumerate() {
            eprintln!("Commands: round {round} of {rounds}, {}", contestant.title);
            for (case_index, case) in CASES.iter().enumerate() {
                let requests = requests.unwrap_or(case.requests);
                let sample = measure(benchmark, case, requests, server)
                    .with_context(|| format!("{} on {}", case.title, contestant.title))?;
                samples[case_index][index].extend(sample);
            }
        }
    }
    Ok(markdown(contestants, &mut samples))
}

/// Server µs on the processor per request; `None` if the server does not have the command.
fn measure(benchmark: &Path, case: &Case, requests: u64, server: &Server) -> Result<Option<f64>> {
    let mut filler = Filler::new(server)?;
    filler.send(&["FLUSHALL".to_owned()])?;
    for values in case.values {
        if !filler.build(*values)? {
            return Ok(None);
        }
    }
    let command: Vec<String> = case.command.split(' ').map(str::to_owned).collect();
    let numbers: Vec<String> = command
        .iter()
        .map(|word| word.replace("__rand_int__", "000000000007"))
        .collect();
    if !filler.knows(&numbers)? {
        return Ok(None);
    }
    drop(filler);
    let before = server.cpu_ns()?;
    let output = Command::new("taskset")
        .args(["-c", LOAD_CPU])
        .arg(benchmark)
        .args(["-p", &server.port.to_string(), "-c", CONNECTIONS, "--csv"])
        .args(["-P", PIPELINE, "-r", KEYSPACE, "-n", &requests.to_string()])
        .args(&command)
        .output()?;
    let cpu_ns = server.cpu_ns()? - before;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "redis-benchmark failed: {text}");
    Ok(Some(cpu_ns as f64 / 1000.0 / requests as f64))
}

/// A connection that builds values.
struct Filler {
    stream: TcpStream,
    decoder: Decoder,
}

impl Filler {
    fn new(server: &Server) -> Result<Self> {
        Ok(Self {
            stream: server.connect()?,
            decoder: Decoder::new(),
        })
    }

    fn reply(&mut self, command: &[String]) -> Result<Value> {
        let mut bytes = Vec::new();
        encode_request(command, &mut bytes);
        self.stream.write_all(&bytes)?;
        loop {
            if let Some(value) = self.decoder.next()? {
                return Ok(value);
            }
            let mut buffer = [0; 64 * 1024];
            match self.stream.read(&mut buffer)? {
                0 => bail!("the server is gone"),
                count => self.decoder.feed(&buffer[..count]),
            }
        }
    }

    /// Sends a command that must not fail.
    fn send(&mut self, command: &[String]) -> Result<()> {
        ensure!(self.knows(command)?, "{} is unknown", command[0]);
        Ok(())
    }

    /// Sends a command; false if the server does not have it.
    fn knows(&mut self, command: &[String]) -> Result<bool> {
        match self.reply(command)? {
            Value::Error(text) if text.starts_with(b"ERR unknown command") => Ok(false),
            Value::Error(text) => bail!("{}: {}", command[0], text.escape_ascii()),
            _ => Ok(true),
        }
    }

    /// Builds a value; false if the server does not have the command for it.
    fn build(&mut self, values: Values) -> Result<bool> {
        let member = |number: u64| format!("m:{number:012}");
        let (head, words): ([&str; 2], Vec<String>) = match values {
            SortedSet(key, count) => {
                let pairs = (0..count).flat_map(|number| [number.to_string(), member(number)]);
                (["ZADD", key], pairs.collect())
            }
            Set(key, first, count) => (["SADD", key], (first..first + count).map(member).collect()),
            Hash(key, count) => {
                let pairs = (0..count).flat_map(|number| [member(number), number.to_string()]);
                (["HSET", key], pairs.collect())
            }
            // 7919 is prime, so each number comes once.
            List(key, count) => {
                let numbers = (0..count).map(|number| (number * 7919 % count).to_string());
                (["RPUSH", key], numbers.collect())
            }
            Text(key, size) => (["SET", key], vec!["abcdefgh".repeat(size as usize / 8)]),
            HyperLogLog(key, first, count) => {
                (["PFADD", key], (first..first + count).map(member).collect())
            }
            Places(key, side) => {
                let at = |step: u64| 10.0 * step as f64 / side as f64;
                let places = (0..side * side).flat_map(|number| {
                    let (x, y) = (number % side, number / side);
                    [
                        at(x).to_string(),
                        (40.0 + at(y)).to_string(),
                        member(number),
                    ]
                });
                (["GEOADD", key], places.collect())
            }
        };
        // A multiple of two and of three, because elements have so many words.
        for chunk in words.chunks(3000) {
            let command: Vec<String> = head
                .iter()
                .map(|word| (*word).to_owned())
                .chain(chunk.iter().cloned())
                .collect();
            if !self.knows(&command)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn median(samples: &mut [f64]) -> Option<f64> {
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    match samples.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(samples[middle]),
        _ => Some(f64::midpoint(samples[middle - 1], samples[middle])),
    }
}

fn markdown(contestants: &[Contestant], samples: &mut [Vec<Vec<f64>>]) -> String {
    let against = contestants[0].title;
    let mut text = format!(
        "### Single commands, pipeline of {PIPELINE}\n\n\
         Server µs of processor time per request (in brackets: times better than {against})\n\n|  |"
    );
    for contestant in contestants {
        let _ = write!(text, " {} |", contestant.title);
    }
    text += "\n|---|";
    text += &"---|".repeat(contestants.len());
    text += "\n";
    for (case, by_server) in CASES.iter().zip(samples) {
        let _ = write!(text, "| {} |", case.title);
        let reference = median(&mut by_server[0]);
        for (index, samples) in by_server.iter_mut().enumerate() {
            let _ = match (median(samples), reference) {
                (Some(cost), Some(reference)) if index > 0 => {
                    write!(text, " {cost:.2} ({:.2}x) |", reference / cost)
                }
                (Some(cost), _) => write!(text, " {cost:.2} |"),
                (None, _) => write!(text, " - |"),
            };
        }
        text += "\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_element_that_is_inserted_before_stands_in_the_middle() {
        let at = (0..10_000u64).position(|number| number * 7919 % 10_000 == 5000);
        assert_eq!(at, Some(5000));
    }

    #[test]
    fn the_median_of_nothing_is_none() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [2.0, 1.0]), Some(1.5));
        assert_eq!(median(&mut []), None);
    }
}
