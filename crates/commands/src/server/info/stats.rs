//! What has been done.

use engine::Server;

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    let [commands, received, sent] = server.rates.per_second();
    let kilobytes = |bytes: u64| format!("{:.2}", bytes as f64 / 1024.0);
    let mut total = |name: &str, sum: u64| report.field(name, sum);
    total(
        "total_connections_received",
        server.sum(|stats| &stats.connections),
    );
    total(
        "total_commands_processed",
        server.sum(|stats| &stats.commands),
    );
    total("instantaneous_ops_per_sec", commands);
    total(
        "total_net_input_bytes",
        server.sum(|stats| &stats.received_bytes),
    );
    total(
        "total_net_output_bytes",
        server.sum(|stats| &stats.sent_bytes),
    );
    report.field("instantaneous_input_kbps", kilobytes(received));
    report.field("instantaneous_output_kbps", kilobytes(sent));
    let mut total = |name: &str, sum: u64| report.field(name, sum);
    total(
        "rejected_connections",
        server.sum(|stats| &stats.rejected_connections),
    );
    total("expired_keys", server.sum(|stats| &stats.expired));
    total("evicted_keys", server.sum(|stats| &stats.evicted));
    total(
        "evicted_clients",
        server.sum(|stats| &stats.evicted_clients),
    );
    let (over_ms, now_over_ms) = server.memory.over_ms(server.clock.now_us());
    total("total_eviction_exceeded_time", over_ms);
    total("current_eviction_exceeded_time", now_over_ms);
    total("keyspace_hits", server.sum(|stats| &stats.hits));
    total("keyspace_misses", server.sum(|stats| &stats.misses));
    total("latest_fork_usec", 0);
    total("total_forks", 0);
    total("total_error_replies", server.sum(|stats| &stats.errors));
    total(
        "client_query_buffer_limit_disconnections",
        server.sum(|stats| &stats.query_limit_disconnections),
    );
    total(
        "client_output_buffer_limit_disconnections",
        server.sum(|stats| &stats.output_limit_disconnections),
    );
    total(
        "acl_access_denied_auth",
        server.sum(|stats| &stats.denied_logins),
    );
}
