//! Whether the server is a node of a cluster.

use config::parameter;
use engine::Server;

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    let is_node = server.config.read(parameter::CLUSTER_ENABLED);
    report.field("cluster_enabled", u8::from(is_node));
}
