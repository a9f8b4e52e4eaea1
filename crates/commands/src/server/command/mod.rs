//! COMMAND: what commands there are. All of it derives from their specs.

use engine::spec::{Command, CommandSpec, Group, flags};

mod count;
mod docs;
mod getkeys;
mod getkeysandflags;
mod info;
mod list;

pub(super) const COMMAND: Command = Command {
    spec: &SPEC,
    run: info::all,
    subcommands: &[
        count::COUNT,
        docs::DOCS,
        getkeys::GETKEYS,
        getkeysandflags::GETKEYSANDFLAGS,
        info::INFO,
        list::LIST,
    ],
};

const SPEC: CommandSpec = CommandSpec::new("COMMAND")
    .group(Group::Server)
    .at_least(1)
    .flags(FLAGS)
    .since("2.8.13")
    .summary("Tells of all commands what a client library wants to know.")
    .complexity("O(N), N being the number of commands")
    .tips(&["nondeterministic_output_order"]);

/// What all subcommands have in common.
const FLAGS: u32 = flags::LOADING | flags::STALE | flags::CONNECTION;

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn container() {
        check(
            "COMMAND FOO",
            "-ERR unknown subcommand 'FOO'. Try COMMAND HELP.",
        );
        let help = crate::fixture().run("COMMAND HELP");
        assert!(
            help.contains("+(no subcommand) +    Tells of all"),
            "{help}"
        );
        assert!(help.contains("+INFO [<command-name> ...] +    "), "{help}");
    }
}
