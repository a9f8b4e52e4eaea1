//! The other servers with the same data: none.

use config::parameter;
use engine::Server;

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    report.field("role", "master");
    report.field("connected_slaves", 0);
    report.field("master_failover_state", "no-failover");
    report.field("master_replid", &server.replication_id);
    report.field("master_replid2", "0".repeat(40));
    report.field("master_repl_offset", 0);
    report.field("second_repl_offset", -1);
    report.field("repl_backlog_active", 0);
    report.field(
        "repl_backlog_size",
        server.config.read(parameter::REPL_BACKLOG_SIZE),
    );
    report.field("repl_backlog_first_byte_offset", 0);
    report.field("repl_backlog_histlen", 0);
}
