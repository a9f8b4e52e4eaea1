//! How often each command was called. How long it took is not measured: two looks at the clock for
//! each command would cost more than many a command does.

use engine::{CommandStats, Server};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    for entry in server.commands.all() {
        let sum = |counter: fn(&CommandStats) -> &AtomicU64| -> u64 {
            let workers = server.stats.iter();
            workers
                .map(|stats| counter(&stats.by_command[entry.index]).load(Relaxed))
                .sum()
        };
        let (calls, rejected) = (sum(|stats| &stats.calls), sum(|stats| &stats.rejected));
        let failed = sum(|stats| &stats.failed);
        if calls + rejected > 0 {
            report.field(
                &format!("cmdstat_{}", server.commands.full_name(entry)),
                format_args!("calls={calls},rejected_calls={rejected},failed_calls={failed}"),
            );
        }
    }
}
