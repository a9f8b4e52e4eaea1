//! `--stat`: a line of INFO's numbers a second.

use std::thread;
use std::time::Duration;

use crate::Failure;
use crate::modes::unexpected;
use crate::session::{Session, print};

/// The heading is repeated after this many lines.
const HEADING_LINES: u64 = 20;

const HEADING: &str = "\
------- data ------ --------------------- load -------------------- - child -
keys       mem      clients blocked requests            connections          
";

pub(super) fn run(session: &mut Session) -> Result<u8, Failure> {
    let interval = match session.options.interval {
        Duration::ZERO => Duration::from_secs(1),
        interval => interval,
    };
    session.connect_or_fail()?;
    let mut requests = None;
    for line in 0_u64.. {
        let reply = session.call_persistently(&["INFO"])?;
        let info = reply
            .as_bytes()
            .ok_or_else(|| unexpected("ERROR", &reply))?;
        let info = String::from_utf8_lossy(info);
        if line % HEADING_LINES == 0 {
            print(HEADING.as_bytes())?;
        }
        print(statistics(&info, &mut requests).as_bytes())?;
        thread::sleep(interval);
    }
    Ok(0)
}

/// One line; `requests` carries the total over to the next one.
fn statistics(info: &str, requests: &mut Option<i64>) -> String {
    let field = |name| field(info, name).unwrap_or(0);
    let total = field("total_commands_processed");
    let new = total - requests.replace(total).unwrap_or(total);
    let children = [
        ("SAVE", field("rdb_bgsave_in_progress")),
        ("AOF", field("aof_rewrite_in_progress")),
        ("LOAD", field("loading")),
    ];
    let busy: Vec<&str> = children
        .iter()
        .filter(|(_, running)| *running > 0)
        .map(|(name, _)| *name)
        .collect();
    format!(
        "{:<11}{:<8} {:<8}{:<8}{:<19} {:<12}{}\n",
        key_count(info),
        human_bytes(field("used_memory")),
        field("connected_clients"),
        field("blocked_clients"),
        format!("{total} (+{new})"),
        field("total_connections_received"),
        busy.join("+"),
    )
}

fn field(info: &str, name: &str) -> Option<i64> {
    info.lines().find_map(|line| {
        line.strip_prefix(name)?
            .strip_prefix(':')?
            .trim()
            .parse()
            .ok()
    })
}

/// The keys of all databases: `db0:keys=1,expires=0,..` and so on.
fn key_count(info: &str) -> u64 {
    let keys_of = |line: &str| {
        let (number, fields) = line.strip_prefix("db")?.split_once(":keys=")?;
        number.parse::<u32>().ok()?;
        fields.split(',').next()?.trim().parse::<u64>().ok()
    };
    info.lines().filter_map(keys_of).sum()
}

fn human_bytes(bytes: i64) -> String {
    const UNITS: [&str; 4] = ["K", "M", "G", "T"];
    if bytes < 1024 {
        return format!("{bytes}B");
    }
    let mut size = bytes as f64;
    let mut unit = "B";
    for next in UNITS {
        if size < 1024.0 {
            break;
        }
        size /= 1024.0;
        unit = next;
    }
    format!("{size:.2}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_statistics() {
        let info = "# Server\r\nused_memory:1048576\r\nused_memory_human:1M\r\n\
                    connected_clients:3\r\nblocked_clients:1\r\ntotal_commands_processed:10\r\n\
                    total_connections_received:5\r\nloading:0\r\nrdb_bgsave_in_progress:1\r\n\
                    aof_rewrite_in_progress:1\r\ndb0:keys=2,expires=0\r\ndb5:keys=40,expires=1\r\n";
        let mut requests = Some(4);
        assert_eq!(
            statistics(info, &mut requests),
            "42         1.00M    3       1       10 (+6)             5           SAVE+AOF\n"
        );
        assert_eq!(requests, Some(10));
    }

    #[test]
    fn bytes_for_people() {
        assert_eq!(human_bytes(1023), "1023B");
        assert_eq!(human_bytes(1536), "1.50K");
        assert_eq!(human_bytes(5 << 40), "5.00T");
    }
}
