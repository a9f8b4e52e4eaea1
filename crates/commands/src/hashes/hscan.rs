//! HSCAN key cursor [MATCH pattern] [COUNT count] [NOVALUES]
//!
//! A compact hash is returned whole, whatever the count.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::hash_map::HashMap;

use crate::scanning::{ScanOptions, parse_cursor};

pub(super) const HSCAN: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HSCAN")
    .group(Group::Hash)
    .at_least(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.8.0")
    .syntax("key cursor [MATCH pattern] [COUNT count] [NOVALUES]")
    .summary("Iterates over fields and values of a hash.")
    .complexity("O(1) for every call. O(N) for a complete iteration, including enough command calls for the cursor to return back to 0. N is the number of elements inside the collection.")
    .tips(&["nondeterministic_output"]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let cursor = parse_cursor(&mut args)?;
    // Options are not looked at if there is no hash: so it is elsewhere, too.
    let Some(hash) = ctx.db.collection::<HashMap>(key)? else {
        ctx.reply.array(2);
        ctx.reply.bulk(b"0");
        ctx.reply.array(0);
        return DONE;
    };
    let mut with_values = true;
    let options = ScanOptions::parse(&mut args, |args| {
        let is_eaten = args.eat("NOVALUES");
        with_values &= !is_eaten;
        Ok(is_eaten)
    })?;
    let mut found = Vec::new();
    let next = options.steps(cursor, |cursor| {
        let mut seen = 0;
        let next = hash.scan(cursor, |field, value| {
            seen += 1;
            if options.allow(field) {
                found.push((field, value));
            }
        });
        (next, seen)
    });
    ctx.reply.array(2);
    ctx.reply.bulk(itoa::Buffer::new().format(next).as_bytes());
    ctx.reply.array(if with_values {
        2 * found.len()
    } else {
        found.len()
    });
    for (field, value) in found {
        ctx.reply.bulk(field);
        if with_values {
            ctx.reply.bulk(value);
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn small_hashes() {
        check(
            "HSET h a 1 b 2 ab 3 ; HSCAN h 0 ; HSCAN h 0 MATCH a* ; HSCAN h 0 NOVALUES COUNT 1",
            ":3 ; [$0 [$a $1 $b $2 $ab $3]] ; [$0 [$a $1 $ab $3]] ; [$0 [$a $b $ab]]",
        );
    }

    #[test]
    fn a_whole_scan_of_a_big_hash() {
        let mut fixture = fixture();
        for i in 0..1000 {
            fixture.run(&format!("HSET h f{i} v"));
        }
        let (mut cursor, mut seen, mut calls) = ("0".to_owned(), Vec::new(), 0);
        loop {
            let reply = fixture.run(&format!("HSCAN h {cursor} COUNT 20 NOVALUES"));
            let (next, fields) = reply.trim_start_matches("[$").split_once(" [").unwrap();
            let fields = fields.trim_end_matches(']').split(' ');
            seen.extend(fields.map(str::to_owned));
            cursor = next.to_owned();
            calls += 1;
            if cursor == "0" {
                break;
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 1000);
        assert!((25..60).contains(&calls), "{calls} calls");
    }

    #[test]
    fn no_hash() {
        check("HSCAN none 1000 ; HSCAN none 0 FOO", "[$0 []] ; [$0 []]");
        check("HSCAN none x", "-ERR invalid cursor");
        check(
            "HSET h a 1 ; HSCAN h 0 FOO ; HSCAN h 0 MATCH ; HSCAN h 0 COUNT 0 ; HSCAN h 0 TYPE hash",
            ":1 ; -ERR syntax error ; -ERR syntax error ; -ERR syntax error ; -ERR syntax error",
        );
    }
}
