//! Hashes.

use config::parameter;
use engine::Ctx;
use engine::spec::Command;
use structures::hash_map::Limits;

mod hdel;
mod hexists;
mod hget;
mod hgetall;
mod hincrby;
mod hincrbyfloat;
mod hkeys;
mod hlen;
mod hmget;
mod hrandfield;
mod hscan;
mod hset;
mod hsetnx;

pub(crate) const COMMANDS: &[Command] = &[
    hdel::HDEL,
    hexists::HEXISTS,
    hexists::HSTRLEN,
    hget::HGET,
    hgetall::HGETALL,
    hincrby::HINCRBY,
    hincrbyfloat::HINCRBYFLOAT,
    hkeys::HKEYS,
    hkeys::HVALS,
    hlen::HLEN,
    hmget::HMGET,
    hrandfield::HRANDFIELD,
    hscan::HSCAN,
    hset::HMSET,
    hset::HSET,
    hsetnx::HSETNX,
];

/// Up to where hashes are compact.
fn limits(ctx: &Ctx<'_>) -> Limits {
    Limits {
        max_entries: ctx.setting(parameter::HASH_MAX_LISTPACK_ENTRIES) as usize,
        max_value: ctx.setting(parameter::HASH_MAX_LISTPACK_VALUE) as usize,
    }
}
