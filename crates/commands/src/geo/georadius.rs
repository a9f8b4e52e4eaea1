//! GEORADIUS key longitude latitude radius unit [options] [STORE key | STOREDIST key] and
//! GEORADIUSBYMEMBER key member radius unit ..., and both without storing: GEORADIUS_RO and
//! GEORADIUSBYMEMBER_RO

use engine::spec::{
    BeginSearch, Command, CommandSpec, FindKey, FindKeys, Group, KeySpec, access, flags,
};
use engine::{Args, CommandResult, Ctx};

use super::answer;
use super::query::{Center, Storing, parse_radius};

pub(super) const GEORADIUS: Command = Command::new(&GEORADIUS_SPEC, |ctx, args| {
    run(ctx, args, Center::Coordinates, Storing::Allowed)
});
pub(super) const GEORADIUS_RO: Command = Command::new(&GEORADIUS_RO_SPEC, |ctx, args| {
    run(ctx, args, Center::Coordinates, Storing::Refused)
});
pub(super) const GEORADIUSBYMEMBER: Command = Command::new(&GEORADIUSBYMEMBER_SPEC, |ctx, args| {
    run(ctx, args, Center::Member, Storing::Allowed)
});
pub(super) const GEORADIUSBYMEMBER_RO: Command =
    Command::new(&GEORADIUSBYMEMBER_RO_SPEC, |ctx, args| {
        run(ctx, args, Center::Member, Storing::Refused)
    });

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::Geo)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("3.2.10")
    .complexity("O(N+log(M)) where N is the number of elements inside the bounding box of the circular area delimited by center and radius and M is the number of items inside the index.")
    .history(&[
        ("6.2.0", "Added the `ANY` option for `COUNT`."),
        ("7.0.0", "Added support for uppercase unit names."),
    ]);

const STORING: CommandSpec = CommandSpec { ..BASE }
    .flags(flags::WRITE | flags::DENY_OOM)
    .since("3.2.0");

/// The key behind a word, which is looked for from an argument on.
const fn behind(word: &'static str, from: i32, last: FindKey) -> KeySpec {
    KeySpec {
        begin: BeginSearch::Keyword(word, from),
        find: FindKeys::Range {
            last: 0,
            step: 1,
            limit: 0,
        },
        ..KeySpec::first(access::OW | access::UPDATE)
    }
    .located(last)
}

/// The key behind the last `word` that is an option, among the words from `from` on.
fn last_behind(words: &[&[u8]], word: &str, from: usize) -> Option<usize> {
    let is = |at: usize, name: &str| words[at].eq_ignore_ascii_case(name.as_bytes());
    let (mut at, mut found) = (from, None);
    while at < words.len() {
        if is(at, "STORE") || is(at, "STOREDIST") {
            if is(at, word) {
                found = Some(at + 1);
            }
            at += 1;
        } else if is(at, "COUNT") {
            at += 1;
        }
        at += 1;
    }
    found
}

const GEORADIUS_SPEC: CommandSpec = CommandSpec { name: "GEORADIUS", ..STORING }
    .at_least(6)
    .keys(&[
        KeySpec::first(access::RO | access::ACCESS),
        behind("STORE", 6, |words| last_behind(words, "STORE", 6)),
        behind("STOREDIST", 6, |words| last_behind(words, "STOREDIST", 6)),
    ])
    .syntax("key longitude latitude radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC] [STORE storekey | STOREDIST storedistkey]")
    .summary("Queries a geospatial index for members within a distance from a coordinate, optionally stores the result.")
    .deprecated("6.2.0", "`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` argument");

const GEORADIUS_RO_SPEC: CommandSpec = CommandSpec { name: "GEORADIUS_RO", ..BASE }
    .at_least(6)
    .syntax("key longitude latitude radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC]")
    .summary("Returns members from a geospatial index that are within a distance from a coordinate.")
    .deprecated("6.2.0", "`GEOSEARCH` with the `BYRADIUS` argument");

const GEORADIUSBYMEMBER_SPEC: CommandSpec = CommandSpec { name: "GEORADIUSBYMEMBER", ..STORING }
    .at_least(5)
    .keys(&[
        KeySpec::first(access::RO | access::ACCESS),
        behind("STORE", 5, |words| last_behind(words, "STORE", 5)),
        behind("STOREDIST", 5, |words| last_behind(words, "STOREDIST", 5)),
    ])
    .syntax("key member radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC] [STORE storekey | STOREDIST storedistkey]")
    .summary("Queries a geospatial index for members within a distance from a member, optionally stores the result.")
    .deprecated("6.2.0", "`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` and `FROMMEMBER` arguments");

