//! COMMAND GETKEYSANDFLAGS command [arg ...]

use engine::spec::{Command, CommandSpec, Group, access};
use engine::{Args, CommandResult, Ctx, DONE};

use super::getkeys::keys;
use super::info::write_flags;

pub(super) const GETKEYSANDFLAGS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GETKEYSANDFLAGS")
    .group(Group::Server)
    .at_least(3)
    .flags(super::FLAGS)
    .since("7.0.0")
    .syntax("command [arg ...]")
    .summary("Returns the keys among the words of a command, and what it does with each.")
    .complexity("O(N), N being the number of words");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    args.skip(1);
    let keys = keys(&ctx.server.commands, args.rest())?;
    ctx.reply.array(keys.len());
    for (key, flags) in keys {
        ctx.reply.array(2);
        ctx.reply.bulk(key);
        write_flags(&mut ctx.reply, access::SHOWN, flags);
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn getkeysandflags() {
        check("COMMAND GETKEYSANDFLAGS get a", "[[$a [+RO +access]]]");
        check3("COMMAND GETKEYSANDFLAGS get a", "[[$a ~[+RO +access]]]");
        check(
            "COMMAND GETKEYSANDFLAGS foo",
            "-ERR Invalid command specified",
        );
        check(
            "COMMAND GETKEYSANDFLAGS",
            "-ERR wrong number of arguments for 'command|getkeysandflags' command",
        );
    }
}
