//! The log: lines of Redis's form, on standard output or in a file.
//!
//! `12345:M 30 Nov 2026 21:09:15.123 * Ready to accept connections tcp`: process, role, local time,
//! a mark for the level, text. Harnesses wait for such lines, operators grep them.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use config::{Config, LogLevel, parameter};
use jiff::{Timestamp, tz::TimeZone};
use log::{Level, LevelFilter, Log, Metadata, Record};
use parking_lot::Mutex;

/// Where lines go.
enum Sink {
    Stdout,
    File(Mutex<File>),
}

struct Logger {
    sink: Sink,
    zone: TimeZone,
    process: u32,
}

/// The levels that are written, as `log` counts them; follows CONFIG SET loglevel.
static LEVEL_MAX: AtomicU8 = AtomicU8::new(Level::Info as u8);

/// Starts logging as `config` says, and follows its changes.
///
/// # Errors
/// If the log file can't be opened.
pub(crate) fn start(config: &Arc<Config>) -> io::Result<()> {
    let sink = match config.path(parameter::LOGFILE) {
        Some(path) => Sink::File(Mutex::new(open(&path)?)),
        None => Sink::Stdout,
    };
    let logger = Logger {
        sink,
        zone: TimeZone::system(),
        process: std::process::id(),
    };
    // A second logger in one process would be a defect of this program; the first one stays.
    let _ = log::set_boxed_logger(Box::new(logger));
    apply_level(config);
    config.on_change(|config, change| {
        if change.touches(parameter::LOGLEVEL) {
            apply_level(config);
        }
        Ok(())
    });
    Ok(())
}

fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(path)
}

fn apply_level(config: &Config) {
    let level = match config.read(parameter::LOGLEVEL) {
        LogLevel::Debug => LevelFilter::Trace,
        LogLevel::Verbose => LevelFilter::Debug,
        LogLevel::Notice => LevelFilter::Info,
        LogLevel::Warning => LevelFilter::Warn,
        LogLevel::Nothing => LevelFilter::Off,
    };
    LEVEL_MAX.store(level as u8, Relaxed);
    log::set_max_level(level);
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() as u8 <= LEVEL_MAX.load(Relaxed)
    }

    fn log(&self, record: &Record<'_>) {
        if !self.enabled(record.metadata()) {
            return;
        }
        let mark = match record.level() {
            Level::Error | Level::Warn => '#',
            Level::Info => '*',
            Level::Debug => '-',
            Level::Trace => '.',
        };
        let time = Timestamp::now().to_zoned(self.zone.clone());
        let time = time.strftime("%d %b %Y %H:%M:%S%.3f");
        let line = format!("{}:M {time} {mark} {}\n", self.process, record.args());
        // There is nobody to tell that the log can't be written.
        let _ = match &self.sink {
            Sink::Stdout => io::stdout().lock().write_all(line.as_bytes()),
            Sink::File(file) => file.lock().write_all(line.as_bytes()),
        };
    }

    fn flush(&self) {
        let _ = io::stdout().flush();
    }
}