const GEORADIUSBYMEMBER_RO_SPEC: CommandSpec = CommandSpec { name: "GEORADIUSBYMEMBER_RO", ..BASE }
    .at_least(5)
    .syntax("key member radius <M | KM | FT | MI> [WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC]")
    .summary("Returns members from a geospatial index that are within a distance from a member.")
    .deprecated("6.2.0", "`GEOSEARCH` with the `BYRADIUS` and `FROMMEMBER` arguments");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>, center: Center, storing: Storing) -> CommandResult {
    let key = args.required()?;
    answer(ctx, key, "georadiusstore", |source| {
        parse_radius(args, center, storing, source)
    })
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    const SICILY: &str = "GEOADD g 13.361389 38.115556 P 15.087269 37.502669 C";

    fn on_sicily(command: &str, want: &str) {
        check(&format!("{SICILY} ; {command}"), &format!(":2 ; {want}"));
    }

    #[test]
    fn replies() {
        on_sicily("GEORADIUS g 15 37 200 km", "[$P $C]");
        on_sicily("GEORADIUS g 15 37 100 KM", "[$C]");
        on_sicily(
            "GEORADIUS_RO g 15 37 200 km WITHDIST WITHHASH ASC",
            "[[$C $56.4413 :3479447370796909] [$P $190.4424 :3479099956230698]]",
        );
        on_sicily(
            "GEORADIUS g 15 37 200 km COUNT 1 WITHCOORD",
            "[[$C [$15.08726745843887329 $37.50266842333162032]]]",
        );
        on_sicily("GEORADIUSBYMEMBER g P 166274.1516 m DESC", "[$C $P]");
        on_sicily("GEORADIUSBYMEMBER_RO g P 166274.1515 m", "[$P]");
        on_sicily("GEORADIUS none 15 37 200 km", "[]");
        on_sicily("GEORADIUSBYMEMBER none P abc m", "[]");
    }

    #[test]
    fn storing() {
        on_sicily(
            "GEORADIUS g 15 37 200 km STORE d ; ZRANGE d 0 -1 WITHSCORES",
            ":2 ; [$P $3479099956230698 $C $3479447370796909]",
        );
        on_sicily(
            "GEORADIUSBYMEMBER g P 200 km STOREDIST d ; ZRANGE d 0 0 WITHSCORES ; ZRANGE d 1 1",
            ":2 ; [$P $0] ; [$C]",
        );
        on_sicily(
            "SET d v ; GEORADIUSBYMEMBER none P 1 m STORE d ; EXISTS d",
            "+OK ; :0 ; :0",
        );
        on_sicily(
            "GEORADIUS g 15 37 200 km STORE STORE ; EXISTS STORE",
            ":2 ; :1",
        );
        on_sicily(
            "GEORADIUS g 15 37 200 km ASC STORE STOREDIST ; EXISTS STOREDIST",
            ":2 ; :1",
        );
        on_sicily("GEORADIUS g 15 37 200 km STORE g ; ZCARD g", ":2 ; :2");
    }

    #[test]
    fn the_last_destination_counts() {
        on_sicily(
            "GEORADIUS g 15 37 200 km STORE a STORE b ; EXISTS a ; EXISTS b",
            ":2 ; :0 ; :1",
        );
        on_sicily(
            "GEORADIUS g 15 37 200 km STOREDIST a STORE b ; EXISTS a ; ZSCORE b P",
            ":2 ; :0 ; $3479099956230698",
        );
        on_sicily(
            "GEORADIUSBYMEMBER g P 9 km STORE STOREDIST COUNT 1 STOREDIST STORE ; EXISTS STOREDIST ; ZSCORE STORE P",
            ":1 ; :0 ; $0",
        );
        on_sicily(
            "GEORADIUSBYMEMBER g P 9 km STOREDIST STOREDIST STORE STORE STOREDIST k ; EXISTS STORE STOREDIST ; ZCARD k",
            ":1 ; :0 ; :1",
        );
        on_sicily(
            "GEORADIUS g 15 37 200 km STORE a STORE",
            "-ERR syntax error",
        );
    }

    #[test]
    fn near_the_pole() {
        check(
            "GEOADD k -0.15307903289794921875 85 n1 0.3515625 85.00019260486917005437 n2 ; GEORADIUSBYMEMBER k n1 4891.94 m",
            ":2 ; [$n1 $n2]",
        );
        check("ZREM none n1", ":0");
    }

    #[test]
    fn across_the_date_line() {
        check(
            "GEOADD g 179.9 10 east -179.9 10 west 178 10 far ; GEORADIUS g 179.99 10 30 km ASC ; GEORADIUSBYMEMBER g west 30 km ASC",
            ":3 ; [$east $west] ; [$west $east]",
        );
    }

    #[test]
    fn bad_input() {
        on_sicily(
            "GEORADIUS g 15 37 200 km STORE d WITHDIST",
            "-ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
        );
        on_sicily("GEORADIUS g 15 37 200 km STORE", "-ERR syntax error");
        on_sicily("GEORADIUS_RO g 15 37 200 km STORE d", "-ERR syntax error");
        on_sicily("GEORADIUS g 15 37 x km", "-ERR need numeric radius");
        on_sicily("GEORADIUS g 15 37 -1 km", "-ERR radius cannot be negative");
        on_sicily(
            "GEORADIUS g 15 37 1 foo",
            "-ERR unsupported unit provided. please use M, KM, FT, MI",
        );
        on_sicily(
            "GEORADIUSBYMEMBER g none x m",
            "-ERR could not decode requested zset member",
        );
        on_sicily("GEORADIUS g 15 37 1 km COUNT 0", "-ERR COUNT must be > 0");
        on_sicily(
            "GEORADIUS g 15 37 1 km ANY",
            "-ERR the ANY argument requires COUNT argument",
        );
        check(
            "SET g v ; GEORADIUS g x y z w",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn a_large_set() {
        let mut fixture = fixture();
        for i in 0..1000 {
            let (x, y) = (f64::from(i % 40) / 100.0, f64::from(i / 40) / 100.0);
            fixture.run(&format!("GEOADD g {x} {y} m{i}"));
        }
        fixture.check(
            "GEORADIUS g 0.2 0.1 1.2 km COUNT 9 ; GEORADIUSBYMEMBER g m0 1200 m ASC",
            "[$m420 $m421 $m419 $m460 $m380] ; [$m0 $m1 $m40]",
        );
        fixture.check(
            "GEORADIUS g 0.2 0.1 500 km STORE d ; OBJECT ENCODING d ; ZRANK d m0",
            ":1000 ; $skiplist ; :0",
        );
    }
}
