//! `--latency-dist`: a strip of colors a second, each cell a range of latencies and its color the
//! share of the samples in it.

use std::fmt::Write;
use std::thread;
use std::time::{Duration, Instant};

use crate::Failure;
use crate::session::{Session, print};

const SAMPLE_INTERVAL: Duration = Duration::from_millis(10);

/// How long a strip covers, unless `-i` says otherwise.
const STRIP_INTERVAL: Duration = Duration::from_secs(1);

/// The legend is repeated after this many strips.
const LEGEND_STRIPS: u64 = 20;

/// Indexes of xterm's 256 colors, from nothing to all.
const COLORS: &[u8] = &[
    0, 233, 234, 235, 237, 239, 241, 243, 245, 247, 144, 143, 142, 184, 226, 214, 208, 202, 196,
];
const GRAYS: &[u8] = &[
    0, 233, 234, 235, 237, 239, 241, 243, 245, 247, 249, 251, 253,
];

/// The upper end of each range in microseconds, and the character of its cell.
const RANGES: &[(u64, char)] = &[
    (10, '.'),
    (125, '-'),
    (250, '*'),
    (500, '#'),
    (1_000, '1'),
    (2_000, '2'),
    (3_000, '3'),
    (4_000, '4'),
    (5_000, '5'),
    (6_000, '6'),
    (7_000, '7'),
    (8_000, '8'),
    (9_000, '9'),
    (10_000, 'A'),
    (20_000, 'B'),
    (30_000, 'C'),
    (40_000, 'D'),
    (50_000, 'E'),
    (100_000, 'F'),
    (200_000, 'G'),
    (300_000, 'H'),
    (400_000, 'I'),
    (500_000, 'J'),
    (1_000_000, 'K'),
    (2_000_000, 'L'),
    (4_000_000, 'M'),
    (8_000_000, 'N'),
    (16_000_000, 'O'),
    (30_000_000, 'P'),
    (60_000_000, 'Q'),
    (u64::MAX, '?'),
];

pub(super) fn run(session: &mut Session) -> Result<u8, Failure> {
    let palette = if session.options.monochrome {
        GRAYS
    } else {
        COLORS
    };
    let interval = match session.options.interval {
        Duration::ZERO => STRIP_INTERVAL,
        interval => interval,
    };
    session.connect_or_fail()?;
    let mut counts = [0; RANGES.len()];
    let mut strips = 0;
    let mut start = Instant::now();
    loop {
        let sent = Instant::now();
        session.call_persistently(&["PING"])?;
        let latency_us = u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX);
        counts[RANGES.partition_point(|(end, _)| *end < latency_us)] += 1;
        if start.elapsed() > interval {
            if strips % LEGEND_STRIPS == 0 {
                print(legend(palette).as_bytes())?;
            }
            print(strip(&counts, palette).as_bytes())?;
            strips += 1;
            counts = [0; RANGES.len()];
            start = Instant::now();
        }
        thread::sleep(SAMPLE_INTERVAL);
    }
}

fn strip(counts: &[u64; RANGES.len()], palette: &[u8]) -> String {
    let total = counts.iter().sum::<u64>().max(1) as f64;
    let mut text = String::from("\x1b[38;5;0m");
    for (count, (_, character)) in counts.iter().zip(RANGES) {
        let share = *count as f64 / total;
        // Rounded up, so that a single sample can be seen.
        let color = palette[(share * (palette.len() - 1) as f64).ceil() as usize];
        let _ = write!(text, "\x1b[48;5;{color}m{character}");
    }
    text.push_str("\x1b[0m\n");
    text
}

fn legend(palette: &[u8]) -> String {
    let mut text = String::from(
        "---------------------------------------------
. - * #          .01 .125 .25 .5 milliseconds
1,2,3,...,9      from 1 to 9     milliseconds
A,B,C,D,E        10,20,30,40,50  milliseconds
F,G,H,I,J        .1,.2,.3,.4,.5       seconds
K,L,M,N,O,P,Q,?  1,2,4,8,16,30,60,>60 seconds
From 0 to 100%: ",
    );
    for color in palette {
        let _ = write!(text, "\x1b[48;5;{color}m ");
    }
    text.push_str("\x1b[0m\n---------------------------------------------\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_ascend() {
        assert!(RANGES.is_sorted_by(|one, next| one.0 < next.0));
    }

    #[test]
    fn colors_follow_the_share() {
        let mut counts = [0; RANGES.len()];
        counts[1] = 99;
        counts[2] = 1;
        let text = strip(&counts, COLORS);
        assert!(
            text.contains("\x1b[48;5;0m.\x1b[48;5;196m-\x1b[48;5;233m*\x1b[48;5;0m#"),
            "{text}"
        );
    }
}
