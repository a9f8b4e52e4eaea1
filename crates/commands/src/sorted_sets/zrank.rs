//! ZRANK key member [WITHSCORE], ZREVRANK key member [WITHSCORE]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use structures::sorted_set::SortedSet;

pub(super) const ZRANK: Command = Command::new(&ZRANK_SPEC, |ctx, args| {
    run(ctx, args, "zrank", |rank, _| rank)
});
pub(super) const ZREVRANK: Command = Command::new(&ZREVRANK_SPEC, |ctx, args| {
    run(ctx, args, "zrevrank", |rank, len| len - 1 - rank)
});

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::SortedSet)
    .at_least(3)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.0.0")
    .syntax("key member [WITHSCORE]")
    .complexity("O(log(N))")
    .history(&[("7.2.0", "Added the optional `WITHSCORE` argument.")]);

const ZRANK_SPEC: CommandSpec = CommandSpec {
    name: "ZRANK",
    ..BASE
}
.summary("Returns the index of a member in a sorted set ordered by ascending scores.");

const ZREVRANK_SPEC: CommandSpec = CommandSpec {
    name: "ZREVRANK",
    ..BASE
}
.summary("Returns the index of a member in a sorted set ordered by descending scores.");

fn run(
    ctx: &mut Ctx<'_>,
    mut args: Args<'_>,
    name: &str,
    order: fn(usize, usize) -> usize,
) -> CommandResult {
    if args.len() > 4 {
        return Err(CommandError::arity(name));
    }
    let (key, member) = (args.required()?, args.required()?);
    let with_score = args.eat("WITHSCORE");
    if !args.is_done() {
        return Err(CommandError::Syntax);
    }
    let set = ctx.db.collection::<SortedSet>(key)?;
    let found = set.and_then(|set| Some((set.rank(member)?, set.len())));
    match found {
        None if with_score => ctx.reply.null_array(),
        None => ctx.reply.null(),
        Some(((rank, score), len)) => {
            if with_score {
                ctx.reply.array(2);
            }
            ctx.reply.count(order(rank, len));
            if with_score {
                ctx.reply.double(score);
            }
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn ranks() {
        check(
            "ZADD z 1 a 2 b 2 c ; ZRANK z a ; ZRANK z c ; ZREVRANK z a",
            ":3 ; :0 ; :2 ; :2",
        );
        check(
            "ZRANK z a ; ZADD z 1.5 a ; ZRANK z a WITHSCORE ; ZRANK z b withscore ; ZRANK z b",
            "_ ; :1 ; [:0 $1.5] ; *- ; _",
        );
    }

    #[test]
    fn bad_options() {
        check("ZRANK z a FOO", "-ERR syntax error");
        check(
            "ZRANK z a WITHSCORE b",
            "-ERR wrong number of arguments for 'zrank' command",
        );
    }
}
