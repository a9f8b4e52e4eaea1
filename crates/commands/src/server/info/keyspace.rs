//! How many keys there are.

use engine::Server;

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    for database in 0..server.keyspace.databases() {
        let census = server.keyspace.count(database);
        if census.keys > 0 {
            let mean_ttl_ms = server.keyspace.mean_ttl_ms(database, server.clock.now_ms());
            report.field(
                &format!("db{database}"),
                format_args!(
                    "keys={},expires={},avg_ttl={mean_ttl_ms}",
                    census.keys, census.expiring
                ),
            );
        }
    }
}
