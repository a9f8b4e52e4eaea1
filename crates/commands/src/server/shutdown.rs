//! SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [ABORT]
//!
//! There is nothing to be saved to yet, so the server ends as with NOSAVE, unless SAVE asks for what
//! can't be done. FORCE lets even that pass, as it does with a save that fails. The server ends at
//! once: NOW has nothing to hurry, ABORT nothing to stop.

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandError, CommandResult, Ctx, Outcome};

pub(super) const SHUTDOWN: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SHUTDOWN")
    .group(Group::Server)
    .at_least(1)
    .flags(
        flags::ADMIN
            | flags::NO_SCRIPT
            | flags::LOADING
            | flags::STALE
            | flags::NO_MULTI
            | flags::ALLOW_BUSY,
    )
    .syntax("[NOSAVE | SAVE] [NOW] [FORCE] [ABORT]")
    .summary("Ends the server, having saved the data if so configured.")
    .complexity("O(1), and O(N) to save, N being the number of keys")
    .history(&[("7.0.0", "The options `NOW`, `FORCE` and `ABORT`.")]);

#[derive(Default)]
struct Shutdown {
    saves: bool,
    saves_not: bool,
    is_now: bool,
    is_forced: bool,
    is_abort: bool,
}

fn parse(mut args: Args<'_>) -> Result<Shutdown, CommandError> {
    let mut shutdown = Shutdown::default();
    while !args.is_done() {
        if args.eat("SAVE") {
            shutdown.saves = true;
        } else if args.eat("NOSAVE") {
            shutdown.saves_not = true;
        } else if args.eat("NOW") {
            shutdown.is_now = true;
        } else if args.eat("FORCE") {
            shutdown.is_forced = true;
        } else if args.eat("ABORT") {
            shutdown.is_abort = true;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    let is_other = shutdown.saves || shutdown.saves_not || shutdown.is_now || shutdown.is_forced;
    if (shutdown.is_abort && is_other) || (shutdown.saves && shutdown.saves_not) {
        return Err(CommandError::Syntax);
    }
    Ok(shutdown)
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let shutdown = parse(args)?;
    if shutdown.is_abort {
        return Err(CommandError::Fixed("ERR No shutdown in progress."));
    }
    if shutdown.saves && !shutdown.is_forced {
        return Err(CommandError::Fixed(
            "ERR Errors trying to SHUTDOWN: this server has no file to save the data to. Use NOSAVE.",
        ));
    }
    log::warn!("User requested shutdown...");
    ctx.server.host.shutdown();
    // As with Redis the end of the connection is the reply.
    Ok(Outcome::Close)
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn shutdown() {
        for script in [
            "",
            "NOSAVE",
            "NOW",
            "FORCE NOW NOW",
            "SAVE FORCE",
            "nosave now force",
        ] {
            check(&format!("SHUTDOWN {script} ; PING"), "");
        }
        check(
            "SHUTDOWN ABORT ; PING",
            "-ERR No shutdown in progress. ; +PONG",
        );
        check(
            "SHUTDOWN SAVE ; PING",
            "-ERR Errors trying to SHUTDOWN: this server has no file to save the data to. Use \
             NOSAVE. ; +PONG",
        );
        for script in [
            "FOO",
            "SAVE NOSAVE",
            "ABORT NOW",
            "NOSAVE ABORT",
            "SAVE FORCE NOW a",
        ] {
            check(&format!("SHUTDOWN {script}"), "-ERR syntax error");
        }
    }
}
