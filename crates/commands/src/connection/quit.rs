//! QUIT

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandResult, Ctx, Outcome};

pub(super) const QUIT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("QUIT")
    .group(Group::Connection)
    .at_least(1)
    .flags(
        flags::NO_SCRIPT
            | flags::LOADING
            | flags::STALE
            | flags::FAST
            | flags::NO_AUTH
            | flags::ALLOW_BUSY
            | flags::CONNECTION,
    )
    .summary("Ends the connection.")
    .complexity("O(1)")
    .deprecated("7.2.0", "closing the socket");

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    ctx.reply.ok();
    Ok(Outcome::Close)
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn nothing_is_executed_behind_quit() {
        check("PING ; QUIT ; PING", "+PONG ; +OK");
        check("QUIT now please", "+OK");
    }
}
