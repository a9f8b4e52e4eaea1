//! How well the servers choose what to evict: hit rates of a cache in front of something slow.
//!
//! A trace of keys is asked for with GET; what is missing is SET. The same trace goes to every server with the same
//! `maxmemory`, and in here through a cache that is exactly LRU or exactly LFU and holds as many keys as the server
//! held in the end. So two things can be told apart: how many keys fit in the memory, and how close the choice is to
//! the policy that it approximates.
//!
//! The first half of a trace warms up and is not counted. Sixteen keys are asked for at a time, and those of them that
//! are missing are then written together; the exact caches do the same.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::TcpStream;

use anyhow::{Context, Result, bail, ensure};
use resp::client::{Decoder, Value, encode_request};

use super::Contestant;
use crate::server::Server;

/// Keys asked for at a time.
const BATCH: usize = 16;

/// Bytes of a value.
const VALUE_BYTES: usize = 100;

/// What the servers may use.
const MAXMEMORY_MB: u64 = 32;

/// Requests unless the command line says otherwise. The clock of LRU has steps of a second, so a trace should take many.
const REQUESTS: u64 = 4_000_000;

/// Keys that the zipfian part of a trace asks for: several times as many as fit.
const KEYS: u32 = 1_000_000;

/// The exponent that YCSB uses.
const SKEW: f64 = 0.99;

/// Requests between two scans, and the length of one.
const SCAN_EVERY: u64 = 100_000;
const SCAN_LENGTH: u64 = 50_000;

/// What is asked for.
#[derive(Clone, Copy, PartialEq)]
enum Trace {
    /// Popular keys often, others rarely.
    Zipfian,
    /// The same, interrupted by scans over keys that are asked for once in a great while.
    Scans,
}

#[derive(Clone, Copy, PartialEq)]
enum Policy {
    Lru,
    Lfu,
}

/// Hits among the requests that count.
#[derive(Clone, Copy, Default)]
struct Hits {
    hits: u64,
    requests: u64,
}

/// The table of all traces, policies and servers as markdown.
pub(super) fn table(contestants: &[Contestant], requests: Option<u64>) -> Result<String> {
    let requests = requests.unwrap_or(REQUESTS);
    let mut text = format!(
        "### Hit rates\n\nmaxmemory {MAXMEMORY_MB} MB, {requests} requests of which the second half counts, {KEYS} keys with \
         values of {VALUE_BYTES} bytes, defaults otherwise\n\n\
         | trace | policy | server | keys held | hit rate | exact, as many keys | share of exact |\n|---|---|---|---|---|---|---|\n"
    );
    for trace in [Trace::Zipfian, Trace::Scans] {
        for policy in [Policy::Lru, Policy::Lfu] {
            for contestant in contestants {
                eprintln!("{}, {}: {}", trace.name(), policy.name(), contestant.title);
                let (hits, held) = play(contestant, trace, policy, requests)
                    .with_context(|| format!("{} on {}", trace.name(), contestant.title))?;
                let exact = simulate(trace, policy, requests, held);
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {held} | {:.2} % | {:.2} % | {:.1} % |",
                    trace.name(),
                    policy.name(),
                    contestant.title,
                    hits.percent(),
                    exact.percent(),
                    100.0 * hits.percent() / exact.percent(),
                );
            }
        }
    }
    Ok(text)
}

impl Trace {
    fn name(self) -> &'static str {
        match self {
            Trace::Zipfian => "zipfian",
            Trace::Scans => "zipfian with scans",
        }
    }

    /// The keys in order, the same each time.
    fn keys(self, requests: u64) -> impl Iterator<Item = u32> {
        let mut zipf = Zipf::new(KEYS, SKEW);
        let mut scanned = 0u32;
        (0..requests).map(move |number| {
            let place = number % SCAN_EVERY;
            if self == Trace::Scans && place >= SCAN_EVERY - SCAN_LENGTH {
                scanned = (scanned + 1) % KEYS;
                KEYS + scanned
            } else {
                zipf.next()
            }
        })
    }
}

impl Policy {
    fn name(self) -> &'static str {
        match self {
            Policy::Lru => "allkeys-lru",
            Policy::Lfu => "allkeys-lfu",
        }
    }
}

impl Hits {
    fn percent(self) -> f64 {
        self.hits as f64 * 100.0 / self.requests.max(1) as f64
    }
}

