//! GETRANGE key start end, and SUBSTR, its older name

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const GETRANGE: Command = Command::new(&GETRANGE_SPEC, run);
pub(super) const SUBSTR: Command = Command::new(&SUBSTR_SPEC, run);

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::String)
    .exactly(4)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .syntax("key start end")
    .complexity("O(N) where N is the length of the returned string");

const GETRANGE_SPEC: CommandSpec = CommandSpec {
    name: "GETRANGE",
    ..BASE
}
.since("2.4.0")
.summary("Returns a substring of the string stored at a key.");

const SUBSTR_SPEC: CommandSpec = CommandSpec {
    name: "SUBSTR",
    ..BASE
}
.summary("Returns a substring from a string value.")
.deprecated("2.0.0", "`GETRANGE`");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let (start, end) = (args.integer()?, args.integer()?);
    match ctx.db.text(key)? {
        None => ctx.reply.bulk(b""),
        Some(text) => text.with_bytes(|bytes| ctx.reply.bulk(part(bytes, start, end))),
    }
    DONE
}

/// The bytes from `start` to `end`, both included; negative ones count from the end.
fn part(bytes: &[u8], start: i64, end: i64) -> &[u8] {
    if start < 0 && end < 0 && start > end {
        return b"";
    }
    // What is before the beginning is the beginning, for the end too.
    let position = |index: i64| {
        let index = if index < 0 {
            index.saturating_add_unsigned(bytes.len() as u64).max(0)
        } else {
            index
        };
        index as u64 as usize
    };
    let end = position(end).saturating_add(1).min(bytes.len());
    bytes.get(position(start)..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn getrange() {
        check(
            "SET k foobar ; GETRANGE k 0 2 ; GETRANGE k -3 -1 ; GETRANGE k 2 100 ; SUBSTR k 0 -1",
            "+OK ; $foo ; $bar ; $obar ; $foobar",
        );
        check(
            "SET k foobar ; GETRANGE k 4 2 ; GETRANGE k 6 9 ; GETRANGE k -1 -2 ; GETRANGE none 0 1",
            "+OK ; $\"\" ; $\"\" ; $\"\" ; $\"\"",
        );
        check("SET n -12345 ; GETRANGE n 0 2", "+OK ; $-12");
        check("SET e \"\" ; GETRANGE e -1 -1", "+OK ; $\"\"");
        check(
            "SET k ab ; GETRANGE k -9223372036854775808 9223372036854775807 ; \
             GETRANGE k 9223372036854775807 -1 ; GETRANGE k -9 -9",
            "+OK ; $ab ; $\"\" ; $a",
        );
    }

    #[test]
    fn errors() {
        check(
            "GETRANGE k x 0",
            "-ERR value is not an integer or out of range",
        );
        check(
            "LPUSH k a ; GETRANGE k 0 x ; GETRANGE k 0 1",
            ":1 ; -ERR value is not an integer or out of range ; \
             -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
