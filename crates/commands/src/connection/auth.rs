//! AUTH [username] password

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DEFAULT_USER, DONE};

use super::authenticate;

pub(super) const AUTH: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("AUTH")
    .group(Group::Connection)
    .at_least(2)
    .flags(
        flags::NO_SCRIPT
            | flags::LOADING
            | flags::STALE
            | flags::FAST
            | flags::NO_AUTH
            | flags::ALLOW_BUSY
            | flags::CONNECTION,
    )
    .syntax("[username] password")
    .summary("Says, by a password, who the client is.")
    .complexity("O(N), N being the number of passwords of the user")
    .history(&[("6.0.0", "A user name may stand before the password.")]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let (user, password) = match args.rest() {
        [_] if !ctx.server.needs_password() => return Err(NO_PASSWORD),
        [password] => (DEFAULT_USER, *password),
        [user, password] => (*user, *password),
        _ => return Err(CommandError::Syntax),
    };
    authenticate(ctx, user, password)?;
    ctx.reply.ok();
    DONE
}

const NO_PASSWORD: CommandError = CommandError::Fixed(
    "ERR AUTH <password> called without any password configured for the default user. Are you sure \
     your configuration is correct?",
);

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn without_a_password() {
        check(
            "AUTH a",
            "-ERR AUTH <password> called without any password configured for the default user. Are \
             you sure your configuration is correct?",
        );
        check("AUTH default anything", "+OK");
        check(
            "AUTH somebody a",
            "-WRONGPASS invalid username-password pair or user is disabled.",
        );
        check("AUTH a b c", "-ERR syntax error");
        check("AUTH", "-ERR wrong number of arguments for 'auth' command");
    }

    #[test]
    fn with_a_password() {
        let wrong = "-WRONGPASS invalid username-password pair or user is disabled.";
        let mut fixture = fixture();
        fixture.check("CONFIG SET requirepass secret", "+OK");
        fixture.check("PING ; RESET", "+PONG ; +RESET");
        fixture.check("PING", "-NOAUTH Authentication required.");
        fixture.check("AUTH Secret", wrong);
        fixture.check("AUTH other secret", wrong);
        fixture.check(
            "PING ; AUTH secret ; PING",
            "-NOAUTH Authentication required. ; +OK ; +PONG",
        );
        fixture.check("RESET ; AUTH default secret ; PING", "+RESET ; +OK ; +PONG");
        fixture.check("AUTH wrong ; PING", &format!("{wrong} ; +PONG"));
        assert!(
            fixture
                .run("INFO stats")
                .contains("acl_access_denied_auth:3")
        );
    }
}
