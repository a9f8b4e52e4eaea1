//! LINDEX key index

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::list::List;

use super::absolute;

pub(super) const LINDEX: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LINDEX")
    .group(Group::List)
    .exactly(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .syntax("key index")
    .summary("Returns an element from a list by its index.")
    .complexity("O(N) where N is the number of nodes between the element and the nearer end");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    // Redis looks at the key before it looks at the index.
    let Some(list) = ctx.db.collection::<List>(args.at(1))? else {
        ctx.reply.null();
        return DONE;
    };
    let index = resp::number::parse_i64(args.at(2)).ok_or(engine::CommandError::NotAnInteger)?;
    let found = absolute(index, list.len())
        .and_then(|index| list.get(index, |element| ctx.reply.bulk(element)));
    if found.is_none() {
        ctx.reply.null();
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn lindex() {
        check(
            "RPUSH l a b c ; LINDEX l 0 ; LINDEX l -1 ; LINDEX l 3 ; LINDEX l -4",
            ":3 ; $a ; $c ; _ ; _",
        );
        check(
            "RPUSH l a ; LINDEX l x ; LINDEX none x",
            ":1 ; -ERR value is not an integer or out of range ; _",
        );
    }
}
