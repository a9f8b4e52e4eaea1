//! OBJECT IDLETIME key
//!
//! The seconds since the last use, which are kept unless the policy is one of the LFU policies.

use engine::spec::{Command, CommandSpec};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

pub(super) const IDLETIME: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec {
    name: "IDLETIME",
    summary: "Returns the seconds since a key was last used.",
    ..super::BASE
};

const NOT_KEPT: CommandError = CommandError::Fixed(
    "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching \
     between policies at runtime LRU and LFU data will take some time to adjust.",
);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let usage = ctx.db.usage();
    match ctx.db.inspect(args.at(2)) {
        Some(entry) => {
            let idle_ms = usage.idle_ms(entry).ok_or(NOT_KEPT)?;
            ctx.reply.integer((idle_ms / 1000) as i64);
        }
        None => ctx.reply.null(),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn refused_under_lfu() {
        check(
            "CONFIG SET maxmemory-policy volatile-lfu ; SET k v ; OBJECT IDLETIME none ; OBJECT IDLETIME k",
            "+OK ; +OK ; _ ; -ERR An LFU maxmemory policy is selected, idle time not tracked. Please \
             note that when switching between policies at runtime LRU and LFU data will take some \
             time to adjust.",
        );
    }

    #[test]
    fn seconds_since_the_last_use() {
        let mut fixture = fixture();
        fixture.check("SET k v ; OBJECT IDLETIME k", "+OK ; :0");
        fixture.advance_ms(42_000);
        fixture.check("TTL k ; EXISTS k ; TYPE k", ":-1 ; :1 ; +string");
        fixture.check("OBJECT IDLETIME k ; OBJECT IDLETIME k", ":42 ; :42");
        fixture.check("GET k ; OBJECT IDLETIME k", "$v ; :0");
        for write in [
            "SET k v",
            "SET k v NX",
            "SETNX k v",
            "APPEND k x",
            "EXPIRE k 1000 NX",
            "TOUCH k",
        ] {
            fixture.advance_ms(5_000);
            fixture.check("OBJECT IDLETIME k", ":5");
            fixture.run(write);
            fixture.check("OBJECT IDLETIME k", ":0");
        }
        fixture.run("CLIENT NO-TOUCH ON");
        fixture.advance_ms(7_000);
        fixture.check("GET k ; OBJECT IDLETIME k", "$vx ; :7");
        fixture.check("SET new v ; OBJECT IDLETIME new", "+OK ; :0");
        fixture.check("TOUCH k ; OBJECT IDLETIME k", ":1 ; :0");
        fixture.advance_ms(1_000);
        fixture.check("RESET ; GET k ; OBJECT IDLETIME k", "+RESET ; $vx ; :0");
    }

    #[test]
    fn of_every_type() {
        let mut fixture = fixture();
        fixture.run("RPUSH l a ; SADD s a ; HSET h f v ; ZADD z 1 a ; INCR n");
        for (key, write) in [
            ("l", "RPUSH l a"),
            ("s", "SADD s a"),
            ("h", "HGET h f"),
            ("z", "ZSCORE z a"),
            ("n", "INCR n"),
            ("l", "LPOP l"),
        ] {
            fixture.advance_ms(3_000);
            let idle = format!("OBJECT IDLETIME {key}");
            assert_ne!(fixture.run(&idle), ":0");
            fixture.run(write);
            fixture.check(&idle, ":0");
        }
    }
}
