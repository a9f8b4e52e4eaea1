//! PFDEBUG GETREG | DECODE | ENCODING | TODENSE key, and PFDEBUG SIMD ON | OFF

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry};
use structures::hyperloglog::{self as hll, Encoding, Registers};
use structures::simd;

use super::{corrupt, open};

pub(super) const PFDEBUG: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("PFDEBUG")
    .group(Group::HyperLogLog)
    .exactly(3)
    .flags(flags::WRITE | flags::DENY_OOM | flags::ADMIN)
    .keys(&[KeySpec::at(2, access::RW | access::ACCESS)])
    .since("2.8.9")
    .syntax("subcommand key")
    .summary("Internal commands for debugging HyperLogLog values.")
    .complexity("N/A");

const NO_KEY: CommandError = CommandError::Fixed("ERR The specified key does not exist");
const NOT_SPARSE: CommandError = CommandError::Fixed("ERR HLL encoding is not sparse");
const ON_OR_OFF: CommandError = CommandError::Fixed("ERR Argument must be ON or OFF");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    if args.eat("SIMD") {
        return set_simd(ctx, args);
    }
    let key = args.at(2);
    let entry = ctx.db.peek(key).ok_or(NO_KEY)?;
    let text = entry.as_text().ok_or(CommandError::WrongType)?;
    let (string, encoding) = open(text)?;
    if args.eat("GETREG") {
        let mut registers = Registers::default();
        registers.merge(string).map_err(corrupt)?;
        ctx.reply.array(registers.ranks().len());
        for rank in registers.ranks() {
            ctx.reply.integer(*rank as i64);
        }
        make_dense(ctx, key)?;
    } else if args.eat("DECODE") {
        if encoding != Encoding::Sparse {
            return Err(NOT_SPARSE);
        }
        ctx.reply.bulk(hll::sparse::describe(string).as_bytes());
    } else if args.eat("ENCODING") {
        ctx.reply.simple(encoding.name());
    } else if args.eat("TODENSE") {
        let is_changed = make_dense(ctx, key)?;
        ctx.reply.integer(is_changed as i64);
    } else {
        let name = String::from_utf8_lossy(args.at(1));
        return Err(CommandError::new(format!(
            "ERR Unknown PFDEBUG subcommand '{name}'"
        )));
    }
    DONE
}

/// Makes a HyperLogLog dense. Returns whether it was sparse.
fn make_dense(ctx: &mut Ctx<'_>, key: &[u8]) -> Result<bool, CommandError> {
    let Some(text) = ctx.db.text(key)? else {
        return Ok(false);
    };
    let (string, encoding) = open(text)?;
    if encoding == Encoding::Dense {
        return Ok(false);
    }
    let dense = hll::to_dense(string).map_err(corrupt)?;
    ctx.db.set_text(key, &dense, Expiry::Keep, Event::SILENT);
    Ok(true)
}

fn set_simd(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    if args.eat("ON") {
        simd::set_enabled(simd::Enabled::Yes);
        ctx.reply.simple("enabled");
    } else if args.eat("OFF") {
        simd::set_enabled(simd::Enabled::No);
        ctx.reply.simple("disabled");
    } else {
        return Err(ON_OR_OFF);
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn pfdebug() {
        check(
            "PFADD k a b c ; PFDEBUG ENCODING k ; PFDEBUG DECODE k ; PFDEBUG TODENSE k ; PFDEBUG TODENSE k ; \
             PFDEBUG ENCODING k ; PFDEBUG DECODE k ; PFCOUNT k",
            ":1 ; +sparse ; $\"Z:8436 v:1,1 Z:4274 v:2,1 Z:3068 v:1,1 Z:603\" ; :1 ; :0 ; +dense ; \
             -ERR HLL encoding is not sparse ; :3",
        );
        check(
            "PFADD k a ; PFDEBUG SIMD OFF ; PFDEBUG SIMD on ; PFCOUNT k k",
            ":1 ; +disabled ; +enabled ; :1",
        );
    }

    #[test]
    fn getreg() {
        let mut fixture = crate::fixture();
        let reply = fixture.run("PFADD k a ; PFDEBUG GETREG k ; PFDEBUG ENCODING k");
        assert_eq!(reply.matches(":2").count(), 1);
        assert_eq!(reply.matches(":0").count(), 16383);
        assert!(reply.ends_with("+dense"));
    }

    #[test]
    fn errors() {
        check(
            "PFDEBUG ENCODING k",
            "-ERR The specified key does not exist",
        );
        check(
            "SET k x ; PFDEBUG foo k",
            "+OK ; -WRONGTYPE Key is not a valid HyperLogLog string value.",
        );
        check(
            "PFADD k ; PFDEBUG foo k",
            ":1 ; -ERR Unknown PFDEBUG subcommand 'foo'",
        );
        check("PFDEBUG SIMD x", "-ERR Argument must be ON or OFF");
        check(
            "SET k \"HYLL\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x80\\x00\" ; PFDEBUG DECODE k ; \
             PFDEBUG GETREG k ; PFDEBUG TODENSE k ; STRLEN k",
            "+OK ; $z:1 ; -INVALIDOBJ Corrupted HLL object detected ; \
             -INVALIDOBJ Corrupted HLL object detected ; :17",
        );
    }
}
