//! LTRIM key start stop

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::list::List;

use super::absolute_range;

pub(super) const LTRIM: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LTRIM")
    .group(Group::List)
    .exactly(4)
    .flags(flags::WRITE)
    .keys(&[KeySpec::first(access::RW | access::DELETE)])
    .syntax("key start stop")
    .summary(
        "Removes elements from both ends a list. Deletes the list if all elements were trimmed.",
    )
    .complexity("O(N) where N is the number of nodes to be removed by the operation.");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let (key, start, stop) = (args.required()?, args.integer()?, args.integer()?);
    ctx.reply.ok();
    let Some(mut list) = ctx.db.collection_mut::<List>(key)? else {
        return DONE;
    };
    let len = list.len();
    let kept = absolute_range(start, stop, len);
    if kept.is_empty() {
        // The guard goes unused; the key goes as a whole, freed elsewhere if it is big.
        list.commit_if(false, Event::list("ltrim"));
        ctx.db.remove(key, Event::list("ltrim"));
    } else if kept.len() < len {
        list.trim(kept.start, kept.end);
        list.commit(Event::list("ltrim"));
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn ltrim() {
        check(
            "RPUSH l a b c d ; LTRIM l 1 -2 ; LRANGE l 0 -1 ; LTRIM l -100 100 ; LRANGE l 0 -1",
            ":4 ; +OK ; [$b $c] ; +OK ; [$b $c]",
        );
        for range in [
            "1 0",
            "5 9",
            "-1 -9",
            "0 -9223372036854775808",
            "9223372036854775807 9223372036854775807",
        ] {
            check(
                &format!("RPUSH l a b ; LTRIM l {range} ; EXISTS l"),
                ":2 ; +OK ; :0",
            );
        }
        check(
            "RPUSH l a b ; LTRIM l -9223372036854775808 9223372036854775807 ; LLEN l",
            ":2 ; +OK ; :2",
        );
        check(
            "LTRIM none 0 1 ; LTRIM none x 1",
            "+OK ; -ERR value is not an integer or out of range",
        );
    }

    #[test]
    fn what_trims_nothing_is_no_effect() {
        let mut fixture = fixture();
        fixture.run("RPUSH l a b ; LTRIM l 0 -1 ; LTRIM l 0 0 ; LTRIM l 1 0");
        assert_eq!(
            fixture.effects(),
            ["RPUSH l a b", "LTRIM l 0 0", "LTRIM l 1 0"]
        );
    }
}
