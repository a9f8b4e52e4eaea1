//! `CONTAINER HELP`, derived from the specs of the subcommands.
//!
//! Every container has this subcommand without naming it: the command table adds the one of its
//! group, so that COMMAND and the statistics know it like any other.

use crate::args::Args;
use crate::ctx::Ctx;
use crate::error::{CommandResult, DONE};
use crate::spec::{Command, CommandSpec, Group, flags};
use crate::syntax;
use crate::table::TableEntry;

const GROUPS: &[Group] = &[
    Group::Generic,
    Group::String,
    Group::List,
    Group::Set,
    Group::SortedSet,
    Group::Hash,
    Group::PubSub,
    Group::Transactions,
    Group::Connection,
    Group::Server,
    Group::Scripting,
    Group::HyperLogLog,
    Group::Cluster,
    Group::Geo,
    Group::Stream,
    Group::Bitmap,
    Group::Module,
];

/// The specs of `HELP`, by group; behind them once more for containers that deal with connections.
static SPECS: [CommandSpec; 2 * GROUPS.len()] = {
    let mut specs = [CommandSpec::new("HELP")
        .exactly(2)
        .flags(flags::LOADING | flags::STALE)
        .since("5.0.0")
        .summary("Explains the subcommands."); 2 * GROUPS.len()];
    let mut index = 0;
    while index < GROUPS.len() {
        specs[index].group = GROUPS[index];
        specs[index + GROUPS.len()].group = GROUPS[index];
        specs[index + GROUPS.len()].flags |= flags::CONNECTION;
        index += 1;
    }
    specs
};

static COMMANDS: [Command; SPECS.len()] = {
    let mut commands = [Command::new(&SPECS[0], run); SPECS.len()];
    let mut index = 0;
    while index < commands.len() {
        commands[index] = Command::new(&SPECS[index], run);
        index += 1;
    }
    commands
};

/// The `HELP` of a container.
pub(crate) fn of(container: &CommandSpec) -> &'static Command {
    let is_of_connections =
        container.has(flags::CONNECTION) || container.group == Group::Connection;
    let half = if is_of_connections { GROUPS.len() } else { 0 };
    &COMMANDS[half + container.group as usize]
}

/// Writes the help of a container; the handler of `HELP` in every one of them.
pub(crate) fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let server = ctx.server;
    if let Some(container) = server.commands.find(args.at(0)) {
        write(ctx, container);
    }
    DONE
}

fn write(ctx: &mut Ctx<'_>, container: &TableEntry) {
    let spec = container.command.spec;
    let subcommands = container.command.subcommands;
    let runs_alone = spec.words_min == 1;
    ctx.reply
        .array(1 + 2 * (subcommands.len() + 1 + usize::from(runs_alone)));
    ctx.reply.simple(&format!(
        "{} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        spec.name
    ));
    let mut entry = |usage: &str, explanation: &str| {
        ctx.reply.simple(usage);
        ctx.reply.simple(&format!("    {explanation}"));
    };
    if runs_alone {
        entry("(no subcommand)", spec.summary);
    }
    for Command { spec, .. } in subcommands {
        let usage = format!("{} {}", spec.name, syntax::usage(spec.syntax));
        entry(usage.trim_end(), spec.summary);
    }
    entry("HELP", "Print this help.");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_is_at_its_place() {
        for (index, group) in GROUPS.iter().enumerate() {
            assert_eq!(*group as usize, index);
        }
    }
}
