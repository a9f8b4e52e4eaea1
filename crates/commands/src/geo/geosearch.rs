//! GEOSEARCH key <FROMMEMBER member | FROMLONLAT longitude latitude> <BYRADIUS radius unit | BYBOX width
//! height unit> [options], or BYPOLYGON instead of both, and GEOSEARCHSTORE, with a destination first

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx};

use super::answer;
use super::query::parse_search;

pub(super) const GEOSEARCH: Command = Command::new(&GEOSEARCH_SPEC, |ctx, mut args| {
    let source = args.required()?;
    run(ctx, args, source, None)
});
pub(super) const GEOSEARCHSTORE: Command = Command::new(&GEOSEARCHSTORE_SPEC, |ctx, mut args| {
    let (destination, source) = (args.required()?, args.required()?);
    run(ctx, args, source, Some(destination))
});

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::Geo)
    .since("6.2.0")
    .complexity("O(N+log(M)) where N is the number of elements in the grid-aligned bounding box area around the shape provided as the filter and M is the number of items inside the shape")
    .history(&[
        ("7.0.0", "Added support for uppercase unit names."),
        ("9.0.0", "Added support for the BYPOLYGON option."),
    ]);

const GEOSEARCH_SPEC: CommandSpec = CommandSpec { name: "GEOSEARCH", ..BASE }
    .at_least(7)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .syntax("key [FROMMEMBER member | FROMLONLAT longitude latitude] <BYRADIUS radius <M | KM | FT | MI> | BYBOX width height <M | KM | FT | MI> | BYPOLYGON num-vertices longitude latitude [longitude latitude ...]> [ASC | DESC] [COUNT count [ANY]] [WITHCOORD] [WITHDIST] [WITHHASH]")
    .summary("Queries a geospatial index for members inside an area of a box, a circle, or a polygon.");

const GEOSEARCHSTORE_SPEC: CommandSpec = CommandSpec { name: "GEOSEARCHSTORE", ..BASE }
    .at_least(8)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[
        KeySpec::at(1, access::OW | access::UPDATE),
        KeySpec::at(2, access::RO | access::ACCESS),
    ])
    .syntax("destination source [FROMMEMBER member | FROMLONLAT longitude latitude] <BYRADIUS radius <M | KM | FT | MI> | BYBOX width height <M | KM | FT | MI> | BYPOLYGON num-vertices longitude latitude [longitude latitude ...]> [ASC | DESC] [COUNT count [ANY]] [STOREDIST]")
    .summary("Queries a geospatial index for members inside an area of a box, a circle, or a polygon, optionally stores the result.");

