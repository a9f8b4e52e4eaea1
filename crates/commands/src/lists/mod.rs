//! Lists.

use std::ops::Range;

use config::parameter;
use engine::Ctx;
use engine::spec::Command;
use resp::ReplyWriter;
use structures::list::{End, Limits, List};

mod lindex;
mod linsert;
mod llen;
mod lmove;
mod lmpop;
mod lpos;
mod lrange;
mod lrem;
mod lset;
mod ltrim;
mod pop;
mod push;

pub(crate) const COMMANDS: &[Command] = &[
    lindex::LINDEX,
    linsert::LINSERT,
    llen::LLEN,
    lmove::LMOVE,
    lmove::RPOPLPUSH,
    lmpop::LMPOP,
    lpos::LPOS,
    lrange::LRANGE,
    lrem::LREM,
    lset::LSET,
    ltrim::LTRIM,
    pop::LPOP,
    pop::RPOP,
    push::LPUSH,
    push::LPUSHX,
    push::RPUSH,
    push::RPUSHX,
];

/// How big a node of a list may be.
fn limits(ctx: &Ctx<'_>) -> Limits {
    Limits::new(ctx.setting(parameter::LIST_MAX_LISTPACK_SIZE))
}

/// The index that `index`, counted from the end if negative, stands for; `None` before the first.
fn absolute(index: i64, len: usize) -> Option<usize> {
    if index >= 0 {
        Some(index as usize)
    } else {
        len.checked_sub(index.unsigned_abs() as usize)
    }
}

/// The indexes from `start` to `stop`, both included and counted from the end if negative; empty if
/// there are none.
fn absolute_range(start: i64, stop: i64, len: usize) -> Range<usize> {
    let start = absolute(start, len).unwrap_or(0);
    let end = absolute(stop, len).map_or(0, |stop| stop.saturating_add(1));
    start..end.min(len)
}

/// Writes the `count` elements at one end, which have to be there, in the order in which they pop.
fn reply_end(reply: &mut ReplyWriter<'_>, list: &List, end: End, count: usize) {
    match end {
        End::Front => list.range(0, count).for_each(|element| reply.bulk(element)),
        End::Back => {
            let len = list.len();
            list.range_rev(len - count, len)
                .for_each(|element| reply.bulk(element));
        }
    }
}
