//! PING [message]

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

pub(super) const PING: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("PING")
    .group(Group::Connection)
    .at_least(1)
    .flags(flags::FAST | flags::CONNECTION)
    .syntax("[message]")
    .summary("Returns the server's liveliness response.")
    .complexity("O(1)")
    .tips(&["request_policy:all_shards", "response_policy:all_succeeded"]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    match args.rest() {
        [] => ctx.reply.simple("PONG"),
        [message] => ctx.reply.bulk(message),
        _ => return Err(CommandError::arity("ping")),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn ping() {
        check("PING ; PING hi", "+PONG ; $hi");
        check(
            "PING a b",
            "-ERR wrong number of arguments for 'ping' command",
        );
    }
}
