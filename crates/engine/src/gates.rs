//! The gates that a command passes before it runs, in order. Each may refuse it with the reply that
//! clients know.

use crate::error::CommandError;
use crate::server::Server;
use crate::session::Session;
use crate::spec::{CommandSpec, flags};

type Gate = fn(&Server, &Session, &CommandSpec) -> Result<(), CommandError>;

/// All gates. Access control lists will stand here too.
const GATES: &[Gate] = &[authentication, memory];

/// Passes `spec` through all gates.
#[inline]
pub(crate) fn pass(
    server: &Server,
    session: &Session,
    spec: &CommandSpec,
) -> Result<(), CommandError> {
    GATES
        .iter()
        .try_for_each(|gate| gate(server, session, spec))
}

#[inline]
fn authentication(_: &Server, session: &Session, spec: &CommandSpec) -> Result<(), CommandError> {
    if session.is_authenticated || spec.has(flags::NO_AUTH) {
        return Ok(());
    }
    Err(CommandError::Fixed("NOAUTH Authentication required."))
}

/// Refuses what may need memory when there is no more than `maxmemory` allows.
#[inline]
fn memory(server: &Server, _: &Session, spec: &CommandSpec) -> Result<(), CommandError> {
    if spec.has(flags::DENY_OOM) && server.is_memory_full() {
        return Err(CommandError::Fixed(
            "OOM command not allowed when used memory > 'maxmemory'.",
        ));
    }
    Ok(())
}
