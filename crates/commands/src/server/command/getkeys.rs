//! COMMAND GETKEYS command [arg ...]

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandError, CommandResult, CommandTable, Ctx, DONE};

pub(super) const GETKEYS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GETKEYS")
    .group(Group::Server)
    .at_least(3)
    .flags(super::FLAGS)
    .since("2.8.13")
    .syntax("command [arg ...]")
    .summary("Returns the keys among the words of a command.")
    .complexity("O(N), N being the number of words");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    args.skip(1);
    let keys = keys(&ctx.server.commands, args.rest())?;
    ctx.reply.array(keys.len());
    keys.iter().for_each(|(key, _)| ctx.reply.bulk(key));
    DONE
}

/// The keys among `words`, and what the command does with each, of [`engine::spec::access`].
pub(super) fn keys<'a>(
    table: &CommandTable,
    words: &'a [&'a [u8]],
) -> Result<Vec<(&'a [u8], u32)>, CommandError> {
    let invalid = CommandError::Fixed("ERR Invalid command specified");
    let container = table.find(words[0]).ok_or(invalid.clone())?;
    let entry = match words.get(1) {
        Some(name) if !container.command.subcommands.is_empty() => {
            table.find_subcommand(container, name).ok_or(invalid)?
        }
        _ => container,
    };
    let spec = entry.command.spec;
    if spec.keys.is_empty() {
        return Err(CommandError::Fixed("ERR The command has no key arguments"));
    }
    if words.len() < spec.words_min || words.len() > spec.words_max {
        return Err(CommandError::Fixed(
            "ERR Invalid number of arguments specified for command",
        ));
    }
    if !spec.has(flags::NO_MANDATORY_KEYS) && !spec.keys.iter().all(|key| key.fits(words)) {
        return Err(CommandError::Fixed(
            "ERR Invalid arguments specified for command",
        ));
    }
    let keys = spec.keys.iter().flat_map(|key| {
        let access = key.access(words);
        key.positions(words)
            .map(move |position| (words[position], access))
    });
    Ok(keys.collect())
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn getkeys() {
        check("COMMAND GETKEYS get a", "[$a]");
        check("COMMAND GETKEYS SET a b EX 10", "[$a]");
        check("COMMAND GETKEYS mset a 1 b 2", "[$a $b]");
    }

    #[test]
    fn refusals() {
        check("COMMAND GETKEYS foo", "-ERR Invalid command specified");
        check(
            "COMMAND GETKEYS config foo a",
            "-ERR Invalid command specified",
        );
        check(
            "COMMAND GETKEYS ping",
            "-ERR The command has no key arguments",
        );
        check(
            "COMMAND GETKEYS config",
            "-ERR The command has no key arguments",
        );
        check(
            "COMMAND GETKEYS config get a",
            "-ERR The command has no key arguments",
        );
        check(
            "COMMAND GETKEYS get",
            "-ERR Invalid number of arguments specified for command",
        );
        check(
            "COMMAND GETKEYS get a b",
            "-ERR Invalid number of arguments specified for command",
        );
        check(
            "COMMAND GETKEYS",
            "-ERR wrong number of arguments for 'command|getkeys' command",
        );
    }
}
