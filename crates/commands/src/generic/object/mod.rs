//! OBJECT: how a value is stored, and when or how often it was used.
//!
//! Asking does not count as a use.

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};

mod encoding;
mod freq;
mod idletime;
mod refcount;

pub(super) const OBJECT: Command = Command::container(
    &SPEC,
    &[
        encoding::ENCODING,
        freq::FREQ,
        idletime::IDLETIME,
        refcount::REFCOUNT,
    ],
);

const SPEC: CommandSpec = CommandSpec::new("OBJECT")
    .at_least(2)
    .since("2.2.3")
    .summary("A container for object introspection commands.")
    .complexity("Depends on subcommand.");

/// What all subcommands have in common.
const BASE: CommandSpec = CommandSpec::new("OBJECT")
    .exactly(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::at(2, access::RO)])
    .since("2.2.3")
    .syntax("key")
    .complexity("O(1)")
    .tips(&["nondeterministic_output"]);
