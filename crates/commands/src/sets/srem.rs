//! SREM key member [member ...]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::set::Set;

pub(super) const SREM: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SREM")
    .group(Group::Set)
    .at_least(3)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::DELETE)])
    .syntax("key member [member ...]")
    .summary(
        "Removes one or more members from a set. Deletes the set if the last member was removed.",
    )
    .complexity("O(N) where N is the number of members to be removed")
    .history(&[("2.4.0", "Accepts multiple `member` arguments.")]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let Some(mut set) = ctx.db.collection_mut::<Set>(args.at(1))? else {
        ctx.reply.integer(0);
        return DONE;
    };
    let removed = args.words()[2..]
        .iter()
        .filter(|member| set.remove(member))
        .count();
    set.commit_if(removed > 0, Event::set("srem"));
    ctx.reply.count(removed);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn srem() {
        check(
            "SREM s a ; SADD s a b c ; SREM s a b x ; SREM s c ; EXISTS s",
            ":0 ; :3 ; :2 ; :1 ; :0",
        );
    }
}
