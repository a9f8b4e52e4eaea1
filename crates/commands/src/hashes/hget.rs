//! HGET key field

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::hash_map::HashMap;

pub(super) const HGET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HGET")
    .group(Group::Hash)
    .exactly(3)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.0.0")
    .syntax("key field")
    .summary("Returns the value of a field in a hash.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    match ctx
        .db
        .collection::<HashMap>(args.at(1))?
        .and_then(|hash| hash.get(args.at(2)))
    {
        Some(value) => ctx.reply.bulk(value),
        None => ctx.reply.null(),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn hget() {
        check(
            "HGET h a ; HSET h a 1 ; HGET h a ; HGET h b",
            "_ ; :1 ; $1 ; _",
        );
    }
}
