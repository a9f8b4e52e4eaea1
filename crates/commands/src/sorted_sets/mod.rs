//! The sorted_sets commands.

use engine::spec::Command;

pub(crate) const COMMANDS: &[Command] = &[];
