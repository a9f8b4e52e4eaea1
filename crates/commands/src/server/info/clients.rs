//! Who is connected.

use std::sync::atomic::Ordering::Relaxed;

use config::parameter;
use engine::Server;
use engine::clients::Client;

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    let clients = server.clients.all();
    let count =
        |is_meant: fn(&Client) -> bool| clients.iter().filter(|client| is_meant(client)).count();
    let greatest =
        |size: fn(&Client) -> usize| clients.iter().map(|client| size(client)).max().unwrap_or(0);
    report.field("connected_clients", clients.len());
    report.field("tracking_clients", 0);
    report.field("cluster_connections", 0);
    report.field("maxclients", server.config.read(parameter::MAXCLIENTS));
    report.field(
        "client_recent_max_input_buffer",
        greatest(|client| client.query_capacity.load(Relaxed)),
    );
    report.field(
        "client_recent_max_output_buffer",
        greatest(|client| client.output_bytes.load(Relaxed)),
    );
    report.field(
        "blocked_clients",
        count(|client| client.is_blocked.load(Relaxed)),
    );
    report.field("pubsub_clients", count(Client::is_subscribed));
    report.field(
        "watching_clients",
        count(|client| client.watched.load(Relaxed) > 0),
    );
}
