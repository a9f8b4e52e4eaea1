//! CONFIG RESETSTAT

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandResult, Ctx, DONE, WorkerStats};

pub(super) const RESETSTAT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("RESETSTAT")
    .group(Group::Server)
    .exactly(2)
    .flags(super::FLAGS)
    .since("2.0.0")
    .summary("Sets the figures of INFO to zero.")
    .complexity("O(1)")
    .tips(&["request_policy:all_nodes", "response_policy:all_succeeded"]);

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    ctx.server.stats.iter().for_each(WorkerStats::reset);
    ctx.server.rates.reset();
    ctx.server.memory.reset();
    ctx.server.keyspace.forget_lazy_frees();
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::fixture;

    #[test]
    fn resetstat() {
        let mut fixture = fixture();
        fixture.run("GET k ; FOO");
        let stats = fixture.run("INFO stats");
        assert!(stats.contains("total_error_replies:1"), "{stats}");
        assert!(stats.contains("keyspace_misses:1"), "{stats}");
        fixture.check("CONFIG RESETSTAT", "+OK");
        let stats = fixture.run("INFO stats");
        assert!(stats.contains("total_error_replies:0"), "{stats}");
        assert!(stats.contains("keyspace_misses:0"), "{stats}");
        fixture.check("INFO errorstats", "$\"# Errorstats\\r\\n\"");
    }
}
