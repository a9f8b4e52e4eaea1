//! MEMORY STATS

use engine::spec::{Command, CommandSpec};
use engine::{Args, CommandResult, Ctx, DONE};

use crate::server::memory_report::{MemoryReport, percentage};

pub(super) const STATS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec {
    name: "STATS",
    summary: "Returns what memory is used for.",
    complexity: "O(1) in the number of keys: the sums over the shards",
    ..super::REPORT
};

/// What this server has none of, so that it takes no memory.
const ABSENT: &[&str] = &[
    "replication.backlog",
    "clients.slaves",
    "cluster.links",
    "aof.buffer",
    "lua.caches",
    "functions.caches",
];

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    let report = MemoryReport::new(ctx.server);
    let reply = &mut ctx.reply;
    let begin = reply.begin();
    let mut fields = 0;
    let mut field = |name: &str, value: Figure| {
        fields += 1;
        reply.bulk(name.as_bytes());
        match value {
            Figure::Bytes(bytes) => reply.integer(bytes),
            Figure::Ratio(ratio) => reply.double(ratio),
            Figure::Database(main, expires) => {
                reply.map(2);
                reply.bulk(b"overhead.hashtable.main");
                reply.count(main);
                reply.bulk(b"overhead.hashtable.expires");
                reply.count(expires);
            }
        }
    };
    let bytes = |bytes: usize| Figure::Bytes(bytes as i64);
    field("peak.allocated", bytes(report.peak()));
    field("total.allocated", bytes(report.used));
    field("startup.allocated", bytes(report.startup));
    field("clients.normal", bytes(report.clients));
    for name in ABSENT {
        field(name, Figure::Bytes(0));
    }
    for database in &report.databases {
        let figure = Figure::Database(database.table_bytes, database.deadline_bytes);
        field(&format!("db.{}", database.number), figure);
    }
    let keys = report.keys();
    let dataset = report.dataset();
    field("overhead.total", bytes(report.overhead()));
    field("keys.count", bytes(keys));
    let per_key = report.net().checked_div(keys).unwrap_or(0);
    field("keys.bytes-per-key", bytes(per_key));
    field("dataset.bytes", bytes(dataset));
    let share = percentage(dataset, report.net());
    field("dataset.percentage", Figure::Ratio(share));
    let share = percentage(report.used, report.peak());
    field("peak.percentage", Figure::Ratio(share));
    if report.is_known() {
        field("allocator.allocated", bytes(report.host.allocated));
        field("allocator.active", bytes(report.host.active));
        field("allocator.resident", bytes(report.host.allocator_resident));
        field("allocator.muzzy", bytes(report.host.muzzy));
        for excess in report.excesses() {
            // The last has a name that is older than the others.
            let ratio = match excess.name {
                "fragmentation" => "fragmentation".to_owned(),
                name => format!("{name}.ratio"),
            };
            field(&ratio, Figure::Ratio(excess.ratio()));
            field(
                &format!("{}.bytes", excess.name),
                Figure::Bytes(excess.bytes()),
            );
        }
    }
    reply.end_map(begin, fields);
    DONE
}

/// A value of the report.
enum Figure {
    Bytes(i64),
    Ratio(f64),
    Database(usize, usize),
}

#[cfg(test)]
mod tests {
    use crate::fixture;

    #[test]
    fn stats() {
        let mut fixture = fixture();
        fixture.run("HELLO 3 ; SET a 1 ; SET b 1 EX 100 ; SELECT 2 ; SET c 1");
        let stats = fixture.run("MEMORY STATS");
        for field in [
            "$keys.count: :3,",
            "$db.0: {$overhead.hashtable.main: :",
            "$db.2: {$overhead.hashtable.main: :",
            "$overhead.hashtable.expires: :0}",
            "$peak.percentage: ,100",
            "$lua.caches: :0,",
        ] {
            assert!(stats.contains(field), "{field} in {stats}");
        }
    }
}
