//! The server commands.

use engine::spec::Command;

pub(crate) const COMMANDS: &[Command] = &[];
