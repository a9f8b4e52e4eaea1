//! TYPE key

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};

use super::type_name;

pub(super) const TYPE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("TYPE")
    .exactly(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO)])
    .syntax("key")
    .summary("Determines the type of value stored at a key.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    ctx.reply.simple(
        ctx.db
            .inspect(args.at(1))
            .map_or("none", |entry| type_name(entry.kind())),
    );
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn types() {
        check("TYPE k ; SET k 1 ; TYPE k", "+none ; +OK ; +string");
        check(
            "LPUSH l a ; TYPE l ; SADD s a ; TYPE s",
            ":1 ; +list ; :1 ; +set",
        );
        check(
            "HSET h a 1 ; TYPE h ; ZADD z 1 a ; TYPE z",
            ":1 ; +hash ; :1 ; +zset",
        );
    }
}
