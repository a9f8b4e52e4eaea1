//! PERSIST key

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;

pub(super) const PERSIST: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("PERSIST")
    .exactly(2)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::UPDATE)])
    .since("2.2.0")
    .syntax("key")
    .summary("Removes the expiration time of a key.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let has_expiry = ctx
        .db
        .find_for_write(args.at(1))
        .is_some_and(|entry| entry.expiry().is_some());
    if has_expiry {
        ctx.db
            .set_expiry(args.at(1), None, Event::generic("persist"));
    }
    ctx.reply.integer(has_expiry as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn persist() {
        check(
            "PERSIST k ; SET k v EX 9 ; PERSIST k ; PERSIST k ; TTL k",
            ":0 ; +OK ; :1 ; :0 ; :-1",
        );
    }
}
