//! HGETALL key

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::hash_map::HashMap;

pub(super) const HGETALL: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HGETALL")
    .group(Group::Hash)
    .exactly(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.0.0")
    .syntax("key")
    .summary("Returns all fields and values in a hash.")
    .complexity("O(N) where N is the size of the hash")
    .tips(&["nondeterministic_output_order"]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let hash = ctx.db.collection::<HashMap>(args.at(1))?;
    ctx.reply.map(hash.map_or(0, HashMap::len));
    if let Some(hash) = hash {
        for (field, value) in hash.iter() {
            ctx.reply.bulk(field);
            ctx.reply.bulk(value);
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn hgetall() {
        check(
            "HGETALL h ; HSET h a 1 b 2 ; HGETALL h",
            "[] ; :2 ; [$a $1 $b $2]",
        );
        check3("HGETALL h ; HSET h a 1 ; HGETALL h", "{} ; :1 ; {$a: $1}");
    }
}
