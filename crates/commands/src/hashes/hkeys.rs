//! HKEYS key, HVALS key

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::hash_map::HashMap;

pub(super) const HKEYS: Command =
    Command::new(&HKEYS_SPEC, |ctx, args| run(ctx, args, |(field, _)| field));
pub(super) const HVALS: Command =
    Command::new(&HVALS_SPEC, |ctx, args| run(ctx, args, |(_, value)| value));

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::Hash)
    .exactly(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.0.0")
    .syntax("key")
    .complexity("O(N) where N is the size of the hash.")
    .tips(&["nondeterministic_output_order"]);

const HKEYS_SPEC: CommandSpec = CommandSpec {
    name: "HKEYS",
    ..BASE
}
.summary("Returns all fields in a hash.");

const HVALS_SPEC: CommandSpec = CommandSpec {
    name: "HVALS",
    ..BASE
}
.summary("Returns all values in a hash.");

type Pair<'a> = (&'a [u8], &'a [u8]);

#[inline]
fn run(ctx: &mut Ctx<'_>, args: Args<'_>, part: fn(Pair<'_>) -> &[u8]) -> CommandResult {
    let hash = ctx.db.collection::<HashMap>(args.at(1))?;
    ctx.reply.array(hash.map_or(0, HashMap::len));
    if let Some(hash) = hash {
        hash.iter().for_each(|pair| ctx.reply.bulk(part(pair)));
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn hkeys_and_hvals() {
        check(
            "HKEYS h ; HVALS h ; HSET h a 1 b 2 ; HKEYS h ; HVALS h",
            "[] ; [] ; :2 ; [$a $b] ; [$1 $2]",
        );
        check3("HSET h a 1 ; HKEYS h ; HVALS h", ":1 ; [$a] ; [$1]");
    }
}
