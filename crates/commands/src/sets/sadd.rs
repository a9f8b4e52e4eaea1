//! SADD key member [member ...]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::set::Set;

use super::limits;

pub(super) const SADD: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SADD")
    .group(Group::Set)
    .at_least(3)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::INSERT)])
    .syntax("key member [member ...]")
    .summary("Adds one or more members to a set. Creates the key if it doesn't exist.")
    .complexity("O(1) for each member added")
    .history(&[("2.4.0", "Accepts multiple `member` arguments.")]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let limits = limits(ctx);
    let mut guard = ctx.db.collection_or_new::<Set>(args.at(1))?;
    let set = &mut *guard;
    let members = &args.words()[2..];
    if set.is_empty() {
        *set = Set::for_members(members[0], members.len(), &limits);
    } else {
        set.expect(members.len(), &limits);
    }
    let added = members
        .iter()
        .filter(|member| set.insert(member, &limits))
        .count();
    guard.commit_if(added > 0, Event::set("sadd"));
    ctx.reply.count(added);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn sadd() {
        check("SADD s a b a ; SADD s b c ; SCARD s", ":2 ; :1 ; :3");
        check(
            "SET k v ; SADD k a",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
        check(
            "SADD s 1 2 ; SADD s 01 ; SISMEMBER s 1 ; SISMEMBER s 01",
            ":2 ; :1 ; :1 ; :1",
        );
        check(
            "CONFIG SET set-max-intset-entries 2 ; SADD s 1 ; SADD s a b c ; OBJECT ENCODING s",
            "+OK ; :1 ; :3 ; $hashtable",
        );
    }
}
