//! BITCOUNT key [start end [BYTE | BIT]]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use structures::bits;

use super::Part;

pub(super) const BITCOUNT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("BITCOUNT")
    .group(Group::Bitmap)
    .at_least(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.6.0")
    .syntax("key [start end [BYTE | BIT]]")
    .summary("Counts the number of set bits (population counting) in a string.")
    .complexity("O(N)")
    .history(&[("7.0.0", "Added the `BYTE|BIT` option.")]);

fn parse(mut args: Args<'_>) -> Result<Part, CommandError> {
    match args.rest().len() {
        0 => return Ok(Part::WHOLE),
        2 | 3 => {}
        _ => return Err(CommandError::Syntax),
    }
    Ok(Part {
        start: args.integer()?,
        end: Some(args.integer()?),
        unit: Part::parse_unit(&mut args)?,
    })
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let part = parse(args)?;
    let count = match ctx.db.text(key)? {
        None => 0,
        // Two negative indexes the wrong way round are no bits even where both are before the start.
        Some(_) if part.start < 0 && part.end.is_some_and(|end| end < 0 && part.start > end) => 0,
        Some(text) => text.with_bytes(|bytes| bits::count_ones_in(bytes, part.bits(bytes.len()))),
    };
    ctx.reply.integer(count as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn bitcount() {
        check("BITCOUNT k ; SET k foobar ; BITCOUNT k", ":0 ; +OK ; :26");
        check(
            "SET k foobar ; BITCOUNT k 0 0 ; BITCOUNT k 1 1 BYTE ; BITCOUNT k 5 30 BIT ; BITCOUNT k -2 -1",
            "+OK ; :4 ; :6 ; :17 ; :7",
        );
        check(
            "SET k foobar ; BITCOUNT k 3 1 ; BITCOUNT k 100 200",
            "+OK ; :0 ; :0",
        );
        check("SETBIT b 0 1 ; BITCOUNT b -1 -1", ":0 ; :1");
        check(
            "SET k foobar ; BITCOUNT k -9223372036854775808 9223372036854775807 BIT ; BITCOUNT k -50 -40 ; \
             BITCOUNT k -40 -50",
            "+OK ; :26 ; :4 ; :0",
        );
        check("SET n 7 ; BITCOUNT n", "+OK ; :5");
    }

    #[test]
    fn errors() {
        for words in ["1", "x", "5 30 111", "1 2 BIT 4"] {
            check(&format!("BITCOUNT k {words}"), "-ERR syntax error");
        }
        check(
            "BITCOUNT k 1 x",
            "-ERR value is not an integer or out of range",
        );
        check(
            "LPUSH k a ; BITCOUNT k",
            ":1 ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
