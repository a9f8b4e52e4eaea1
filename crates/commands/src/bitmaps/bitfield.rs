//! BITFIELD key [GET encoding offset | [OVERFLOW WRAP | SAT | FAIL] SET encoding offset value |
//! INCRBY encoding offset increment ...], and BITFIELD_RO
//!
//! All operations are parsed before the first is done, and the string grows once, for the farthest bit
//! that any of them may write. Values are computed in 128 bits, where nothing overflows; so SAT makes
//! the least 64-bit integers the least of a field, where Redis's own check overflows and it takes them
//! for too great.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{Event, Text};
use resp::ReplyWriter;
use resp::number::parse_i64;
use smallvec::SmallVec;
use structures::bits::Field;

use super::{BAD_OFFSET, check_offset};

pub(super) const BITFIELD: Command = Command::new(&SPEC, run);
pub(super) const BITFIELD_RO: Command = Command::new(&RO_SPEC, run_read_only);

const SPEC: CommandSpec = CommandSpec::new("BITFIELD")
    .group(Group::Bitmap)
    .at_least(2)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[
        KeySpec::first(access::RW | access::ACCESS | access::UPDATE | access::VARIABLE)
            .notes("This command allows both access and modification of the key")
            .narrowed(access_of),
    ])
    .since("3.2.0")
    .syntax(
        "key [GET encoding offset | [OVERFLOW <WRAP | SAT | FAIL>] \
         <SET encoding offset value | INCRBY encoding offset increment> ...]",
    )
    .summary("Performs arbitrary bitfield integer operations on strings.")
    .complexity("O(1) for each subcommand specified");

const RO_SPEC: CommandSpec = CommandSpec::new("BITFIELD_RO")
    .group(Group::Bitmap)
    .at_least(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("6.0.0")
    .syntax("key [GET encoding offset [GET encoding offset ...]]")
    .summary("Performs arbitrary read-only bitfield integer operations on strings.")
    .complexity("O(1) for each subcommand specified");

const BAD_ENCODING: CommandError = CommandError::Fixed(
    "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.",
);
const BAD_OVERFLOW: CommandError = CommandError::Fixed("ERR Invalid OVERFLOW type specified");
const READ_ONLY: CommandError =
    CommandError::Fixed("ERR BITFIELD_RO only supports the GET subcommand");

/// Without a word that writes, nothing is written.
fn access_of(words: &[&[u8]]) -> u32 {
    let mut args = Args::new(words);
    args.skip(1);
    while !args.is_done() {
        if !args.eat("GET") {
            return access::RW | access::ACCESS | access::UPDATE;
        }
        args.skip(2);
    }
    access::RO | access::ACCESS
}

/// What becomes of a value that the field cannot hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overflow {
    Wrap,
    Saturate,
    Fail,
}

#[derive(Clone, Copy)]
enum Action {
    Get,
    Set(i64),
    Add(i64),
}

#[derive(Clone, Copy)]
struct Operation {
    field: Field,
    is_signed: bool,
    overflow: Overflow,
    action: Action,
}

type Operations = SmallVec<[Operation; 4]>;

fn parse(ctx: &Ctx<'_>, mut args: Args<'_>) -> Result<Operations, CommandError> {
    let mut operations = Operations::new();
    let mut overflow = Overflow::Wrap;
    while !args.is_done() {
        let words_behind = args.rest().len() - 1;
        if words_behind >= 1 && args.eat("OVERFLOW") {
            overflow = parse_overflow(&mut args)?;
            continue;
        }
        let action: Option<fn(i64) -> Action> = if words_behind >= 2 && args.eat("GET") {
            None
        } else if words_behind >= 3 && args.eat("SET") {
            Some(Action::Set)
        } else if words_behind >= 3 && args.eat("INCRBY") {
            Some(Action::Add)
        } else {
            return Err(CommandError::Syntax);
        };
        let (is_signed, bits) = parse_encoding(args.required()?)?;
        let position = parse_position(ctx, args.required()?, bits)?;
        operations.push(Operation {
            field: Field { position, bits },
            is_signed,
            overflow,
            action: match action {
                None => Action::Get,
                Some(action) => action(args.integer()?),
            },
        });
    }
    Ok(operations)
}

fn parse_overflow(args: &mut Args<'_>) -> Result<Overflow, CommandError> {
    if args.eat("WRAP") {
        Ok(Overflow::Wrap)
    } else if args.eat("SAT") {
        Ok(Overflow::Saturate)
    } else if args.eat("FAIL") {
        Ok(Overflow::Fail)
    } else {
        Err(BAD_OVERFLOW)
    }
}

