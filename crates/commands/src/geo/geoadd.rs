//! GEOADD key [NX | XX] [CH] longitude latitude member [longitude latitude member ...]
//!
//! All positions are parsed before the first write.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::sorted_set::SortedSet;

use super::query::point;
use crate::sorted_sets::limits;

pub(super) const GEOADD: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GEOADD")
    .group(Group::Geo)
    .at_least(5)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[KeySpec::first(access::RW | access::UPDATE)])
    .since("3.2.0")
    .syntax("key [NX | XX] [CH] longitude latitude member [longitude latitude member ...]")
    .summary(
        "Adds one or more members to a geospatial index. The key is created if it doesn't exist.",
    )
    .complexity(
        "O(log(N)) for each item added, where N is the number of elements in the sorted set.",
    )
    .history(&[("6.2.0", "Added the `CH`, `NX` and `XX` options.")]);

struct Geoadd<'a> {
    only_new: bool,
    only_present: bool,
    counts_updates: bool,
    members: Vec<(f64, &'a [u8])>,
}

fn parse<'a>(mut args: Args<'a>) -> Result<Geoadd<'a>, CommandError> {
    let mut geoadd = Geoadd {
        only_new: false,
        only_present: false,
        counts_updates: false,
        members: Vec::new(),
    };
    loop {
        if args.eat("NX") {
            geoadd.only_new = true;
        } else if args.eat("XX") {
            geoadd.only_present = true;
        } else if args.eat("CH") {
            geoadd.counts_updates = true;
        } else {
            break;
        }
    }
    let words = args.rest().len();
    if words == 0 || !words.is_multiple_of(3) || geoadd.only_new && geoadd.only_present {
        return Err(CommandError::Syntax);
    }
    geoadd.members.reserve(words / 3);
    while !args.is_done() {
        let score = point(&mut args)?.score();
        geoadd.members.push((score, args.required()?));
    }
    Ok(geoadd)
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let geoadd = parse(args)?;
    let limits = limits(ctx);
    let set = if geoadd.only_present {
        ctx.db.collection_mut::<SortedSet>(key)?
    } else {
        Some(ctx.db.collection_or_new::<SortedSet>(key)?)
    };
    let (mut added, mut updated) = (0, 0);
    if let Some(mut set) = set {
        for &(score, member) in &geoadd.members {
            let change = set.upsert(member, &limits, |old| {
                let is_allowed = match old {
                    Some(_) => !geoadd.only_new,
                    None => !geoadd.only_present,
                };
                is_allowed.then_some(score)
            });
            if change.is_change() {
                if change.previous.is_none() {
                    added += 1;
                } else {
                    updated += 1;
                }
            }
        }
        set.commit_if(added + updated > 0, Event::sorted_set("zadd"));
    }
    ctx.reply.count(if geoadd.counts_updates {
        added + updated
    } else {
        added
    });
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn adding_and_moving() {
        check(
            "GEOADD g 13.361389 38.115556 Palermo 15.087269 37.502669 Catania ; ZRANGE g 0 -1 WITHSCORES",
            ":2 ; [$Palermo $3479099956230698 $Catania $3479447370796909]",
        );
        check(
            "GEOADD g 1 1 a ; GEOADD g 2 2 a 3 3 b ; GEOADD g CH 2 2 a 4 4 b ; TYPE g",
            ":1 ; :1 ; :1 ; +zset",
        );
    }

    #[test]
    fn conditions() {
        check(
            "GEOADD g XX 1 1 a ; EXISTS g ; GEOADD g NX 1 1 a ; GEOADD g NX CH 2 2 a ; GEOADD g XX CH 2 2 a 3 3 b",
            ":0 ; :0 ; :1 ; :0 ; :1",
        );
    }

    #[test]
    fn bad_input_changes_nothing() {
        check(
            "GEOADD g 1 1 a 200 100 b ; EXISTS g",
            "-ERR invalid longitude,latitude pair 200.000000,100.000000 ; :0",
        );
        check(
            "GEOADD g inf 0 a",
            "-ERR invalid longitude,latitude pair inf,0.000000",
        );
        check("GEOADD g x 0 a", "-ERR value is not a valid float");
        check("GEOADD g NX XX 1 1 a", "-ERR syntax error");
        check("GEOADD g NX XX CH", "-ERR syntax error");
        check("GEOADD g 1 1 a 1", "-ERR syntax error");
        check(
            "SET g v ; GEOADD g 1 1 a",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
