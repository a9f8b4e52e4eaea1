//! ZREM key member [member ...]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::sorted_set::SortedSet;

pub(super) const ZREM: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZREM")
    .group(Group::SortedSet)
    .at_least(3)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::DELETE)])
    .since("1.2.0")
    .syntax("key member [member ...]")
    .summary("Removes one or more members from a sorted set. Deletes the sorted set if all members were removed.")
    .complexity("O(M*log(N)) with N being the number of elements in the sorted set and M the number of elements to be removed")
    .history(&[("2.4.0", "Accepts multiple elements.")]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let Some(mut set) = ctx.db.collection_mut::<SortedSet>(args.at(1))? else {
        ctx.reply.integer(0);
        return DONE;
    };
    let removed = args.words()[2..]
        .iter()
        .filter(|member| set.remove(member).is_some())
        .count();
    set.commit_if(removed > 0, Event::sorted_set("zrem"));
    ctx.reply.count(removed);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn zrem() {
        check(
            "ZREM z a ; ZADD z 1 a 2 b ; ZREM z a x ; ZREM z b ; EXISTS z",
            ":0 ; :2 ; :1 ; :1 ; :0",
        );
    }
}
