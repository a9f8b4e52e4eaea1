//! HMGET key field [field ...]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::hash_map::HashMap;

pub(super) const HMGET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HMGET")
    .group(Group::Hash)
    .at_least(3)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.0.0")
    .syntax("key field [field ...]")
    .summary("Returns the values of all given fields.")
    .complexity("O(N) where N is the number of fields being requested");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let hash = ctx.db.collection::<HashMap>(args.at(1))?;
    let fields = &args.words()[2..];
    ctx.reply.array(fields.len());
    for field in fields {
        match hash.and_then(|hash| hash.get(field)) {
            Some(value) => ctx.reply.bulk(value),
            None => ctx.reply.null(),
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn hmget() {
        check(
            "HMGET h a b ; HSET h a 1 ; HMGET h a b a",
            "[_ _] ; :1 ; [$1 _ $1]",
        );
    }
}
