//! `--scan`: the names of all keys, and the SCAN loop that the other modes share.

use std::sync::atomic::Ordering;
use std::thread;

use resp::client::Value;

use crate::Failure;
use crate::connection::Connection;
use crate::format::{Style, quote};
use crate::modes::unexpected;
use crate::session::{Session, print};
use crate::terminal;

/// A walk over the keys of a database.
pub(super) struct Scan {
    pattern: Option<Vec<u8>>,
    count: String,
    cursor: Vec<u8>,
}

impl Scan {
    /// A walk with the pattern and count of the command line.
    pub(super) fn new(session: &Session) -> Self {
        Scan {
            pattern: session.options.pattern.clone(),
            count: session.options.scan_count.to_string(),
            cursor: b"0".to_vec(),
        }
    }

    /// The next keys, perhaps none.
    pub(super) fn next(&mut self, connection: &mut Connection) -> Result<Vec<Vec<u8>>, Failure> {
        let mut args: Vec<&[u8]> = vec![b"SCAN", &self.cursor];
        if let Some(pattern) = &self.pattern {
            args.extend([&b"MATCH"[..], pattern]);
        }
        args.extend([&b"COUNT"[..], self.count.as_bytes()]);
        let reply = connection.call(&args)?;
        let (cursor, keys) = match &reply {
            Value::Array(items) => match items.as_slice() {
                [Value::Bulk(cursor), Value::Array(keys)] => (cursor, keys),
                _ => return Err(unexpected("SCAN error", &reply)),
            },
            _ => return Err(unexpected("SCAN error", &reply)),
        };
        let keys = keys
            .iter()
            .map(|key| key.as_bytes().unwrap_or_default().to_vec())
            .collect();
        self.cursor = cursor.clone();
        Ok(keys)
    }

    /// Whether the walk is back at its start.
    pub(super) fn is_done(&self) -> bool {
        self.cursor == b"0"
    }
}

pub(super) fn run(session: &mut Session) -> Result<u8, Failure> {
    let mut scan = Scan::new(session);
    let interval = session.options.interval;
    let style = session.options.format.style;
    let interrupted = terminal::interrupt_flag().map_err(Failure::Output)?;
    let connection = session.connect_or_fail()?;
    loop {
        let mut text = Vec::new();
        for key in scan.next(connection)? {
            match style {
                Style::Formatted => quote(&key, &mut text),
                _ => text.extend_from_slice(&key),
            }
            text.push(b'\n');
        }
        print(&text)?;
        if scan.is_done() || interrupted.load(Ordering::Relaxed) {
            return Ok(0);
        }
        thread::sleep(interval);
    }
}
