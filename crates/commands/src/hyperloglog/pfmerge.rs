//! PFMERGE destkey [sourcekey [sourcekey ...]]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry};
use structures::hyperloglog::{self as hll, Encoding, Registers};

use super::{corrupt, open, sparse_len_max};

pub(super) const PFMERGE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("PFMERGE")
    .group(Group::HyperLogLog)
    .at_least(2)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[
        KeySpec::first(access::RW | access::ACCESS | access::INSERT),
        KeySpec::from(2, access::RO | access::ACCESS),
    ])
    .since("2.8.9")
    .syntax("destkey [sourcekey ...]")
    .summary("Merges one or more HyperLogLog values into a single key.")
    .complexity("O(N) to merge N HyperLogLogs, but with high constant times");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let target = args.at(1);
    let mut registers = Registers::default();
    // As soon as one is dense, so is the result.
    let mut form = Encoding::Sparse;
    for key in args.rest() {
        let Some(text) = ctx.db.text(key)? else {
            continue;
        };
        let (string, encoding) = open(text)?;
        registers.merge(string).map_err(corrupt)?;
        if encoding == Encoding::Dense {
            form = Encoding::Dense;
        }
    }
    let sparse_len_max = sparse_len_max(ctx);
    let empty;
    let old = match ctx.db.text(target)? {
        Some(text) => open(text)?.0,
        None => {
            empty = hll::empty();
            &empty[..]
        }
    };
    let merged = hll::raised_to(old, &registers, form, sparse_len_max).map_err(corrupt)?;
    ctx.db
        .set_text(target, &merged, Expiry::Keep, Event::string("pfadd"));
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn pfmerge() {
        check(
            "PFADD a x y ; PFADD b y z ; PFMERGE d a b none ; PFCOUNT d ; PFDEBUG ENCODING d",
            ":1 ; :1 ; +OK ; :3 ; +sparse",
        );
        check(
            "PFADD a x y ; PFDEBUG TODENSE a ; PFADD d z ; PFMERGE d a ; PFCOUNT d ; PFDEBUG ENCODING d",
            ":1 ; :1 ; :1 ; +OK ; :3 ; +dense",
        );
        check(
            "PFMERGE d ; PFCOUNT d ; EXPIRE d 9 ; PFMERGE d ; TTL d",
            "+OK ; :0 ; :1 ; +OK ; :9",
        );
    }

    #[test]
    fn errors() {
        check(
            "PFADD a x ; LPUSH l x ; SET s x ; PFMERGE d a l ; PFMERGE s a ; EXISTS d ; GET s",
            ":1 ; :1 ; +OK ; -WRONGTYPE Operation against a key holding the wrong kind of value ; \
             -WRONGTYPE Key is not a valid HyperLogLog string value. ; :0 ; $x",
        );
        check(
            "SET k \"HYLL\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x80\\x00\" ; PFMERGE d k ; PFMERGE k",
            "+OK ; -INVALIDOBJ Corrupted HLL object detected ; -INVALIDOBJ Corrupted HLL object detected",
        );
    }
}
