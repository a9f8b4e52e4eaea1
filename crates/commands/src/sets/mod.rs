//! Sets.

use config::parameter;
use engine::spec::Command;
use engine::{CommandError, Ctx};
use keyspace::Db;
use resp::ReplyWriter;
use smallvec::SmallVec;
use structures::item::Item;
use structures::set::{Limits, Set};

mod combine;
mod sadd;
mod scard;
mod sintercard;
mod sismember;
mod smembers;
mod smismember;
mod smove;
mod spop;
mod srandmember;
mod srem;
mod sscan;

pub(crate) const COMMANDS: &[Command] = &[
    combine::SDIFF,
    combine::SDIFFSTORE,
    combine::SINTER,
    combine::SINTERSTORE,
    combine::SUNION,
    combine::SUNIONSTORE,
    sadd::SADD,
    scard::SCARD,
    sintercard::SINTERCARD,
    sismember::SISMEMBER,
    smembers::SMEMBERS,
    smismember::SMISMEMBER,
    smove::SMOVE,
    spop::SPOP,
    srandmember::SRANDMEMBER,
    srem::SREM,
    sscan::SSCAN,
];

/// Up to where sets are compact.
fn limits(ctx: &Ctx<'_>) -> Limits {
    Limits {
        intset_max_entries: ctx.setting(parameter::SET_MAX_INTSET_ENTRIES) as usize,
        listpack_max_entries: ctx.setting(parameter::SET_MAX_LISTPACK_ENTRIES) as usize,
        listpack_max_value: ctx.setting(parameter::SET_MAX_LISTPACK_VALUE) as usize,
    }
}

/// Writes a member.
#[inline]
fn reply_item(reply: &mut ReplyWriter<'_>, item: Item<'_>) {
    match item {
        Item::Bytes(bytes) => reply.bulk(bytes),
        Item::Int(value) => reply.bulk_integer(value),
    }
}

/// The sets at `keys`; a missing one is empty.
fn sets_of<'d>(db: &'d Db<'_>, keys: &[&[u8]]) -> Result<SmallVec<[&'d Set; 8]>, CommandError> {
    static EMPTY: Set = Set::new();
    keys.iter()
        .map(|key| Ok(db.collection(key)?.unwrap_or(&EMPTY)))
        .collect()
}
