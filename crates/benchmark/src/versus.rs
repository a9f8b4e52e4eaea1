//! `--vs`: the same tests on two servers in turn, as a table.
//!
//! The rounds alternate who goes first, so that a machine that warms up or slows down favours
//! nobody, and the median of the rounds is shown, so that one disturbed round does not count.

use std::io::Write;
use std::thread;
use std::time::Duration;

use crate::control::Control;
use crate::endpoint::Endpoint;
use crate::failure::Failure;
use crate::load::{self, Greeting, Plan};
use crate::options::Options;
use crate::process::Process;
use crate::report::{Console, Progress};
use crate::suite::Test;

/// How long a server gets to accept all connections, or to go back to sleep, before its CPU time is
/// read.
const SETTLE: Duration = Duration::from_millis(10);

struct Side<'a> {
    label: &'static str,
    endpoint: &'a Endpoint,
    /// Set if its CPU time can be measured.
    process: Option<Process>,
}

/// Requests per second, and CPU microseconds of the server for a request.
#[derive(Clone, Copy)]
struct Measure {
    rate: f64,
    cpu_us: Option<f64>,
}

/// One line of the table; index 0 is ours.
struct Row<'a> {
    title: &'a str,
    rates: [f64; 2],
    cpu_us: Option<[f64; 2]>,
}

/// Runs `tests` on both servers and prints the table.
pub(crate) fn compare(
    options: &Options,
    greeting: &Greeting,
    theirs: &Endpoint,
    tests: &[Test],
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let sides = [("ours", &options.endpoint), ("theirs", theirs)];
    let mut introduced = Vec::new();
    for (label, endpoint) in sides {
        introduced.push(Side::introduce(
            label, endpoint, options, greeting, console,
        )?);
    }
    let measured = introduced.iter().all(|side| side.process.is_some());
    let shown = || {
        tests
            .iter()
            .filter(|test| !test.preparation)
            .map(|test| test.title.chars().count())
    };
    let table = Table {
        width: shown().max().unwrap_or(0).max(4),
        measured,
        csv: options.csv,
    };
    table
        .header(options, console.out)
        .map_err(Failure::Output)?;
    for test in tests {
        if test.preparation {
            for side in &introduced {
                side.measure(options, greeting, test, console)?;
            }
            continue;
        }
        let mut measures = [Vec::new(), Vec::new()];
        for round in 0..options.rounds {
            for turn in [round % 2, 1 - round % 2] {
                measures[turn].push(introduced[turn].measure(options, greeting, test, console)?);
            }
        }
        let cpu = measures.each_ref().map(|side| {
            side.iter()
                .map(|measure| measure.cpu_us)
                .collect::<Option<Vec<f64>>>()
                .map(median)
        });
        let row = Row {
            title: &test.title,
            rates: measures
                .each_ref()
                .map(|side| median(side.iter().map(|m| m.rate).collect())),
            cpu_us: if let [Some(ours), Some(theirs)] = cpu {
                Some([ours, theirs])
            } else {
                None
            },
        };
        table.row(&row, console.out).map_err(Failure::Output)?;
    }
    table.footer(console.out).map_err(Failure::Output)
}

impl<'a> Side<'a> {
    /// Asks a server who it is and says so.
    fn introduce(
        label: &'static str,
        endpoint: &'a Endpoint,
        options: &Options,
        greeting: &Greeting,
        console: &mut Console<'_>,
    ) -> Result<Self, Failure> {
        let mut control = Control::open(endpoint, greeting)?;
        let identity = control.identity()?;
        let process = identity
            .pid
            .filter(|_| control.stays_on_this_machine())
            .and_then(|pid| Process::listening(pid, endpoint));
        let place = match (&process, identity.pid) {
            (Some(_), Some(pid)) => format!("process {pid}"),
            _ => "no process of this machine: no CPU time".to_owned(),
        };
        // Values for a program keep to themselves.
        let out: &mut dyn Write = if options.csv {
            console.err
        } else {
            console.out
        };
        writeln!(
            out,
            "{:<7} {endpoint} ({}, {place})",
            format!("{label}:"),
            identity.name
        )
        .map_err(Failure::Output)?;
        Ok(Self {
            label,
            endpoint,
            process,
        })
    }

