//! LREM key count element
//!
//! A negative count begins at the tail, 0 removes all.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::list::List;

use super::End;

pub(super) const LREM: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LREM")
    .group(Group::List)
    .exactly(4)
    .flags(flags::WRITE)
    .keys(&[KeySpec::first(access::RW | access::DELETE)])
    .syntax("key count element")
    .summary("Removes elements from a list. Deletes the list if the last element was removed.")
    .complexity(
        "O(N+M) where N is the length of the list and M is the number of elements removed.",
    );

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let (key, count, element) = (args.required()?, args.negatable()?, args.required()?);
    let Some(mut list) = ctx.db.collection_mut::<List>(key)? else {
        ctx.reply.integer(0);
        return DONE;
    };
    let from = if count < 0 { End::Back } else { End::Front };
    let max = match count.unsigned_abs() as usize {
        0 => usize::MAX,
        max => max,
    };
    let removed = list.remove(element, from, max);
    list.commit_if(removed > 0, Event::list("lrem"));
    ctx.reply.count(removed);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn lrem() {
        check(
            "RPUSH l a b a c a ; LREM l 1 a ; LREM l -1 a ; LRANGE l 0 -1 ; LREM l 0 a ; LREM l 0 none ; LRANGE l 0 -1",
            ":5 ; :1 ; :1 ; [$b $a $c] ; :1 ; :0 ; [$b $c]",
        );
        check(
            "RPUSH l a a ; LREM l -9223372036854775807 a ; EXISTS l ; LREM none 1 a",
            ":2 ; :2 ; :0 ; :0",
        );
        check(
            "LREM l x a ; LREM l -9223372036854775808 a",
            "-ERR value is not an integer or out of range ; -ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
        );
        check("RPUSH l a a a ; LREM l -2147483648 a", ":3 ; :3");
    }
}
