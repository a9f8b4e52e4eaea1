//! ZINCRBY key increment member

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::sorted_set::SortedSet;

use super::{NOT_A_NUMBER, limits};

pub(super) const ZINCRBY: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZINCRBY")
    .group(Group::SortedSet)
    .exactly(4)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::UPDATE)])
    .since("1.2.0")
    .syntax("key increment member")
    .summary("Increments the score of a member in a sorted set.")
    .complexity("O(log(N)) where N is the number of elements in the sorted set.");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    // The options of ZADD are neither options here nor numbers.
    let is_option = |option| args.clone().eat(option);
    if ["NX", "XX", "GT", "LT", "CH", "INCR"]
        .into_iter()
        .any(is_option)
    {
        return Err(CommandError::Syntax);
    }
    // Adding zero turns -0 into 0, as for a score of ZADD.
    let by = args.float()? + 0.0;
    let member = args.required()?;
    let limits = limits(ctx);
    let mut set = ctx.db.collection_or_new::<SortedSet>(key)?;
    let change = set.upsert(member, &limits, |old| {
        Some(old.unwrap_or(0.0) + by).filter(|score| !score.is_nan())
    });
    // Only infinities of both signs have no sum, and then there was a score before. It stays.
    let is_number = change
        .previous
        .is_none_or(|previous| !(previous + by).is_nan());
    set.commit_if(change.is_change(), Event::sorted_set("zincr"));
    match change.current {
        Some(score) if is_number => ctx.reply.double(score),
        _ => return Err(NOT_A_NUMBER),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn increments() {
        check(
            "ZINCRBY z 5 a ; ZINCRBY z -2.5 a ; ZINCRBY z 0 a ; ZRANGE z 0 -1 WITHSCORES",
            "$5 ; $2.5 ; $2.5 ; [$a $2.5]",
        );
        check3(
            "ZINCRBY z 0.1 a ; ZINCRBY z 0.2 a",
            ",0.1 ; ,0.30000000000000004",
        );
        check("ZINCRBY z -0 a", "$0");
    }

    #[test]
    fn no_number() {
        check(
            "ZADD z inf a ; ZINCRBY z -inf a ; ZSCORE z a",
            ":1 ; -ERR resulting score is not a number (NaN) ; $inf",
        );
        check(
            "ZINCRBY z nx a ; ZINCRBY z INCR 1",
            "-ERR syntax error ; -ERR syntax error",
        );
        check(
            "ZINCRBY z nan a ; EXISTS z",
            "-ERR value is not a valid float ; :0",
        );
        check(
            "SET z v ; ZINCRBY z 1 a",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
