//! The server commands.

use engine::spec::Command;

mod command;
mod config;
mod debug;
mod info;
mod memory;
mod memory_report;
mod shutdown;
mod time;

pub(crate) const COMMANDS: &[Command] = &[
    command::COMMAND,
    config::CONFIG,
    debug::DEBUG,
    info::INFO,
    memory::MEMORY,
    shutdown::SHUTDOWN,
    time::TIME,
];
