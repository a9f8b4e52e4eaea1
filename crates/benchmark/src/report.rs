//! What a run prints: the full report, a line (`-q`), or comma-separated values.
//!
//! The shape is that of redis-benchmark 7, byte for byte but for the numbers, since scripts read
//! it.

use std::io::{self, Write};
use std::time::Duration;

use crate::control::Durability;
use crate::load::Outcome;
use crate::options::Options;

/// Where a run's words go.
pub(crate) struct Console<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) err: &'a mut dyn Write,
    /// Somebody looks at `out` while it is written.
    pub(crate) terminal: bool,
}

/// The line that is overwritten while a test runs.
pub(crate) struct Progress<'a> {
    out: &'a mut dyn Write,
    shown: bool,
    /// How many columns the line takes now.
    width: usize,
    before: (Duration, u64, u64),
}

impl<'a> Progress<'a> {
    pub(crate) fn new(out: &'a mut dyn Write, shown: bool) -> Self {
        Self {
            out,
            shown,
            width: 0,
            before: (Duration::ZERO, 0, 0),
        }
    }

    /// Shows how far the test is: requests finished and the sum of their latencies since the start.
    pub(crate) fn tell(
        &mut self,
        title: &str,
        elapsed: Duration,
        finished: u64,
        latency_sum_us: u64,
    ) {
        let (elapsed_before, finished_before, sum_before) = self.before;
        self.before = (elapsed, finished, latency_sum_us);
        let rate = |count: u64, time: Duration| count as f64 / time.as_secs_f64();
        let mean_ms = |sum: u64, count: u64| sum as f64 / count.max(1) as f64 / 1000.0;
        self.show(&format!(
            "{title}: rps={:.1} (overall: {:.1}) avg_msec={:.3} (overall: {:.3})",
            rate(finished - finished_before, elapsed - elapsed_before),
            rate(finished, elapsed),
            mean_ms(latency_sum_us - sum_before, finished - finished_before),
            mean_ms(latency_sum_us, finished),
        ));
    }

    /// Replaces the line. Nobody misses a progress line that could not be written.
    pub(crate) fn show(&mut self, line: &str) {
        if self.shown {
            let width = self.width;
            let _ = write!(self.out, "{:width$}\r{line}\r", "");
            let _ = self.out.flush();
            self.width = line.chars().count();
        }
    }

    pub(crate) fn clear(&mut self) {
        if self.shown {
            let width = self.width;
            let _ = write!(self.out, "{:width$}\r", "");
            self.width = 0;
        }
    }
}

/// Everything a report says beside the outcome.
pub(crate) struct Report<'a> {
    pub(crate) options: &'a Options,
    pub(crate) durability: Option<&'a Durability>,
    /// Bytes of payload, as far as known.
    pub(crate) data_size: usize,
}

impl Report<'_> {
    /// The line above all values of `--csv`.
    pub(crate) fn csv_header(out: &mut dyn Write) -> io::Result<()> {
        let columns =
            ["avg", "min", "p50", "p95", "p99", "max"].map(|name| format!("\"{name}_latency_ms\""));
        writeln!(out, "\"test\",\"rps\",{}", columns.join(","))
    }

    /// Prints what came of a test, in the form that was asked for.
    pub(crate) fn print(
        &self,
        out: &mut dyn Write,
        title: &str,
        outcome: &Outcome,
    ) -> io::Result<()> {
        if self.options.csv {
            let values = summary(outcome).map(|value| format!("\"{value:.3}\""));
            writeln!(
                out,
                "\"{title}\",\"{:.2}\",{}",
                outcome.rate(),
                values.join(",")
            )?;
        } else if self.options.quiet {
            let p50 = ms(outcome.latencies.percentile_us(50.0));
            writeln!(
                out,
                "{title}: {:.2} requests per second, p50={p50:.3} msec",
                outcome.rate()
            )?;
        } else {
            self.print_full(out, title, outcome)?;
        }
        out.flush()
    }

    fn print_full(&self, out: &mut dyn Write, title: &str, outcome: &Outcome) -> io::Result<()> {
        let Self {
            options,
            durability,
            data_size,
        } = self;
        writeln!(out, "====== {title} ======")?;
        writeln!(
            out,
            "  {} requests completed in {:.2} seconds",
            outcome.finished,
            outcome.elapsed.as_secs_f64()
        )?;
        if outcome.errors > 0 {
            writeln!(out, "  {} error replies", outcome.errors)?;
        }
        writeln!(out, "  {} parallel clients", options.clients)?;
        writeln!(out, "  {data_size} bytes payload")?;
        writeln!(out, "  keep alive: {}", u8::from(options.keep_alive))?;
        if let Some(durability) = durability {
            writeln!(out, "  host configuration \"save\": {}", durability.save)?;
            writeln!(
                out,
                "  host configuration \"appendonly\": {}",
                durability.appendonly
            )?;
        }
        match options.threads {
            Some(threads) => writeln!(out, "  multi-thread: yes\n  threads: {threads}")?,
            None => writeln!(out, "  multi-thread: no")?,
        }
        let latencies = &outcome.latencies;
        for (heading, steps) in [
            (
                "Latency by percentile distribution",
                latencies.halving_percentiles(),
            ),
            ("Cumulative distribution of latencies", latencies.linear()),
        ] {
            writeln!(out, "\n{heading}:")?;
            for step in steps {
                writeln!(
                    out,
                    "{:.3}% <= {:.3} milliseconds (cumulative count {})",
                    step.percentile,
                    ms(step.value_us),
                    step.cumulative
                )?;
            }
        }
        writeln!(out, "\nSummary:")?;
        writeln!(
            out,
            "  throughput summary: {:.2} requests per second",
            outcome.rate()
        )?;
        writeln!(out, "  latency summary (msec):")?;
        let names = ["avg", "min", "p50", "p95", "p99", "max"].map(|name| format!("{name:>9}"));
        let values = summary(outcome).map(|value| format!("{value:9.3}"));
        writeln!(out, "    {}\n    {}", names.join(" "), values.join(" "))
    }
}

