//! DEBUG SLEEP seconds
//!
//! The one handler that blocks, and on purpose: it is how clients test what they do with a server
//! that hangs. It runs alone, so that not one thread but the whole server does.

use std::time::Duration;

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const SLEEP: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SLEEP")
    .group(Group::Server)
    .exactly(3)
    .flags(super::FLAGS | flags::EXCLUSIVE)
    .syntax("seconds")
    .summary("Stops the server for some seconds, which may be a fraction.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    super::check_allowed(ctx)?;
    // What is no number is no time at all, as it is for Redis.
    let seconds = resp::number::parse_f64(args.at(2)).unwrap_or(0.0);
    if let Ok(time) = Duration::try_from_secs_f64(seconds) {
        std::thread::sleep(time);
    }
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use config::parameter;

    use crate::fixture;

    #[test]
    fn sleep() {
        let mut fixture = fixture();
        let config = fixture.server().config.clone();
        config
            .assign(parameter::ENABLE_DEBUG_COMMAND, b"yes")
            .unwrap();
        fixture.check("DEBUG SLEEP x ; DEBUG SLEEP -1", "+OK ; +OK");
        let started = Instant::now();
        fixture.check("DEBUG SLEEP 0.05", "+OK");
        assert!(started.elapsed().as_millis() >= 50);
    }
}
