//! SETEX key seconds value, PSETEX key milliseconds value

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry};

use super::ExpiryOption;

pub(super) const SETEX: Command = Command::new(&SETEX_SPEC, |ctx, args| {
    run(ctx, args, ExpiryOption::Seconds, "setex")
});
pub(super) const PSETEX: Command = Command::new(&PSETEX_SPEC, |ctx, args| {
    run(ctx, args, ExpiryOption::Milliseconds, "psetex")
});

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::String)
    .exactly(4)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[KeySpec::first(access::OW | access::UPDATE)])
    .complexity("O(1)");

const SETEX_SPEC: CommandSpec = CommandSpec {
    name: "SETEX",
    ..BASE
}
.since("2.0.0")
.syntax("key seconds value")
.summary("Sets the string value and expiration time of a key. Creates the key if it doesn't exist.")
.deprecated("2.6.12", "`SET` with the `EX` argument");

const PSETEX_SPEC: CommandSpec = CommandSpec { name: "PSETEX", ..BASE }
    .since("2.6.0")
    .syntax("key milliseconds value")
    .summary("Sets both string value and expiration time in milliseconds of a key. The key is created if it doesn't exist.")
    .deprecated("2.6.12", "`SET` with the `PX` argument");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>, unit: ExpiryOption, name: &str) -> CommandResult {
    let (key, value) = (args.at(1), args.at(3));
    let deadline = unit.deadline(args.at(2), ctx.now_ms(), name)?;
    ctx.db
        .set_text(key, value, Expiry::At(deadline), Event::string("set"));
    let deadline = deadline.to_string();
    ctx.effects
        .add(&[b"SET", key, value, b"PXAT", deadline.as_bytes()]);
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn setex() {
        check(
            "SETEX k 10 v ; TTL k ; PSETEX k 10 w ; PTTL k ; GET k",
            "+OK ; :10 ; +OK ; :10 ; $w",
        );
        check("SETEX k 0 v", "-ERR invalid expire time in 'setex' command");
        check(
            "PSETEX k -1 v",
            "-ERR invalid expire time in 'psetex' command",
        );
        check(
            "SETEX k x v",
            "-ERR value is not an integer or out of range",
        );
    }
}
