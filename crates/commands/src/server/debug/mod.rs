//! DEBUG: for tests and nothing else.
//!
//! In Redis this is one command that looks at its first word; here it is a container like the others,
//! so each subcommand has its own arity and only SLEEP runs alone.

use config::{ProtectedAction, parameter};
use engine::spec::{Command, CommandSpec, Group};
use engine::{CommandError, Ctx};

mod set_active_expire;
mod sleep;

pub(super) const DEBUG: Command =
    Command::container(&SPEC, &[set_active_expire::SET_ACTIVE_EXPIRE, sleep::SLEEP]);

const SPEC: CommandSpec = CommandSpec::new("DEBUG")
    .group(Group::Server)
    .at_least(2)
    .flags(FLAGS)
    .summary("Commands for tests of clients and of the server.")
    .complexity("That of the subcommand.");

/// What all subcommands have in common.
const FLAGS: u32 = {
    use engine::spec::flags::{ADMIN, LOADING, NO_SCRIPT, STALE};
    ADMIN | NO_SCRIPT | LOADING | STALE
};

/// Refuses the command unless `enable-debug-command` lets this client.
fn check_allowed(ctx: &Ctx<'_>) -> Result<(), CommandError> {
    match ctx.setting(parameter::ENABLE_DEBUG_COMMAND) {
        ProtectedAction::Yes => Ok(()),
        ProtectedAction::Local if ctx.session.client.is_local() => Ok(()),
        _ => Err(CommandError::Fixed(
            "ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", \
             you can run it from a local connection, otherwise you need to set this option in the \
             configuration file, and then restart the server.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use config::parameter;

    use crate::{check, fixture};

    #[test]
    fn only_if_it_is_enabled() {
        let mut fixture = fixture();
        let not_allowed = "-ERR DEBUG command not allowed. If the enable-debug-command option is set \
                           to \"local\", you can run it from a local connection, otherwise you need \
                           to set this option in the configuration file, and then restart the server.";
        fixture.check("DEBUG SLEEP 0", not_allowed);
        for value in [&b"local"[..], b"yes"] {
            let config = fixture.server().config.clone();
            config
                .assign(parameter::ENABLE_DEBUG_COMMAND, value)
                .unwrap();
            fixture.check("DEBUG SLEEP 0", "+OK");
        }
    }

    #[test]
    fn container() {
        check(
            "DEBUG",
            "-ERR wrong number of arguments for 'debug' command",
        );
        check(
            "DEBUG FOO",
            "-ERR unknown subcommand 'FOO'. Try DEBUG HELP.",
        );
        check(
            "DEBUG SLEEP",
            "-ERR wrong number of arguments for 'debug|sleep' command",
        );
    }
}
