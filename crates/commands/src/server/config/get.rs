//! CONFIG GET parameter [parameter ...]

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const GET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GET")
    .group(Group::Server)
    .at_least(3)
    .flags(super::FLAGS)
    .since("2.0.0")
    .syntax("parameter [parameter ...]")
    .summary("Returns the values of the parameters that match any of the patterns.")
    .complexity("O(N), N being the number of patterns")
    .history(&[("7.0.0", "Takes several patterns.")]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    args.skip(1);
    let found = ctx.config().get(args.rest());
    ctx.reply.map(found.len());
    for (name, value) in found {
        ctx.reply.bulk(name.as_bytes());
        ctx.reply.bulk(&value);
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn get() {
        check("CONFIG GET maxmemory", "[$maxmemory $0]");
        check("CONFIG GET foo", "[]");
        check(
            "CONFIG GET maxmemory-s* MaxMemory-samples",
            "[$maxmemory-samples $5]",
        );
        check3("CONFIG GET maxmemory foo", "{$maxmemory: $0}");
        check(
            "CONFIG GET",
            "-ERR wrong number of arguments for 'config|get' command",
        );
    }
}
