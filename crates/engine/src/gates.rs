//! The gates that a command passes before it runs, in order. Each may refuse it with the reply that
//! clients know.

use crate::ctx::Ctx;
use crate::error::CommandError;
use crate::spec::{CommandSpec, flags};

type Gate = fn(&Ctx<'_>, &CommandSpec) -> Result<(), CommandError>;

/// All gates. Access control lists will stand here too.
const GATES: &[Gate] = &[authentication, memory];

/// Passes `spec` through all gates.
#[inline]
pub(crate) fn pass(ctx: &Ctx<'_>, spec: &CommandSpec) -> Result<(), CommandError> {
    GATES.iter().try_for_each(|gate| gate(ctx, spec))
}

#[inline]
fn authentication(ctx: &Ctx<'_>, spec: &CommandSpec) -> Result<(), CommandError> {
    if ctx.session.is_authenticated || spec.has(flags::NO_AUTH) {
        return Ok(());
    }
    Err(CommandError::Fixed("NOAUTH Authentication required."))
}

/// Refuses what may need memory when more is used than `maxmemory` allows and no key may be evicted.
#[inline]
fn memory(ctx: &Ctx<'_>, spec: &CommandSpec) -> Result<(), CommandError> {
    if ctx.is_memory_full && spec.has(flags::DENY_OOM) {
        return Err(CommandError::Fixed(
            "OOM command not allowed when used memory > 'maxmemory'.",
        ));
    }
    Ok(())
}
