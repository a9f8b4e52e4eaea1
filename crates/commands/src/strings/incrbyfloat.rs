//! INCRBYFLOAT key increment
//!
//! Adds as Redis does on x86-64, in 80 bits: [`Extended`] says how and why. The effect is a SET of the
//! result, so that nobody has to add up the same again.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry, Text};
use resp::number::extended::Extended;

pub(super) const INCRBYFLOAT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("INCRBYFLOAT")
    .group(Group::String)
    .exactly(3)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::UPDATE)])
    .since("2.6.0")
    .syntax("key increment")
    .summary("Increments the floating point value of a key by a number. Uses 0 as initial value if the key doesn't exist.")
    .complexity("O(1)");

const NOT_FINITE: CommandError = CommandError::Fixed("ERR increment would produce NaN or Infinity");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let key = args.at(1);
    let old = match ctx.db.text(key)? {
        None => Some(Extended::ZERO),
        Some(Text::Int(value)) => Some(Extended::from(value)),
        Some(Text::Bytes(bytes)) => Extended::parse(bytes),
    };
    let old = old.ok_or(CommandError::NotAFloat)?;
    let by = Extended::parse(args.at(2)).ok_or(CommandError::NotAFloat)?;
    let new = old.checked_add(by).ok_or(NOT_FINITE)?.to_string();
    ctx.db.set_text(
        key,
        new.as_bytes(),
        Expiry::Keep,
        Event::string("incrbyfloat"),
    );
    ctx.effects.add(&[b"SET", key, new.as_bytes(), b"KEEPTTL"]);
    ctx.reply.bulk(new.as_bytes());
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    #[test]
    fn incrbyfloat() {
        check(
            "INCRBYFLOAT k 0.1 ; INCRBYFLOAT k 0.2 ; INCRBYFLOAT k -1",
            "$0.1 ; $0.3 ; $-0.7",
        );
        check(
            "SET k 10.50 ; INCRBYFLOAT k 0.1 ; INCRBYFLOAT k -5",
            "+OK ; $10.6 ; $5.6",
        );
        check(
            "SET k 3.0e3 ; INCRBYFLOAT k 5.0e3 ; INCR k",
            "+OK ; $8000 ; :8001",
        );
        check(
            "SET k 1000 EX 9 ; INCRBYFLOAT k 0.1 ; TTL k",
            "+OK ; $1000.09999999999999998 ; :9",
        );
        check3("INCRBYFLOAT k 1.5", "$1.5");
    }

    #[test]
    fn errors() {
        for text in ["abc", "\"\"", "\" 1\"", "1x", "nan"] {
            check(
                &format!("INCRBYFLOAT k {text}"),
                "-ERR value is not a valid float",
            );
            check(
                &format!("SET k {text} ; INCRBYFLOAT k 1"),
                "+OK ; -ERR value is not a valid float",
            );
        }
        check(
            "INCRBYFLOAT k inf",
            "-ERR increment would produce NaN or Infinity",
        );
        check(
            "LPUSH k a ; INCRBYFLOAT k x",
            ":1 ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn the_effect_is_the_result() {
        let mut fixture = fixture();
        fixture.run("INCRBYFLOAT k 1.5");
        assert_eq!(fixture.effects(), ["SET k 1.5 KEEPTTL"]);
    }
}