/// Average, minimum, p50, p95, p99 and maximum in milliseconds.
fn summary(outcome: &Outcome) -> [f64; 6] {
    let latencies = &outcome.latencies;
    [
        latencies.mean_us() / 1000.0,
        ms(latencies.min_us()),
        ms(latencies.percentile_us(50.0)),
        ms(latencies.percentile_us(95.0)),
        ms(latencies.percentile_us(99.0)),
        ms(latencies.max_us()),
    ]
}

fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::histogram::Histogram;

    fn printed(options: &Options) -> String {
        let mut latencies = Histogram::new(3);
        latencies.record(231, 1);
        latencies.record(879, 1);
        let outcome = Outcome {
            finished: 2,
            errors: 0,
            elapsed: Duration::from_millis(4),
            latencies,
        };
        let durability = Durability {
            save: "60 1".to_owned(),
            appendonly: "no".to_owned(),
        };
        let report = Report {
            options,
            durability: Some(&durability),
            data_size: 3,
        };
        let mut out = Vec::new();
        report.print(&mut out, "SET", &outcome).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_full_report_has_the_known_shape() {
        let expected = "\
====== SET ======
  2 requests completed in 0.00 seconds
  50 parallel clients
  3 bytes payload
  keep alive: 1
  host configuration \"save\": 60 1
  host configuration \"appendonly\": no
  multi-thread: no

Latency by percentile distribution:
0.000% <= 0.231 milliseconds (cumulative count 1)
75.000% <= 0.879 milliseconds (cumulative count 2)
100.000% <= 0.879 milliseconds (cumulative count 2)

Cumulative distribution of latencies:
0.000% <= 0.100 milliseconds (cumulative count 0)
50.000% <= 0.300 milliseconds (cumulative count 1)
100.000% <= 0.900 milliseconds (cumulative count 2)

Summary:
  throughput summary: 500.00 requests per second
  latency summary (msec):
          avg       min       p50       p95       p99       max
        0.555     0.231     0.231     0.879     0.879     0.879
";
        assert_eq!(printed(&Options::default()), expected);
    }

    #[test]
    fn short_forms() {
        let quiet = Options {
            quiet: true,
            ..Options::default()
        };
        assert_eq!(
            printed(&quiet),
            "SET: 500.00 requests per second, p50=0.231 msec\n"
        );
        let csv = Options {
            csv: true,
            ..Options::default()
        };
        assert_eq!(
            printed(&csv),
            "\"SET\",\"500.00\",\"0.555\",\"0.231\",\"0.231\",\"0.879\",\"0.879\",\"0.879\"\n"
        );
    }

    #[test]
    fn a_progress_line_covers_the_one_before() {
        let mut out = Vec::new();
        let mut progress = Progress::new(&mut out, true);
        progress.show("long line");
        progress.show("short");
        progress.clear();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\rlong line\r         \rshort\r     \r"
        );
        let mut out = Vec::new();
        Progress::new(&mut out, false).show("unseen");
        assert!(out.is_empty());
    }
}
