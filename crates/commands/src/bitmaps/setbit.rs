//! SETBIT key offset value

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::bits::Field;

use super::parse_offset;

pub(super) const SETBIT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SETBIT")
    .group(Group::Bitmap)
    .exactly(4)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::UPDATE)])
    .since("2.2.0")
    .syntax("key offset value")
    .summary("Sets or clears the bit at offset of the string value. Creates the key if it doesn't exist.")
    .complexity("O(1)");

const BAD_BIT: CommandError = CommandError::Fixed("ERR bit is not an integer or out of range");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let position = parse_offset(ctx, args.at(2))?;
    let new = match args.at(3) {
        b"0" => 0,
        b"1" => 1,
        _ => return Err(BAD_BIT),
    };
    let bit = Field { position, bits: 1 };
    let mut bytes = ctx.db.text_mut(args.at(1))?.into_bytes(bit.bytes_needed());
    let old = bit.get(&bytes);
    if old != new {
        bit.set(&mut bytes, new);
    }
    bytes.commit_if(old != new, Event::string("setbit"));
    ctx.reply.integer(old as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn setbit() {
        check(
            "SETBIT k 1 1 ; GET k ; SETBIT k 1 1 ; SETBIT k 1 0 ; GET k",
            ":0 ; $@ ; :1 ; :1 ; $\"\\x00\"",
        );
        check(
            "SETBIT k 20 0 ; STRLEN k ; SETBIT k 7 1 ; GET k",
            ":0 ; :3 ; :0 ; $\"\\x01\\x00\\x00\"",
        );
        check(
            "SET n 1 EX 9 ; SETBIT n 6 1 ; INCR n ; TTL n",
            "+OK ; :0 ; :4 ; :9",
        );
        check(
            "SET k ab ; SETBIT k 100000 1 ; STRLEN k ; GETRANGE k 0 1",
            "+OK ; :0 ; :12501 ; $ab",
        );
    }

    #[test]
    fn errors() {
        for bit in ["2", "-1", "x", "01", "\"\""] {
            check(
                &format!("SETBIT k 0 {bit}"),
                "-ERR bit is not an integer or out of range",
            );
        }
        check(
            "SETBIT k 4294967296 2",
            "-ERR bit offset is not an integer or out of range",
        );
        check(
            "LPUSH k a ; SETBIT k 0 1",
            ":1 ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn a_bit_that_is_set_already_has_no_effect() {
        let mut fixture = fixture();
        fixture.run("SETBIT k 9 1 ; SETBIT k 9 1 ; SETBIT k 3 0 ; SETBIT k 16 0");
        assert_eq!(fixture.effects(), ["SETBIT k 9 1", "SETBIT k 16 0"]);
    }
}
