//! HSETNX key field value

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::hash_map::HashMap;

use super::limits;

pub(super) const HSETNX: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HSETNX")
    .group(Group::Hash)
    .exactly(4)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::INSERT)])
    .since("2.0.0")
    .syntax("key field value")
    .summary("Sets the value of a field in a hash only when the field doesn't exist.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let (field, value) = (args.at(2), args.at(3));
    let limits = limits(ctx);
    let mut hash = ctx.db.collection_or_new::<HashMap>(args.at(1))?;
    let is_new = !hash.contains(field);
    if is_new {
        hash.set(field, value, &limits);
    }
    hash.commit_if(is_new, Event::hash("hset"));
    ctx.reply.integer(is_new as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn hsetnx() {
        check(
            "HSETNX h a 1 ; HSETNX h a 2 ; HGET h a ; HSETNX h b 3 ; HLEN h",
            ":1 ; :0 ; $1 ; :1 ; :2",
        );
        check(
            "SET k v ; HSETNX k a 1",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn a_field_that_is_there_is_no_effect() {
        let mut fixture = fixture();
        fixture.run("HSETNX h a 1 ; HSETNX h a 2");
        assert_eq!(fixture.effects(), ["HSETNX h a 1"]);
    }
}