    fn measure(
        &self,
        options: &Options,
        greeting: &Greeting,
        test: &Test,
        console: &mut Console<'_>,
    ) -> Result<Measure, Failure> {
        let title = format!("{} ({})", test.title, self.label);
        let plan = Plan {
            endpoint: self.endpoint,
            greeting,
            options,
            title: &title,
            command: &test.command,
        };
        let streams = load::connect(&plan)?;
        let cpu_time = || {
            self.process.as_ref().map(|process| {
                thread::sleep(SETTLE);
                process.cpu_time()
            })
        };
        let before = cpu_time();
        let mut progress = Progress::new(console.out, console.terminal && !options.csv);
        let outcome = load::run(&plan, streams, &mut progress, console.err)?;
        let used_ns = cpu_time()
            .zip(before)
            .map(|(after, before)| after.since(&before));
        Ok(Measure {
            rate: outcome.rate(),
            cpu_us: used_ns.map(|ns| ns as f64 / 1000.0 / outcome.finished as f64),
        })
    }
}

struct Table {
    /// Of the first column.
    width: usize,
    /// There are columns for CPU time.
    measured: bool,
    csv: bool,
}

impl Table {
    fn header(&self, options: &Options, out: &mut dyn Write) -> std::io::Result<()> {
        if self.csv {
            let cpu = if self.measured {
                r#","ours_cpu_us","theirs_cpu_us","cpu_ratio""#
            } else {
                ""
            };
            return writeln!(out, r#""test","ours_rps","theirs_rps","rps_ratio"{cpu}"#);
        }
        writeln!(
            out,
            "{} clients, pipeline {}, {} bytes payload, {} requests a round, median of {}\n",
            options.clients,
            options.pipeline,
            options.data_size,
            options.requests,
            match options.rounds {
                1 => "1 round".to_owned(),
                rounds => format!("{rounds} rounds"),
            }
        )?;
        let width = self.width;
        let (mut names, mut rule) = (String::new(), String::new());
        if self.measured {
            names.push_str(" ours CPU µs | theirs CPU µs | ratio |");
            rule.push_str("------------:|--------------:|------:|");
        }
        writeln!(
            out,
            "| {:width$} |   ours rps | theirs rps | ratio |{names}",
            "test"
        )?;
        writeln!(
            out,
            "|{:-<1$}|-----------:|-----------:|------:|{rule}",
            "",
            width + 2
        )
    }

    fn row(&self, row: &Row<'_>, out: &mut dyn Write) -> std::io::Result<()> {
        let Row {
            title,
            rates: [ours, theirs],
            cpu_us,
        } = row;
        let ratio = ours / theirs;
        if self.csv {
            write!(out, r#""{title}","{ours:.2}","{theirs:.2}","{ratio:.3}""#)?;
            if let Some([ours, theirs]) = cpu_us {
                write!(out, r#","{ours:.3}","{theirs:.3}","{:.3}""#, theirs / ours)?;
            }
        } else {
            let width = self.width;
            write!(
                out,
                "| {title:width$} | {ours:10.0} | {theirs:10.0} | {ratio:5.2} |"
            )?;
            if let Some([ours, theirs]) = cpu_us {
                write!(
                    out,
                    " {ours:11.3} | {theirs:13.3} | {:5.2} |",
                    theirs / ours
                )?;
            }
        }
        writeln!(out)?;
        out.flush()
    }

    fn footer(&self, out: &mut dyn Write) -> std::io::Result<()> {
        if self.csv {
            return Ok(());
        }
        writeln!(out, "\nA ratio above 1 means that ours does better.")?;
        if self.measured {
            writeln!(
                out,
                "CPU µs: what all threads of the server's process used for a request."
            )?;
        }
        Ok(())
    }
}

/// The middle value, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        (values[middle - 1] + values[middle]) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_ignores_an_outlier() {
        assert_eq!(median(vec![3.0, 100.0, 1.0]), 3.0);
        assert_eq!(median(vec![1.0, 2.0]), 1.5);
    }

    #[test]
    fn rows_line_up_with_the_header() {
        for measured in [false, true] {
            let table = Table {
                width: 6,
                measured,
                csv: false,
            };
            let row = Row {
                title: "SET",
                rates: [412_345.0, 300_000.0],
                cpu_us: measured.then_some([1.5, 3.0]),
            };
            let mut out = Vec::new();
            table.header(&Options::default(), &mut out).unwrap();
            table.row(&row, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            let widths: Vec<_> = text
                .lines()
                .filter(|line| line.starts_with('|'))
                .map(|line| {
                    line.split('|')
                        .map(|cell| cell.chars().count())
                        .collect::<Vec<_>>()
                })
                .collect();
            assert_eq!(widths.len(), 3, "{text}");
            assert!(widths.iter().all(|row| *row == widths[0]), "{text}");
            assert!(
                text.contains("|  1.37 |") && text.contains("2.00") == measured,
                "{text}"
            );
        }
    }
}
