//! Connections.

use engine::spec::Command;
use engine::{CommandError, Ctx};

mod auth;
mod client;
mod echo;
mod hello;
mod ping;
mod quit;
mod reset;
mod select;

pub(crate) const COMMANDS: &[Command] = &[
    auth::AUTH,
    client::CLIENT,
    echo::ECHO,
    hello::HELLO,
    ping::PING,
    quit::QUIT,
    reset::RESET,
    select::SELECT,
];

/// Authenticates the connection as a user.
fn authenticate(ctx: &mut Ctx<'_>, user: &[u8], password: &[u8]) -> Result<(), CommandError> {
    if ctx.session.authenticate(ctx.server, user, password) {
        return Ok(());
    }
    engine::clients::bump(&ctx.stats.denied_logins, 1);
    Err(CommandError::Fixed(
        "WRONGPASS invalid username-password pair or user is disabled.",
    ))
}

/// Names the connection; an empty name takes the name away.
fn set_name(ctx: &mut Ctx<'_>, name: &[u8]) -> Result<(), CommandError> {
    check_name(name)?;
    ctx.session.client.identity.lock().name = name.to_vec();
    Ok(())
}

/// Refuses a name that would break CLIENT LIST, which separates its fields by blanks.
fn check_name(name: &[u8]) -> Result<(), CommandError> {
    if is_printable(name) {
        return Ok(());
    }
    Err(CommandError::Fixed(
        "ERR Client names cannot contain spaces, newlines or special characters.",
    ))
}

fn is_printable(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_graphic)
}
