//! HSET key field value [field value ...], HMSET key field value [field value ...]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, Ctx, DONE};
use keyspace::Event;
use structures::hash_map::HashMap;

use super::limits;

pub(super) const HSET: Command = Command::new(&HSET_SPEC, |ctx, args| {
    let added = set(ctx, args, "hset")?;
    ctx.reply.count(added);
    DONE
});
pub(super) const HMSET: Command = Command::new(&HMSET_SPEC, |ctx, args| {
    set(ctx, args, "hmset")?;
    ctx.reply.ok();
    DONE
});

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::Hash)
    .at_least(4)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::UPDATE)])
    .since("2.0.0")
    .syntax("key field value [field value ...]")
    .complexity("O(1) for each field/value pair added");

const HSET_SPEC: CommandSpec = CommandSpec {
    name: "HSET",
    ..BASE
}
.summary("Creates or modifies the value of a field in a hash.")
.history(&[("4.0.0", "Accepts multiple `field` and `value` arguments.")]);

const HMSET_SPEC: CommandSpec = CommandSpec {
    name: "HMSET",
    ..BASE
}
.summary("Sets the values of multiple fields.")
.deprecated("4.0.0", "`HSET` with multiple field-value pairs");

/// Sets the fields and returns how many are new.
#[inline]
fn set(ctx: &mut Ctx<'_>, args: Args<'_>, name: &str) -> Result<usize, CommandError> {
    let (pairs, []) = args.words()[2..].as_chunks::<2>() else {
        return Err(CommandError::arity(name));
    };
    let limits = limits(ctx);
    let mut guard = ctx.db.collection_or_new::<HashMap>(args.at(1))?;
    let hash = &mut *guard;
    hash.expect(pairs.len(), &limits);
    let added = pairs
        .iter()
        .filter(|[field, value]| hash.set(field, value, &limits))
        .count();
    guard.commit(Event::hash("hset"));
    Ok(added)
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn hset() {
        check("HSET h a 1 b 2 ; HSET h a 3 c 4 ; HGET h a", ":2 ; :1 ; $3");
        check("HMSET h a 1 ; HGETALL h", "+OK ; [$a $1]");
        check(
            "CONFIG SET hash-max-listpack-entries 3 ; HSET h a 1 b 2 ; HSET h a 1 b 2 ; OBJECT ENCODING h",
            "+OK ; :2 ; :0 ; $listpack",
        );
        check(
            "HSET h a 1 b",
            "-ERR wrong number of arguments for 'hset' command",
        );
        check(
            "HMSET h a 1 b",
            "-ERR wrong number of arguments for 'hmset' command",
        );
    }
}
