//! GETEX key [EX seconds | PX milliseconds | EXAT time | PXAT time | PERSIST]
//!
//! A time that has passed deletes the key. The effect is always an absolute time.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;

use super::{ExpiryOption, reply_text};

pub(super) const GETEX: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GETEX")
    .group(Group::String)
    .at_least(2)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::UPDATE)
        .notes("RW and UPDATE because it changes the TTL")])
    .since("6.2.0")
    .syntax(
        "key [EX seconds | PX milliseconds | EXAT unix-time-seconds | PXAT unix-time-milliseconds | \
         PERSIST]",
    )
    .summary("Returns the string value of a key after setting its expiration time.")
    .complexity("O(1)");

/// What becomes of the expiry.
enum Change<'a> {
    Nothing,
    Persist,
    At(ExpiryOption, &'a [u8]),
}

fn parse<'a>(mut args: Args<'a>) -> Result<Change<'a>, CommandError> {
    // Saying the same option again changes nothing, except for its value; two different ones
    // contradict each other.
    let mut change = Change::Nothing;
    while !args.is_done() {
        if matches!(change, Change::Nothing | Change::Persist) && args.eat("PERSIST") {
            change = Change::Persist;
            continue;
        }
        let option = ExpiryOption::eat(&mut args).ok_or(CommandError::Syntax)?;
        match change {
            Change::Nothing => {}
            Change::At(before, _) if before == option => {}
            _ => return Err(CommandError::Syntax),
        }
        change = Change::At(option, args.required()?);
    }
    Ok(change)
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let change = parse(args)?;
    let Some(text) = ctx.db.text(key)? else {
        ctx.reply.null();
        return DONE;
    };
    reply_text(&mut ctx.reply, Some(text));
    match change {
        Change::Nothing => {}
        Change::Persist => {
            let has_expiry = ctx
                .db
                .peek(key)
                .is_some_and(|entry| entry.expiry().is_some());
            if has_expiry {
                ctx.db.set_expiry(key, None, Event::generic("persist"));
                ctx.effects.add(&[b"PERSIST", key]);
            }
        }
        Change::At(unit, time) => {
            let deadline = unit.deadline(time, ctx.now_ms(), "getex")?;
            if deadline <= ctx.now_ms() {
                ctx.db.remove(key, Event::DEL);
                ctx.effects.add(&[b"DEL", key]);
            } else {
                ctx.db
                    .set_expiry(key, Some(deadline), Event::generic("expire"));
                ctx.effects
                    .add(&[b"PEXPIREAT", key, deadline.to_string().as_bytes()]);
            }
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn getex() {
        check("GETEX k ; GETEX k EX 0", "_ ; _");
        check(
            "SET k v ; GETEX k EX 10 ; TTL k ; GETEX k ; TTL k ; GETEX k PERSIST ; TTL k",
            "+OK ; $v ; :10 ; $v ; :10 ; $v ; :-1",
        );
        check(
            "SET k 1 ; GETEX k px 1500 ; PTTL k ; GETEX k EXAT 1000000020 ; TTL k",
            "+OK ; $1 ; :1500 ; $1 ; :20",
        );
        check("SET k v ; GETEX k PXAT 1 ; EXISTS k", "+OK ; $v ; :0");
        check("SET k v ; GETEX k EX 5 EX 7 ; TTL k", "+OK ; $v ; :7");
    }

    #[test]
    fn errors() {
        for options in [
            "FOO",
            "EX",
            "EX 1 PX 1",
            "EX 1 PERSIST",
            "PERSIST PX 1",
            "KEEPTTL",
            "NX",
        ] {
            check(&format!("GETEX k {options}"), "-ERR syntax error");
        }
        check(
            "SET k v EX 9 ; GETEX k EX x ; GETEX k EX 0 ; GETEX k PX 9223372036854775807 ; TTL k",
            "+OK ; -ERR value is not an integer or out of range ; \
             -ERR invalid expire time in 'getex' command ; \
             -ERR invalid expire time in 'getex' command ; :9",
        );
        check(
            "LPUSH k a ; GETEX k EX 0",
            ":1 ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn effects_are_absolute() {
        let mut fixture = fixture();
        fixture.run("SET k v ; GETEX k ; GETEX k PERSIST ; GETEX k EX 10 ; GETEX k PERSIST ; GETEX k EXAT 1");
        assert_eq!(
            fixture.effects(),
            ["SET k v", "PEXPIREAT k 1000000010000", "PERSIST k", "DEL k"]
        );
    }
}
