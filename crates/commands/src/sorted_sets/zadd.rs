//! ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]
//!
//! All scores are parsed before the first write, so a bad one leaves the set as it was.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{EntryMut, Event};
use resp::number::parse_f64;
use smallvec::SmallVec;
use structures::sorted_set::{Limits, SortedSet};

use super::{NOT_A_NUMBER, limits};

pub(super) const ZADD: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZADD")
    .group(Group::SortedSet)
    .at_least(4)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::UPDATE)])
    .since("1.2.0")
    .syntax("key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]")
    .summary("Adds one or more members to a sorted set, or updates their scores. Creates the key if it doesn't exist.")
    .complexity("O(log(N)) for each item added, where N is the number of elements in the sorted set")
    .history(&[
        ("2.4.0", "Accepts multiple elements."),
        ("3.0.2", "Added the `XX`, `NX`, `CH` and `INCR` options."),
        ("6.2.0", "Added the `GT` and `LT` options."),
    ]);

const NX_AND_XX: CommandError =
    CommandError::Fixed("ERR XX and NX options at the same time are not compatible");
const GT_LT_NX: CommandError =
    CommandError::Fixed("ERR GT, LT, and/or NX options at the same time are not compatible");
const INCR_ONE_PAIR: CommandError =
    CommandError::Fixed("ERR INCR option supports a single increment-element pair");

/// Which members may get the new score.
#[derive(Clone, Copy, Default)]
struct Conditions {
    only_new: bool,
    only_present: bool,
    only_greater: bool,
    only_less: bool,
}

struct Zadd<'a> {
    conditions: Conditions,
    counts_updates: bool,
    increments: bool,
    pairs: SmallVec<[(f64, &'a [u8]); 4]>,
}

fn parse<'a>(mut args: Args<'a>) -> Result<Zadd<'a>, CommandError> {
    let mut conditions = Conditions::default();
    let (mut counts_updates, mut increments) = (false, false);
    loop {
        if args.eat("NX") {
            conditions.only_new = true;
        } else if args.eat("XX") {
            conditions.only_present = true;
        } else if args.eat("GT") {
            conditions.only_greater = true;
        } else if args.eat("LT") {
            conditions.only_less = true;
        } else if args.eat("CH") {
            counts_updates = true;
        } else if args.eat("INCR") {
            increments = true;
        } else {
            break;
        }
    }
    let (words, []) = args.rest().as_chunks::<2>() else {
        return Err(CommandError::Syntax);
    };
    let Conditions {
        only_new,
        only_present,
        only_greater,
        only_less,
    } = conditions;
    if words.is_empty() {
        return Err(CommandError::Syntax);
    }
    if only_new && only_present {
        return Err(NX_AND_XX);
    }
    if only_new && (only_greater || only_less) || only_greater && only_less {
        return Err(GT_LT_NX);
    }
    if increments && words.len() > 1 {
        return Err(INCR_ONE_PAIR);
    }
    let mut pairs = SmallVec::with_capacity(words.len());
    for [score, member] in words {
        // Adding zero turns -0 into 0: a score that compares equal prints equal.
        let score = parse_f64(score).ok_or(CommandError::NotAFloat)? + 0.0;
        pairs.push((score, *member));
    }
    Ok(Zadd {
        conditions,
        counts_updates,
        increments,
        pairs,
    })
}

impl Conditions {
    /// The score that a member gets: `new`, or none if it stays as it is.
    #[inline]
    fn decide(self, old: Option<f64>, new: f64) -> Option<f64> {
        let is_allowed = match old {
            None => !self.only_present,
            Some(old) => {
                !self.only_new
                    && (!self.only_greater || new > old)
                    && (!self.only_less || new < old)
            }
        };
        is_allowed.then_some(new)
    }
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let zadd = parse(args)?;
    let limits = limits(ctx);
    let set = if zadd.conditions.only_present {
        ctx.db.collection_mut::<SortedSet>(key)?
    } else {
        Some(ctx.db.collection_or_new::<SortedSet>(key)?)
    };
    if zadd.increments {
        let score = match set {
            None => None,
            Some(set) => increment(set, &zadd, &limits)?,
        };
        match score {
            Some(score) => ctx.reply.double(score),
            None => ctx.reply.null(),
        }
        return DONE;
    }
    let (mut added, mut updated) = (0, 0);
    if let Some(mut guard) = set {
        let set = &mut *guard;
        for &(score, member) in &zadd.pairs {
            let change = set.upsert(member, &limits, |old| zadd.conditions.decide(old, score));
            if change.is_change() {
                if change.previous.is_none() {
                    added += 1
                } else {
                    updated += 1
                }
            }
        }
        guard.commit_if(added + updated > 0, Event::sorted_set("zadd"));
    }
    ctx.reply.count(if zadd.counts_updates {
        added + updated
    } else {
        added
    });
    DONE
}

