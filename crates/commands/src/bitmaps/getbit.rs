//! GETBIT key offset

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::bits::Field;

use super::parse_offset;

pub(super) const GETBIT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GETBIT")
    .group(Group::Bitmap)
    .exactly(3)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.2.0")
    .syntax("key offset")
    .summary("Returns a bit value by offset.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let position = parse_offset(ctx, args.at(2))?;
    let bit = Field { position, bits: 1 };
    let value = match ctx.db.text(args.at(1))? {
        None => 0,
        Some(text) => text.with_bytes(|bytes| bit.get(bytes)),
    };
    ctx.reply.integer(value as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn getbit() {
        check(
            "GETBIT k 0 ; SET k @ ; GETBIT k 1 ; GETBIT k 0 ; GETBIT k 100",
            ":0 ; +OK ; :1 ; :0 ; :0",
        );
        check(
            "SET n 1 ; GETBIT n 2 ; GETBIT n 7 ; GETBIT n 6",
            "+OK ; :1 ; :1 ; :0",
        );
        check("GETBIT k 4294967295", ":0");
    }

    #[test]
    fn errors() {
        for offset in ["-1", "x", "4294967296", "9223372036854775807", "#1"] {
            check(
                &format!("GETBIT k {offset}"),
                "-ERR bit offset is not an integer or out of range",
            );
        }
        check(
            "LPUSH k a ; GETBIT k x ; GETBIT k 1",
            ":1 ; -ERR bit offset is not an integer or out of range ; \
             -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
