//! MEMORY PURGE

use engine::spec::{Command, CommandSpec};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

pub(super) const PURGE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec {
    name: "PURGE",
    summary: "Gives memory that is free back to the system.",
    complexity: "Depends on how much memory is allocated, could be slow",
    tips: &["request_policy:all_shards", "response_policy:all_succeeded"],
    ..super::REPORT
};

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    if !ctx.server.host.purge_memory() {
        return Err(CommandError::Fixed("ERR Error purging dirty pages"));
    }
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn purge() {
        check("MEMORY PURGE", "+OK");
    }
}
