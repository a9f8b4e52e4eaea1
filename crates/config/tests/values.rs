//! Values of each kind through CONFIG SET and GET: one line a case.

use std::sync::{Arc, Mutex};

use config::{
    BufferLimit, Config, KeyspaceEvents, LogLevel, MaxmemoryPolicy, Origin, Refusal, SavePoint,
    parameter,
};
use config::{Handle, SetError};

fn set(config: &Config, name: &str, value: &str) -> Result<Vec<&'static str>, SetError> {
    config.set(&[(name.as_bytes(), value.as_bytes())], Origin::Local)
}

fn get(config: &Config, name: &str) -> String {
    let found = config.get(&[name.as_bytes()]);
    assert_eq!(found.len(), 1, "{name}");
    String::from_utf8(found[0].1.clone()).unwrap()
}

/// Sets a value and expects CONFIG GET to show it like this.
#[track_caller]
fn shows(name: &str, value: &str, shown: &str) {
    let config = Config::new();
    set(&config, name, value).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(get(&config, name), shown);
}

/// Sets a value and expects it to be refused for this reason.
#[track_caller]
fn refuses(name: &str, value: &str, reason: &str) {
    let config = Config::new();
    let before = get(&config, name);
    let error = set(&config, name, value).unwrap_err().to_string();
    let whole = "ERR CONFIG SET failed (possibly related to argument '";
    assert_eq!(error, format!("{whole}{name}') - {reason}"));
    assert_eq!(get(&config, name), before);
}

#[test]
fn booleans() {
    shows("protected-mode", "no", "no");
    shows("protected-mode", "YES", "yes");
    refuses("protected-mode", "true", "argument must be 'yes' or 'no'");
}

#[test]
fn integers() {
    shows("timeout", "60", "60");
    shows("list-max-listpack-size", "-5", "-5");
    shows("list-max-ziplist-size", "100", "100");
    shows("hz", "1000", "500");
    shows("hz", "0", "1");
    for wrong in [
        "",
        "x",
        "1x",
        "+1",
        "01",
        " 1",
        "-0",
        "1.0",
        "99999999999999999999",
    ] {
        refuses(
            "timeout",
            wrong,
            "argument couldn't be parsed into an integer",
        );
    }
    refuses(
        "port",
        "65536",
        "argument must be between 0 and 65535 inclusive",
    );
    refuses(
        "maxclients",
        "0",
        "argument must be between 1 and 4294967295 inclusive",
    );
}

#[test]
fn memory() {
    shows("maxmemory", "100", "100");
    shows("maxmemory", "100b", "100");
    shows("maxmemory", "100k", "100000");
    shows("maxmemory", "100Kb", "102400");
    shows("maxmemory", "1m", "1000000");
    shows("maxmemory", "1MB", "1048576");
    shows("maxmemory", "2g", "2000000000");
    shows("maxmemory", "2gb", "2147483648");
    shows("maxmemory", "", "0");
    for wrong in ["-1", "1x", "mb", "1.5gb", "1 mb"] {
        refuses("maxmemory", wrong, "argument must be a memory value");
    }
    let range = "argument must be between 1048576 and 9223372036854775807 inclusive";
    refuses("proto-max-bulk-len", "1024", range);
    let range = "argument must be between 0 and 9223372036854775807 inclusive";
    refuses("maxmemory", "8589934592gb", range);
    refuses(
        "maxmemory",
        "99999999999gb",
        "argument must be a memory value",
    );
    shows("slot-migration-max-failover-repl-bytes", "-1", "-1");
    shows("maxmemory-clients", "5%", "5%");
    shows("maxmemory-clients", "1mb", "1048576");
    refuses(
        "maxmemory-clients",
        "101%",
        "percentage argument must be less or equal to 100",
    );
    refuses(
        "maxmemory-clients",
        "x%",
        "argument must be a memory or percent value",
    );
}

#[test]
fn choices() {
    shows("maxmemory-policy", "AllKeys-LRU", "allkeys-lru");
    shows("oom-score-adj", "relative", "yes");
    refuses(
        "loglevel",
        "loud",
        "argument(s) must be one of the following: debug, verbose, notice, warning, nothing",
    );
    shows("shutdown-on-sigterm", "now nosave", "nosave now");
    shows("shutdown-on-sigterm", "default", "default");
    refuses(
        "shutdown-on-sigterm",
        "save nosave",
        "shutdown options SAVE and NOSAVE can't be used simultaneously",
    );
}

