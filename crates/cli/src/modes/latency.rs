//! `--latency` and `--latency-history`: the round trip of PING, a hundred times a second.

use std::thread;
use std::time::{Duration, Instant};

use crate::Failure;
use crate::format::Style;
use crate::session::{Session, print};

const SAMPLE_INTERVAL: Duration = Duration::from_millis(10);

/// How long one line of the history covers, unless `-i` says otherwise.
const HISTORY_INTERVAL: Duration = Duration::from_secs(15);

/// For how long programs wait for their single line, unless `-i` says otherwise.
const ONCE_INTERVAL: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Once,
    Repeatedly,
}

/// The samples since the last report, in milliseconds.
#[derive(Default)]
struct Samples {
    min: u64,
    max: u64,
    sum: u64,
    count: u64,
}

impl Samples {
    fn add(&mut self, latency_ms: u64) {
        self.min = if self.count == 0 {
            latency_ms
        } else {
            self.min.min(latency_ms)
        };
        self.max = self.max.max(latency_ms);
        self.sum += latency_ms;
        self.count += 1;
    }

    fn show(&self, style: Style) -> String {
        let Samples {
            min,
            max,
            sum,
            count,
        } = self;
        let average = *sum as f64 / (*count).max(1) as f64;
        match style {
            Style::Formatted => {
                format!("min: {min}, max: {max}, avg: {average:.2} ({count} samples)")
            }
            Style::Csv => format!("{min},{max},{average:.2},{count}\n"),
            Style::Raw => format!("{min} {max} {average:.2} {count}\n"),
            Style::Json | Style::QuotedJson => format!(
                "{{\"min\": {min}, \"max\": {max}, \"avg\": {average:.2}, \"count\": {count}}}\n"
            ),
        }
    }
}

pub(super) fn run(session: &mut Session, report: Report) -> Result<u8, Failure> {
    let style = session.options.format.style;
    let interval = match (session.options.interval, report) {
        (Duration::ZERO, Report::Once) => ONCE_INTERVAL,
        (Duration::ZERO, Report::Repeatedly) => HISTORY_INTERVAL,
        (interval, _) => interval,
    };
    session.connect_or_fail()?;
    let mut samples = Samples::default();
    let mut start = Instant::now();
    loop {
        let sent = Instant::now();
        session.call_persistently(&["PING"])?;
        samples.add(u64::try_from(sent.elapsed().as_millis()).unwrap_or(u64::MAX));
        let is_over = start.elapsed() > interval;
        match (style, report) {
            // A person watches one line change.
            (Style::Formatted, _) => {
                print(format!("\x1b[0G\x1b[2K{}", samples.show(style)).as_bytes())?;
                if report == Report::Repeatedly && is_over {
                    let seconds = start.elapsed().as_secs_f64();
                    print(format!(" -- {seconds:.2} seconds range\n").as_bytes())?;
                }
            }
            _ if is_over => print(samples.show(style).as_bytes())?,
            _ => {}
        }
        if is_over && report == Report::Once && style != Style::Formatted {
            return Ok(0);
        }
        if is_over && report == Report::Repeatedly {
            samples = Samples::default();
            start = Instant::now();
        }
        thread::sleep(SAMPLE_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports() {
        let mut samples = Samples::default();
        [3, 1, 5]
            .into_iter()
            .for_each(|latency| samples.add(latency));
        assert_eq!(
            samples.show(Style::Formatted),
            "min: 1, max: 5, avg: 3.00 (3 samples)"
        );
        assert_eq!(samples.show(Style::Raw), "1 5 3.00 3\n");
        assert_eq!(samples.show(Style::Csv), "1,5,3.00,3\n");
    }
}
