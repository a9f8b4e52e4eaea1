//! Connections.

use engine::spec::Command;

mod ping;

pub(crate) const COMMANDS: &[Command] = &[ping::PING];