#[test]
fn texts() {
    shows("requirepass", "a b", "a b");
    shows("ignore-warnings", "", "");
    refuses(
        "cluster-announce-hostname",
        "a_b",
        "Hostnames may only contain alphanumeric characters, hyphens or dots",
    );
    refuses(
        "proc-title-template",
        "{x}",
        "template format is invalid or contains unknown variables",
    );
    refuses(
        "cluster-announce-client-ipv4",
        "1.2.3",
        "Invalid IPv4 address",
    );
    refuses(
        "cluster-announce-client-ipv6",
        "1.2.3.4",
        "Invalid IPv6 address",
    );
}

#[test]
fn composites() {
    shows("save", "", "");
    shows("save", "900 1 300 10", "900 1 300 10");
    for wrong in ["900", "x 1", "0 1", "900 -1", "900  1"] {
        refuses("save", wrong, "Invalid save parameters");
    }
    shows("bind", "127.0.0.1 -::1", "127.0.0.1 -::1");
    shows("bind", "", "");
    shows("oom-score-adj-values", "1 2 3", "1 2 3");
    refuses("oom-score-adj-values", "1 2", "wrong number of arguments");
    refuses(
        "oom-score-adj-values",
        "1 2 3000",
        "Invalid oom-score-adj-values, elements must be between -2000 and 2000.",
    );
    shows("latency-tracking-info-percentiles", "", "");
    shows(
        "latency-tracking-info-percentiles",
        "0 50.50 100",
        "0 50.5 100",
    );
    refuses(
        "latency-tracking-info-percentiles",
        "101",
        "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]",
    );
    let name = "client-output-buffer-limit";
    let rest = "slave 268435456 67108864 60 pubsub 33554432 8388608 60";
    shows(
        name,
        "normal 1mb 1kb 10",
        &format!("normal 1048576 1024 10 {rest}"),
    );
    shows(
        name,
        "replica 1 2 3 pubsub 4 5 6",
        "normal 0 0 0 slave 1 2 3 pubsub 4 5 6",
    );
    refuses(
        name,
        "normal 0 0",
        "Wrong number of arguments in buffer limit configuration.",
    );
    refuses(
        name,
        "all 0 0 0",
        "Invalid client class specified in buffer limit configuration.",
    );
    refuses(
        name,
        "normal 0 x 0",
        "Error in hard, soft or soft_seconds setting in buffer limit configuration.",
    );
}

#[test]
fn keyspace_events() {
    shows("notify-keyspace-events", "KEA", "AKE");
    shows("notify-keyspace-events", "Exg$", "g$xE");
    shows("notify-keyspace-events", "AnmK", "AnKm");
    shows("notify-keyspace-events", "", "");
    let reason = "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
    refuses("notify-keyspace-events", "KQ", reason);
    let config = Config::new();
    set(&config, "notify-keyspace-events", "El").unwrap();
    let events = config.read(parameter::NOTIFY_KEYSPACE_EVENTS);
    assert!(
        events.intersects(KeyspaceEvents::LIST) && !events.intersects(KeyspaceEvents::KEYSPACE)
    );
}

#[test]
fn typed_values() {
    let config = Config::new();
    assert_eq!(config.read(parameter::LOGLEVEL), LogLevel::Notice);
    assert_eq!(
        config.read(parameter::MAXMEMORY_POLICY),
        MaxmemoryPolicy::NoEviction
    );
    assert_eq!(
        config.read(parameter::SAVE).0[1],
        SavePoint {
            seconds: 300,
            changes: 100
        }
    );
    let pubsub = config.read(parameter::CLIENT_OUTPUT_BUFFER_LIMIT).pubsub;
    let expected = BufferLimit {
        hard_bytes: 32 << 20,
        soft_bytes: 8 << 20,
        soft_seconds: 60,
    };
    assert_eq!(pubsub, expected);
    let bind = config.read(parameter::BIND);
    assert!(!bind[0].is_optional && bind[1].is_optional);
    assert_eq!(bind[0].ip().unwrap().to_string(), "0.0.0.0");
    assert_eq!(bind[1].ip().unwrap().to_string(), "::");
    assert_eq!(config.path(parameter::PIDFILE), None);
    assert_eq!(config.directory(), std::env::current_dir().unwrap());
}

