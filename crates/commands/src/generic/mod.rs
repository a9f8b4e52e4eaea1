//! Commands for keys of any type, and for whole databases.

use engine::spec::Command;
use keyspace::Kind;

mod dbsize;
mod del;
mod exists;
mod expire;
mod flush;
mod keys;
mod object;
mod persist;
mod scan;
mod touch;
mod ttl;
mod type_of;

pub(crate) const COMMANDS: &[Command] = &[
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
    object::OBJECT,
    persist::PERSIST,
    scan::SCAN,
    touch::TOUCH,
    ttl::EXPIRETIME,
    ttl::PEXPIRETIME,
    ttl::PTTL,
    ttl::TTL,
    type_of::TYPE,
];

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
