//! SINTER, SUNION and SDIFF key [key ...], and SINTERSTORE, SUNIONSTORE and SDIFFSTORE destination
//! key [key ...]
//!
//! A missing key is an empty set. What is stored replaces whatever was there; an empty result leaves
//! no key. The destination may be one of the sources: the result is complete before it is stored.

use std::ops::ControlFlow;

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry};
use structures::item::Item;
use structures::set::{Limits, Set, algebra};

use super::{limits, reply_item, sets_of};

pub(super) const SINTER: Command =
    Command::new(&SINTER_SPEC, |ctx, args| run(ctx, args, Operation::Inter));
pub(super) const SUNION: Command =
    Command::new(&SUNION_SPEC, |ctx, args| run(ctx, args, Operation::Union));
pub(super) const SDIFF: Command =
    Command::new(&SDIFF_SPEC, |ctx, args| run(ctx, args, Operation::Diff));
pub(super) const SINTERSTORE: Command = Command::new(&SINTERSTORE_SPEC, |ctx, args| {
    store(ctx, args, Operation::Inter, "sinterstore")
});
pub(super) const SUNIONSTORE: Command = Command::new(&SUNIONSTORE_SPEC, |ctx, args| {
    store(ctx, args, Operation::Union, "sunionstore")
});
pub(super) const SDIFFSTORE: Command = Command::new(&SDIFFSTORE_SPEC, |ctx, args| {
    store(ctx, args, Operation::Diff, "sdiffstore")
});

const READ: CommandSpec = CommandSpec::new("")
    .group(Group::Set)
    .at_least(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::from(1, access::RO | access::ACCESS)])
    .syntax("key [key ...]")
    .tips(&["nondeterministic_output_order"]);

const STORE: CommandSpec = CommandSpec::new("")
    .group(Group::Set)
    .at_least(3)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[
        KeySpec::first(access::OW | access::UPDATE),
        KeySpec::from(2, access::RO | access::ACCESS),
    ])
    .syntax("destination key [key ...]");

const INTER_COST: &str =
    "O(N*M) worst case where N is the cardinality of the smallest set and M is the number of sets.";
const SUM_COST: &str = "O(N) where N is the total number of elements in all given sets.";

const SINTER_SPEC: CommandSpec = CommandSpec {
    name: "SINTER",
    ..READ
}
.summary("Returns the intersect of multiple sets.")
.complexity(INTER_COST);

const SUNION_SPEC: CommandSpec = CommandSpec {
    name: "SUNION",
    ..READ
}
.summary("Returns the union of multiple sets.")
.complexity(SUM_COST);

const SDIFF_SPEC: CommandSpec = CommandSpec {
    name: "SDIFF",
    ..READ
}
.summary("Returns the difference of multiple sets.")
.complexity(SUM_COST);

const SINTERSTORE_SPEC: CommandSpec = CommandSpec {
    name: "SINTERSTORE",
    ..STORE
}
.summary("Stores the intersect of multiple sets in a key.")
.complexity(INTER_COST);

const SUNIONSTORE_SPEC: CommandSpec = CommandSpec {
    name: "SUNIONSTORE",
    ..STORE
}
.summary("Stores the union of multiple sets in a key.")
.complexity(SUM_COST);

const SDIFFSTORE_SPEC: CommandSpec = CommandSpec {
    name: "SDIFFSTORE",
    ..STORE
}
.summary("Stores the difference of multiple sets in a key.")
.complexity(SUM_COST);

#[derive(Clone, Copy)]
enum Operation {
    Inter,
    Union,
    Diff,
}

