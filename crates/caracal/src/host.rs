//! What the engine asks of this process: its memory, its processor time, its end.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use engine::{Host, Memory, Process};
use net::Shutdown;
use tikv_jemalloc_ctl::stats_print::{Options, stats_print};
use tikv_jemalloc_ctl::{epoch, stats};

use crate::allocator;

/// This process.
#[derive(Debug)]
pub(crate) struct ThisProcess {
    pub(crate) shutdown: Arc<Shutdown>,
    peak: AtomicUsize,
}

impl ThisProcess {
    pub(crate) fn new(shutdown: Arc<Shutdown>) -> Self {
        ThisProcess {
            shutdown,
            peak: AtomicUsize::new(0),
        }
    }
}

impl Host for ThisProcess {
    fn shutdown(&self) {
        self.shutdown.trigger();
    }

    fn memory(&self) -> Memory {
        let allocated = self.allocated();
        Memory {
            allocated,
            active: stats::active::read().unwrap_or(0),
            allocator_resident: stats::resident::read().unwrap_or(0),
            muzzy: allocator::muzzy_bytes(),
            resident: resident_bytes().unwrap_or(0),
            peak: self.peak.load(Relaxed),
        }
    }

    fn allocated(&self) -> usize {
        // The allocator's figures are of its last epoch. They are missing only if it was built
        // without them, and it is not.
        let _ = epoch::advance();
        let allocated = stats::allocated::read().unwrap_or(0);
        self.peak.fetch_max(allocated, Relaxed);
        allocated
    }

    fn purge_memory(&self) -> bool {
        allocator::purge()
    }

    fn allocator_report(&self) -> Option<String> {
        let mut report = Vec::new();
        stats_print(&mut report, Options::default()).ok()?;
        Some(String::from_utf8_lossy(&report).into_owned())
    }

    fn process(&self) -> Process {
        let uname = rustix::system::uname();
        let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
        let system = format!(
            "{} {} {}",
            text(uname.sysname()),
            text(uname.release()),
            text(uname.machine())
        );
        Process {
            system: Some(system),
            executable: std::env::current_exe().ok(),
            allocator: tikv_jemalloc_ctl::version::read()
                .ok()
                .and_then(|version| Some(format!("jemalloc-{}", version.split('-').next()?))),
            memory_total: memory_total(),
            processor_us: processor_us(),
        }
    }
}

/// The resident set, from /proc/self/statm: the second number, in pages.
fn resident_bytes() -> Option<usize> {
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size())
}

/// Physical memory, from /proc/meminfo.
fn memory_total() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// User and system time, from /proc/self/stat, whose fields behind the program's name (which may
/// hold spaces) are counted from the closing bracket.
fn processor_us() -> Option<(u64, u64)> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks_a_second = rustix::param::clock_ticks_per_second();
    let mut next = || Some(fields.next()?.parse::<u64>().ok()? * 1_000_000 / ticks_a_second);
    Some((next()?, next()?))
}
