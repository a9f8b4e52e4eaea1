//! EXPIRE key seconds [NX | XX | GT | LT], and PEXPIRE, EXPIREAT and PEXPIREAT
//!
//! A time that has passed deletes the key. The effect is always an absolute time.

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;

pub(super) const EXPIRE: Command =
    Command::new(&EXPIRE_SPEC, |ctx, args| run(ctx, args, Unit::SECONDS));
pub(super) const PEXPIRE: Command = Command::new(&PEXPIRE_SPEC, |ctx, args| {
    run(ctx, args, Unit::MILLISECONDS)
});
pub(super) const EXPIREAT: Command = Command::new(&EXPIREAT_SPEC, |ctx, args| {
    run(ctx, args, Unit::UNIX_SECONDS)
});
pub(super) const PEXPIREAT: Command = Command::new(&PEXPIREAT_SPEC, |ctx, args| {
    run(ctx, args, Unit::UNIX_MILLISECONDS)
});

const BASE: CommandSpec = CommandSpec::new("")
    .at_least(3)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::UPDATE)])
    .complexity("O(1)")
    .history(&[("7.0.0", "Added options: `NX`, `XX`, `GT` and `LT`.")]);

const EXPIRE_SPEC: CommandSpec = CommandSpec {
    name: "EXPIRE",
    ..BASE
}
.syntax("key seconds [NX | XX | GT | LT]")
.summary("Sets the expiration time of a key in seconds.");

const PEXPIRE_SPEC: CommandSpec = CommandSpec {
    name: "PEXPIRE",
    ..BASE
}
.since("2.6.0")
.syntax("key milliseconds [NX | XX | GT | LT]")
.summary("Sets the expiration time of a key in milliseconds.");

const EXPIREAT_SPEC: CommandSpec = CommandSpec {
    name: "EXPIREAT",
    ..BASE
}
.since("1.2.0")
.syntax("key unix-time-seconds [NX | XX | GT | LT]")
.summary("Sets the expiration time of a key to a Unix timestamp.");

const PEXPIREAT_SPEC: CommandSpec = CommandSpec {
    name: "PEXPIREAT",
    ..BASE
}
.since("2.6.0")
.syntax("key unix-time-milliseconds [NX | XX | GT | LT]")
.summary("Sets the expiration time of a key to a Unix milliseconds timestamp.");

const NX_AND_OTHERS: CommandError =
    CommandError::Fixed("ERR NX and XX, GT or LT options at the same time are not compatible");
const GT_AND_LT: CommandError =
    CommandError::Fixed("ERR GT and LT options at the same time are not compatible");

/// How a time is given.
#[derive(Clone, Copy)]
struct Unit {
    ms: i64,
    is_relative: bool,
    name: &'static str,
}

impl Unit {
    const SECONDS: Unit = Unit {
        ms: 1000,
        is_relative: true,
        name: "expire",
    };
    const MILLISECONDS: Unit = Unit {
        ms: 1,
        is_relative: true,
        name: "pexpire",
    };
    const UNIX_SECONDS: Unit = Unit {
        ms: 1000,
        is_relative: false,
        name: "expireat",
    };
    const UNIX_MILLISECONDS: Unit = Unit {
        ms: 1,
        is_relative: false,
        name: "pexpireat",
    };

    /// The Unix time in milliseconds, which may have passed and even be negative.
    fn deadline(self, time: &[u8], now_ms: u64) -> Result<i64, CommandError> {
        let time = resp::number::parse_i64(time).ok_or(CommandError::NotAnInteger)?;
        let from = if self.is_relative { now_ms as i64 } else { 0 };
        time.checked_mul(self.ms)
            .and_then(|time| time.checked_add(from))
            .ok_or_else(|| {
                CommandError::new(format!(
                    "ERR invalid expire time in '{}' command",
                    self.name
                ))
            })
    }
}

#[derive(Default)]
struct Conditions {
    only_new: bool,
    only_present: bool,
    only_later: bool,
    only_earlier: bool,
}