impl Operation {
    /// Visits the members of the result.
    fn for_each(self, sets: &[&Set], mut found: impl FnMut(Item<'_>)) {
        match self {
            Operation::Inter => {
                let _ = algebra::intersection(sets, |item| {
                    found(item);
                    ControlFlow::Continue(())
                });
            }
            Operation::Union => algebra::union(sets, found),
            Operation::Diff => algebra::difference(sets[0], &sets[1..], found),
        }
    }

    /// The result as a set.
    fn result(self, sets: &[&Set], limits: &Limits) -> Set {
        let mut members: Vec<Item<'_>> = Vec::new();
        match self {
            Operation::Inter => {
                let _ = algebra::intersection(sets, |item| {
                    members.push(item);
                    ControlFlow::Continue(())
                });
            }
            Operation::Union => return algebra::united(sets, limits),
            Operation::Diff => {
                algebra::difference(sets[0], &sets[1..], |item| members.push(item));
            }
        }
        Set::from_new_items(&members, limits)
    }
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>, operation: Operation) -> CommandResult {
    let sets = sets_of(&ctx.db, args.rest())?;
    let (begin, mut count) = (ctx.reply.begin(), 0);
    operation.for_each(&sets, |member| {
        reply_item(&mut ctx.reply, member);
        count += 1;
    });
    ctx.reply.end_set(begin, count);
    DONE
}

fn store(
    ctx: &mut Ctx<'_>,
    args: Args<'_>,
    operation: Operation,
    event: &'static str,
) -> CommandResult {
    let (destination, keys) = (args.at(1), &args.words()[2..]);
    let limits = limits(ctx);
    let result = operation.result(&sets_of(&ctx.db, keys)?, &limits);
    ctx.reply.count(result.len());
    ctx.db
        .set_collection(destination, result, Expiry::Never, Event::set(event));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    const SETS: &str = "SADD a 1 2 3 4 ; SADD b 3 4 5 ; SADD c 4 x";

    #[test]
    fn operations() {
        check(
            &format!("{SETS} ; SINTER a b ; SINTER a b c ; SINTER a none ; SINTER a"),
            ":4 ; :3 ; :2 ; [$3 $4] ; [$4] ; [] ; [$1 $2 $3 $4]",
        );
        check(
            &format!("{SETS} ; SUNION a b ; SUNION none none ; SUNION a a none"),
            ":4 ; :3 ; :2 ; [$1 $2 $3 $4 $5] ; [] ; [$1 $2 $3 $4]",
        );
        check(
            &format!("{SETS} ; SDIFF a b ; SDIFF a c b ; SDIFF none a ; SDIFF a a"),
            ":4 ; :3 ; :2 ; [$1 $2] ; [$1 $2] ; [] ; []",
        );
        check3(
            "SADD a x ; SINTER a ; SUNION a ; SDIFF a none ; SINTER none",
            ":1 ; ~[$x] ; ~[$x] ; ~[$x] ; ~[]",
        );
    }

    #[test]
    fn stores() {
        check(
            &format!(
                "{SETS} ; SINTERSTORE d a b ; SMEMBERS d ; SUNIONSTORE a a b ; SMEMBERS a ; SDIFFSTORE a a b ; SMEMBERS a"
            ),
            ":4 ; :3 ; :2 ; :2 ; [$3 $4] ; :5 ; [$1 $2 $3 $4 $5] ; :2 ; [$1 $2]",
        );
    }

    #[test]
    fn an_empty_result_leaves_no_key() {
        check(
            "SADD d x ; SINTERSTORE d none ; EXISTS d ; SET d v EX 9 ; SADD a 1 ; SUNIONSTORE d a ; TTL d ; TYPE d",
            ":1 ; :0 ; :0 ; +OK ; :1 ; :1 ; :-1 ; +set",
        );
        let mut fixture = fixture();
        fixture.run("SDIFFSTORE d none a ; SADD d 1 ; SDIFFSTORE d none a");
        assert_eq!(fixture.effects(), ["SADD d 1", "SDIFFSTORE d none a"]);
    }

    #[test]
    fn every_key_has_to_be_a_set() {
        let wrong = "-WRONGTYPE Operation against a key holding the wrong kind of value";
        for command in [
            "SINTER none k",
            "SUNION none k",
            "SDIFF none k",
            "SINTERSTORE d none k",
        ] {
            check(&format!("SET k v ; {command}"), &format!("+OK ; {wrong}"));
        }
    }

    #[test]
    fn results_have_the_form_that_suits_them() {
        let mut fixture = fixture();
        for i in 0..300 {
            fixture.run(&format!(
                "SADD big m{i} ; SADD other m{i} x{i} ; SADD ints {i}"
            ));
        }
        fixture.check(
            "SUNIONSTORE d big other ; OBJECT ENCODING d ; SINTERSTORE d big other ; OBJECT ENCODING d ; SDIFFSTORE d other big ints ; SCARD d",
            ":600 ; $hashtable ; :300 ; $hashtable ; :300 ; :300",
        );
        fixture.check(
            "SUNIONSTORE d ints ints ; OBJECT ENCODING d ; SUNIONSTORE d ints big ; SCARD d ; SADD one m1 ; SINTERSTORE d big one ; OBJECT ENCODING d",
            ":300 ; $intset ; :600 ; :600 ; :1 ; :1 ; $listpack",
        );
    }
}
