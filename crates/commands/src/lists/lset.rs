//! LSET key index element

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::list::List;

use super::{absolute, limits};

pub(super) const LSET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LSET")
    .group(Group::List)
    .exactly(4)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[KeySpec::first(access::RW | access::UPDATE)])
    .syntax("key index element")
    .summary("Sets the value of an element in a list by its index.")
    .complexity("O(N) where N is the length of the list in nodes, from the nearer end. Setting either the first or the last element of the list is O(1).");

const NO_SUCH_KEY: CommandError = CommandError::Fixed("ERR no such key");
const OUT_OF_RANGE: CommandError = CommandError::Fixed("ERR index out of range");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let limits = limits(ctx);
    let Some(mut list) = ctx.db.collection_mut::<List>(args.required()?)? else {
        return Err(NO_SUCH_KEY);
    };
    let (index, element) = (args.integer()?, args.required()?);
    let index = absolute(index, list.len())
        .filter(|index| *index < list.len())
        .ok_or(OUT_OF_RANGE)?;
    list.set(index, element, &limits);
    list.commit(Event::list("lset"));
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn lset() {
        check(
            "RPUSH l a b c ; LSET l 0 x ; LSET l -1 z ; LRANGE l 0 -1",
            ":3 ; +OK ; +OK ; [$x $b $z]",
        );
        check(
            "LSET none x v ; RPUSH l a b ; LSET l x v ; LSET l 2 v ; LSET l -3 v ; LSET l 4294967296 z ; LSET l -9223372036854775808 z ; LRANGE l 0 -1",
            "-ERR no such key ; :2 ; -ERR value is not an integer or out of range ; -ERR index out of range ; -ERR index out of range ; -ERR index out of range ; -ERR index out of range ; [$a $b]",
        );
    }

    #[test]
    fn failures_are_no_effects() {
        let mut fixture = fixture();
        fixture.run("RPUSH l a ; LSET l 5 x ; LSET l 0 y");
        assert_eq!(fixture.effects(), ["RPUSH l a", "LSET l 0 y"]);
    }
}