fn parse_conditions(args: &mut Args<'_>) -> Result<Conditions, CommandError> {
    let mut conditions = Conditions::default();
    while !args.is_done() {
        if args.eat("NX") {
            conditions.only_new = true;
        } else if args.eat("XX") {
            conditions.only_present = true;
        } else if args.eat("GT") {
            conditions.only_later = true;
        } else if args.eat("LT") {
            conditions.only_earlier = true;
        } else {
            let option = args.required()?;
            return Err(CommandError::quoting("ERR Unsupported option ", option, ""));
        }
    }
    if conditions.only_new
        && (conditions.only_present || conditions.only_later || conditions.only_earlier)
    {
        return Err(NX_AND_OTHERS);
    }
    if conditions.only_later && conditions.only_earlier {
        return Err(GT_AND_LT);
    }
    Ok(conditions)
}

impl Conditions {
    /// Whether a key that expires at `old` may expire at `new` instead.
    fn allow(&self, old: Option<u64>, new: i64) -> bool {
        // A key without an expiry lives for ever, later than any time.
        !(self.only_new && old.is_some()
            || self.only_present && old.is_none()
            || self.only_later && old.is_none_or(|old| new <= old as i64)
            || self.only_earlier && old.is_some_and(|old| new >= old as i64))
    }
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>, unit: Unit) -> CommandResult {
    let (key, time) = (args.required()?, args.required()?);
    let conditions = parse_conditions(&mut args)?;
    let deadline = unit.deadline(time, ctx.now_ms())?;
    let Some(entry) = ctx.db.find_for_write(key) else {
        ctx.reply.integer(0);
        return DONE;
    };
    if !conditions.allow(entry.expiry(), deadline) {
        ctx.reply.integer(0);
        return DONE;
    }
    if deadline <= ctx.now_ms() as i64 {
        ctx.db.remove(key, Event::DEL);
        ctx.effects.add(&[b"DEL", key]);
    } else {
        ctx.db
            .set_expiry(key, Some(deadline as u64), Event::generic("expire"));
        ctx.effects
            .add(&[b"PEXPIREAT", key, deadline.to_string().as_bytes()]);
    }
    ctx.reply.integer(1);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn expire() {
        check(
            "EXPIRE k 10 ; SET k v ; EXPIRE k 10 ; TTL k ; PTTL k",
            ":0 ; +OK ; :1 ; :10 ; :10000",
        );
        check("SET k v ; PEXPIRE k 1500 ; TTL k", "+OK ; :1 ; :2");
        check("SET k v ; EXPIRE k -1 ; EXISTS k", "+OK ; :1 ; :0");
        check(
            "SET k v ; EXPIREAT k 1000000010 ; TTL k ; PEXPIREAT k 1 ; TTL k",
            "+OK ; :1 ; :10 ; :1 ; :-2",
        );
    }

    #[test]
    fn conditions() {
        check(
            "SET k v ; EXPIRE k 10 XX ; EXPIRE k 10 GT ; EXPIRE k 10 LT",
            "+OK ; :0 ; :0 ; :1",
        );
        check(
            "SET k v EX 10 ; EXPIRE k 5 NX ; EXPIRE k 5 GT ; EXPIRE k 20 GT XX ; EXPIRE k 30 LT ; TTL k",
            "+OK ; :0 ; :0 ; :1 ; :0 ; :20",
        );
        check(
            "EXPIRE k 100 NX XX ; PING",
            "-ERR NX and XX, GT or LT options at the same time are not compatible ; +PONG",
        );
        check(
            "EXPIRE k 1 GT LT",
            "-ERR GT and LT options at the same time are not compatible",
        );
        check("EXPIRE k 1 FOO", "-ERR Unsupported option FOO");
    }

    #[test]
    fn overflow() {
        check(
            "SET k v ; EXPIRE k 18446744073709561 ; TTL k",
            "+OK ; -ERR invalid expire time in 'expire' command ; :-1",
        );
        check("EXPIRE k x", "-ERR value is not an integer or out of range");
    }

    #[test]
    fn effects_are_absolute() {
        let mut fixture = fixture();
        fixture.run("SET k v ; EXPIRE k 10 ; EXPIRE k -5");
        assert_eq!(
            fixture.effects(),
            ["SET k v", "PEXPIREAT k 1000000010000", "DEL k"]
        );
    }

    #[test]
    fn the_sweep_removes_what_nobody_asks_for() {
        let mut fixture = fixture();
        fixture.run("SET a 1 PX 100 ; SET b 1 PX 5000 ; SET c 1");
        fixture.effects();
        fixture.advance_ms(1000);
        fixture.sweep();
        assert_eq!(fixture.effects(), ["DEL a"]);
        fixture.check("DBSIZE", ":2");
    }
}
