//! `--intrinsic-latency`: for how long this machine keeps a busy process from running.
//!
//! No server is involved: it is the floor below which no server here can answer.

use std::hint::black_box;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::Failure;
use crate::session::print;
use crate::terminal;

pub(super) fn run(duration: Duration) -> Result<u8, Failure> {
    let interrupted = terminal::interrupt_flag().map_err(Failure::Output)?;
    let start = Instant::now();
    let (mut runs, mut worst_us) = (0_u64, 0);
    let mut before = start;
    loop {
        work();
        let now = Instant::now();
        let latency_us = now.duration_since(before).as_micros();
        before = now;
        runs += 1;
        if latency_us > worst_us {
            worst_us = latency_us;
            print(format!("Max latency so far: {worst_us} microseconds.\n").as_bytes())?;
            // Printing is not what is measured.
            before = Instant::now();
        }
        if interrupted.load(Ordering::Relaxed) || now.duration_since(start) > duration {
            let average_us = now.duration_since(start).as_secs_f64() * 1e6 / runs as f64;
            let average_ns = average_us * 1e3;
            let times = worst_us as f64 / average_us;
            print(
                format!(
                    "\n{runs} total runs (avg latency: {average_us:.4} microseconds / \
                     {average_ns:.2} nanoseconds per run).\n\
                     Worst run took {times:.0}x longer than the average latency.\n"
                )
                .as_bytes(),
            )?;
            return Ok(0);
        }
    }
}

/// A little work, without a system call that could itself be what takes long.
fn work() {
    let mut state = black_box(0x9e37_79b9_u32);
    for _ in 0..64 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    black_box(state);
}
