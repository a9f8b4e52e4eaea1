//! `CONTAINER HELP`, derived from the specs of the subcommands.

use crate::args::Args;
use crate::ctx::Ctx;
use crate::error::{CommandResult, DONE};
use crate::table::TableEntry;

/// Writes the help of a container; the handler of `HELP` in every one of them.
pub(crate) fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let server = ctx.server;
    if let Some(container) = server.commands.find(args.at(0)) {
        write(ctx, container);
    }
    DONE
}

fn write(ctx: &mut Ctx<'_>, container: &TableEntry) {
    let name = container.command.spec.name;
    let subcommands = ctx.server.commands.subcommands(container);
    let first = format!("{name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
    ctx.reply.array(2 * subcommands.len() + 3);
    ctx.reply.simple(&first);
    for entry in subcommands {
        let spec = entry.command.spec;
        ctx.reply
            .simple(format!("{} {}", spec.name, spec.syntax).trim_end());
        ctx.reply.simple(&format!("    {}", spec.summary));
    }
    ctx.reply.simple("HELP");
    ctx.reply.simple("    Print this help.");
}
