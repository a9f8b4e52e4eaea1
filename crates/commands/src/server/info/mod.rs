//! INFO [section ...]
//!
//! A section is a file. A figure that the server does not have is left out rather than made up, so a
//! monitor that misses one knows that it knows nothing.

use std::fmt::{Display, Write};

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandResult, Ctx, DONE, Server};

mod clients;
mod cluster;
mod commandstats;
mod cpu;
mod errorstats;
mod keyspace;
mod memory;
mod modules;
mod persistence;
mod replication;
mod server;
mod stats;

pub(super) const INFO: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("INFO")
    .group(Group::Server)
    .at_least(1)
    .flags(flags::LOADING | flags::STALE | flags::DANGEROUS)
    .syntax("[section ...]")
    .summary("Reports on the server: what it is, does and has done.")
    .complexity("O(1)")
    .tips(&[
        "nondeterministic_output",
        "request_policy:all_shards",
        "response_policy:special",
    ])
    .history(&[("7.0.0", "Takes several sections.")]);

/// A section of the report.
struct Section {
    title: &'static str,
    /// Whether it is there if no section is asked for.
    is_default: bool,
    write: fn(&Server, &mut Report),
}

const fn section(title: &'static str, write: fn(&Server, &mut Report)) -> Section {
    Section {
        title,
        is_default: true,
        write,
    }
}

const SECTIONS: &[Section] = &[
    section("Server", server::write),
    section("Clients", clients::write),
    section("Memory", memory::write),
    section("Persistence", persistence::write),
    section("Stats", stats::write),
    section("Replication", replication::write),
    section("CPU", cpu::write),
    section("Modules", modules::write),
    Section {
        is_default: false,
        ..section("Commandstats", commandstats::write)
    },
    section("Errorstats", errorstats::write),
    section("Cluster", cluster::write),
    section("Keyspace", keyspace::write),
];

/// The text of sections.
struct Report(String);

impl Report {
    /// A line `name:value`.
    fn field(&mut self, name: &str, value: impl Display) {
        let _ = write!(self.0, "{name}:{value}\r\n");
    }

    /// Lines with a number of bytes and the same for people to read.
    fn bytes(&mut self, name: &str, bytes: u64) {
        self.field(name, bytes);
        let _ = write!(self.0, "{name}_human:{}\r\n", Human(bytes));
    }
}

/// A number of bytes with the unit that fits: `1.04M`.
struct Human(u64);

impl Display for Human {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut value = self.0 as f64;
        if value < 1024.0 {
            return write!(f, "{}B", self.0);
        }
        for unit in ["K", "M", "G", "T"] {
            value /= 1024.0;
            if value < 1024.0 {
                return write!(f, "{value:.2}{unit}");
            }
        }
        write!(f, "{:.2}P", value / 1024.0)
    }
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let is_any = |names: &[&str]| {
        args.rest().iter().any(|word| {
            names
                .iter()
                .any(|name| word.eq_ignore_ascii_case(name.as_bytes()))
        })
    };
    let is_default = args.rest().is_empty() || is_any(&["default"]);
    let is_all = is_any(&["all", "everything"]);
    let mut report = Report(String::new());
    for section in SECTIONS {
        if is_all || (is_default && section.is_default) || is_any(&[section.title]) {
            if !report.0.is_empty() {
                report.0.push_str("\r\n");
            }
            let _ = write!(report.0, "# {}\r\n", section.title);
            (section.write)(ctx.server, &mut report);
        }
    }
    ctx.reply.verbatim("txt", report.0.as_bytes());
    DONE
}

#[cfg(test)]
mod tests {
    use super::Human;
    use crate::{check, check3, fixture};

    #[test]
    fn sections() {
        check(
            "INFO cluster",
            "$\"# Cluster\\r\\ncluster_enabled:0\\r\\n\"",
        );
        check(
            "INFO Modules CLUSTER cluster foo",
            "$\"# Modules\\r\\n\\r\\n# Cluster\\r\\ncluster_enabled:0\\r\\n\"",
        );
        check("INFO foo", "$\"\"");
        check3("INFO modules", "=txt:# Modules\\r\\n");
        let titles = |script: &str| {
            let info = fixture().run(script);
            let titles = info.split("# ").skip(1);
            let titles: Vec<_> = titles
                .map(|part| part.split('\\').next().unwrap().to_owned())
                .collect();
            titles.join(" ")
        };
        let default = "Server Clients Memory Persistence Stats Replication CPU Modules Errorstats \
                       Cluster Keyspace";
        let all = default.replace("Errorstats", "Commandstats Errorstats");
        assert_eq!(titles("INFO"), default);
        assert_eq!(titles("INFO default"), default);
        assert_eq!(titles("INFO all"), all);
        assert_eq!(titles("INFO everything stats"), all);
        assert_eq!(titles("INFO default commandstats"), all);
    }

    #[test]
    fn sizes_for_people() {
        let show = |bytes| Human(bytes).to_string();
        assert_eq!(show(0), "0B");
        assert_eq!(show(1023), "1023B");
        assert_eq!(show(1024), "1.00K");
        assert_eq!(show(1_091_600), "1.04M");
        assert_eq!(show(25_276_063_744), "23.54G");
        assert_eq!(show(1 << 50), "1.00P");
    }

    #[test]
    fn server() {
        let info = fixture().run("INFO server");
        for field in [
            "redis_version:7.4.0\\r\\n",
            "redis_mode:standalone\\r\\n",
            "tcp_port:6379\\r\\n",
            "uptime_in_seconds:0\\r\\n",
            "hz:10\\r\\n",
            "io_threads_active:0\\r\\n",
            "listener0:name=tcp,bind=*,bind=-::*,port=6379\\r\\n",
        ] {
            assert!(info.contains(field), "{field} in {info}");
        }
    }

    #[test]
    fn clients_and_stats() {
        let mut fixture = fixture();
        fixture.run("SET k v ; GET k ; GET missing ; FOO ; SET k");
        let info = fixture.run("INFO clients stats errorstats commandstats keyspace");
        for field in [
            "connected_clients:1\\r\\n",
            "maxclients:10000\\r\\n",
            "total_commands_processed:5\\r\\n",
            "keyspace_hits:1\\r\\n",
            "keyspace_misses:1\\r\\n",
            "total_error_replies:2\\r\\n",
            "errorstat_ERR:count=2\\r\\n",
            "cmdstat_set:calls=1,rejected_calls=1,failed_calls=0\\r\\n",
            "db0:keys=1,expires=0,avg_ttl=0\\r\\n",
        ] {
            assert!(info.contains(field), "{field} in {info}");
        }
    }

    #[test]
    fn keyspace() {
        check(
            "SET k v EX 1 ; SELECT 3 ; SET a 1 ; SET b 1 ; INFO keyspace",
            "+OK ; +OK ; +OK ; +OK ; $\"# Keyspace\\r\\ndb0:keys=1,expires=1,avg_ttl=1000\\r\\n\
             db3:keys=2,expires=0,avg_ttl=0\\r\\n\"",
        );
    }
}
