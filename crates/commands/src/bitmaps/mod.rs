//! Bitmaps: strings as arrays of bits, the most significant bit of a byte first.

use config::parameter;
use engine::spec::Command;
use engine::{Args, CommandError, Ctx};
use resp::number::parse_i64;

mod bitcount;
mod bitfield;
mod bitop;
mod bitpos;
mod getbit;
mod setbit;

pub(crate) const COMMANDS: &[Command] = &[
    bitcount::BITCOUNT,
    bitfield::BITFIELD,
    bitfield::BITFIELD_RO,
    bitop::BITOP,
    bitpos::BITPOS,
    getbit::GETBIT,
    setbit::SETBIT,
];

const BAD_OFFSET: CommandError =
    CommandError::Fixed("ERR bit offset is not an integer or out of range");

/// The position of a bit, which lies inside the longest string that is allowed.
fn parse_offset(ctx: &Ctx<'_>, word: &[u8]) -> Result<u64, CommandError> {
    check_offset(ctx, parse_i64(word)).ok_or(BAD_OFFSET)
}

fn check_offset(ctx: &Ctx<'_>, offset: Option<i64>) -> Option<u64> {
    let len_max = ctx.setting(parameter::PROTO_MAX_BULK_LEN) as u64;
    let offset = u64::try_from(offset?).ok()?;
    (offset / 8 < len_max).then_some(offset)
}

/// What an index counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Byte,
    Bit,
}

/// A part of a string, both ends included; negative ones count from the end.
struct Part {
    start: i64,
    /// `None` is the end of the string.
    end: Option<i64>,
    unit: Unit,
}

impl Part {
    /// All of a string.
    const WHOLE: Part = Part {
        start: 0,
        end: None,
        unit: Unit::Byte,
    };

    fn parse_unit(args: &mut Args<'_>) -> Result<Unit, CommandError> {
        if args.is_done() || args.eat("BYTE") {
            Ok(Unit::Byte)
        } else if args.eat("BIT") {
            Ok(Unit::Bit)
        } else {
            Err(CommandError::Syntax)
        }
    }

    /// The positions of the bits in a string of `len` bytes.
    fn bits(&self, len: usize) -> std::ops::Range<u64> {
        let unit_bits = match self.unit {
            Unit::Byte => 8,
            Unit::Bit => 1,
        };
        let total = (len as u64 * 8 / unit_bits) as i64;
        // What is before the beginning is the beginning, for the end too. Neither sum overflows: a
        // negative number and a positive one.
        let from_start = |index: i64| {
            if index < 0 {
                (index + total).max(0)
            } else {
                index
            }
        };
        let start = from_start(self.start);
        let end = self.end.map_or(total - 1, from_start).min(total - 1);
        if start > end {
            return 0..0;
        }
        start as u64 * unit_bits..(end as u64 + 1) * unit_bits
    }
}
