//! Commands for keys of any type, and for whole databases.

use engine::spec::Command;
use engine::{CommandError, Ctx};
use keyspace::Kind;

mod copy;
mod dbsize;
mod del;
mod exists;
mod expire;
mod flush;
mod keys;
mod move_key;
mod object;
mod persist;
mod randomkey;
mod rename;
mod scan;
mod sort;
mod swapdb;
mod touch;
mod ttl;
mod type_of;

pub(crate) const COMMANDS: &[Command] = &[
    copy::COPY,
    dbsize::DBSIZE,
    del::DEL,
    del::UNLINK,
    exists::EXISTS,
    expire::EXPIRE,
    expire::EXPIREAT,
    expire::PEXPIRE,
    expire::PEXPIREAT,
    flush::FLUSHALL,
    flush::FLUSHDB,
    keys::KEYS,
    move_key::MOVE,
    object::OBJECT,
    persist::PERSIST,
    randomkey::RANDOMKEY,
    rename::RENAME,
    rename::RENAMENX,
    scan::SCAN,
    sort::SORT,
    sort::SORT_RO,
    swapdb::SWAPDB,
    touch::TOUCH,
    ttl::EXPIRETIME,
    ttl::PEXPIRETIME,
    ttl::PTTL,
    ttl::TTL,
    type_of::TYPE,
];

const NO_SUCH_KEY: CommandError = CommandError::Fixed("ERR no such key");
const SAME_OBJECT: CommandError =
    CommandError::Fixed("ERR source and destination objects are the same");

const NOT_32_BITS: CommandError =
    CommandError::Fixed("ERR value is out of range, value must between -2147483648 and 2147483647");

/// The database of this number.
fn parse_database(ctx: &Ctx<'_>, number: i64) -> Result<usize, CommandError> {
    let number = i32::try_from(number).map_err(|_| NOT_32_BITS)?;
    usize::try_from(number)
        .ok()
        .filter(|number| *number < ctx.server.keyspace.databases())
        .ok_or(CommandError::Fixed("ERR DB index is out of range"))
}

/// The name of a type, as TYPE answers it.
fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Inline | Kind::Int | Kind::Raw => "string",
        Kind::List => "list",
        Kind::Set => "set",
        Kind::Hash => "hash",
        Kind::SortedSet => "zset",
    }
}
