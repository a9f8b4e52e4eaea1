//! HyperLogLogs: strings from which the number of different elements that were added is estimated.

use config::parameter;
use engine::spec::Command;
use engine::{CommandError, Ctx};
use keyspace::Text;
use structures::hyperloglog::{self as hll, Corrupt, Encoding};

mod pfadd;
mod pfcount;
mod pfdebug;
mod pfmerge;
mod pfselftest;

pub(crate) const COMMANDS: &[Command] = &[
    pfadd::PFADD,
    pfcount::PFCOUNT,
    pfdebug::PFDEBUG,
    pfmerge::PFMERGE,
    pfselftest::PFSELFTEST,
];

const NO_HYPERLOGLOG: CommandError =
    CommandError::Fixed("WRONGTYPE Key is not a valid HyperLogLog string value.");
const CORRUPT: CommandError = CommandError::Fixed("INVALIDOBJ Corrupted HLL object detected");

/// What [`Corrupt`] is to clients.
fn corrupt(_: Corrupt) -> CommandError {
    CORRUPT
}

/// The HyperLogLog that a string is.
fn open(text: Text<'_>) -> Result<(&[u8], Encoding), CommandError> {
    match text {
        Text::Bytes(bytes) => {
            let encoding = hll::check(bytes).ok_or(NO_HYPERLOGLOG)?;
            Ok((bytes, encoding))
        }
        Text::Int(_) => Err(NO_HYPERLOGLOG),
    }
}

/// How long a sparse HyperLogLog may be.
fn sparse_len_max(ctx: &Ctx<'_>) -> usize {
    ctx.setting(parameter::HLL_SPARSE_MAX_BYTES) as usize
}
