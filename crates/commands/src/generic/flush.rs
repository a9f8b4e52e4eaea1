//! FLUSHDB [ASYNC | SYNC], FLUSHALL [ASYNC | SYNC]
//!
//! The keys are gone when the reply is sent; their memory is freed in the background, and SYNC waits
//! for that.

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

pub(super) const FLUSHDB: Command = Command::new(&FLUSHDB_SPEC, run_flushdb);
pub(super) const FLUSHALL: Command = Command::new(&FLUSHALL_SPEC, run_flushall);

const BASE: CommandSpec = CommandSpec::new("")
    .group(Group::Server)
    .at_least(1)
    .flags(flags::WRITE | flags::DANGEROUS | flags::KEYSPACE | flags::EXCLUSIVE)
    .syntax("[ASYNC | SYNC]")
    .complexity("O(N) in the number of shards; the keys are freed in the background")
    .tips(&["request_policy:all_shards", "response_policy:all_succeeded"])
    .history(&[
        ("4.0.0", "Added the `ASYNC` flushing mode modifier."),
        ("6.2.0", "Added the `SYNC` flushing mode modifier."),
    ]);

const FLUSHDB_SPEC: CommandSpec = CommandSpec {
    name: "FLUSHDB",
    ..BASE
}
.summary("Removes all keys from the current database.");

const FLUSHALL_SPEC: CommandSpec = CommandSpec {
    name: "FLUSHALL",
    ..BASE
}
.summary("Removes all keys from all databases.");

/// Whether the reply waits until the memory is free.
fn parse_waits(mut args: Args<'_>) -> Result<bool, CommandError> {
    let waits = args.eat("SYNC");
    if !waits {
        args.eat("ASYNC");
    }
    if args.is_done() {
        Ok(waits)
    } else {
        Err(CommandError::Syntax)
    }
}

fn run_flushdb(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let waits = parse_waits(args)?;
    let database = ctx.db.database();
    ctx.db.flush(database..database + 1);
    finish(ctx, waits)
}

fn run_flushall(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let waits = parse_waits(args)?;
    ctx.db.flush(0..ctx.server.keyspace.databases());
    finish(ctx, waits)
}

fn finish(ctx: &mut Ctx<'_>, waits: bool) -> CommandResult {
    if waits {
        ctx.server.keyspace.wait_for_frees();
    }
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn flush() {
        check(
            "SET k v ; FLUSHDB ; DBSIZE ; FLUSHALL SYNC ; FLUSHALL async",
            "+OK ; +OK ; :0 ; +OK ; +OK",
        );
        check("FLUSHALL NOW", "-ERR syntax error");
        check("FLUSHDB SYNC ASYNC", "-ERR syntax error");
    }

    #[test]
    fn flushing_is_an_effect() {
        let mut fixture = fixture();
        fixture.run("SET k v ; FLUSHALL");
        assert_eq!(fixture.effects(), ["SET k v", "FLUSHALL"]);
    }
}