/// Adds to the score of the one member. `None`: the conditions forbid it.
fn increment(
    mut guard: EntryMut<'_, SortedSet>,
    zadd: &Zadd<'_>,
    limits: &Limits,
) -> Result<Option<f64>, CommandError> {
    let (by, member) = zadd.pairs[0];
    let mut outcome = Ok(None);
    let change = guard.upsert(member, limits, |old| {
        let new = old.unwrap_or(0.0) + by;
        if new.is_nan() {
            outcome = Err(NOT_A_NUMBER);
            return None;
        }
        let decided = zadd.conditions.decide(old, new);
        outcome = Ok(decided);
        decided
    });
    guard.commit_if(change.is_change(), Event::sorted_set("zincr"));
    outcome
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn adding_and_updating() {
        check(
            "ZADD z 1 a 2 b ; ZADD z 3 a 4 c ; ZADD z CH 5 a 4 c ; ZSCORE z a",
            ":2 ; :1 ; :1 ; $5",
        );
        check("ZADD z 1 a 2 a ; ZRANGE z 0 -1 WITHSCORES", ":1 ; [$a $2]");
        check(
            "SET k v ; ZADD k 1 a",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn conditions() {
        check(
            "ZADD z XX 1 a ; EXISTS z ; ZADD z NX 1 a ; ZADD z NX 2 a ; ZSCORE z a",
            ":0 ; :0 ; :1 ; :0 ; $1",
        );
        check(
            "ZADD z 5 a ; ZADD z GT CH 4 a ; ZADD z GT CH 6 a ; ZADD z LT CH 7 a 1 b",
            ":1 ; :0 ; :1 ; :1",
        );
        check(
            "ZADD z NX XX 1 a",
            "-ERR XX and NX options at the same time are not compatible",
        );
        check(
            "ZADD z GT LT 1 a",
            "-ERR GT, LT, and/or NX options at the same time are not compatible",
        );
        check(
            "ZADD z NX GT 1 a",
            "-ERR GT, LT, and/or NX options at the same time are not compatible",
        );
    }

    #[test]
    fn incrementing() {
        check(
            "ZADD z INCR 5 a ; ZADD z INCR -2.5 a ; ZADD z NX INCR 1 a",
            "$5 ; $2.5 ; _",
        );
        check3("ZADD z INCR 5 a ; ZADD z XX INCR 1 b", ",5 ; _");
        check(
            "ZADD z INCR 1 a 2 b",
            "-ERR INCR option supports a single increment-element pair",
        );
        check(
            "ZADD z inf a ; ZADD z INCR -inf a ; ZSCORE z a",
            ":1 ; -ERR resulting score is not a number (NaN) ; $inf",
        );
    }

    #[test]
    fn bad_scores_change_nothing() {
        check(
            "ZADD z 1 a x b ; EXISTS z",
            "-ERR value is not a valid float ; :0",
        );
        check("ZADD z nan a", "-ERR value is not a valid float");
        check("ZADD z 1 a 2", "-ERR syntax error");
        check("ZADD z CH XX", "-ERR syntax error");
        check("ZADD z -0.0 a ; ZSCORE z a", ":1 ; $0");
    }

    #[test]
    fn a_large_set_keeps_the_greater_score() {
        let mut fixture = crate::fixture();
        for i in 0..200 {
            fixture.run(&format!("ZADD z {i} m{i}"));
        }
        fixture.check(
            "ZADD z GT 1 m100 ; ZSCORE z m100 ; OBJECT ENCODING z",
            ":0 ; $100 ; $skiplist",
        );
    }
}
