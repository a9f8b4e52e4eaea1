//! SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]

use config::glob::{self, Case};
use engine::spec::{Command, CommandSpec, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

use super::type_name;

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

const INVALID_CURSOR: CommandError = CommandError::Fixed("ERR invalid cursor");

struct Scan<'a> {
    cursor: u64,
    pattern: Option<&'a [u8]>,
    count: usize,
    type_name: Option<&'a [u8]>,
}

fn parse<'a>(mut args: Args<'a>) -> Result<Scan<'a>, CommandError> {
    let cursor = std::str::from_utf8(args.required()?)
        .ok()
        .and_then(|text| text.parse().ok());
    let cursor = cursor.ok_or(INVALID_CURSOR)?;
    let mut scan = Scan {
        cursor,
        pattern: None,
        count: 10,
        type_name: None,
    };
    while !args.is_done() {
        if args.eat("MATCH") {
            scan.pattern = Some(args.required()?).filter(|pattern| *pattern != b"*");
        } else if args.eat("COUNT") {
            let count = args.integer()?;
            if count < 1 {
                return Err(CommandError::Syntax);
            }
            scan.count = count as usize;
        } else if args.eat("TYPE") {
            scan.type_name = Some(args.required()?);
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok(scan)
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let scan = parse(args)?;
    let mut keys: Vec<Box<[u8]>> = Vec::new();
    let next = ctx.db.scan(scan.cursor, scan.count, |entry| {
        let is_match = scan
            .pattern
            .is_none_or(|pattern| glob::matches(pattern, entry.key(), Case::Exact))
            && scan
                .type_name
                .is_none_or(|name| name.eq_ignore_ascii_case(type_name(entry.kind()).as_bytes()));
        if is_match {
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
