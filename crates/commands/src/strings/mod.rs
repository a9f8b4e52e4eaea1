//! Strings.

use engine::CommandError;
use engine::spec::Command;
use keyspace::Text;
use resp::ReplyWriter;

mod append;
mod counter;
mod get;
mod getdel;
mod getex;
mod getrange;
mod getset;
mod incrbyfloat;
mod lcs;
mod mget;
mod mset;
mod set;
mod setex;
mod setnx;
mod setrange;
mod strlen;

pub(crate) const COMMANDS: &[Command] = &[
    append::APPEND,
    counter::DECR,
    counter::DECRBY,
    counter::INCR,
    counter::INCRBY,
    get::GET,
    getdel::GETDEL,
    getex::GETEX,
    getrange::GETRANGE,
    getrange::SUBSTR,
    getset::GETSET,
    incrbyfloat::INCRBYFLOAT,
    lcs::LCS,
    mget::MGET,
    mset::MSET,
    mset::MSETNX,
    set::SET,
    setex::PSETEX,
    setex::SETEX,
    setnx::SETNX,
    setrange::SETRANGE,
    strlen::STRLEN,
];

const STRING_TOO_LONG: CommandError =
    CommandError::Fixed("ERR string exceeds maximum allowed size (proto-max-bulk-len)");

/// The length of a string value in bytes.
fn text_len(text: Text<'_>) -> usize {
    match text {
        Text::Int(value) => itoa::Buffer::new().format(value).len(),
        Text::Bytes(bytes) => bytes.len(),
    }
}

/// Writes a string value, or null for a missing one.
#[inline]
fn reply_text(reply: &mut ReplyWriter<'_>, text: Option<Text<'_>>) {
    match text {
        None => reply.null(),
        Some(Text::Int(value)) => reply.bulk_integer(value),
        Some(Text::Bytes(bytes)) => reply.bulk(bytes),
    }
}

/// The four ways to say when a key expires.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpiryOption {
    Seconds,
    Milliseconds,
    UnixSeconds,
    UnixMilliseconds,
}

impl ExpiryOption {
    /// Moves over EX, PX, EXAT or PXAT.
    fn eat(args: &mut engine::Args<'_>) -> Option<ExpiryOption> {
        if args.eat("EX") {
            Some(ExpiryOption::Seconds)
        } else if args.eat("PX") {
            Some(ExpiryOption::Milliseconds)
        } else if args.eat("EXAT") {
            Some(ExpiryOption::UnixSeconds)
        } else if args.eat("PXAT") {
            Some(ExpiryOption::UnixMilliseconds)
        } else {
            None
        }
    }

    /// The Unix time in milliseconds that `time` stands for.
    fn deadline(self, time: &[u8], now_ms: u64, command: &str) -> Result<u64, CommandError> {
        let time = resp::number::parse_i64(time).ok_or(CommandError::NotAnInteger)?;
        let invalid =
            || CommandError::new(format!("ERR invalid expire time in '{command}' command"));
        if time <= 0 {
            return Err(invalid());
        }
        let (unit_ms, from_ms) = match self {
            ExpiryOption::Seconds => (1000, now_ms as i64),
            ExpiryOption::Milliseconds => (1, now_ms as i64),
            ExpiryOption::UnixSeconds => (1000, 0),
            ExpiryOption::UnixMilliseconds => (1, 0),
        };
        let deadline = time
            .checked_mul(unit_ms)
            .and_then(|time| time.checked_add(from_ms));
        deadline.map(|deadline| deadline as u64).ok_or_else(invalid)
    }
}
