//! Sorted sets.

use config::parameter;
use engine::spec::Command;
use engine::{CommandError, Ctx};
use keyspace::{Event, Expiry};
use resp::{Protocol, ReplyWriter};
use structures::sorted_set::{Limits, SortedSet};

mod algebra;
mod bounds;
mod inputs;
mod range;
mod zadd;
mod zcard;
mod zcount;
mod zincrby;
mod zintercard;
mod zmpop;
mod zmscore;
mod zpop;
mod zrandmember;
mod zrange;
mod zrangestore;
mod zrank;
mod zrem;
mod zremrange;
mod zscan;
mod zscore;
mod zunion;

pub(crate) const COMMANDS: &[Command] = &[
    zadd::ZADD,
    zcard::ZCARD,
    zcount::ZCOUNT,
    zcount::ZLEXCOUNT,
    zincrby::ZINCRBY,
    zintercard::ZINTERCARD,
    zmpop::ZMPOP,
    zmscore::ZMSCORE,
    zpop::ZPOPMAX,
    zpop::ZPOPMIN,
    zrandmember::ZRANDMEMBER,
    zrange::ZRANGE,
    zrange::ZRANGEBYLEX,
    zrange::ZRANGEBYSCORE,
    zrange::ZREVRANGE,
    zrange::ZREVRANGEBYLEX,
    zrange::ZREVRANGEBYSCORE,
    zrangestore::ZRANGESTORE,
    zrank::ZRANK,
    zrank::ZREVRANK,
    zrem::ZREM,
    zremrange::ZREMRANGEBYLEX,
    zremrange::ZREMRANGEBYRANK,
    zremrange::ZREMRANGEBYSCORE,
    zscan::ZSCAN,
    zscore::ZSCORE,
    zunion::ZDIFF,
    zunion::ZDIFFSTORE,
    zunion::ZINTER,
    zunion::ZINTERSTORE,
    zunion::ZUNION,
    zunion::ZUNIONSTORE,
];

const NOT_A_NUMBER: CommandError = CommandError::Fixed("ERR resulting score is not a number (NaN)");

/// Up to where sorted sets are compact.
pub(crate) fn limits(ctx: &Ctx<'_>) -> Limits {
    Limits {
        entries_max: ctx.setting(parameter::ZSET_MAX_LISTPACK_ENTRIES) as usize,
        member_bytes_max: ctx.setting(parameter::ZSET_MAX_LISTPACK_VALUE) as usize,
    }
}

/// Puts a result at `key`, in place of whatever is there, and replies how many members it has. An
/// empty one only removes.
pub(crate) fn store(ctx: &mut Ctx<'_>, key: &[u8], result: SortedSet, event: &'static str) {
    ctx.reply.count(result.len());
    ctx.db
        .set_collection(key, result, Expiry::Never, Event::sorted_set(event));
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
