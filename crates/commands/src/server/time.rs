//! TIME

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const TIME: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("TIME")
    .group(Group::Server)
    .exactly(1)
    .flags(flags::LOADING | flags::STALE | flags::FAST)
    .since("2.6.0")
    .summary("Returns the server's time: Unix seconds, and the microseconds of the current second.")
    .complexity("O(1)")
    .tips(&["nondeterministic_output"]);

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    // Finer than the time of the command; the same unit would be no use to who measures.
    let now_us = ctx.server.clock.now_us() as i64;
    ctx.reply.array(2);
    ctx.reply.bulk_integer(now_us / 1_000_000);
    ctx.reply.bulk_integer(now_us % 1_000_000);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn time() {
        let mut fixture = fixture();
        fixture.advance_ms(1234);
        fixture.check("TIME", "[$1000000001 $234000]");
        check(
            "TIME a",
            "-ERR wrong number of arguments for 'time' command",
        );
    }
}
