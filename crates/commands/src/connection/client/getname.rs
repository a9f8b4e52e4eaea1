//! CLIENT GETNAME

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const GETNAME: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GETNAME")
    .group(Group::Connection)
    .exactly(2)
    .flags(super::FLAGS)
    .since("2.6.9")
    .summary("Returns the name of the connection.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    let identity = ctx.session.client.identity.lock();
    match &identity.name[..] {
        [] => ctx.reply.null(),
        name => ctx.reply.bulk(name),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn getname() {
        check("CLIENT GETNAME", "_");
        check("CLIENT SETNAME me ; CLIENT GETNAME", "+OK ; $me");
    }
}
