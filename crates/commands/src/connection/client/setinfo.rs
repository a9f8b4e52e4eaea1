//! CLIENT SETINFO LIB-NAME libname | LIB-VER libver

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

use crate::connection::is_printable;

pub(super) const SETINFO: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SETINFO")
    .group(Group::Connection)
    .exactly(4)
    .flags(super::FLAGS)
    .since("7.2.0")
    .syntax("<LIB-NAME libname | LIB-VER libver>")
    .summary("Tells which client library, and which version of it, the connection is used by.")
    .complexity("O(1)")
    .tips(&["request_policy:all_nodes", "response_policy:all_succeeded"]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let (option, value) = (args.at(2), args.at(3));
    let is_name = option.eq_ignore_ascii_case(b"LIB-NAME");
    if !is_name && !option.eq_ignore_ascii_case(b"LIB-VER") {
        return Err(CommandError::quoting(
            "ERR Unrecognized option '",
            option,
            "'",
        ));
    }
    if !is_printable(value) {
        let after = " cannot contain spaces, newlines or special characters.";
        return Err(CommandError::quoting("ERR ", option, after));
    }
    let mut identity = ctx.session.client.identity.lock();
    if is_name {
        identity.library_name = value.to_vec();
    } else {
        identity.library_version = value.to_vec();
    }
    drop(identity);
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn setinfo() {
        let mut fixture = fixture();
        fixture.check(
            "CLIENT SETINFO LIB-NAME redis-py ; client setinfo lib-ver 5.0 ; RESET",
            "+OK ; +OK ; +RESET",
        );
        let info = fixture.run("CLIENT INFO");
        assert!(info.contains(" lib-name=redis-py lib-ver=5.0 "), "{info}");
    }

    #[test]
    fn refusals() {
        check(
            "CLIENT SETINFO LIB-NAME 'a b'",
            "-ERR LIB-NAME cannot contain spaces, newlines or special characters.",
        );
        check(
            "CLIENT SETINFO lib-VER \"a\\n\"",
            "-ERR lib-VER cannot contain spaces, newlines or special characters.",
        );
        check("CLIENT SETINFO FOO a", "-ERR Unrecognized option 'FOO'");
        check(
            "CLIENT SETINFO FOO",
            "-ERR wrong number of arguments for 'client|setinfo' command",
        );
    }
}
