//! LINSERT key BEFORE | AFTER pivot element

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::list::List;

use super::limits;

pub(super) const LINSERT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LINSERT")
    .group(Group::List)
    .exactly(5)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[KeySpec::first(access::RW | access::INSERT)])
    .since("2.2.0")
    .syntax("key <BEFORE | AFTER> pivot element")
    .summary("Inserts an element before or after another element in a list.")
    .complexity("O(N) where N is the number of elements to traverse before seeing the value pivot. This means that inserting somewhere on the left end on the list (head) can be considered O(1) and inserting somewhere on the right end (tail) is O(N).");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let is_before = args.eat("BEFORE");
    if !is_before && !args.eat("AFTER") {
        return Err(CommandError::Syntax);
    }
    let (pivot, element) = (args.required()?, args.required()?);
    let limits = limits(ctx);
    let Some(mut list) = ctx.db.collection_mut::<List>(key)? else {
        ctx.reply.integer(0);
        return DONE;
    };
    let is_inserted = if is_before {
        list.insert_before(pivot, element, &limits)
    } else {
        list.insert_after(pivot, element, &limits)
    };
    let len = list.len();
    list.commit_if(is_inserted, Event::list("linsert"));
    ctx.reply.integer(if is_inserted { len as i64 } else { -1 });
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn linsert() {
        check(
            "RPUSH l a b a ; LINSERT l before a x ; LINSERT l AFTER a y ; LINSERT l AFTER none z ; LRANGE l 0 -1",
            ":3 ; :4 ; :5 ; :-1 ; [$x $a $y $b $a]",
        );
        check(
            "LINSERT none BEFORE a b ; EXISTS none ; LINSERT none NEAR a b",
            ":0 ; :0 ; -ERR syntax error",
        );
        check(
            "SET k v ; LINSERT k BEFORE a b",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn before_the_head_of_a_long_list() {
        let mut fixture = fixture();
        for i in 0..2000 {
            fixture.run(&format!("RPUSH l element:{i}"));
        }
        fixture.check(
            "LINSERT l BEFORE element:0 head ; LINSERT l AFTER element:1999 tail ; LINSERT l BEFORE element:1000 mid ; LINDEX l 0 ; LINDEX l -1 ; LINDEX l 1001 ; LINDEX l 1002",
            ":2001 ; :2002 ; :2003 ; $head ; $tail ; $mid ; $element:1000",
        );
    }
}