/// Whether the integer is signed, and its width: `i1` to `i64`, `u1` to `u63`.
fn parse_encoding(word: &[u8]) -> Result<(bool, u32), CommandError> {
    let (is_signed, digits, bits_max) = match word {
        [b'i', digits @ ..] => (true, digits, 64),
        [b'u', digits @ ..] => (false, digits, 63),
        _ => return Err(BAD_ENCODING),
    };
    match parse_i64(digits) {
        Some(bits @ 1..) if bits <= bits_max => Ok((is_signed, bits as u32)),
        _ => Err(BAD_ENCODING),
    }
}

/// A position in bits, or behind `#` in integers of the width.
fn parse_position(ctx: &Ctx<'_>, word: &[u8], bits: u32) -> Result<u64, CommandError> {
    let position = match word {
        [b'#', index @ ..] => parse_i64(index).and_then(|index| index.checked_mul(bits as i64)),
        _ => parse_i64(word),
    };
    check_offset(ctx, position).ok_or(BAD_OFFSET)
}

impl Operation {
    fn writes(&self) -> bool {
        !matches!(self.action, Action::Get)
    }

    fn read(&self, bytes: &[u8]) -> i64 {
        let value = self.field.get(bytes);
        if self.is_signed {
            let unused = 64 - self.field.bits;
            (value << unused) as i64 >> unused
        } else {
            // At most 63 bits.
            value as i64
        }
    }

    /// The least and the greatest value.
    fn bounds(&self) -> (i128, i128) {
        if self.is_signed {
            let half = 1i128 << (self.field.bits - 1);
            (-half, half - 1)
        } else {
            (0, (1i128 << self.field.bits) - 1)
        }
    }

    /// What is written where `old` stands, to be cut to the field's width; `None` on a failure.
    fn new_value(&self, old: i64) -> Option<i64> {
        let wanted = match self.action {
            Action::Get => return None,
            Action::Add(by) => old as i128 + by as i128,
            // A negative value for an unsigned field is a great one.
            Action::Set(value) if !self.is_signed => value as u64 as i128,
            Action::Set(value) => value as i128,
        };
        let (min, max) = self.bounds();
        match self.overflow {
            _ if (min..=max).contains(&wanted) => Some(wanted as i64),
            Overflow::Wrap => Some(wanted as i64),
            Overflow::Saturate => Some(wanted.clamp(min, max) as i64),
            Overflow::Fail => None,
        }
    }

    /// Does the operation and replies. Returns whether the string changed.
    fn write(&self, bytes: &mut [u8], reply: &mut ReplyWriter<'_>) -> bool {
        let old = self.read(bytes);
        let Some(new) = self.new_value(old) else {
            reply.null();
            return false;
        };
        self.field.set(bytes, new as u64);
        let new = self.read(bytes);
        let answer = match self.action {
            Action::Set(_) => old,
            _ => new,
        };
        reply.integer(answer);
        new != old
    }
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let operations = parse(ctx, args)?;
    let writes = operations.iter().filter(|operation| operation.writes());
    let Some(len) = writes.map(|operation| operation.field.bytes_needed()).max() else {
        return reply_values(ctx, key, &operations);
    };
    let mut bytes = ctx.db.text_mut(key)?.into_bytes(len);
    let mut is_changed = false;
    ctx.reply.array(operations.len());
    for operation in &operations {
        if operation.writes() {
            is_changed |= operation.write(&mut bytes, &mut ctx.reply);
        } else {
            ctx.reply.integer(operation.read(&bytes));
        }
    }
    bytes.commit_if(is_changed, Event::string("setbit"));
    DONE
}

fn run_read_only(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let operations = parse(ctx, args)?;
    if operations.iter().any(Operation::writes) {
        return Err(READ_ONLY);
    }
    reply_values(ctx, key, &operations)
}

