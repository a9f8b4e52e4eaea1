//! BITPOS key bit [start [end [BYTE | BIT]]]
//!
//! A string without a given end goes on with zeros for ever, so a clear bit is always found in it.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use structures::bits;

use super::{Part, Unit};

pub(super) const BITPOS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("BITPOS")
    .group(Group::Bitmap)
    .at_least(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.8.7")
    .syntax("key bit [start [end [BYTE | BIT]]]")
    .summary("Finds the first set (1) or clear (0) bit in a string.")
    .complexity("O(N)")
    .history(&[("7.0.0", "Added the `BYTE|BIT` option.")]);

const BAD_BIT: CommandError = CommandError::Fixed("ERR The bit argument must be 1 or 0.");

fn parse(mut args: Args<'_>) -> Result<(u8, Part), CommandError> {
    let bit = match args.integer()? {
        0 => 0,
        1 => 1,
        _ => return Err(BAD_BIT),
    };
    let part = match args.rest() {
        [] => Part::WHOLE,
        [_] => Part {
            start: args.integer()?,
            end: None,
            unit: Unit::Byte,
        },
        [_, _] | [_, _, _] => {
            let start = args.integer()?;
            // The unit is looked at before the end.
            let mut behind_end = args;
            behind_end.skip(1);
            Part {
                start,
                unit: Part::parse_unit(&mut behind_end)?,
                end: Some(args.integer()?),
            }
        }
        _ => return Err(CommandError::Syntax),
    };
    Ok((bit, part))
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let (bit, part) = parse(args)?;
    let position = match ctx.db.text(key)? {
        None if bit == 0 => Some(0),
        None => None,
        Some(text) => text.with_bytes(|bytes| {
            let range = part.bits(bytes.len());
            let found = bits::first_bit(bytes, range.clone(), bit);
            let behind = (bit == 0 && part.end.is_none() && !range.is_empty()).then_some(range.end);
            found.or(behind)
        }),
    };
    ctx.reply
        .integer(position.map_or(-1, |position| position as i64));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn bitpos() {
        check("BITPOS k 0 ; BITPOS k 1 ; BITPOS k 0 5 3", ":0 ; :-1 ; :0");
        check(
            "SET k \"\\xff\\xf0\\x00\" ; BITPOS k 0 ; BITPOS k 1 ; BITPOS k 1 2 ; BITPOS k 0 -1",
            "+OK ; :12 ; :0 ; :-1 ; :16",
        );
        check(
            "SET k \"\\xff\\xff\" ; BITPOS k 0 ; BITPOS k 0 1 ; BITPOS k 0 0 -1 ; BITPOS k 0 2",
            "+OK ; :16 ; :16 ; :-1 ; :-1",
        );
        check(
            "SET k \"\\x00\\xff\\xf0\" ; BITPOS k 1 7 15 BIT ; BITPOS k 1 2 -1 BYTE ; BITPOS k 0 8 -1 BIT",
            "+OK ; :8 ; :16 ; :20",
        );
        check("SET e \"\" ; BITPOS e 0 ; BITPOS e 1", "+OK ; :-1 ; :-1");
    }

    #[test]
    fn errors() {
        check("BITPOS k 2", "-ERR The bit argument must be 1 or 0.");
        check("BITPOS k x", "-ERR value is not an integer or out of range");
        check(
            "BITPOS k 1 x",
            "-ERR value is not an integer or out of range",
        );
        check("BITPOS k 1 2 y foo", "-ERR syntax error");
        check(
            "BITPOS k 1 2 y BIT",
            "-ERR value is not an integer or out of range",
        );
        check("BITPOS k 1 2 3 BIT 4", "-ERR syntax error");
        check(
            "LPUSH k a ; BITPOS k 1",
            ":1 ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
