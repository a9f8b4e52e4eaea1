//! HDEL key field [field ...]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::hash_map::HashMap;

pub(super) const HDEL: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HDEL")
    .group(Group::Hash)
    .at_least(3)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::DELETE)])
    .since("2.0.0")
    .syntax("key field [field ...]")
    .summary("Deletes one or more fields and their values from a hash. Deletes the hash if no fields remain.")
    .complexity("O(N) where N is the number of fields to be removed")
    .history(&[("2.4.0", "Accepts multiple `field` arguments.")]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let Some(mut hash) = ctx.db.collection_mut::<HashMap>(args.at(1))? else {
        ctx.reply.integer(0);
        return DONE;
    };
    let removed = args.words()[2..]
        .iter()
        .filter(|field| hash.remove(field))
        .count();
    hash.commit_if(removed > 0, Event::hash("hdel"));
    ctx.reply.count(removed);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn hdel() {
        check(
            "HDEL h a ; HSET h a 1 b 2 ; HDEL h a x ; HDEL h b ; EXISTS h",
            ":0 ; :2 ; :1 ; :1 ; :0",
        );
    }
}
