//! HLEN key

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::hash_map::HashMap;

pub(super) const HLEN: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HLEN")
    .group(Group::Hash)
    .exactly(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO)])
    .since("2.0.0")
    .syntax("key")
    .summary("Returns the number of fields in a hash.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    ctx.reply.count(
        ctx.db
            .collection::<HashMap>(args.at(1))?
            .map_or(0, HashMap::len),
    );
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn hlen() {
        check("HLEN h ; HSET h a 1 b 2 ; HLEN h", ":0 ; :2 ; :2");
    }
}