#[test]
fn unknown_immutable_duplicate_protected() {
    let config = Config::new();
    let error = |name: &str| set(&config, name, "x").unwrap_err().to_string();
    assert_eq!(
        error("nope"),
        "ERR Unknown option or number of arguments for CONFIG SET - 'nope'"
    );
    let unknown = "ERR Unknown option or number of arguments for CONFIG SET - ";
    assert_eq!(
        error("lua-replicate-commands"),
        format!("{unknown}'lua-replicate-commands'")
    );
    refuses("databases", "1", "can't set immutable config");
    refuses("dir", "/", "can't set protected config");
    let pairs: &[(&[u8], &[u8])] = &[(b"slave-priority", b"1"), (b"replica-priority", b"2")];
    config.set(pairs, Origin::Local).unwrap();
    assert_eq!(config.read(parameter::REPLICA_PRIORITY), 2);
    let pairs: &[(&[u8], &[u8])] = &[(b"replica-priority", b"1"), (b"Replica-Priority", b"2")];
    let error = config.set(pairs, Origin::Local).unwrap_err().to_string();
    let expected = "ERR CONFIG SET failed (possibly related to argument 'Replica-Priority') - \
                    duplicate parameter";
    assert_eq!(error, expected);
}

#[test]
fn several_values_change_together_or_not_at_all() {
    let config = Config::new();
    let pairs: &[(&[u8], &[u8])] = &[(b"timeout", b"5"), (b"maxmemory", b"x")];
    config.set(pairs, Origin::Local).unwrap_err();
    assert_eq!(config.read(parameter::TIMEOUT), 0);
    assert_eq!(config.version(), 0);
    let pairs: &[(&[u8], &[u8])] = &[(b"timeout", b"5"), (b"hz", b"10"), (b"port", b"1")];
    assert_eq!(
        config.set(pairs, Origin::Local).unwrap(),
        ["timeout", "port"]
    );
    assert_eq!(config.version(), 1);
    assert!(set(&config, "timeout", "5").unwrap().is_empty());
    assert_eq!(config.version(), 1);
}

#[test]
fn loading_denies_some() {
    let config = Config::new();
    config.set_loading(true);
    let error = set(&config, "appendonly", "yes").unwrap_err();
    assert_eq!(
        error.to_string(),
        "LOADING Redis is loading the dataset in memory"
    );
    set(&config, "timeout", "1").unwrap();
    config.set_loading(false);
    set(&config, "appendonly", "yes").unwrap();
}

#[test]
fn subscribers_hear_and_may_refuse() {
    let config = Config::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = heard.clone();
    config.on_change(move |config, change| {
        let names: Vec<_> = change.names().collect();
        ears.lock()
            .unwrap()
            .push((names, config.read(parameter::PORT)));
        Ok(())
    });
    config.on_change(|config, change| {
        if change.touches(parameter::PORT) && config.read(parameter::PORT) == 1 {
            let reason = "Unable to listen on this port. Check server logs.".to_owned();
            return Err(Refusal {
                parameter: parameter::PORT.id(),
                reason,
            });
        }
        Ok(())
    });
    set(&config, "port", "2").unwrap();
    let error = set(&config, "port", "1").unwrap_err().to_string();
    let expected = "ERR CONFIG SET failed (possibly related to argument 'port') - \
                    Unable to listen on this port. Check server logs.";
    assert_eq!(error, expected);
    assert_eq!(config.read(parameter::PORT), 2);
    let heard = heard.lock().unwrap();
    assert_eq!(
        *heard,
        [(vec!["port"], 2), (vec!["port"], 1), (vec!["port"], 2)]
    );
}

#[test]
fn get_finds_by_pattern_and_by_name() {
    let config = Config::new();
    let names = |patterns: &[&str]| {
        let patterns: Vec<&[u8]> = patterns.iter().map(|pattern| pattern.as_bytes()).collect();
        config
            .get(&patterns)
            .into_iter()
            .map(|(name, _)| name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&["PORT"]), ["PORT"]);
    assert_eq!(
        names(&[
            "hash-max-*list*-entries",
            "hash-max-listpack-entries",
            "nope"
        ]),
        ["hash-max-listpack-entries", "hash-max-ziplist-entries",]
    );
    assert_eq!(names(&["slaveof", "replicaof"]), ["slaveof", "replicaof"]);
    assert!(names(&["*"]).len() > 200);
    assert!(names(&["watchdog*"]).is_empty());
    assert_eq!(names(&["watchdog-period"]), ["watchdog-period"]);
    assert!(names(&["list-max-ziplist-value"]).is_empty());
}

#[test]
fn assign_changes_what_set_may_not() {
    let config = Config::new();
    config
        .assign(parameter::REPLICAOF, b"127.0.0.1 6380")
        .unwrap();
    assert_eq!(get(&config, "replicaof"), "127.0.0.1 6380");
    assert_eq!(
        config.read(parameter::REPLICAOF).0,
        Some(("127.0.0.1".to_owned(), 6380))
    );
    config.assign(parameter::REPLICAOF, b"no one").unwrap();
    assert_eq!(get(&config, "slaveof"), "");
}
