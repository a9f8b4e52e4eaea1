//! SELECT index

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

pub(super) const SELECT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SELECT")
    .group(Group::Connection)
    .exactly(2)
    .flags(flags::LOADING | flags::STALE | flags::FAST | flags::CONNECTION)
    .syntax("index")
    .summary("Chooses the database that the connection works on.")
    .complexity("O(1)");

const NOT_32_BITS: CommandError =
    CommandError::Fixed("ERR value is out of range, value must between -2147483648 and 2147483647");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let index = i32::try_from(args.integer()?).map_err(|_| NOT_32_BITS)?;
    let database = usize::try_from(index)
        .ok()
        .filter(|index| *index < ctx.server.keyspace.databases())
        .ok_or(CommandError::Fixed("ERR DB index is out of range"))?;
    ctx.session.select(database);
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn select() {
        check(
            "SET k 0 ; SELECT 15 ; GET k ; SET k 15 ; SELECT 0 ; GET k",
            "+OK ; +OK ; _ ; +OK ; +OK ; $0",
        );
        check("SELECT 16", "-ERR DB index is out of range");
        check("SELECT -1", "-ERR DB index is out of range");
        check("SELECT x", "-ERR value is not an integer or out of range");
        check(
            "SELECT 4294967296",
            "-ERR value is out of range, value must between -2147483648 and 2147483647",
        );
    }
}
