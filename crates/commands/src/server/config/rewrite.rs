//! CONFIG REWRITE

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

pub(super) const REWRITE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("REWRITE")
    .group(Group::Server)
    .exactly(2)
    .flags(super::FLAGS)
    .since("2.8.0")
    .summary("Writes the parameters in force to the configuration file.")
    .complexity("O(1)")
    .tips(&["request_policy:all_nodes", "response_policy:all_succeeded"]);

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    if let Err(error) = ctx.config().rewrite(&[]) {
        log::warn!("CONFIG REWRITE failed: {error}");
        return Err(CommandError::new(error.to_string()));
    }
    log::info!("CONFIG REWRITE executed with success.");
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn rewrite() {
        check(
            "CONFIG REWRITE",
            "-ERR The server is running without a config file",
        );
        check(
            "CONFIG REWRITE a",
            "-ERR wrong number of arguments for 'config|rewrite' command",
        );
    }
}
