//! Hashes.

use config::parameter;
use engine::Ctx;
use engine::spec::Command;
use structures::hash_map::Limits;

mod hdel;
mod hget;
mod hgetall;
mod hlen;
mod hmget;
mod hset;

pub(crate) const COMMANDS: &[Command] = &[
    hdel::HDEL,
    hget::HGET,
    hgetall::HGETALL,
    hlen::HLEN,
    hmget::HMGET,
    hset::HMSET,
    hset::HSET,
];

/// Up to where hashes are compact.
fn limits(ctx: &Ctx<'_>) -> Limits {
    Limits {
        max_entries: ctx.setting(parameter::HASH_MAX_LISTPACK_ENTRIES) as usize,
        max_value: ctx.setting(parameter::HASH_MAX_LISTPACK_VALUE) as usize,
    }
}
