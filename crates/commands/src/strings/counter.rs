//! INCR key, DECR key, INCRBY key increment, DECRBY key decrement

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;

pub(super) const INCR: Command =
    Command::new(&INCR_SPEC, |ctx, args| add(ctx, args.at(1), 1, "incrby"));
pub(super) const DECR: Command =
    Command::new(&DECR_SPEC, |ctx, args| add(ctx, args.at(1), -1, "decrby"));
pub(super) const INCRBY: Command = Command::new(&INCRBY_SPEC, run_incrby);
pub(super) const DECRBY: Command = Command::new(&DECRBY_SPEC, run_decrby);

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::String)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::UPDATE)])
    .complexity("O(1)");

const INCR_SPEC: CommandSpec = CommandSpec { name: "INCR", ..BASE }
    .exactly(2)
    .syntax("key")
    .summary("Increments the integer value of a key by one. Uses 0 as initial value if the key doesn't exist.");

const DECR_SPEC: CommandSpec = CommandSpec { name: "DECR", ..BASE }
    .exactly(2)
    .syntax("key")
    .summary("Decrements the integer value of a key by one. Uses 0 as initial value if the key doesn't exist.");

const INCRBY_SPEC: CommandSpec = CommandSpec { name: "INCRBY", ..BASE }
    .exactly(3)
    .syntax("key increment")
    .summary("Increments the integer value of a key by a number. Uses 0 as initial value if the key doesn't exist.");

const DECRBY_SPEC: CommandSpec = CommandSpec { name: "DECRBY", ..BASE }
    .exactly(3)
    .syntax("key decrement")
    .summary("Decrements a number from the integer value of a key. Uses 0 as initial value if the key doesn't exist.");

const OVERFLOW: CommandError = CommandError::Fixed("ERR increment or decrement would overflow");
const DECREMENT_OVERFLOW: CommandError = CommandError::Fixed("ERR decrement would overflow");

fn run_incrby(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    add(ctx, key, args.integer()?, "incrby")
}

fn run_decrby(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let by = args.integer()?.checked_neg().ok_or(DECREMENT_OVERFLOW)?;
    add(ctx, key, by, "decrby")
}

#[inline]
fn add(ctx: &mut Ctx<'_>, key: &[u8], by: i64, event: &'static str) -> CommandResult {
    let text = ctx.db.text_mut(key)?;
    let old = match text.get() {
        None => 0,
        Some(text) => text.as_i64().ok_or(CommandError::NotAnInteger)?,
    };
    let new = old.checked_add(by).ok_or(OVERFLOW)?;
    text.set_int(new, Event::string(event));
    ctx.reply.integer(new);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn counting() {
        check(
            "INCR k ; INCRBY k 41 ; DECR k ; DECRBY k 1",
            ":1 ; :42 ; :41 ; :40",
        );
        check("SET k 10 EX 9 ; INCR k ; TTL k", "+OK ; :11 ; :9");
        check(
            "SET k \"\" ; INCR k",
            "+OK ; -ERR value is not an integer or out of range",
        );
        check(
            "SET k 01 ; INCR k",
            "+OK ; -ERR value is not an integer or out of range",
        );
    }

    #[test]
    fn overflow() {
        check(
            "SET k 9223372036854775807 ; INCR k ; GET k",
            "+OK ; -ERR increment or decrement would overflow ; $9223372036854775807",
        );
        check(
            "DECRBY k -9223372036854775808",
            "-ERR decrement would overflow",
        );
        check(
            "INCRBY k 9223372036854775808",
            "-ERR value is not an integer or out of range",
        );
    }

    #[test]
    fn an_expired_counter_starts_again() {
        let mut fixture = fixture();
        fixture.run("SET k 5 PX 10");
        fixture.advance_ms(10);
        fixture.check("INCRBY k 0 ; GET k ; TTL k", ":0 ; $0 ; :-1");
    }
}
