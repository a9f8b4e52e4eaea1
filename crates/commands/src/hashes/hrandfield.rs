//! HRANDFIELD key [count [WITHVALUES]]
//!
//! A negative count draws each field from all, so that fields may repeat.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE, random};
use resp::{Protocol, ReplyWriter};
use structures::hash_map::HashMap;

use crate::drawing::Count;

pub(super) const HRANDFIELD: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HRANDFIELD")
    .group(Group::Hash)
    .at_least(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("6.2.0")
    .syntax("key [count [WITHVALUES]]")
    .summary("Returns one or more random fields from a hash.")
    .complexity("O(N) where N is the number of fields returned; O(size of the hash) if that is more than a third of it")
    .tips(&["nondeterministic_output"]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    if args.is_done() {
        let hash = ctx.db.collection::<HashMap>(key)?;
        match hash.and_then(|hash| hash.random(random::next())) {
            Some((field, _)) => ctx.reply.bulk(field),
            None => ctx.reply.null(),
        }
        return DONE;
    }
    let count = Count::parse(&mut args)?;
    let with_values = args.eat("WITHVALUES");
    if !args.is_done() {
        return Err(CommandError::Syntax);
    }
    count.check(if with_values { 2 } else { 1 })?;
    let Some(hash) = ctx.db.collection::<HashMap>(key)? else {
        ctx.reply.array(0);
        return DONE;
    };
    let len = count.of(hash.len());
    let is_nested = with_values && ctx.reply.protocol() == Protocol::Resp3;
    let is_flat = with_values && !is_nested;
    ctx.reply.array(if is_flat { 2 * len } else { len });
    let write = |(field, value): (&[u8], &[u8])| {
        let reply: &mut ReplyWriter<'_> = &mut ctx.reply;
        if is_nested {
            reply.array(2);
        }
        reply.bulk(field);
        if with_values {
            reply.bulk(value);
        }
    };
    match count {
        Count::Different(_) => hash.sample(len, random::next, write),
        Count::Draws(_) => hash.sample_repeating(len, random::next, write),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn one() {
        check("HRANDFIELD h ; HSET h a 1 ; HRANDFIELD h", "_ ; :1 ; $a");
    }

    #[test]
    fn many() {
        check(
            "HRANDFIELD h 2 ; HSET h a 1 ; HRANDFIELD h 2 ; HRANDFIELD h -3 ; HRANDFIELD h 0",
            "[] ; :1 ; [$a] ; [$a $a $a] ; []",
        );
        check(
            "HSET h a 1 b 2 ; HRANDFIELD h 9 WITHVALUES ; HRANDFIELD none 1 withvalues",
            ":2 ; [$a $1 $b $2] ; []",
        );
        check3(
            "HSET h a 1 ; HRANDFIELD h 9 WITHVALUES ; HRANDFIELD h -2 WITHVALUES ; HRANDFIELD h 1",
            ":1 ; [[$a $1]] ; [[$a $1] [$a $1]] ; [$a]",
        );
    }

    #[test]
    fn bad_counts() {
        check(
            "HRANDFIELD h -9223372036854775808",
            "-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
        );
        check(
            "HRANDFIELD h 4611686018427387904 WITHVALUES ; HRANDFIELD h -4611686018427387904 WITHVALUES",
            "-ERR value is out of range ; -ERR value is out of range",
        );
        check(
            "HRANDFIELD h 1 FOO ; HRANDFIELD h 1 WITHVALUES x",
            "-ERR syntax error ; -ERR syntax error",
        );
        check(
            "HRANDFIELD h x",
            "-ERR value is not an integer or out of range",
        );
    }
}
