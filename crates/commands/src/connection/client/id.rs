//! CLIENT ID

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const ID: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ID")
    .group(Group::Connection)
    .exactly(2)
    .flags(super::FLAGS)
    .since("5.0.0")
    .summary("Returns the number of the connection, which no other ever has.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    ctx.reply.integer(ctx.session.client.id as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn id() {
        check("CLIENT ID", ":1");
        check(
            "client id a",
            "-ERR wrong number of arguments for 'client|id' command",
        );
    }
}
