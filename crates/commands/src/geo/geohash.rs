//! GEOHASH key [member [member ...]]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::sorted_set::SortedSet;

use super::cell::{Point, geohash_text};

pub(super) const GEOHASH: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GEOHASH")
    .group(Group::Geo)
    .at_least(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("3.2.0")
    .syntax("key [member [member ...]]")
    .summary("Returns members from a geospatial index as geohash strings.")
    .complexity("O(1) for each member requested.");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let set = ctx.db.collection::<SortedSet>(args.at(1))?;
    let members = &args.words()[2..];
    ctx.reply.array(members.len());
    for member in members {
        match set.and_then(|set| set.score(member)) {
            Some(score) => ctx.reply.bulk(&geohash_text(Point::of_score(score))),
            None => ctx.reply.null(),
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn geohash() {
        check(
            "GEOADD g 13.361389 38.115556 P 180 85.05112878 X ; GEOHASH g P none X ; GEOHASH g ; GEOHASH none a",
            ":2 ; [$sqc8b49rny0 _ $bp05b5048p0] ; [] ; [_]",
        );
        check(
            "SET g v ; GEOHASH g",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