fn reply_values(ctx: &mut Ctx<'_>, key: &[u8], operations: &[Operation]) -> CommandResult {
    let text = ctx.db.text(key)?.unwrap_or(Text::Bytes(b""));
    ctx.reply.array(operations.len());
    text.with_bytes(|bytes| {
        for operation in operations {
            ctx.reply.integer(operation.read(bytes));
        }
    });
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn bitfield() {
        check(
            "BITFIELD k ; BITFIELD k OVERFLOW SAT ; EXISTS k",
            "[] ; [] ; :0",
        );
        check(
            "BITFIELD k INCRBY i5 100 1 GET u4 0 ; STRLEN k",
            "[:1 :0] ; :14",
        );
        check(
            "BITFIELD k SET i8 0 -1 GET u8 0 GET i8 0 SET u8 #1 5 GET u16 0",
            "[:0 :255 :-1 :0 :65285]",
        );
        check("BITFIELD k GET i64 0 ; EXISTS k", "[:0] ; :0");
        check(
            "SET n 1 EX 9 ; BITFIELD n INCRBY u8 0 1 ; GET n ; TTL n",
            "+OK ; [:50] ; $2 ; :9",
        );
        check(
            "SET k ab ; BITFIELD_RO k GET u8 0 GET u8 8 OVERFLOW SAT GET u8 12",
            "+OK ; [:97 :98 :32]",
        );
    }

    #[test]
    fn overflow() {
        check(
            "BITFIELD k SET i64 0 9223372036854775807 OVERFLOW SAT INCRBY i64 0 1 OVERFLOW FAIL INCRBY i64 0 1",
            "[:0 :9223372036854775807 _]",
        );
        check(
            "BITFIELD k SET i64 0 9223372036854775807 INCRBY i64 0 1 INCRBY i64 0 -1",
            "[:0 :-9223372036854775808 :9223372036854775807]",
        );
        check(
            "BITFIELD k OVERFLOW SAT SET u8 0 -1 GET u8 0 SET i8 0 200 SET i8 0 -200 GET i8 0",
            "[:0 :255 :-1 :127 :-128]",
        );
        check(
            "BITFIELD k OVERFLOW SAT SET i8 0 -9223372036854775808 GET i8 0",
            "[:0 :-128]",
        );
        check(
            "BITFIELD k OVERFLOW WRAP SET u8 0 257 GET u8 0 SET i8 0 200 GET i8 0",
            "[:0 :1 :1 :-56]",
        );
        check(
            "BITFIELD k SET u63 0 9223372036854775807 INCRBY u63 0 1 INCRBY u63 0 -1 \
             OVERFLOW SAT INCRBY u63 0 9223372036854775807 INCRBY u63 0 -9223372036854775808",
            "[:0 :0 :9223372036854775807 :9223372036854775807 :0]",
        );
    }

    #[test]
    fn errors() {
        for words in ["GET u8", "SET u8 0", "INCRBY u8 0", "OVERFLOW", "FOO u8 0"] {
            check(&format!("BITFIELD k {words}"), "-ERR syntax error");
        }
        for encoding in ["u64", "i65", "i0", "I8", "8", "u08", "\"\"", "u"] {
            check(
                &format!("BITFIELD k GET {encoding} 0"),
                "-ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is.",
            );
        }
        for offset in [
            "-1",
            "x",
            "#-1",
            "#",
            "4294967296",
            "#536870912",
            "#9223372036854775807",
        ] {
            check(
                &format!("BITFIELD k GET u8 {offset}"),
                "-ERR bit offset is not an integer or out of range",
            );
        }
        check(
            "BITFIELD k OVERFLOW foo",
            "-ERR Invalid OVERFLOW type specified",
        );
        check(
            "BITFIELD k SET u8 0 x",
            "-ERR value is not an integer or out of range",
        );
        check(
            "BITFIELD k SET u8 0 1 GET u99 0 ; EXISTS k",
            "-ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 is. ; :0",
        );
        check(
            "BITFIELD_RO k GET u8 0 SET u8 0 1",
            "-ERR BITFIELD_RO only supports the GET subcommand",
        );
        check(
            "LPUSH k a ; BITFIELD k ; BITFIELD k SET u8 0 1",
            ":1 ; -WRONGTYPE Operation against a key holding the wrong kind of value ; \
             -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn effects_are_changes_only() {
        let mut fixture = fixture();
        fixture.run("BITFIELD k GET u8 0 ; BITFIELD k SET u8 0 1 ; BITFIELD k SET u8 0 1 ; BITFIELD k OVERFLOW FAIL SET u8 8 300");
        assert_eq!(
            fixture.effects(),
            [
                "BITFIELD k SET u8 0 1",
                "BITFIELD k OVERFLOW FAIL SET u8 8 300"
            ]
        );
    }

    #[test]
    fn keys_are_read_or_written() {
        check(
            "COMMAND GETKEYSANDFLAGS BITFIELD k GET u8 0 ; COMMAND GETKEYSANDFLAGS BITFIELD k SET u8 0 1",
            "[[$k [+RO +access]]] ; [[$k [+RW +access +update]]]",
        );
    }
}
