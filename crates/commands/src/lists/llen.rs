//! LLEN key

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::list::List;

pub(super) const LLEN: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LLEN")
    .group(Group::List)
    .exactly(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO)])
    .syntax("key")
    .summary("Returns the length of a list.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    ctx.reply
        .count(ctx.db.collection::<List>(args.at(1))?.map_or(0, List::len));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn llen() {
        check("LLEN l ; RPUSH l a b ; LLEN l", ":0 ; :2 ; :2");
    }
}
