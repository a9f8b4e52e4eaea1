//! How many keys there are.

use engine::Server;

use super::Report;

pub(super) fn write(server: &Server, report: &mut Report) {
    for database in 0..server.keyspace.databases() {
        let (keys, expires) = server.keyspace.count(database);
        if keys > 0 {
            report.field(
                &format!("db{database}"),
                format_args!("keys={keys},expires={expires},avg_ttl=0"),
            );
        }
    }
}
