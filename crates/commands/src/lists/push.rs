//! LPUSH, RPUSH, LPUSHX and RPUSHX key element [element ...]
//!
//! Those with an X push only if there is a list.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::list::List;

use super::{End, limits};

pub(super) const LPUSH: Command =
    Command::new(&LPUSH_SPEC, |ctx, args| run(ctx, args, End::Front, "lpush"));
pub(super) const RPUSH: Command =
    Command::new(&RPUSH_SPEC, |ctx, args| run(ctx, args, End::Back, "rpush"));
pub(super) const LPUSHX: Command = Command::new(&LPUSHX_SPEC, |ctx, args| {
    run_x(ctx, args, End::Front, "lpush")
});
pub(super) const RPUSHX: Command = Command::new(&RPUSHX_SPEC, |ctx, args| {
    run_x(ctx, args, End::Back, "rpush")
});

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::List)
    .at_least(3)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::INSERT)])
    .syntax("key element [element ...]")
    .complexity("O(1) for each element added")
    .history(&[("2.4.0", "Accepts multiple `element` arguments.")]);

const LPUSH_SPEC: CommandSpec = CommandSpec {
    name: "LPUSH",
    ..BASE
}
.summary("Prepends one or more elements to a list. Creates the key if it doesn't exist.");

const RPUSH_SPEC: CommandSpec = CommandSpec {
    name: "RPUSH",
    ..BASE
}
.summary("Appends one or more elements to a list. Creates the key if it doesn't exist.");

const LPUSHX_SPEC: CommandSpec = CommandSpec {
    name: "LPUSHX",
    ..BASE
}
.since("2.2.0")
.summary("Prepends one or more elements to a list only when the list exists.")
.history(&[("4.0.0", "Accepts multiple `element` arguments.")]);

const RPUSHX_SPEC: CommandSpec = CommandSpec {
    name: "RPUSHX",
    ..BASE
}
.since("2.2.0")
.summary("Appends one or more elements to a list only when the list exists.")
.history(&[("4.0.0", "Accepts multiple `element` arguments.")]);

#[inline]
fn run(ctx: &mut Ctx<'_>, args: Args<'_>, end: End, event: &'static str) -> CommandResult {
    let limits = limits(ctx);
    let mut guard = ctx.db.collection_or_new::<List>(args.at(1))?;
    let list = &mut *guard;
    for element in &args.words()[2..] {
        list.push(end, element, &limits);
    }
    let len = list.len();
    guard.commit(Event::list(event));
    ctx.reply.count(len);
    DONE
}

fn run_x(ctx: &mut Ctx<'_>, args: Args<'_>, end: End, event: &'static str) -> CommandResult {
    let limits = limits(ctx);
    let Some(mut list) = ctx.db.collection_mut::<List>(args.at(1))? else {
        ctx.reply.integer(0);
        return DONE;
    };
    for element in &args.words()[2..] {
        list.push(end, element, &limits);
    }
    let len = list.len();
    list.commit(Event::list(event));
    ctx.reply.count(len);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn push() {
        check(
            "RPUSH l a b ; LPUSH l c d ; LRANGE l 0 -1",
            ":2 ; :4 ; [$d $c $a $b]",
        );
        check(
            "SET k v ; LPUSH k a",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
        check(
            "LPUSH l",
            "-ERR wrong number of arguments for 'lpush' command",
        );
    }

    #[test]
    fn only_if_there_is_a_list() {
        check(
            "LPUSHX l a ; EXISTS l ; RPUSH l x ; LPUSHX l a b ; RPUSHX l c ; LRANGE l 0 -1",
            ":0 ; :0 ; :1 ; :3 ; :4 ; [$b $a $x $c]",
        );
        check(
            "SET k v ; RPUSHX k a",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
