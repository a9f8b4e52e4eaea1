//! SRANDMEMBER key [count]
//!
//! A negative count draws each member from all, so that members may repeat.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE, random};
use structures::set::Set;

use super::reply_item;
use crate::drawing::Count;

pub(super) const SRANDMEMBER: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SRANDMEMBER")
    .group(Group::Set)
    .at_least(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .syntax("key [count]")
    .summary("Gets one or multiple random members from a set.")
    .complexity("Without the count argument O(1), otherwise O(N) where N is the absolute value of the passed count; O(size of the set) if that is more than a third of it")
    .tips(&["nondeterministic_output"])
    .history(&[("2.6.0", "Added the optional `count` argument.")]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    if args.len() > 3 {
        return Err(CommandError::Syntax);
    }
    let key = args.required()?;
    if args.is_done() {
        let set = ctx.db.collection::<Set>(key)?;
        match set.and_then(|set| set.random(random::next())) {
            Some(member) => reply_item(&mut ctx.reply, member),
            None => ctx.reply.null(),
        }
        return DONE;
    }
    let count = Count::parse(&mut args)?;
    count.check(1)?;
    let Some(set) = ctx.db.collection::<Set>(key)? else {
        ctx.reply.array(0);
        return DONE;
    };
    let len = count.of(set.len());
    ctx.reply.array(len);
    let write = |member| reply_item(&mut ctx.reply, member);
    match count {
        Count::Different(_) => set.sample(len, random::next, write),
        Count::Draws(_) => set.sample_repeating(len, random::next, write),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn srandmember() {
        check(
            "SRANDMEMBER s ; SRANDMEMBER s 2 ; SADD s a ; SRANDMEMBER s ; SRANDMEMBER s -5 ; SRANDMEMBER s 5 ; SRANDMEMBER s 0",
            "_ ; [] ; :1 ; $a ; [$a $a $a $a $a] ; [$a] ; []",
        );
        check3("SADD s 1 2 ; SRANDMEMBER s 2", ":2 ; [$1 $2]");
    }

    #[test]
    fn bad_counts() {
        check(
            "SRANDMEMBER s -9223372036854775808",
            "-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
        );
        check(
            "SRANDMEMBER s -9223372036854775807 ; SRANDMEMBER s x ; SRANDMEMBER s 1 2",
            "-ERR value is out of range ; -ERR value is not an integer or out of range ; -ERR syntax error",
        );
    }
}
