//! TTL key, PTTL key, EXPIRETIME key, PEXPIRETIME key

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const TTL: Command = Command::new(&TTL_SPEC, |ctx, args| {
    // Rounded, as Redis does: a key set to expire in 10 seconds has 10 left for half a second.
    run(ctx, args, |expiry, now| {
        (expiry.saturating_sub(now) + 500) / 1000
    })
});
pub(super) const PTTL: Command = Command::new(&PTTL_SPEC, |ctx, args| {
    run(ctx, args, |expiry, now| expiry.saturating_sub(now))
});
pub(super) const EXPIRETIME: Command = Command::new(&EXPIRETIME_SPEC, |ctx, args| {
    run(ctx, args, |expiry, _| (expiry + 500) / 1000)
});
pub(super) const PEXPIRETIME: Command = Command::new(&PEXPIRETIME_SPEC, |ctx, args| {
    run(ctx, args, |expiry, _| expiry)
});

const BASE: CommandSpec = CommandSpec::new("")
    .exactly(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .syntax("key")
    .complexity("O(1)");

const TTL_SPEC: CommandSpec = CommandSpec {
    name: "TTL",
    ..BASE
}
.summary("Returns the expiration time in seconds of a key.")
.tips(&["nondeterministic_output"])
.history(&[("2.8.0", "Added the -2 reply.")]);

const PTTL_SPEC: CommandSpec = CommandSpec {
    name: "PTTL",
    ..BASE
}
.since("2.6.0")
.summary("Returns the expiration time in milliseconds of a key.")
.tips(&["nondeterministic_output"])
.history(&[("2.8.0", "Added the -2 reply.")]);

const EXPIRETIME_SPEC: CommandSpec = CommandSpec {
    name: "EXPIRETIME",
    ..BASE
}
.since("7.0.0")
.summary("Returns the expiration time of a key as a Unix timestamp.");

const PEXPIRETIME_SPEC: CommandSpec = CommandSpec {
    name: "PEXPIRETIME",
    ..BASE
}
.since("7.0.0")
.summary("Returns the expiration time of a key as a Unix milliseconds timestamp.");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>, answer: fn(u64, u64) -> u64) -> CommandResult {
    let reply = match ctx.db.inspect(args.at(1)) {
        None => -2,
        Some(entry) => entry
            .expiry()
            .map_or(-1, |expiry| answer(expiry, ctx.db.now_ms()) as i64),
    };
    ctx.reply.integer(reply);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn ttl() {
        check("TTL k ; SET k v ; TTL k ; PTTL k", ":-2 ; +OK ; :-1 ; :-1");
        check("SET k v PX 1499 ; TTL k ; PTTL k", "+OK ; :1 ; :1499");
        check(
            "SET k v EX 1 ; EXPIRETIME k ; PEXPIRETIME k",
            "+OK ; :1000000001 ; :1000000001000",
        );
    }

    #[test]
    fn at_the_deadline_the_key_is_gone() {
        let mut fixture = fixture();
        fixture.run("SET k v PX 100");
        fixture.advance_ms(99);
        fixture.check("PTTL k", ":1");
        fixture.advance_ms(1);
        fixture.check("PTTL k ; GET k", ":-2 ; _");
    }
}
