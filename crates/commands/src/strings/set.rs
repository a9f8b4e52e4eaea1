//! SET key value [NX | XX | IFEQ comparison-value] [GET] [EX | PX | EXAT | PXAT time | KEEPTTL]
//!
//! IFEQ is Valkey's, and does not clash with Redis's words.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry, Text};

use super::{ExpiryOption, reply_text};

pub(super) const SET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SET")
    .group(Group::String)
    .at_least(3)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::UPDATE | access::VARIABLE)
        .notes("RW and ACCESS due to the optional `GET` argument")
        .narrowed(access_of)])
    .syntax(
        "key value [NX | XX | IFEQ comparison-value] [GET] [EX seconds | PX milliseconds | \
         EXAT unix-time-seconds | PXAT unix-time-milliseconds | KEEPTTL]",
    )
    .summary("Sets the string value of a key, ignoring its type. The key is created if it doesn't exist.")
    .complexity("O(1)")
    .history(&[
        ("2.6.12", "Added the `EX`, `PX`, `NX` and `XX` options."),
        ("6.0.0", "Added the `KEEPTTL` option."),
        ("6.2.0", "Added the `GET`, `EXAT` and `PXAT` option."),
        ("7.0.0", "Allowed the `NX` and `GET` options to be used together."),
    ]);

/// Only some options look at the old value.
fn access_of(words: &[&[u8]]) -> u32 {
    let reads =
        |word: &&[u8]| word.eq_ignore_ascii_case(b"GET") || word.eq_ignore_ascii_case(b"IFEQ");
    if words.iter().skip(3).any(reads) {
        access::RW | access::ACCESS | access::UPDATE
    } else {
        access::OW | access::UPDATE
    }
}

struct Set<'a> {
    key: &'a [u8],
    value: &'a [u8],
    condition: Condition<'a>,
    returns_old: bool,
    expiry: Expiry,
}

enum Condition<'a> {
    Always,
    IfMissing,
    IfPresent,
    IfEqual(&'a [u8]),
}

fn parse<'a>(mut args: Args<'a>, now_ms: u64) -> Result<Set<'a>, CommandError> {
    let (key, value) = (args.required()?, args.required()?);
    let mut set = Set {
        key,
        value,
        condition: Condition::Always,
        returns_old: false,
        expiry: Expiry::Never,
    };
    // Saying the same option again changes nothing, except for its value; two different ones of a
    // kind contradict each other.
    let mut deadline: Option<(ExpiryOption, &[u8])> = None;
    while !args.is_done() {
        let condition = &set.condition;
        let is_unconditional = matches!(condition, Condition::Always);
        if (is_unconditional || matches!(condition, Condition::IfMissing)) && args.eat("NX") {
            set.condition = Condition::IfMissing;
        } else if (is_unconditional || matches!(condition, Condition::IfPresent)) && args.eat("XX")
        {
            set.condition = Condition::IfPresent;
        } else if is_unconditional && args.eat("IFEQ") {
            set.condition = Condition::IfEqual(args.required()?);
        } else if args.eat("GET") {
            set.returns_old = true;
        } else if deadline.is_none() && args.eat("KEEPTTL") {
            set.expiry = Expiry::Keep;
        } else if set.expiry != Expiry::Keep
            && let Some(option) = ExpiryOption::eat(&mut args)
            && deadline.is_none_or(|(unit, _)| unit == option)
        {
            deadline = Some((option, args.required()?));
        } else {
            return Err(CommandError::Syntax);
        }
    }
    // Only now: what is no syntax is said before what is no time.
    if let Some((unit, time)) = deadline {
        set.expiry = Expiry::At(unit.deadline(time, now_ms, "set")?);
    }
    Ok(set)
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    if args.len() == 3 {
        ctx.db
            .set_text(args.at(1), args.at(2), Expiry::Never, Event::string("set"));
        ctx.reply.ok();
        return DONE;
    }
    let set = parse(args, ctx.now_ms())?;
    let is_met = match &set.condition {
        Condition::Always => true,
        Condition::IfMissing => ctx.db.find_for_write(set.key).is_none(),
        Condition::IfPresent => ctx.db.peek(set.key).is_some(),
        Condition::IfEqual(wanted) => match ctx.db.text(set.key)? {
            None => false,
            Some(Text::Bytes(bytes)) => bytes == *wanted,
            Some(Text::Int(value)) => itoa::Buffer::new().format(value).as_bytes() == *wanted,
        },
    };
    if set.returns_old {
        reply_text(&mut ctx.reply, ctx.db.text(set.key)?);
    } else if is_met {
        ctx.reply.ok();
    } else {
        ctx.reply.null();
    }
    if is_met {
        ctx.db
            .set_text(set.key, set.value, set.expiry, Event::string("set"));
        if let Expiry::At(deadline) = set.expiry {
            let deadline = deadline.to_string();
            ctx.effects
                .add(&[b"SET", set.key, set.value, b"PXAT", deadline.as_bytes()]);
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn conditions() {
        check("SET k v NX ; SET k w NX ; GET k", "+OK ; _ ; $v");
        check(
            "SET k v XX ; SET k v ; SET k w XX GET ; GET k",
            "_ ; +OK ; $v ; $w",
        );
        check("SET k v NX GET ; GET k", "_ ; $v");
        check("SET k v IFEQ x ; SET k v ; SET k w IFEQ v", "_ ; +OK ; +OK");
    }

    #[test]
    fn expiries() {
        check(
            "SET k v EX 10 ; TTL k ; SET k w KEEPTTL ; TTL k ; SET k x ; TTL k",
            "+OK ; :10 ; +OK ; :10 ; +OK ; :-1",
        );
        check(
            "SET k v PX 9223372036854775807",
            "-ERR invalid expire time in 'set' command",
        );
        check("SET k v EX 0", "-ERR invalid expire time in 'set' command");
        check(
            "SET k v EX abc",
            "-ERR value is not an integer or out of range",
        );
    }

    #[test]
    fn bad_options() {
        for options in ["NX XX", "EX", "EX 1 PX 1", "KEEPTTL EX 1", "FOO", "IFEQ"] {
            check(&format!("SET k v {options}"), "-ERR syntax error");
        }
        check("SET k v EX abc FOO", "-ERR syntax error");
        check("SET k v PX 0 PX 5 ; PTTL k", "+OK ; :5");
        check("SET k", "-ERR wrong number of arguments for 'set' command");
    }

    #[test]
    fn the_effect_has_an_absolute_time() {
        let mut fixture = fixture();
        fixture.run("SET k v EX 10");
        assert_eq!(fixture.effects(), ["SET k v PXAT 1000000010000"]);
    }
}
