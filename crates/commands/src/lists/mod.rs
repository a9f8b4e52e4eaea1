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

/// How big a node of a list may be, and which are compressed.
pub(crate) fn limits(ctx: &Ctx<'_>) -> Limits {
    Limits::new(ctx.setting(parameter::LIST_MAX_LISTPACK_SIZE))
        .compress_depth(ctx.setting(parameter::LIST_COMPRESS_DEPTH))
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

#[cfg(test)]
mod tests {
    use crate::fixture;

    #[test]
    fn the_middle_is_compressed() {
        let mut fixture = fixture();
        let push = format!("RPUSH l{}", " v-0123456789-0123456789".repeat(2000));
        let empty = fixture.server().keyspace.heap_bytes();
        fixture.run(&push);
        let plain = fixture.server().keyspace.heap_bytes() - empty;
        fixture.check(
            &format!("CONFIG SET list-compress-depth 1 ; DEL l ; {push}"),
            "+OK ; :1 ; :2000",
        );
        let compressed = fixture.server().keyspace.heap_bytes() - empty;
        assert!(compressed < plain / 2, "{compressed} of {plain}");
        fixture.check(
            "LSET l 1000 a ; LPOS l a ; LINDEX l 999 ; LRANGE l 1000 1000 ; LREM l 0 a ; SORT l ALPHA LIMIT 7 1",
            "+OK ; :1000 ; $v-0123456789-0123456789 ; [$a] ; :1 ; [$v-0123456789-0123456789]",
        );
    }
}
