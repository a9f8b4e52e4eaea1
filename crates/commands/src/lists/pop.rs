//! LPOP key [count], RPOP key [count]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::list::List;

use super::{End, reply_end};

pub(super) const LPOP: Command =
    Command::new(&LPOP_SPEC, |ctx, args| run(ctx, args, End::Front, "lpop"));
pub(super) const RPOP: Command =
    Command::new(&RPOP_SPEC, |ctx, args| run(ctx, args, End::Back, "rpop"));

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::List)
    .at_least(2)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::DELETE)])
    .syntax("key [count]")
    .complexity("O(N) where N is the number of elements returned")
    .history(&[("6.2.0", "Added the `count` argument.")]);

const LPOP_SPEC: CommandSpec = CommandSpec { name: "LPOP", ..BASE }
    .summary("Returns and removes elements from the head of a list. Deletes the list if the last element was popped.");

const RPOP_SPEC: CommandSpec = CommandSpec { name: "RPOP", ..BASE }
    .summary("Returns and removes elements from the tail of a list. Deletes the list if the last element was popped.");

#[inline]
fn run(ctx: &mut Ctx<'_>, args: Args<'_>, end: End, event: &'static str) -> CommandResult {
    if args.len() > 2 {
        return pop_many(ctx, args, end, event);
    }
    let Some(mut list) = ctx.db.collection_mut::<List>(args.at(1))? else {
        ctx.reply.null();
        return DONE;
    };
    list.pop(end, |element| ctx.reply.bulk(element));
    list.commit(Event::list(event));
    DONE
}

fn pop_many(ctx: &mut Ctx<'_>, mut args: Args<'_>, end: End, event: &'static str) -> CommandResult {
    if args.len() > 3 {
        return Err(CommandError::arity(event));
    }
    let (key, count) = (args.required()?, args.count()?);
    let Some(mut list) = ctx.db.collection_mut::<List>(key)? else {
        ctx.reply.null_array();
        return DONE;
    };
    let count = count.min(list.len());
    ctx.reply.array(count);
    reply_end(&mut ctx.reply, &list, end, count);
    list.drop_items(end, count);
    list.commit_if(count > 0, Event::list(event));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn pop() {
        check(
            "RPUSH l a b c d ; LPOP l ; RPOP l ; LRANGE l 0 -1",
            ":4 ; $a ; $d ; [$b $c]",
        );
        check(
            "RPUSH l a b c d ; LPOP l 2 ; RPOP l 9 ; EXISTS l",
            ":4 ; [$a $b] ; [$d $c] ; :0",
        );
        check("RPUSH l a ; LPOP l 0 ; LLEN l", ":1 ; [] ; :1");
    }

    #[test]
    fn nothing_to_pop() {
        check("LPOP l ; LPOP l 3 ; RPOP l 0", "_ ; *- ; *-");
        check3("LPOP l ; LPOP l 3", "_ ; _");
    }

    #[test]
    fn bad_counts() {
        check("LPOP l -1", "-ERR value is out of range, must be positive");
        check("RPOP l x", "-ERR value is out of range, must be positive");
        check(
            "LPOP l 1 2",
            "-ERR wrong number of arguments for 'lpop' command",
        );
    }
}
