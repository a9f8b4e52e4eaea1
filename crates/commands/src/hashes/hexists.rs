//! HEXISTS key field, HSTRLEN key field

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, Ctx, DONE};
use structures::hash_map::HashMap;

pub(super) const HEXISTS: Command = Command::new(&HEXISTS_SPEC, |ctx, args| {
    let is_there = get(ctx, args)?.is_some();
    ctx.reply.integer(is_there as i64);
    DONE
});
pub(super) const HSTRLEN: Command = Command::new(&HSTRLEN_SPEC, |ctx, args| {
    let len = get(ctx, args)?.map_or(0, <[u8]>::len);
    ctx.reply.count(len);
    DONE
});

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::Hash)
    .exactly(3)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO)])
    .syntax("key field")
    .complexity("O(1)");

const HEXISTS_SPEC: CommandSpec = CommandSpec {
    name: "HEXISTS",
    ..BASE
}
.since("2.0.0")
.summary("Determines whether a field exists in a hash.");

const HSTRLEN_SPEC: CommandSpec = CommandSpec {
    name: "HSTRLEN",
    ..BASE
}
.since("3.2.0")
.summary("Returns the length of the value of a field.");

/// The value of the field that the words name.
fn get<'c>(ctx: &'c Ctx<'_>, args: Args<'_>) -> Result<Option<&'c [u8]>, CommandError> {
    let hash = ctx.db.collection::<HashMap>(args.at(1))?;
    Ok(hash.and_then(|hash| hash.get(args.at(2))))
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn hexists() {
        check(
            "HEXISTS h a ; HSET h a 1 ; HEXISTS h a ; HEXISTS h b",
            ":0 ; :1 ; :1 ; :0",
        );
    }

    #[test]
    fn hstrlen() {
        check(
            "HSTRLEN h a ; HSET h a 123 e \"\" ; HSTRLEN h a ; HSTRLEN h e ; HSTRLEN h b",
            ":0 ; :2 ; :3 ; :0 ; :0",
        );
    }
}
