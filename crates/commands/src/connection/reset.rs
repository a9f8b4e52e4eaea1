//! RESET

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const RESET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("RESET")
    .group(Group::Connection)
    .exactly(1)
    .flags(
        flags::NO_SCRIPT
            | flags::LOADING
            | flags::STALE
            | flags::FAST
            | flags::NO_AUTH
            | flags::ALLOW_BUSY
            | flags::CONNECTION,
    )
    .since("6.2.0")
    .summary("Brings the connection back to the state in which it began.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    ctx.session.reset(ctx.server);
    ctx.reply.set_protocol(ctx.session.protocol());
    ctx.reply.simple("RESET");
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn reset() {
        check(
            "CLIENT SETNAME a ; SELECT 3 ; SET k v ; RESET ; CLIENT GETNAME ; GET k",
            "+OK ; +OK ; +OK ; +RESET ; _ ; _",
        );
        let mut fixture = fixture();
        fixture.run("HELLO 3");
        fixture.check("CONFIG GET port ; RESET", "{$port: $6379} ; +RESET");
        fixture.check("CONFIG GET port", "[$port $6379]");
        check(
            "RESET a",
            "-ERR wrong number of arguments for 'reset' command",
        );
    }
}
