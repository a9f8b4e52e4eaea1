//! `--hotkeys`: the keys with the highest access counters, on a server with an LFU policy.

use std::cmp::Reverse;
use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::thread;

use resp::client::Value;

use crate::Failure;
use crate::modes::big_keys::{ROUNDS_PER_PAUSE, percentage, prepare, quoted};
use crate::modes::scan::Scan;
use crate::modes::unexpected;
use crate::session::{Session, print};
use crate::terminal;

/// Keys in the summary.
const HOTTEST_MAX: usize = 16;

pub(super) fn run(session: &mut Session) -> Result<u8, Failure> {
    let mut scan = Scan::new(session);
    let interval = session.options.interval;
    let interrupted = terminal::interrupt_flag().map_err(Failure::Output)?;
    let connection = session.connect_or_fail()?;
    let total = prepare(connection)?;
    print(
        b"
# Scanning the entire keyspace to find hot keys as well as
# average sizes per key type.  You can use -i 0.1 to sleep 0.1 sec
# per 100 SCAN commands (not usually needed).

",
    )?;
    let mut hottest: Vec<(i64, String)> = Vec::new();
    let (mut sampled, mut rounds) = (0_u64, 0);
    loop {
        let percent = 100.0 * sampled as f64 / total as f64;
        let keys = scan.next(connection)?;
        for key in &keys {
            connection.queue(&[&b"OBJECT"[..], b"FREQ", key]);
        }
        connection.flush()?;
        let mut text = String::new();
        for key in &keys {
            sampled += 1;
            let counter = match connection.reply()? {
                Value::Integer(counter) => counter,
                // A key that has gone meanwhile.
                value if value.is_null() => continue,
                value if value.as_error() == Some(b"ERR no such key") => continue,
                value => return Err(unexpected("Error", &value)),
            };
            let coldest = hottest.last().map_or(0, |(counter, _)| *counter);
            if counter == 0 || (hottest.len() == HOTTEST_MAX && counter <= coldest) {
                continue;
            }
            let key = quoted(key);
            let _ = writeln!(
                text,
                "[{}] Hot key '{key}' found so far with counter {counter}",
                percentage(percent)
            );
            hottest.push((counter, key));
            hottest.sort_by_key(|(counter, _)| Reverse(*counter));
            hottest.truncate(HOTTEST_MAX);
        }
        print(text.as_bytes())?;
        if scan.is_done() || interrupted.load(Ordering::Relaxed) {
            let mut text = String::from("\n-------- summary -------\n\n");
            if !scan.is_done() {
                let _ = write!(text, "[{}] ", percentage(percent));
            }
            let _ = writeln!(text, "Sampled {sampled} keys in the keyspace!");
            for (counter, key) in &hottest {
                let _ = writeln!(
                    text,
                    "hot key found with counter: {counter}\tkeyname: {key}"
                );
            }
            print(text.as_bytes())?;
            return Ok(0);
        }
        rounds += 1;
        if rounds % ROUNDS_PER_PAUSE == 0 {
            thread::sleep(interval);
        }
    }
}
