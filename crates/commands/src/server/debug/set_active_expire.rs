//! DEBUG SET-ACTIVE-EXPIRE 0|1

use std::sync::atomic::Ordering::Relaxed;

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const SET_ACTIVE_EXPIRE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SET-ACTIVE-EXPIRE")
    .group(Group::Server)
    .exactly(3)
    .flags(super::FLAGS)
    .syntax("<0 | 1>")
    .summary("Says whether expired keys are removed that nobody asks for.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    super::check_allowed(ctx)?;
    // What is no number is 0, as it is for Redis.
    let is_on = resp::number::parse_i64(args.at(2)).unwrap_or(0) != 0;
    ctx.server.sweeps.store(is_on, Relaxed);
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use config::parameter;

    use crate::fixture;

    #[test]
    fn set_active_expire() {
        let mut fixture = fixture();
        let config = fixture.server().config.clone();
        config
            .assign(parameter::ENABLE_DEBUG_COMMAND, b"yes")
            .unwrap();
        fixture.check("SET k v PX 1 ; DEBUG SET-ACTIVE-EXPIRE 0", "+OK ; +OK");
        fixture.advance_ms(10_000);
        fixture.sweep();
        assert_eq!(fixture.server().keyspace.count(0).keys, 1);
        fixture.check("DEBUG SET-ACTIVE-EXPIRE 1", "+OK");
        fixture.sweep();
        assert_eq!(fixture.server().keyspace.count(0).keys, 0);
    }
}