/// Plays a trace to a server of its own. Returns the hits and how many keys it holds in the end.
fn play(
    contestant: &Contestant,
    trace: Trace,
    policy: Policy,
    requests: u64,
) -> Result<(Hits, usize)> {
    let limit = (MAXMEMORY_MB << 20).to_string();
    let limits = ["--maxmemory", &limit, "--maxmemory-policy", policy.name()];
    let mut flags = contestant.flags.clone();
    flags.extend(limits.map(String::from));
    let server = Server::start(&contestant.program, &flags, None)?;
    let mut client = Client::new(server.connect()?);
    let mut hits = Hits::default();
    let mut missing = Vec::with_capacity(BATCH);
    for_each_batch(trace, requests, |batch, counts| {
        missing.clear();
        client.get(batch, &mut missing)?;
        if counts {
            hits.requests += batch.len() as u64;
            hits.hits += (batch.len() - missing.len()) as u64;
        }
        client.set(&missing)
    })?;
    Ok((hits, client.count()?))
}

/// Plays a trace to an exact cache of `capacity` keys.
fn simulate(trace: Trace, policy: Policy, requests: u64, capacity: usize) -> Hits {
    let mut cache = Exact::new(policy, capacity);
    let mut hits = Hits::default();
    let mut missing = Vec::with_capacity(BATCH);
    let outcome = for_each_batch(trace, requests, |batch, counts| {
        missing.clear();
        missing.extend(batch.iter().copied().filter(|key| !cache.get(*key)));
        if counts {
            hits.requests += batch.len() as u64;
            hits.hits += (batch.len() - missing.len()) as u64;
        }
        missing.iter().for_each(|key| cache.set(*key));
        Ok(())
    });
    debug_assert!(outcome.is_ok(), "a simulation does not fail");
    hits
}

/// Calls `f` with the keys of a trace, some at a time, and whether they count.
fn for_each_batch(
    trace: Trace,
    requests: u64,
    mut f: impl FnMut(&[u32], bool) -> Result<()>,
) -> Result<()> {
    let mut batch = Vec::with_capacity(BATCH);
    let mut done = 0;
    for key in trace.keys(requests) {
        batch.push(key);
        done += 1;
        if batch.len() == BATCH || done == requests {
            f(&batch, done > requests / 2)?;
            batch.clear();
        }
    }
    Ok(())
}

/// Ranks by a zipfian distribution, by the method of Gray et al. ("Quickly generating billion-record synthetic
/// databases"), spread over the keys.
struct Zipf {
    keys: f64,
    zeta: f64,
    alpha: f64,
    eta: f64,
    second: f64,
    random: u64,
}

impl Zipf {
    fn new(keys: u32, skew: f64) -> Self {
        let zeta: f64 = (1..=keys).map(|rank| f64::from(rank).powf(-skew)).sum();
        let second = 0.5f64.powf(skew);
        let keys = f64::from(keys);
        Zipf {
            keys,
            zeta,
            alpha: 1.0 / (1.0 - skew),
            eta: (1.0 - (2.0 / keys).powf(1.0 - skew)) / (1.0 - (1.0 + second) / zeta),
            second,
            random: 1,
        }
    }

    fn next(&mut self) -> u32 {
        // SplitMix64.
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.random;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        let uniform = (bits >> 11) as f64 / (1u64 << 53) as f64;
        let scaled = uniform * self.zeta;
        if scaled < 1.0 {
            0
        } else if scaled < 1.0 + self.second {
            1
        } else {
            let rank = self.keys * (self.eta * uniform - self.eta + 1.0).powf(self.alpha);
            (rank as u32).min(self.keys as u32 - 1)
        }
    }
}

/// A cache that always evicts the key that its policy names.
struct Exact {
    policy: Policy,
    capacity: usize,
    /// By key: its place in `order`, if it is there.
    places: Vec<Option<(u64, u64)>>,
    /// Uses (0 for LRU), time of the last use, key.
    order: BTreeSet<(u64, u64, u32)>,
    time: u64,
}

impl Exact {
    fn new(policy: Policy, capacity: usize) -> Self {
        Exact {
            policy,
            capacity,
            places: vec![None; 2 * KEYS as usize],
            order: BTreeSet::new(),
            time: 0,
        }
    }