fn run<'a>(
    ctx: &mut Ctx<'_>,
    args: Args<'a>,
    source: &[u8],
    destination: Option<&'a [u8]>,
) -> CommandResult {
    answer(ctx, source, "geosearchstore", |source| {
        parse_search(args, destination, source)
    })
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    const SICILY: &str = "GEOADD g 13.361389 38.115556 P 15.087269 37.502669 C 12.758489 38.788135 edge1 17.241510 38.788135 edge2";

    fn on_sicily(command: &str, want: &str) {
        check(&format!("{SICILY} ; {command}"), &format!(":4 ; {want}"));
    }

    #[test]
    fn circles_and_boxes() {
        on_sicily(
            "GEOSEARCH g FROMLONLAT 15 37 BYRADIUS 200 km ASC",
            "[$C $P]",
        );
        on_sicily(
            "GEOSEARCH g FROMLONLAT 15 37 BYBOX 400 400 km ASC WITHDIST",
            "[[$C $56.4413] [$P $190.4424] [$edge2 $279.7403] [$edge1 $279.7405]]",
        );
        on_sicily("GEOSEARCH g FROMMEMBER P BYBOX 310 1 km", "[$P]");
        on_sicily("GEOSEARCH g BYRADIUS 0 m FROMMEMBER C", "[$C]");
        on_sicily("GEOSEARCH none FROMMEMBER P BYRADIUS 1 km", "[]");
        on_sicily(
            "GEOSEARCH g FROMMEMBER P BYRADIUS 1e9 km COUNT 1 DESC",
            "[$edge2]",
        );
        check3(
            "GEOADD g 1 2 a ; GEOSEARCH g FROMMEMBER a BYRADIUS 1 km WITHCOORD WITHDIST",
            ":1 ; [[$a $0.0000 [,0.99999994039535522 ,2.0000001856465488]]]",
        );
    }

    #[test]
    fn any_so_many() {
        on_sicily(
            "GEOSEARCH g FROMMEMBER C BYRADIUS 400 km COUNT 2 ANY",
            "[$P $edge1]",
        );
        on_sicily(
            "GEOSEARCH g FROMMEMBER C BYRADIUS 400 km COUNT 2 ANY ASC",
            "[$P $edge1]",
        );
        on_sicily(
            "GEOSEARCH g FROMMEMBER C BYRADIUS 400 km COUNT 2",
            "[$C $P]",
        );
    }

    #[test]
    fn polygons() {
        on_sicily(
            "GEOSEARCH g BYPOLYGON 4 13 37 13 39 15.5 39 15.5 37 ASC",
            "[$P $C]",
        );
        on_sicily("GEOSEARCH g BYPOLYGON 3 0 0 1 1 2 0", "[]");
        on_sicily(
            "GEOSEARCHSTORE d g BYPOLYGON 3 12 37 13.5 40 14 37 ; ZRANGE d 0 -1",
            ":1 ; [$P]",
        );
    }

    #[test]
    fn storing() {
        on_sicily(
            "GEOSEARCHSTORE d g FROMLONLAT 15 37 BYBOX 400 400 km COUNT 1 ; ZRANGE d 0 -1 WITHSCORES",
            ":1 ; [$C $3479447370796909]",
        );
        on_sicily(
            "GEOSEARCHSTORE g g FROMMEMBER P BYRADIUS 200 km STOREDIST ; ZRANGE g 0 -1 WITHSCORES",
            ":3 ; [$P $0 $edge1 $91.40065860581427 $C $166.27415156960032]",
        );
        on_sicily(
            "SET d v ; GEOSEARCHSTORE d g FROMLONLAT 0 0 BYRADIUS 1 km ; EXISTS d",
            "+OK ; :0 ; :0",
        );
        on_sicily(
            "GEOSEARCHSTORE d g FROMMEMBER P BYRADIUS 1 km WITHDIST",
            "-ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
        );
    }

    #[test]
    fn bad_input() {
        on_sicily(
            "GeoSearch g BYRADIUS 1 km ASC DESC",
            "-ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for GeoSearch",
        );
        on_sicily(
            "GEOSEARCH g FROMLONLAT 1 1 ASC DESC",
            "-ERR exactly one of BYRADIUS, BYBOX and BYPOLYGON can be specified for GEOSEARCH",
        );
        on_sicily(
            "GEOSEARCH g FROMMEMBER none BYRADIUS x km",
            "-ERR could not decode requested zset member",
        );
        for command in [
            "FROMMEMBER P FROMLONLAT 1 1 BYRADIUS 1 km",
            "FROMLONLAT 1 1 FROMMEMBER P BYRADIUS 1 km",
            "FROMMEMBER P BYRADIUS 1 km BYBOX 1 1 km",
            "FROMMEMBER P BYBOX 1 1 km BYRADIUS 1 km",
            "FROMMEMBER P BYPOLYGON 3 0 0 1 1 2 0",
            "BYPOLYGON 3 0 0 1 1 2 0 FROMMEMBER P",
            "FROMMEMBER P BYRADIUS 1 km STOREDIST",
            "FROMMEMBER P BYRADIUS 1 km COUNT",
            "FROMMEMBER P BYRADIUS 1 km STORE d",
        ] {
            on_sicily(&format!("GEOSEARCH g {command}"), "-ERR syntax error");
        }
        for (command, want) in [
            ("BYBOX a 1 km", "need numeric width"),
            ("BYBOX 1 a km", "need numeric height"),
            ("BYBOX -1 1 km", "height or width cannot be negative"),
        ] {
            on_sicily(
                &format!("GEOSEARCH g FROMMEMBER P {command}"),
                &format!("-ERR {want}"),
            );
        }
        for (command, want) in [
            ("x 0 0 1 1 2 2", "invalid number of vertices"),
            ("2147483648 0 0 1 1 2 2", "invalid number of vertices"),
            (
                "4 0 0 1 1 2 2",
                "GEOSEARCH BYPOLYGON must have at least 3 vertices",
            ),
            (
                "-1 0 0 1 1 2 2",
                "GEOSEARCH BYPOLYGON must have at least 3 vertices",
            ),
            (
                "3 0 0 1 1 200 2",
                "invalid longitude,latitude pair 200.000000,2.000000",
            ),
        ] {
            on_sicily(
                &format!("GEOSEARCH g BYPOLYGON {command}"),
                &format!("-ERR {want}"),
            );
        }
    }
}
