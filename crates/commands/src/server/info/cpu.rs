//! What it has cost, if the host knows.

use engine::Server;

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    let seconds = |us: u64| format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    if let Some((user_us, system_us)) = server.host.process().processor_us {
        report.field("used_cpu_sys", seconds(system_us));
        report.field("used_cpu_user", seconds(user_us));
    }
    // No child process is ever forked.
    report.field("used_cpu_sys_children", seconds(0));
    report.field("used_cpu_user_children", seconds(0));
}