    fn get(&mut self, key: u32) -> bool {
        let Some((uses, used)) = self.places[key as usize] else {
            return false;
        };
        self.order.remove(&(uses, used, key));
        self.enter(key, uses + u64::from(self.policy == Policy::Lfu));
        true
    }

    fn set(&mut self, key: u32) {
        if self.get(key) {
            return;
        }
        if self.order.len() >= self.capacity
            && let Some((_, _, evicted)) = self.order.pop_first()
        {
            self.places[evicted as usize] = None;
        }
        self.enter(key, 0);
    }

    fn enter(&mut self, key: u32, uses: u64) {
        self.time += 1;
        self.places[key as usize] = Some((uses, self.time));
        self.order.insert((uses, self.time, key));
    }
}

/// A connection to a server.
struct Client {
    stream: TcpStream,
    decoder: Decoder,
    request: Vec<u8>,
    received: Box<[u8]>,
    value: Vec<u8>,
}

impl Client {
    fn new(stream: TcpStream) -> Self {
        Client {
            stream,
            decoder: Decoder::new(),
            request: Vec::new(),
            received: vec![0; 64 << 10].into_boxed_slice(),
            value: vec![b'v'; VALUE_BYTES],
        }
    }

    /// Asks for keys and adds those that are missing to `missing`.
    fn get(&mut self, keys: &[u32], missing: &mut Vec<u32>) -> Result<()> {
        for key in keys {
            encode_request(&[&b"GET"[..], name(*key).as_bytes()], &mut self.request);
        }
        self.send()?;
        for key in keys {
            match self.reply()? {
                Value::Bulk(_) => {}
                value if value.is_null() => missing.push(*key),
                other => bail!("GET was answered with {other:?}"),
            }
        }
        Ok(())
    }

    fn set(&mut self, keys: &[u32]) -> Result<()> {
        for key in keys {
            let name = name(*key);
            let words = [&b"SET"[..], name.as_bytes(), &self.value];
            encode_request(&words, &mut self.request);
        }
        self.send()?;
        for _ in keys {
            let reply = self.reply()?;
            ensure!(
                matches!(&reply, Value::Simple(text) if text.as_slice() == b"OK"),
                "SET was answered with {reply:?}"
            );
        }
        Ok(())
    }

    /// How many keys the server holds.
    fn count(&mut self) -> Result<usize> {
        encode_request(&[&b"DBSIZE"[..]], &mut self.request);
        self.send()?;
        let count = self.reply()?.as_i64().context("DBSIZE is a number")?;
        Ok(count as usize)
    }

    fn send(&mut self) -> Result<()> {
        self.stream.write_all(&self.request)?;
        self.request.clear();
        Ok(())
    }

    fn reply(&mut self) -> Result<Value> {
        loop {
            if let Some(value) = self.decoder.next()? {
                return Ok(value);
            }
            let received = self.stream.read(&mut self.received)?;
            ensure!(received > 0, "the server has closed the connection");
            self.decoder.feed(&self.received[..received]);
        }
    }
}

fn name(key: u32) -> String {
    format!("key:{key:012}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zipf_is_skewed() {
        let mut zipf = Zipf::new(1000, SKEW);
        let mut counts = vec![0; 1000];
        for _ in 0..100_000 {
            counts[zipf.next() as usize] += 1;
        }
        // The first of a thousand has a share of 1 / 7.7.
        assert!((11_000..15_000).contains(&counts[0]), "{}", counts[0]);
        assert!(counts[0] > counts[1] && counts[1] > counts[10] && counts[10] > counts[500]);
    }

    #[test]
    fn exact_caches() {
        let run = |policy, keys: &[u32]| {
            let mut cache = Exact::new(policy, 2);
            let hit = |key: &u32| {
                let is_hit = cache.get(*key);
                cache.set(*key);
                u64::from(is_hit)
            };
            keys.iter().map(hit).collect::<Vec<_>>()
        };
        assert_eq!(run(Policy::Lru, &[1, 2, 1, 3, 1, 2]), [0, 0, 1, 0, 1, 0]);
        assert_eq!(run(Policy::Lru, &[1, 1, 2, 3, 1]), [0, 1, 0, 0, 0]);
        assert_eq!(run(Policy::Lfu, &[1, 1, 2, 3, 1]), [0, 1, 0, 0, 1]);
    }
}
