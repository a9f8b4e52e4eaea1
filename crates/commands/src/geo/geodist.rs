//! GEODIST key member1 member2 [M | KM | FT | MI]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use structures::sorted_set::SortedSet;

use super::cell::Point;
use super::query::unit;
use super::{reply_distance, sphere};

pub(super) const GEODIST: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GEODIST")
    .group(Group::Geo)
    .at_least(4)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("3.2.0")
    .syntax("key member1 member2 [M | KM | FT | MI]")
    .summary("Returns the distance between two members of a geospatial index.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    if args.len() > 5 {
        return Err(CommandError::Syntax);
    }
    let (key, from, to) = (args.required()?, args.required()?, args.required()?);
    let unit = args.next().map_or(Ok(1.0), unit)?;
    let set = ctx.db.collection::<SortedSet>(key)?;
    match set.and_then(|set| Some((set.score(from)?, set.score(to)?))) {
        Some((from, to)) => {
            let metres = sphere::distance(Point::of_score(from), Point::of_score(to));
            reply_distance(&mut ctx.reply, metres / unit);
        }
        None => ctx.reply.null(),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn geodist() {
        check(
            "GEOADD g 13.361389 38.115556 P 15.087269 37.502669 C ; GEODIST g P C ; GEODIST g P C km ; GEODIST g C P MI ; GEODIST g P P ft",
            ":2 ; $166274.1516 ; $166.2742 ; $103.3182 ; $0.0000",
        );
        check3(
            "GEOADD g 1 1 a 2 1 b ; GEODIST g a b ; GEODIST g a x",
            ":2 ; $111209.6509 ; _",
        );
        check("GEODIST none a b", "_");
    }

    #[test]
    fn bad_input() {
        check(
            "GEODIST g a b foo",
            "-ERR unsupported unit provided. please use M, KM, FT, MI",
        );
        check("GEODIST g a b km x", "-ERR syntax error");
        check(
            "SET g v ; GEODIST g a b",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
