//! LRANGE key start stop

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::list::List;

use super::absolute_range;

pub(super) const LRANGE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LRANGE")
    .group(Group::List)
    .exactly(4)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .syntax("key start stop")
    .summary("Returns a range of elements from a list.")
    .complexity("O(S+N) where S is the distance in nodes of the start from the nearer end and N is the number of elements returned");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let (key, start, stop) = (args.required()?, args.integer()?, args.integer()?);
    let Some(list) = ctx.db.collection::<List>(key)? else {
        ctx.reply.array(0);
        return DONE;
    };
    let range = absolute_range(start, stop, list.len());
    ctx.reply.array(range.len());
    if !range.is_empty() {
        list.range(range.start, range.end)
            .for_each(|element| ctx.reply.bulk(element));
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn lrange() {
        let script = |range: &str| format!("RPUSH l a b c ; LRANGE l {range}");
        check(&script("0 -1"), ":3 ; [$a $b $c]");
        check(&script("-2 1"), ":3 ; [$b]");
        check(&script("-100 100"), ":3 ; [$a $b $c]");
        check(&script("2 1"), ":3 ; []");
        check(&script("5 9"), ":3 ; []");
        check(&script("0 -9223372036854775808"), ":3 ; []");
        check(&script("0 9223372036854775807"), ":3 ; [$a $b $c]");
        check(
            "LRANGE l 0 -1 ; LRANGE l a 1",
            "[] ; -ERR value is not an integer or out of range",
        );
    }
}
