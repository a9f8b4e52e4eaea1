//! MEMORY: what it is used for.

use engine::spec::{Command, CommandSpec, Group};

mod doctor;
mod malloc_stats;
mod purge;
mod stats;
mod usage;

pub(super) const MEMORY: Command = Command::container(
    &SPEC,
    &[
        doctor::DOCTOR,
        malloc_stats::MALLOC_STATS,
        purge::PURGE,
        stats::STATS,
        usage::USAGE,
    ],
);

const SPEC: CommandSpec = CommandSpec::new("MEMORY")
    .group(Group::Server)
    .at_least(2)
    .since("4.0.0")
    .summary("A container for commands on the use of memory.")
    .complexity("Depends on subcommand.");

/// What the subcommands that report on the whole server have in common.
const REPORT: CommandSpec = CommandSpec::new("MEMORY")
    .group(Group::Server)
    .exactly(2)
    .since("4.0.0")
    .tips(&[
        "nondeterministic_output",
        "request_policy:all_shards",
        "response_policy:special",
    ]);

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn container() {
        check(
            "MEMORY",
            "-ERR wrong number of arguments for 'memory' command",
        );
        check(
            "MEMORY FOO",
            "-ERR unknown subcommand 'FOO'. Try MEMORY HELP.",
        );
        let help = fixture().run("MEMORY HELP");
        assert!(help.contains("+USAGE <key> [SAMPLES <count>]"), "{help}");
    }
}
