//! LMPOP numkeys key [key ...] LEFT | RIGHT [COUNT count]
//!
//! Pops from the first key that is there; the effect names it.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::list::List;

use super::{End, reply_end};

pub(super) const LMPOP: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LMPOP")
    .group(Group::List)
    .at_least(4)
    .flags(flags::WRITE)
    .keys(&[KeySpec::counted(
        1,
        access::RW | access::ACCESS | access::DELETE,
    )])
    .since("7.0.0")
    .syntax("numkeys key [key ...] <LEFT | RIGHT> [COUNT count]")
    .summary("Returns multiple elements from a list after removing them. Deletes the list if the last element was popped.")
    .complexity("O(N+M) where N is the number of provided keys and M is the number of elements returned.");

const COUNT_NOT_POSITIVE: CommandError = CommandError::Fixed("ERR count should be greater than 0");

struct Lmpop<'a> {
    keys: &'a [&'a [u8]],
    end: End,
    count: usize,
}

fn parse<'a>(mut args: Args<'a>) -> Result<Lmpop<'a>, CommandError> {
    let keys = args.counted_keys(CommandError::Syntax)?;
    let end = if args.eat("LEFT") {
        End::Front
    } else if args.eat("RIGHT") {
        End::Back
    } else {
        return Err(CommandError::Syntax);
    };
    let mut count = 1;
    if args.eat("COUNT") {
        if args.is_done() {
            return Err(CommandError::Syntax);
        }
        count = args
            .count()
            .ok()
            .filter(|count| *count > 0)
            .ok_or(COUNT_NOT_POSITIVE)?;
    }
    if !args.is_done() {
        return Err(CommandError::Syntax);
    }
    Ok(Lmpop { keys, end, count })
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let Lmpop { keys, end, count } = parse(args)?;
    for key in keys {
        let Some(mut list) = ctx.db.collection_mut::<List>(key)? else {
            continue;
        };
        let count = count.min(list.len());
        ctx.reply.array(2);
        ctx.reply.bulk(key);
        ctx.reply.array(count);
        reply_end(&mut ctx.reply, &list, end, count);
        list.drop_items(end, count);
        let (event, command): (_, &[u8]) = match end {
            End::Front => ("lpop", b"LPOP"),
            End::Back => ("rpop", b"RPOP"),
        };
        list.commit(Event::list(event));
        ctx.effects
            .add(&[command, key, itoa::Buffer::new().format(count).as_bytes()]);
        return DONE;
    }
    ctx.reply.null_array();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    #[test]
    fn lmpop() {
        check(
            "RPUSH l a b c d ; LMPOP 2 none l LEFT ; LMPOP 1 l RIGHT COUNT 2 ; LMPOP 1 l LEFT COUNT 9 ; EXISTS l ; LMPOP 2 none l LEFT",
            ":4 ; [$l [$a]] ; [$l [$d $c]] ; [$l [$b]] ; :0 ; *-",
        );
        check3("LMPOP 1 none LEFT", "_");
    }

    #[test]
    fn bad_words() {
        check(
            "LMPOP 0 l LEFT ; LMPOP x l LEFT ; LMPOP 2 l LEFT ; LMPOP 9 l LEFT ; LMPOP 1 l UP",
            "-ERR numkeys should be greater than 0 ; -ERR numkeys should be greater than 0 ; -ERR syntax error ; -ERR syntax error ; -ERR syntax error",
        );
        check(
            "LMPOP 1 l LEFT COUNT 0 ; LMPOP 1 l LEFT COUNT x ; LMPOP 1 l LEFT COUNT ; LMPOP 1 l LEFT COUNT 1 COUNT 1",
            "-ERR count should be greater than 0 ; -ERR count should be greater than 0 ; -ERR syntax error ; -ERR syntax error",
        );
        check(
            "SET k v ; LMPOP 2 none k LEFT",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn the_effect_names_the_key() {
        let mut fixture = fixture();
        fixture.run("RPUSH l a b ; LMPOP 2 none l RIGHT COUNT 9 ; LMPOP 1 l LEFT");
        assert_eq!(fixture.effects(), ["RPUSH l a b", "RPOP l 2"]);
    }
}
