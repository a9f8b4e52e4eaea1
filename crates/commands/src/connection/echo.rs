//! ECHO message

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const ECHO: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ECHO")
    .group(Group::Connection)
    .exactly(2)
    .flags(flags::LOADING | flags::STALE | flags::FAST | flags::CONNECTION)
    .syntax("message")
    .summary("Sends a message back.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    ctx.reply.bulk(args.at(1));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn echo() {
        check("ECHO hi ; ECHO ''", "$hi ; $\"\"");
        check("ECHO", "-ERR wrong number of arguments for 'echo' command");
    }
}
