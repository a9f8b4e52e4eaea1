//! HINCRBY key field increment

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use resp::number::parse_i64;
use structures::hash_map::HashMap;

use super::limits;

pub(super) const HINCRBY: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HINCRBY")
    .group(Group::Hash)
    .exactly(4)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::UPDATE)])
    .since("2.0.0")
    .syntax("key field increment")
    .summary("Increments the integer value of a field in a hash by a number. Uses 0 as initial value if the field doesn't exist.")
    .complexity("O(1)");

const NOT_AN_INTEGER: CommandError = CommandError::Fixed("ERR hash value is not an integer");
const OVERFLOW: CommandError = CommandError::Fixed("ERR increment or decrement would overflow");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let (key, field, by) = (args.required()?, args.required()?, args.integer()?);
    let limits = limits(ctx);
    let mut hash = ctx.db.collection_or_new::<HashMap>(key)?;
    let old = match hash.get(field) {
        None => 0,
        Some(text) => parse_i64(text).ok_or(NOT_AN_INTEGER)?,
    };
    let new = old.checked_add(by).ok_or(OVERFLOW)?;
    hash.set(field, itoa::Buffer::new().format(new).as_bytes(), &limits);
    hash.commit(Event::hash("hincrby"));
    ctx.reply.integer(new);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn hincrby() {
        check(
            "HINCRBY h a 5 ; HINCRBY h a -7 ; HGET h a ; HINCRBY h b 0 ; HGETALL h",
            ":5 ; :-2 ; $-2 ; :0 ; [$a $-2 $b $0]",
        );
        check(
            "HSET h a x ; HINCRBY h a 1 ; HINCRBY h b x ; HINCRBY none b x ; EXISTS none",
            ":1 ; -ERR hash value is not an integer ; -ERR value is not an integer or out of range ; -ERR value is not an integer or out of range ; :0",
        );
    }

    #[test]
    fn overflow() {
        check(
            "HSET h a 9223372036854775807 ; HINCRBY h a 1 ; HINCRBY h a -9223372036854775808 ; HGET h a",
            ":1 ; -ERR increment or decrement would overflow ; :-1 ; $-1",
        );
    }
}
