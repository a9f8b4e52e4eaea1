//! MEMORY DOCTOR
//!
//! The symptoms and their thresholds are those that Redis looks for; the text is for people.

use std::fmt::Write;

use engine::spec::{Command, CommandSpec};
use engine::{Args, CommandResult, Ctx, DONE};

use crate::server::memory_report::{Excess, MemoryReport};

pub(super) const DOCTOR: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec {
    name: "DOCTOR",
    summary: "Reports what may be wrong with the use of memory.",
    complexity: "O(1)",
    ..super::REPORT
};

/// Below this use nothing can be told.
const USED_MIN: usize = 5 << 20;

/// Waste of fewer bytes is none.
const WASTED_MIN: i64 = 10 << 20;

/// Bytes that a client may take on average.
const CLIENT_MAX: usize = 200 << 10;

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    let report = MemoryReport::new(ctx.server);
    let text = diagnosis(&report, ctx.server.clients.len());
    ctx.reply.verbatim("txt", text.as_bytes());
    DONE
}

fn diagnosis(report: &MemoryReport, clients: usize) -> String {
    if report.used < USED_MIN {
        return "The server holds too little data for a diagnosis.\n".to_owned();
    }
    let mut findings = String::new();
    let mut find = |is_so: bool, title: &str, advice: &str| {
        if is_so {
            let _ = write!(findings, "\n* {title}: {advice}\n");
        }
    };
    let [fragmentation, allocator, process, total] = report.excesses();
    let is_wasteful =
        |excess: &Excess, ratio: f64| excess.ratio() > ratio && excess.bytes() > WASTED_MIN;
    find(
        report.peak() > report.used + report.used / 2,
        "Peak",
        "at some time more than one and a half times as much was used as is now. The resident set may \
         still show that; it is used again when data comes, and MEMORY PURGE may give it back.",
    );
    find(
        is_wasteful(&total, 1.4),
        "Resident set",
        "it is more than 1.4 times what is used. After a peak that is harmless; otherwise see what else \
         is said here.",
    );
    find(
        is_wasteful(&fragmentation, 1.1),
        "Fragmentation",
        "pages are more than a tenth empty. Usual after many keys have gone; new keys fill them again.",
    );
    find(
        is_wasteful(&allocator, 1.1),
        "Free pages",
        "the allocator keeps more than a tenth beyond the pages in use. It gives them back by and by, and \
         at once with MEMORY PURGE.",
    );
    find(
        is_wasteful(&process, 1.1),
        "Beside the allocator",
        "more than a tenth of the resident set does not come from the allocator.",
    );
    find(
        report.clients / clients.max(1) > CLIENT_MAX,
        "Clients",
        "their buffers take more than 200 kB each on average. CLIENT LIST shows whose; requests or replies \
         may be very large, or be read slowly. maxmemory-clients sets a limit.",
    );
    if findings.is_empty() {
        "Nothing is wrong with the use of memory, as far as can be told.\n".to_owned()
    } else {
        format!("What stands out in the use of memory:\n{findings}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check;
    use engine::Memory;

    #[test]
    fn too_small() {
        check(
            "MEMORY DOCTOR",
            "$\"The server holds too little data for a diagnosis.\\n\"",
        );
    }

    #[test]
    fn findings() {
        const MB: usize = 1 << 20;
        let titles = |host: Memory, clients: usize| {
            let report = MemoryReport {
                host,
                used: host.allocated,
                startup: MB,
                clients,
                databases: Vec::new(),
            };
            let text = diagnosis(&report, 10);
            let titles = text.lines().filter_map(|line| line.strip_prefix("* "));
            titles
                .filter_map(|line| Some(line.split_once(':')?.0))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let sound = Memory {
            allocated: 100 * MB,
            active: 102 * MB,
            allocator_resident: 105 * MB,
            muzzy: 0,
            resident: 110 * MB,
            peak: 100 * MB,
        };
        assert_eq!(titles(sound, MB), "");
        assert_eq!(titles(sound, 3 * MB), "Clients");
        let peak = Memory {
            peak: 160 * MB,
            ..sound
        };
        assert_eq!(titles(peak, MB), "Peak");
        let wasteful = Memory {
            active: 120 * MB,
            allocator_resident: 140 * MB,
            resident: 160 * MB,
            ..sound
        };
        assert_eq!(
            titles(wasteful, MB),
            "Resident set, Fragmentation, Free pages, Beside the allocator"
        );
    }
}
