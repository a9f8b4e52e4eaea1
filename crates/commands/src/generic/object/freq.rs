//! OBJECT FREQ key
//!
//! The logarithmic counter of uses, which is kept under the LFU policies only.

use engine::spec::{Command, CommandSpec};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

pub(super) const FREQ: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec {
    name: "FREQ",
    since: "4.0.0",
    summary: "Returns the logarithmic counter of a key's uses.",
    ..super::BASE
};

const NOT_KEPT: CommandError = CommandError::Fixed(
    "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when \
     switching between policies at runtime LRU and LFU data will take some time to adjust.",
);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let usage = ctx.db.usage();
    match ctx.db.inspect(args.at(2)) {
        Some(entry) => {
            let frequency = usage.frequency_of(entry).ok_or(NOT_KEPT)?;
            ctx.reply.integer(frequency.into());
        }
        None => ctx.reply.null(),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    const LFU: &str = "CONFIG SET maxmemory-policy allkeys-lfu lfu-log-factor 0";

    #[test]
    fn refused_under_other_policies() {
        check("OBJECT FREQ none", "_");
        check(
            "SET k v ; OBJECT FREQ k",
            "+OK ; -ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please \
             note that when switching between policies at runtime LRU and LFU data will take some \
             time to adjust.",
        );
    }

    #[test]
    fn counts_uses() {
        let mut fixture = fixture();
        fixture.run(LFU);
        fixture.check("SET k v ; OBJECT FREQ k ; OBJECT FREQ k", "+OK ; :5 ; :5");
        fixture.check("GET k ; GET k ; OBJECT FREQ k", "$v ; $v ; :7");
        fixture.check("SET k w ; OBJECT FREQ k", "+OK ; :8");
        fixture.check("APPEND k x ; OBJECT FREQ k", ":2 ; :9");
        fixture.check("EXPIRE k 1000 ; PERSIST k ; OBJECT FREQ k", ":1 ; :1 ; :11");
        fixture.check(
            "SADD s a ; SADD s b ; SCARD s ; OBJECT FREQ s",
            ":1 ; :1 ; :2 ; :7",
        );
        // A replaced value keeps what is known of its key.
        fixture.check("SET s v ; OBJECT FREQ s", "+OK ; :8");
    }

    #[test]
    fn asking_is_no_use() {
        let mut fixture = fixture();
        fixture.run(LFU);
        fixture.run("SET k v");
        fixture.run("TTL k ; PTTL k ; EXISTS k ; TYPE k ; OBJECT ENCODING k ; MEMORY USAGE k");
        fixture.run("SCAN 0 ; KEYS *");
        fixture.check("OBJECT FREQ k", ":5");
        fixture.check(
            "CLIENT NO-TOUCH ON ; GET k ; OBJECT FREQ k",
            "+OK ; $v ; :5",
        );
        fixture.check("TOUCH k ; OBJECT FREQ k", ":1 ; :6");
        fixture.check(
            "CLIENT NO-TOUCH OFF ; GET k ; OBJECT FREQ k",
            "+OK ; $v ; :7",
        );
    }

    #[test]
    fn decays() {
        let mut fixture = fixture();
        fixture.run(LFU);
        fixture.run("SET k v");
        fixture.advance_ms(3 * 60_000);
        fixture.check("OBJECT FREQ k ; GET k ; OBJECT FREQ k", ":2 ; $v ; :3");
        fixture.run("CONFIG SET lfu-decay-time 0");
        fixture.advance_ms(100 * 60_000);
        fixture.check("OBJECT FREQ k", ":3");
    }
}
