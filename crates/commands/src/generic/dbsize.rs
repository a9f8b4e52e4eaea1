//! DBSIZE

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const DBSIZE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("DBSIZE")
    .group(Group::Server)
    .exactly(1)
    .flags(flags::READONLY | flags::FAST | flags::KEYSPACE)
    .summary("Returns the number of keys in the database.")
    .complexity("O(1) in the number of keys: the sum over the shards")
    .tips(&["request_policy:all_shards", "response_policy:agg_sum"]);

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    let keys = ctx.server.keyspace.count(ctx.db.database()).keys;
    ctx.reply.count(keys);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn dbsize() {
        check(
            "DBSIZE ; MSET a 1 b 2 ; DBSIZE ; DEL a ; DBSIZE",
            ":0 ; +OK ; :2 ; :1 ; :1",
        );
    }
}
