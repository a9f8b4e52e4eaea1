//! ZMPOP numkeys key [key ...] <MIN | MAX> [COUNT count]
//!
//! Pops from the first of the keys that has something; the effect names that one.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use resp::number::parse_i64;
use structures::sorted_set::SortedSet;

pub(super) const ZMPOP: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZMPOP")
    .group(Group::SortedSet)
    .at_least(4)
    .flags(flags::WRITE)
    .keys(&[KeySpec::counted(1, access::RW | access::ACCESS | access::DELETE)])
    .since("7.0.0")
    .syntax("numkeys key [key ...] <MIN | MAX> [COUNT count]")
    .summary("Returns the highest- or lowest-scoring members from one or more sorted sets after removing them. Deletes the sorted set if the last member was popped.")
    .complexity("O(K) + O(M*log(N)) where K is the number of provided keys, N being the number of elements in the sorted set, and M being the number of elements popped.");

const BAD_COUNT: CommandError = CommandError::Fixed("ERR count should be greater than 0");

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Min,
    Max,
}

struct Zmpop<'a> {
    keys: &'a [&'a [u8]],
    end: End,
    count: usize,
}

fn parse<'a>(mut args: Args<'a>) -> Result<Zmpop<'a>, CommandError> {
    let keys = args.counted_keys(CommandError::Syntax)?;
    let end = if args.eat("MIN") {
        End::Min
    } else if args.eat("MAX") {
        End::Max
    } else {
        return Err(CommandError::Syntax);
    };
    let mut count = None;
    while !args.is_done() {
        if count.is_some() || args.rest().len() < 2 || !args.eat("COUNT") {
            return Err(CommandError::Syntax);
        }
        let word = args.required()?;
        count = parse_i64(word).and_then(|count| usize::try_from(count).ok());
        if count.is_none_or(|count| count == 0) {
            return Err(BAD_COUNT);
        }
    }
    Ok(Zmpop {
        keys,
        end,
        count: count.unwrap_or(1),
    })
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let Zmpop { keys, end, count } = parse(args)?;
    for &key in keys {
        let Some(mut set) = ctx.db.collection_mut::<SortedSet>(key)? else {
            continue;
        };
        let len = set.len();
        let count = count.min(len);
        let (ranks, name, event) = match end {
            End::Min => (0..count, &b"ZPOPMIN"[..], "zpopmin"),
            End::Max => (len - count..len, &b"ZPOPMAX"[..], "zpopmax"),
        };
        ctx.reply.array(2);
        ctx.reply.bulk(key);
        ctx.reply.array(count);
        let mut pair = |(member, score): (&[u8], f64)| {
            ctx.reply.array(2);
            ctx.reply.bulk(member);
            ctx.reply.double(score);
        };
        let range = set.range_by_rank(ranks.clone());
        match end {
            End::Min => range.for_each(&mut pair),
            End::Max => range.rev().for_each(&mut pair),
        }
        let digits = itoa::Buffer::new().format(count).as_bytes().to_vec();
        ctx.effects.add(&[name, key, &digits]);
        if count == len {
            // The guard goes unused; the key goes as a whole, freed elsewhere if it is big.
            set.commit_if(false, Event::DEL);
            ctx.db.remove(key, Event::sorted_set(event));
        } else {
            set.remove_range(ranks, |_, _| ());
            set.commit(Event::sorted_set(event));
        }
        return DONE;
    }
    ctx.reply.null_array();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    #[test]
    fn pops_from_the_first_that_has_something() {
        check(
            "ZADD z 1 a 2 b 3 c ; ZMPOP 2 none z MIN ; ZMPOP 1 z max COUNT 9 ; EXISTS z ; ZMPOP 1 z MIN",
            ":3 ; [$z [[$a $1]]] ; [$z [[$c $3] [$b $2]]] ; :0 ; *-",
        );
        check3(
            "ZADD z 1 a 2 b ; ZMPOP 1 z MIN COUNT 2 ; ZMPOP 1 z MIN",
            ":2 ; [$z [[$a ,1] [$b ,2]]] ; _",
        );
    }

    #[test]
    fn effects_name_the_key() {
        let mut fixture = fixture();
        fixture.run("ZADD z 1 a 2 b 3 c");
        fixture.effects();
        fixture.run("ZMPOP 2 none z MAX COUNT 2 ; ZMPOP 2 none z MIN COUNT 5 ; ZMPOP 1 z MIN");
        assert_eq!(fixture.effects(), ["ZPOPMAX z 2", "ZPOPMIN z 1"]);
    }

    #[test]
    fn bad_input() {
        check("ZMPOP 0 z MIN", "-ERR numkeys should be greater than 0");
        check("ZMPOP a z MIN", "-ERR numkeys should be greater than 0");
        check("ZMPOP 2 z MIN", "-ERR syntax error");
        check("ZMPOP 9223372036854775807 z MIN", "-ERR syntax error");
        check("ZMPOP 1 z FOO", "-ERR syntax error");
        check("ZMPOP 1 z MIN COUNT", "-ERR syntax error");
        check("ZMPOP 1 z MIN COUNT 1 COUNT 1", "-ERR syntax error");
        check(
            "ZMPOP 1 z MIN COUNT 0",
            "-ERR count should be greater than 0",
        );
        check(
            "SET s v ; ZMPOP 2 none s MIN",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
