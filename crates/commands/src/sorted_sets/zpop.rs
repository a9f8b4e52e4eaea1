//! ZPOPMIN key [count], ZPOPMAX key [count]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::sorted_set::SortedSet;

use super::reply_pairs;

pub(super) const ZPOPMIN: Command = Command::new(&ZPOPMIN_SPEC, |ctx, args| {
    run(ctx, args, End::Min, "zpopmin")
});
pub(super) const ZPOPMAX: Command = Command::new(&ZPOPMAX_SPEC, |ctx, args| {
    run(ctx, args, End::Max, "zpopmax")
});

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::SortedSet)
    .at_least(2)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::DELETE)])
    .since("5.0.0")
    .syntax("key [count]")
    .complexity("O(log(N)+M) with N being the number of elements in the sorted set and M being the number of elements popped");

const ZPOPMIN_SPEC: CommandSpec = CommandSpec { name: "ZPOPMIN", ..BASE }
    .summary("Returns the lowest-scoring members from a sorted set after removing them. Deletes the sorted set if the last member was popped.");

const ZPOPMAX_SPEC: CommandSpec = CommandSpec { name: "ZPOPMAX", ..BASE }
    .summary("Returns the highest-scoring members from a sorted set after removing them. Deletes the sorted set if the last member was popped.");

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Min,
    Max,
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>, end: End, event: &'static str) -> CommandResult {
    if args.len() > 2 {
        return pop_many(ctx, args, end, event);
    }
    let Some(mut set) = ctx.db.collection_mut::<SortedSet>(args.at(1))? else {
        ctx.reply.array(0);
        return DONE;
    };
    ctx.reply.array(2);
    let write = |member: &[u8], score| {
        ctx.reply.bulk(member);
        ctx.reply.double(score);
    };
    match end {
        End::Min => set.pop_min(write),
        End::Max => set.pop_max(write),
    };
    set.commit(Event::sorted_set(event));
    DONE
}

fn pop_many(ctx: &mut Ctx<'_>, mut args: Args<'_>, end: End, event: &'static str) -> CommandResult {
    if args.len() > 3 {
        return Err(CommandError::Syntax);
    }
    let (key, count) = (args.required()?, args.count()?);
    let Some(mut set) = ctx.db.collection_mut::<SortedSet>(key)? else {
        ctx.reply.array(0);
        return DONE;
    };
    let len = set.len();
    let count = count.min(len);
    let ranks = match end {
        End::Min => 0..count,
        End::Max => len - count..len,
    };
    let range = set.range_by_rank(ranks.clone());
    match end {
        End::Min => reply_pairs(&mut ctx.reply, count, range),
        End::Max => reply_pairs(&mut ctx.reply, count, range.rev()),
    }
    set.remove_range(ranks, |_, _| ());
    set.commit_if(count > 0, Event::sorted_set(event));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn popping_one() {
        check(
            "ZPOPMIN z ; ZADD z 1 a 2 b 3 c ; ZPOPMIN z ; ZPOPMAX z ; ZCARD z",
            "[] ; :3 ; [$a $1] ; [$c $3] ; :1",
        );
        check3("ZADD z 1 a ; ZPOPMAX z ; EXISTS z", ":1 ; [$a ,1] ; :0");
    }

    #[test]
    fn popping_many() {
        check(
            "ZADD z 1 a 2 b 3 c ; ZPOPMIN z 2 ; ZPOPMAX z 5 ; EXISTS z",
            ":3 ; [$a $1 $b $2] ; [$c $3] ; :0",
        );
        check(
            "ZADD z 1 a 2 b 3 c ; ZPOPMAX z 2 ; ZPOPMIN z 0",
            ":3 ; [$c $3 $b $2] ; []",
        );
        check3(
            "ZADD z 1 a 2 b ; ZPOPMIN z 1 ; ZPOPMIN none 1",
            ":2 ; [[$a ,1]] ; []",
        );
    }

    #[test]
    fn bad_counts() {
        check(
            "ZPOPMIN z -1",
            "-ERR value is out of range, must be positive",
        );
        check("ZPOPMIN z 1 2", "-ERR syntax error");
    }
}
