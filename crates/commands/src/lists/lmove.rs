//! LMOVE source destination LEFT | RIGHT LEFT | RIGHT, RPOPLPUSH source destination
//!
//! With one list as both it turns the list.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{Event, Kind};
use smallvec::SmallVec;
use structures::list::List;

use super::{End, limits};

pub(super) const LMOVE: Command = Command::new(&LMOVE_SPEC, |ctx, mut args| {
    let (source, destination) = (args.required()?, args.required()?);
    let (from, to) = (end(&mut args)?, end(&mut args)?);
    run(ctx, (source, from), (destination, to))
});
pub(super) const RPOPLPUSH: Command = Command::new(&RPOPLPUSH_SPEC, |ctx, args| {
    run(ctx, (args.at(1), End::Back), (args.at(2), End::Front))
});

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::List)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[
        KeySpec::first(access::RW | access::ACCESS | access::DELETE),
        KeySpec::at(2, access::RW | access::INSERT),
    ])
    .complexity("O(1)");

const LMOVE_SPEC: CommandSpec = CommandSpec { name: "LMOVE", ..BASE }
    .exactly(5)
    .since("6.2.0")
    .syntax("source destination <LEFT | RIGHT> <LEFT | RIGHT>")
    .summary("Returns an element after popping it from one list and pushing it to another. Deletes the list if the last element was moved.");

const RPOPLPUSH_SPEC: CommandSpec = CommandSpec { name: "RPOPLPUSH", ..BASE }
    .exactly(3)
    .since("1.2.0")
    .syntax("source destination")
    .summary("Returns the last element of a list after removing and pushing it to another list. Deletes the list if the last element was popped.")
    .deprecated("6.2.0", "`LMOVE` with the `RIGHT` and `LEFT` arguments");

fn end(args: &mut Args<'_>) -> Result<End, CommandError> {
    if args.eat("LEFT") {
        Ok(End::Front)
    } else if args.eat("RIGHT") {
        Ok(End::Back)
    } else {
        Err(CommandError::Syntax)
    }
}

const fn popped(end: End) -> Event {
    Event::list(match end {
        End::Front => "lpop",
        End::Back => "rpop",
    })
}

const fn pushed(end: End) -> Event {
    Event::list(match end {
        End::Front => "lpush",
        End::Back => "rpush",
    })
}

fn run(
    ctx: &mut Ctx<'_>,
    (source, from): (&[u8], End),
    (destination, to): (&[u8], End),
) -> CommandResult {
    let limits = limits(ctx);
    let target = ctx.db.peek(destination).map(|entry| entry.kind());
    let Some(mut list) = ctx.db.collection_mut::<List>(source)? else {
        ctx.reply.null();
        return DONE;
    };
    if target.is_some_and(|kind| kind != Kind::List) {
        return Err(CommandError::WrongType);
    }
    let mut moved: SmallVec<[u8; 128]> = SmallVec::new();
    list.pop(from, |element| moved.extend_from_slice(element));
    if source == destination {
        // In one go: a list of one element must not be gone in between.
        list.push(to, &moved, &limits);
        list.commit(pushed(to));
    } else {
        list.commit(popped(from));
        let mut list = ctx.db.collection_or_new::<List>(destination)?;
        list.push(to, &moved, &limits);
        list.commit(pushed(to));
    }
    ctx.reply.bulk(&moved);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn lmove() {
        check(
            "RPUSH a 1 2 3 ; LMOVE a b LEFT RIGHT ; LMOVE a b right left ; LRANGE b 0 -1 ; LMOVE a b LEFT LEFT ; EXISTS a ; LRANGE b 0 -1",
            ":3 ; $1 ; $3 ; [$3 $1] ; $2 ; :0 ; [$2 $3 $1]",
        );
        check(
            "RPUSH a 1 2 3 ; LMOVE a a LEFT RIGHT ; LRANGE a 0 -1 ; LMOVE a a LEFT LEFT ; LRANGE a 0 -1",
            ":3 ; $1 ; [$2 $3 $1] ; $2 ; [$2 $3 $1]",
        );
        check(
            "RPUSH a x EX ; LTRIM a 0 0 ; EXPIRE a 10 ; LMOVE a a LEFT RIGHT ; TTL a",
            ":2 ; +OK ; :1 ; $x ; :10",
        );
    }

    #[test]
    fn rpoplpush() {
        check(
            "RPUSH a 1 2 ; RPOPLPUSH a b ; RPOPLPUSH a b ; LRANGE b 0 -1 ; RPOPLPUSH a b ; RPOPLPUSH b b",
            ":2 ; $2 ; $1 ; [$1 $2] ; _ ; $2",
        );
    }

    #[test]
    fn bad_words_and_types() {
        check(
            "LMOVE a b LEFT UP ; LMOVE none b LEFT LEFT",
            "-ERR syntax error ; _",
        );
        let wrong = "-WRONGTYPE Operation against a key holding the wrong kind of value";
        check(
            "SET k v ; LMOVE none k LEFT LEFT ; LMOVE k a LEFT LEFT ; RPUSH a x ; LMOVE a k LEFT LEFT ; LRANGE a 0 -1",
            &format!("+OK ; _ ; {wrong} ; :1 ; {wrong} ; [$x]"),
        );
    }

    #[test]
    fn effects() {
        let mut fixture = fixture();
        fixture.run("RPUSH a 1 ; LMOVE none b LEFT LEFT ; LMOVE a b LEFT LEFT");
        assert_eq!(fixture.effects(), ["RPUSH a 1", "LMOVE a b LEFT LEFT"]);
    }
}
