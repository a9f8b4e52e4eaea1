//! CLIENT SETNAME connection-name

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandResult, Ctx, DONE};

use crate::connection::set_name;

pub(super) const SETNAME: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SETNAME")
    .group(Group::Connection)
    .exactly(3)
    .flags(super::FLAGS)
    .since("2.6.9")
    .syntax("connection-name")
    .summary("Gives the connection a name; an empty one takes it away.")
    .complexity("O(1)")
    .tips(&["request_policy:all_nodes", "response_policy:all_succeeded"]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    set_name(ctx, args.at(2))?;
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn setname() {
        check(
            "CLIENT SETNAME a ; CLIENT SETNAME '' ; CLIENT GETNAME",
            "+OK ; +OK ; _",
        );
        for name in ["'a b'", "\"a\\x01\"", "\"a\\n\""] {
            check(
                &format!("CLIENT SETNAME {name}"),
                "-ERR Client names cannot contain spaces, newlines or special characters.",
            );
        }
    }
}
