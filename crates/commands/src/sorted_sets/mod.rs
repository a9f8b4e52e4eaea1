//! Sorted sets.

use config::parameter;
use engine::Ctx;
use engine::spec::Command;
use resp::{Protocol, ReplyWriter};
use structures::sorted_set::Limits;

mod bounds;
mod zadd;
mod zcard;
mod zpop;
mod zrange;
mod zrank;
mod zrem;
mod zscore;

pub(crate) const COMMANDS: &[Command] = &[
    zadd::ZADD,
    zcard::ZCARD,
    zpop::ZPOPMAX,
    zpop::ZPOPMIN,
    zrange::ZRANGE,
    zrange::ZREVRANGE,
    zrank::ZRANK,
    zrank::ZREVRANK,
    zrem::ZREM,
    zscore::ZSCORE,
];

/// Up to where sorted sets are compact.
fn limits(ctx: &Ctx<'_>) -> Limits {
    Limits {
        entries_max: ctx.setting(parameter::ZSET_MAX_LISTPACK_ENTRIES) as usize,
        member_bytes_max: ctx.setting(parameter::ZSET_MAX_LISTPACK_VALUE) as usize,
    }
}

/// Writes members with their scores: pairs in RESP3, a flat array in RESP2.
fn reply_pairs<'a>(
    reply: &mut ReplyWriter<'_>,
    len: usize,
    pairs: impl Iterator<Item = (&'a [u8], f64)>,
) {
    let is_nested = reply.protocol() == Protocol::Resp3;
    reply.array(if is_nested { len } else { 2 * len });
    for (member, score) in pairs {
        if is_nested {
            reply.array(2);
        }
        reply.bulk(member);
        reply.double(score);
    }
}
