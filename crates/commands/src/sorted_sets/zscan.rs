//! ZSCAN key cursor [MATCH pattern] [COUNT count] [NOSCORES]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use resp::number::{DoubleBuffer, format_f64};
use structures::sorted_set::SortedSet;

use crate::scanning::{ScanOptions, parse_cursor};

pub(super) const ZSCAN: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZSCAN")
    .group(Group::SortedSet)
    .at_least(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.8.0")
    .syntax("key cursor [MATCH pattern] [COUNT count] [NOSCORES]")
    .summary("Iterates over members and scores of a sorted set.")
    .complexity("O(1) for every call. O(N) for a complete iteration, including enough command calls for the cursor to return back to 0. N is the number of elements inside the collection.")
    .tips(&["nondeterministic_output"]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let cursor = parse_cursor(&mut args)?;
    // The options of a scan of nothing are not looked at, as in Redis.
    let Some(set) = ctx.db.collection::<SortedSet>(key)? else {
        ctx.reply.array(2);
        ctx.reply.bulk(b"0");
        ctx.reply.array(0);
        return DONE;
    };
    let mut with_scores = true;
    let options = ScanOptions::parse(&mut args, |args| {
        let is_eaten = args.eat("NOSCORES");
        with_scores &= !is_eaten;
        Ok(is_eaten)
    })?;
    // The cursor comes before the members, whose number it depends on: they wait in a reply of
    // their own.
    let mut found: Vec<(Box<[u8]>, f64)> = Vec::new();
    let next = options.steps(cursor, |cursor| {
        let mut seen = 0;
        let next = set.scan(cursor, |member, score| {
            seen += 1;
            if options.allow(member) {
                found.push((member.into(), score));
            }
        });
        (next, seen)
    });
    ctx.reply.array(2);
    ctx.reply.bulk(itoa::Buffer::new().format(next).as_bytes());
    ctx.reply
        .array(found.len() * if with_scores { 2 } else { 1 });
    for (member, score) in found {
        ctx.reply.bulk(&member);
        if with_scores {
            // A text in both protocols.
            let mut buffer = DoubleBuffer::default();
            ctx.reply.bulk(format_f64(score, &mut buffer).as_bytes());
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::{check, check3, fixture};

    #[test]
    fn a_small_set_comes_whole() {
        check(
            "ZSCAN z 0 ; ZADD z 1.5 a 2 b ; ZSCAN z 0 ; ZSCAN z 0 COUNT 1 MATCH b* NOSCORES ; ZSCAN z 7 COUNT 1",
            "[$0 []] ; :2 ; [$0 [$a $1.5 $b $2]] ; [$0 [$b]] ; [$0 [$a $1.5 $b $2]]",
        );
        check3("ZADD z 1.5 a ; ZSCAN z 0", ":1 ; [$0 [$a $1.5]]");
    }

    #[test]
    fn a_whole_scan_sees_every_member() {
        let mut fixture = fixture();
        for i in 0..500 {
            fixture.run(&format!("ZADD z {i} m{i}"));
        }
        let (mut cursor, mut seen, mut calls) = ("0".to_owned(), BTreeSet::new(), 0);
        loop {
            let reply = fixture.run(&format!("ZSCAN z {cursor} COUNT 7"));
            let (next, rest) = reply.trim_start_matches("[$").split_once(" [").unwrap();
            let words: Vec<&str> = rest.trim_end_matches(']').split_whitespace().collect();
            for pair in words.chunks(2) {
                assert_eq!(pair[0].replace('m', ""), pair[1]);
                seen.insert(pair[0].to_owned());
            }
            cursor = next.to_owned();
            calls += 1;
            if cursor == "0" {
                break;
            }
        }
        assert_eq!(seen.len(), 500);
        assert!((30..500).contains(&calls), "{calls} calls");
    }

    #[test]
    fn bad_input() {
        check("ZSCAN z x", "-ERR invalid cursor");
        check("ZSCAN z -1", "-ERR invalid cursor");
        check("ZSCAN none 0 FOO", "[$0 []]");
        check("ZADD z 1 a ; ZSCAN z 0 FOO", ":1 ; -ERR syntax error");
        check("ZADD z 1 a ; ZSCAN z 0 COUNT 0", ":1 ; -ERR syntax error");
        check("ZADD z 1 a ; ZSCAN z 0 MATCH", ":1 ; -ERR syntax error");
        check(
            "SET z v ; ZSCAN z 0 FOO",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
