//! MEMORY MALLOC-STATS

use engine::spec::{Command, CommandSpec};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const MALLOC_STATS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec {
    name: "MALLOC-STATS",
    summary: "Returns what the allocator tells of itself.",
    complexity: "Depends on how much memory is allocated, could be slow",
    ..super::REPORT
};

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    match ctx.server.host.allocator_report() {
        Some(report) => ctx.reply.verbatim("txt", report.as_bytes()),
        None => ctx
            .reply
            .bulk(b"Stats not supported for the current allocator"),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn without_an_allocator_that_tells() {
        check(
            "MEMORY MALLOC-STATS",
            "$\"Stats not supported for the current allocator\"",
        );
    }
}
