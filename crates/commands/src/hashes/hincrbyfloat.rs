//! HINCRBYFLOAT key field increment
//!
//! Adds as Redis does on x86-64, in 80 bits: [`Extended`] says how and why. The effect is an HSET of
//! the result, so that nobody has to add up the same again.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use resp::number::extended::Extended;
use structures::hash_map::HashMap;

use super::limits;

pub(super) const HINCRBYFLOAT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HINCRBYFLOAT")
    .group(Group::Hash)
    .exactly(4)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::UPDATE)])
    .since("2.6.0")
    .syntax("key field increment")
    .summary("Increments the floating point value of a field by a number. Uses 0 as initial value if the field doesn't exist.")
    .complexity("O(1)");

const NOT_A_FLOAT: CommandError = CommandError::Fixed("ERR hash value is not a float");
const INFINITE_INCREMENT: CommandError = CommandError::Fixed("ERR value is NaN or Infinity");
const NOT_FINITE: CommandError = CommandError::Fixed("ERR increment would produce NaN or Infinity");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let (key, field) = (args.required()?, args.required()?);
    let by = Extended::parse(args.required()?).ok_or(CommandError::NotAFloat)?;
    if by.checked_add(Extended::ZERO).is_none() {
        return Err(INFINITE_INCREMENT);
    }
    let limits = limits(ctx);
    let mut hash = ctx.db.collection_or_new::<HashMap>(key)?;
    let old = match hash.get(field) {
        None => Extended::ZERO,
        Some(text) => Extended::parse(text).ok_or(NOT_A_FLOAT)?,
    };
    let new = old.checked_add(by).ok_or(NOT_FINITE)?.to_string();
    hash.set(field, new.as_bytes(), &limits);
    hash.commit(Event::hash("hincrbyfloat"));
    ctx.effects.add(&[b"HSET", key, field, new.as_bytes()]);
    ctx.reply.bulk(new.as_bytes());
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    #[test]
    fn hincrbyfloat() {
        check(
            "HINCRBYFLOAT h a 10.50 ; HINCRBYFLOAT h a 5.0e3 ; HGET h a ; HINCRBYFLOAT h b -0.1 ; HINCRBYFLOAT h b -0.2",
            "$10.5 ; $5010.5 ; $5010.5 ; $-0.1 ; $-0.3",
        );
        check3("HINCRBYFLOAT h a 1.5", "$1.5");
    }

    #[test]
    fn errors() {
        check(
            "HSET h a x ; HINCRBYFLOAT h a 1 ; HINCRBYFLOAT h b inf ; HINCRBYFLOAT h b nan ; HINCRBYFLOAT h b x ; HEXISTS h b",
            ":1 ; -ERR hash value is not a float ; -ERR value is NaN or Infinity ; -ERR value is not a valid float ; -ERR value is not a valid float ; :0",
        );
        check(
            "HINCRBYFLOAT none b x ; EXISTS none ; HSET h a inf ; HINCRBYFLOAT h a 1",
            "-ERR value is not a valid float ; :0 ; :1 ; -ERR increment would produce NaN or Infinity",
        );
    }

    #[test]
    fn the_effect_is_the_result() {
        let mut fixture = fixture();
        fixture.run("HINCRBYFLOAT h a 1.5 ; HINCRBYFLOAT h a x");
        assert_eq!(fixture.effects(), ["HSET h a 1.5"]);
    }
}
