//! SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]

use engine::spec::{Command, CommandSpec, flags};
use engine::{Args, CommandResult, Ctx, DONE};

use super::type_name;
use crate::scanning::{ScanOptions, parse_cursor};

pub(super) const SCAN: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SCAN")
    .at_least(2)
    .flags(flags::READONLY | flags::KEYSPACE)
    .since("2.8.0")
    .syntax("cursor [MATCH pattern] [COUNT count] [TYPE type]")
    .summary("Iterates over the key names in the database.")
    .complexity("O(1) for every call. O(N) for a complete iteration, N being the number of keys.")
    .tips(&[
        "nondeterministic_output",
        "request_policy:special",
        "response_policy:special",
    ])
    .history(&[("6.0.0", "Added the `TYPE` subcommand.")]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let cursor = parse_cursor(&mut args)?;
    let mut wanted_type = None;
    let options = ScanOptions::parse(&mut args, |args| {
        let is_type = args.eat("TYPE");
        if is_type {
            wanted_type = Some(args.required()?);
        }
        Ok(is_type)
    })?;
    let mut keys: Vec<Box<[u8]>> = Vec::new();
    let next = ctx.db.scan(cursor, options.count, |entry| {
        let is_of_type = wanted_type
            .is_none_or(|name| name.eq_ignore_ascii_case(type_name(entry.kind()).as_bytes()));
        if is_of_type && options.allow(entry.key()) {
            keys.push(entry.key().into());
        }
    });
    ctx.reply.array(2);
    ctx.reply.bulk(next.to_string().as_bytes());
    ctx.reply.array(keys.len());
    keys.iter().for_each(|key| ctx.reply.bulk(key));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn scan() {
        check("SCAN 0", "[$0 []]");
        check(
            "SET k v ; LPUSH l a ; SCAN 0 COUNT 5000 TYPE LIST",
            "+OK ; :1 ; [$0 [$l]]",
        );
        check("SET k v ; SCAN 0 COUNT 5000 MATCH x*", "+OK ; [$0 []]");
    }

    #[test]
    fn a_whole_scan_sees_every_key_once() {
        let mut fixture = fixture();
        for i in 0..500 {
            fixture.run(&format!("SET key:{i} v"));
        }
        let (mut cursor, mut seen) = ("0".to_owned(), Vec::new());
        loop {
            let reply = fixture.run(&format!("SCAN {cursor} COUNT 7"));
            let (next, keys) = reply.trim_start_matches("[$").split_once(" [").unwrap();
            let keys = keys
                .trim_end_matches(']')
                .split(' ')
                .filter(|key| !key.is_empty());
            seen.extend(keys.map(str::to_owned));
            cursor = next.to_owned();
            if cursor == "0" {
                break;
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 500);
    }

    #[test]
    fn bad_input() {
        check("SCAN 0 MATCH", "-ERR syntax error");
        check("SCAN x", "-ERR invalid cursor");
        check("SCAN 0 COUNT 0", "-ERR syntax error");
        check(
            "SCAN 0 COUNT x",
            "-ERR value is not an integer or out of range",
        );
        check("SCAN 18446744073709551615", "[$0 []]");
    }
}
