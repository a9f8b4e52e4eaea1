//! Lists.

use config::parameter;
use engine::Ctx;
use engine::spec::Command;
use structures::list::{End, Limits};

mod lindex;
mod llen;
mod lrange;
mod pop;
mod push;

pub(crate) const COMMANDS: &[Command] = &[
    lindex::LINDEX,
    llen::LLEN,
    lrange::LRANGE,
    pop::LPOP,
    pop::RPOP,
    push::LPUSH,
    push::RPUSH,
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
