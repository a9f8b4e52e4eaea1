//! PFCOUNT key [key ...]
//!
//! The estimate of one key is cached inside its value: counting is a write then, though a read to
//! clients. Its effect is the command itself, for the bytes of the value are a client's to see.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::hyperloglog::{self as hll, Registers};

use super::{corrupt, open};

pub(super) const PFCOUNT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("PFCOUNT")
    .group(Group::HyperLogLog)
    .at_least(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::from(1, access::RW | access::ACCESS).notes(
        "RW because it may change the internal representation of the key, and propagate to replicas",
    )])
    .since("2.8.9")
    .syntax("key [key ...]")
    .summary("Returns the approximated cardinality of the set(s) observed by the HyperLogLog key(s).")
    .complexity("O(1) with a cached estimate of one key; else O(N) with N being the number of keys, and big constant times");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    if args.len() > 2 {
        return count_union(ctx, args.rest());
    }
    let key = args.at(1);
    let Some(text) = ctx.db.text(key)? else {
        ctx.reply.integer(0);
        return DONE;
    };
    let (string, _) = open(text)?;
    let estimate = match hll::cached(string) {
        Some(estimate) => estimate,
        None => {
            let estimate = hll::estimate(string).map_err(corrupt)?;
            let mut bytes = ctx.db.text_mut(key)?.into_bytes(0);
            hll::set_cached(&mut bytes, estimate);
            bytes.commit_if(true, Event::SILENT);
            estimate
        }
    };
    ctx.reply.integer(estimate as i64);
    DONE
}

/// The estimate of how many different elements were added to any of the keys.
fn count_union(ctx: &mut Ctx<'_>, keys: &[&[u8]]) -> CommandResult {
    let mut registers = Registers::default();
    for key in keys {
        if let Some(text) = ctx.db.text(key)? {
            registers.merge(open(text)?.0).map_err(corrupt)?;
        }
    }
    ctx.reply.integer(registers.estimate() as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn pfcount() {
        check(
            "PFCOUNT k ; PFADD k a b c a ; PFCOUNT k ; PFCOUNT k",
            ":0 ; :1 ; :3 ; :3",
        );
        check(
            "PFADD a x y ; PFADD b y z ; PFDEBUG TODENSE b ; PFCOUNT a b none ; PFCOUNT none none",
            ":1 ; :1 ; :1 ; :3 ; :0",
        );
        check(
            "PFADD k a ; PFCOUNT k ; PFADD k b ; PFCOUNT k",
            ":1 ; :1 ; :1 ; :2",
        );
    }

    #[test]
    fn errors() {
        check(
            "SET k x ; PFCOUNT k",
            "+OK ; -WRONGTYPE Key is not a valid HyperLogLog string value.",
        );
        check(
            "LPUSH l x ; PFADD k a ; PFCOUNT k l ; PFCOUNT l",
            ":1 ; :1 ; -WRONGTYPE Operation against a key holding the wrong kind of value ; \
             -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
        check(
            "SET k \"HYLL\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x80\\x00\" ; PFCOUNT k ; PFCOUNT k k",
            "+OK ; -INVALIDOBJ Corrupted HLL object detected ; -INVALIDOBJ Corrupted HLL object detected",
        );
    }

    #[test]
    fn an_estimate_is_cached_once() {
        let mut fixture = fixture();
        fixture.run("PFADD k a ; PFCOUNT k ; PFCOUNT k ; PFCOUNT k k");
        assert_eq!(fixture.effects(), ["PFADD k a", "PFCOUNT k"]);
    }
}
