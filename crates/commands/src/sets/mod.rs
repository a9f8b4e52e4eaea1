//! Sets.

use config::parameter;
use engine::spec::Command;
use engine::{CommandError, Ctx};
use resp::ReplyWriter;
use structures::item::Item;
use structures::set::Limits;

mod sadd;
mod scard;
mod sismember;
mod smembers;
mod spop;
mod srem;

pub(crate) const COMMANDS: &[Command] = &[
    sadd::SADD,
    scard::SCARD,
    sismember::SISMEMBER,
    smembers::SMEMBERS,
    spop::SPOP,
    srem::SREM,
];

const NOT_POSITIVE: CommandError =
    CommandError::Fixed("ERR value is out of range, must be positive");

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
