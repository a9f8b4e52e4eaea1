//! GEOPOS key [member [member ...]]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::sorted_set::SortedSet;

use super::cell::Point;
use super::reply_point;

pub(super) const GEOPOS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GEOPOS")
    .group(Group::Geo)
    .at_least(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("3.2.0")
    .syntax("key [member [member ...]]")
    .summary("Returns the longitude and latitude of members from a geospatial index.")
    .complexity("O(1) for each member requested.");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let set = ctx.db.collection::<SortedSet>(args.at(1))?;
    let members = &args.words()[2..];
    ctx.reply.array(members.len());
    for member in members {
        match set.and_then(|set| set.score(member)) {
            Some(score) => reply_point(&mut ctx.reply, Point::of_score(score)),
            None => ctx.reply.null_array(),
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn geopos() {
        check3(
            "ZADD g 1e300 a -5 b ; GEOPOS g a",
            ":2 ; [[,-179.99999731779098511 ,-85.05112751263942528]]",
        );
        check(
            "GEOADD g 13.361389 38.115556 P 180 85.05112878 X ; GEOPOS g P none X ; GEOPOS g ; GEOPOS none a",
            ":2 ; [[$13.36138933897018433 $38.11555639549629859] *- [$180 $85.0511287799999991]] ; [] ; [*-]",
        );
        check3(
            "GEOADD g 0 0 Z ; GEOPOS g Z none",
            ":1 ; [[,0.00000268220901489 ,0.00000126736058093] _]",
        );
        check(
            "SET g v ; GEOPOS g a",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
