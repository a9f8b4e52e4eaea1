//! redis-benchmark as the load, and the tables of what it cost the servers.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use resp::client::encode_request;

use super::{Contestant, LOAD_CPU};
use crate::server::Server;

/// Names of redis-benchmark's tests, or `lrange_N`.
pub(super) type Tests = &'static [&'static str];

/// A load.
#[derive(Clone, Copy)]
pub(super) struct Table {
    pub(super) title: &'static str,
    pub(super) pipeline: u32,
    pub(super) requests: u64,
    pub(super) tests: Tests,
    /// How many keys (or members) are hit at random; 0 for one key.
    pub(super) keyspace: u64,
}

/// How loads are run.
pub(super) struct Load {
    pub(super) benchmark: PathBuf,
    /// In place of the tables' own numbers.
    pub(super) requests: Option<u64>,
    pub(super) rounds: usize,
}

/// What one run of one test cost.
#[derive(Clone, Copy)]
struct Sample {
    cpu_us: f64,
    requests_per_second: f64,
}

const CONNECTIONS: &str = "50";

/// A list that LRANGE reads, so that filling it is not measured.
const LIST: &[u8] = b"bench:list";

impl Load {
    /// Runs a table's tests against all servers and returns the table as markdown.
    pub(super) fn table(
        &self,
        table: &Table,
        contestants: &[Contestant],
        servers: &[Server],
    ) -> Result<String> {
        let mut samples = vec![vec![Vec::new(); contestants.len()]; table.tests.len()];
        for (contestant, server) in contestants.iter().zip(servers) {
            if contestant.name != "null"
                && table.tests.iter().any(|test| test.starts_with("lrange_"))
            {
                fill_list(server)?;
            }
        }
        for round in 1..=self.rounds {
            for (index, contestant) in contestants.iter().enumerate() {
                eprintln!(
                    "{}: round {round} of {}, {}",
                    table.title, self.rounds, contestant.title
                );
                for (test_index, test) in table.tests.iter().enumerate() {
                    if contestant.name == "null" && test.starts_with("lrange_") {
                        continue;
                    }
                    let sample = self
                        .run(table, test, &servers[index])
                        .with_context(|| format!("{test} on {}", contestant.title))?;
                    samples[test_index][index].push(sample);
                }
            }
        }
        Ok(markdown(table, contestants, &samples))
    }

    fn run(&self, table: &Table, test: &str, server: &Server) -> Result<Sample> {
        let mut requests = self.requests.unwrap_or(table.requests);
        let mut command = Command::new("taskset");
        command.args(["-c", LOAD_CPU]).arg(&self.benchmark);
        command.args(["-p", &server.port.to_string(), "-c", CONNECTIONS, "--csv"]);
        command.args(["-P", &table.pipeline.to_string()]);
        let elements = test
            .strip_prefix("lrange_")
            .map(str::parse::<u64>)
            .transpose()?;
        match elements {
            Some(elements) => {
                requests = (requests / 10).max(1000);
                command.args(["-n", &requests.to_string(), "LRANGE"]);
                command.arg(String::from_utf8_lossy(LIST).as_ref());
                command.args(["0", &(elements - 1).to_string()]);
            }
            None => {
                command.args(["-n", &requests.to_string(), "-d", "3", "-t", test]);
                if table.keyspace > 0 {
                    command.args(["-r", &table.keyspace.to_string()]);
                }
            }
        }
        let before = server.cpu_ns()?;
        let output = command.output()?;
        let cpu_ns = server.cpu_ns()? - before;
        let text = String::from_utf8_lossy(&output.stdout);
        ensure!(output.status.success(), "redis-benchmark failed: {text}");
        let rate = text.lines().rev().find_map(|line| {
            let mut cells = line.split("\",\"");
            cells.next().filter(|name| !name.starts_with("\"test"))?;
            cells.next()?.trim_matches('"').parse::<f64>().ok()
        });
        Ok(Sample {
            cpu_us: cpu_ns as f64 / 1000.0 / requests as f64,
            requests_per_second: rate.with_context(|| format!("no rate in {text}"))?,
        })
    }
}

fn fill_list(server: &Server) -> Result<()> {
    let mut stream = server.connect()?;
    let elements = std::iter::repeat_n(&b"xxx"[..], 1000);
    let command: Vec<&[u8]> = [&b"RPUSH"[..], LIST].into_iter().chain(elements).collect();
    let mut bytes = Vec::new();
    encode_request(&command, &mut bytes);
    stream.write_all(&bytes)?;
    let mut reply = [0; 7];
    stream.read_exact(&mut reply)?;
    ensure!(
        &reply == b":1000\r\n",
        "RPUSH was answered with {}",
        reply.escape_ascii()
    );
    Ok(())
}

fn median(samples: &[Sample], of: impl Fn(&Sample) -> f64) -> Option<f64> {
    let mut values: Vec<f64> = samples.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

/// A row for each test: the processor time per request and, in brackets, how many times the first real server's it is
/// better; then the requests per second of all.
fn markdown(table: &Table, contestants: &[Contestant], samples: &[Vec<Vec<Sample>>]) -> String {
    let base = contestants
        .iter()
        .position(|one| one.name != "null")
        .unwrap_or(0);
    let against = contestants[base].title;
    let mut text = format!(
        "### {}\n\nServer µs of processor time per request (in brackets: times better than {against})\n\n|  |",
        table.title
    );
    for contestant in contestants {
        let _ = write!(text, " {} |", contestant.title);
    }
    text += " requests/s, in this order |\n|---|";
    text += &"---|".repeat(contestants.len() + 1);
    text += "\n";
    for (test, by_server) in table.tests.iter().zip(samples) {
        let _ = write!(text, "| {} |", test.to_uppercase());
        let reference = median(&by_server[base], |sample| sample.cpu_us);
        for (index, samples) in by_server.iter().enumerate() {
            let _ = match (median(samples, |sample| sample.cpu_us), reference) {
                (Some(cost), _) if index == base => write!(text, " {cost:.2} |"),
                (Some(cost), Some(reference)) => {
                    write!(text, " {cost:.2} ({:.2}x) |", reference / cost)
                }
                _ => write!(text, " – |"),
            };
        }
        let rates: Vec<String> = by_server
            .iter()
            .map(
                |samples| match median(samples, |sample| sample.requests_per_second) {
                    Some(rate) => format!("{:.0}k", rate / 1000.0),
                    None => "–".to_owned(),
                },
            )
            .collect();
        let _ = writeln!(text, " {} |", rates.join(" / "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        let samples = |values: &[f64]| {
            let sample = |&cpu_us: &f64| Sample {
                cpu_us,
                requests_per_second: 0.0,
            };
            values.iter().map(sample).collect::<Vec<_>>()
        };
        assert_eq!(median(&samples(&[3.0, 1.0, 2.0]), |s| s.cpu_us), Some(2.0));
        assert_eq!(
            median(&samples(&[4.0, 1.0, 2.0, 3.0]), |s| s.cpu_us),
            Some(2.5)
        );
        assert_eq!(median(&[], |s: &Sample| s.cpu_us), None);
    }
}
