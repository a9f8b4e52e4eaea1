//! SMOVE source destination member

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{Event, Kind};
use structures::set::Set;

use super::limits;

pub(super) const SMOVE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SMOVE")
    .group(Group::Set)
    .exactly(4)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[
        KeySpec::first(access::RW | access::ACCESS | access::DELETE),
        KeySpec::at(2, access::RW | access::INSERT),
    ])
    .syntax("source destination member")
    .summary("Moves a member from one set to another.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let (from, to, member) = (args.at(1), args.at(2), args.at(3));
    let limits = limits(ctx);
    let target = ctx.db.peek(to).map(|entry| entry.kind());
    let Some(mut set) = ctx.db.collection_mut::<Set>(from)? else {
        ctx.reply.integer(0);
        return DONE;
    };
    if target.is_some_and(|kind| kind != Kind::Set) {
        return Err(CommandError::WrongType);
    }
    if from == to {
        ctx.reply.integer(set.contains(member) as i64);
        return DONE;
    }
    let is_moved = set.remove(member);
    set.commit_if(is_moved, Event::set("srem"));
    if is_moved {
        let mut set = ctx.db.collection_or_new::<Set>(to)?;
        let is_new = set.insert(member, &limits);
        set.commit_if(is_new, Event::set("sadd"));
    }
    ctx.reply.integer(is_moved as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn smove() {
        check(
            "SADD a x ; SADD b y ; SMOVE a b x ; EXISTS a ; SCARD b ; SMOVE b b y ; SMOVE b b z",
            ":1 ; :1 ; :1 ; :0 ; :2 ; :1 ; :0",
        );
        check(
            "SADD a x 1 ; SADD b x ; SMOVE a b x ; SMOVE a b none ; SMEMBERS b ; SMOVE a new 1 ; SMEMBERS new",
            ":2 ; :1 ; :1 ; :0 ; [$x] ; :1 ; [$1]",
        );
    }

    #[test]
    fn types() {
        check(
            "SET k v ; SMOVE none k x ; SADD a x ; SMOVE a k y ; SMOVE k a x ; SMEMBERS a",
            "+OK ; :0 ; :1 ; -WRONGTYPE Operation against a key holding the wrong kind of value ; -WRONGTYPE Operation against a key holding the wrong kind of value ; [$x]",
        );
    }

    #[test]
    fn what_moves_nothing_is_no_effect() {
        let mut fixture = fixture();
        fixture.run("SADD a x ; SMOVE a b y ; SMOVE a a x ; SMOVE a b x");
        assert_eq!(fixture.effects(), ["SADD a x", "SMOVE a b x"]);
    }
}
