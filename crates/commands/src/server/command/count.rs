//! COMMAND COUNT

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const COUNT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("COUNT")
    .group(Group::Server)
    .exactly(2)
    .flags(super::FLAGS)
    .since("2.8.13")
    .summary("Returns the number of commands, subcommands left out.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    ctx.reply.count(ctx.server.commands.commands().len());
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn count() {
        check("COMMAND COUNT", &format!(":{}", crate::all().count()));
        check(
            "COMMAND COUNT a",
            "-ERR wrong number of arguments for 'command|count' command",
        );
    }
}
