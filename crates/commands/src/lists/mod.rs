//! Lists.

use config::parameter;
use engine::spec::Command;
use engine::{CommandError, Ctx};
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

const NOT_POSITIVE: CommandError =
    CommandError::Fixed("ERR value is out of range, must be positive");

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
