//! What is on disk: nothing yet, so nothing is going on and the rest is unknown.

use engine::Server;

use super::Report;

pub(super) fn write(_: &Server, report: &mut Report) {
    for name in [
        "loading",
        "async_loading",
        "rdb_bgsave_in_progress",
        "rdb_saves",
        "aof_enabled",
        "aof_rewrite_in_progress",
        "aof_rewrite_scheduled",
        "aof_rewrites",
        "module_fork_in_progress",
    ] {
        report.field(name, 0);
    }
}
