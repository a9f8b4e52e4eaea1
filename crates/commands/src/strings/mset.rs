//! MSET key value [key value ...], and MSETNX

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry};

pub(super) const MSET: Command = Command::new(&MSET_SPEC, run_mset);
pub(super) const MSETNX: Command = Command::new(&MSETNX_SPEC, run_msetnx);

const MSET_SPEC: CommandSpec = CommandSpec::new("MSET")
    .group(Group::String)
    .at_least(3)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[KeySpec::range(1, -1, 2, access::OW | access::UPDATE)])
    .since("1.0.1")
    .syntax("key value [key value ...]")
    .summary("Atomically creates or modifies the string values of one or more keys.")
    .complexity("O(N) where N is the number of keys to set")
    .tips(&[
        "request_policy:multi_shard",
        "response_policy:all_succeeded",
    ]);

const MSETNX_SPEC: CommandSpec = CommandSpec::new("MSETNX")
    .group(Group::String)
    .at_least(3)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[KeySpec::range(1, -1, 2, access::OW | access::INSERT)])
    .since("1.0.1")
    .syntax("key value [key value ...]")
    .summary(
        "Atomically sets the string values of one or more keys, only when none of the keys exists.",
    )
    .complexity("O(N) where N is the number of keys to set");

/// The pairs behind the name.
fn parse<'a>(args: Args<'a>, name: &str) -> Result<&'a [[&'a [u8]; 2]], CommandError> {
    match args.rest().as_chunks() {
        (pairs, []) => Ok(pairs),
        _ => Err(CommandError::arity(name)),
    }
}

fn set_all(ctx: &mut Ctx<'_>, pairs: &[[&[u8]; 2]]) {
    for [key, value] in pairs {
        ctx.db
            .set_text(key, value, Expiry::Never, Event::string("set"));
    }
}

fn run_mset(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    set_all(ctx, parse(args, "mset")?);
    ctx.reply.ok();
    DONE
}

fn run_msetnx(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let pairs = parse(args, "msetnx")?;
    let are_missing = pairs
        .iter()
        .all(|[key, _]| ctx.db.find_for_write(key).is_none());
    if are_missing {
        set_all(ctx, pairs);
    }
    ctx.reply.integer(are_missing as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn mset() {
        check("MSET a 1 b 2 a 3 ; MGET a b", "+OK ; [$3 $2]");
        check(
            "MSET a 1 b",
            "-ERR wrong number of arguments for 'mset' command",
        );
    }

    #[test]
    fn msetnx() {
        check(
            "MSETNX a 1 b 2 ; MSETNX c 3 a 4 ; MGET a b c",
            ":1 ; :0 ; [$1 $2 _]",
        );
        check("MSETNX a 1 a 2 ; GET a", ":1 ; $2");
        check("LPUSH l x ; MSETNX a 1 l 2 ; EXISTS a", ":1 ; :0 ; :0");
        check(
            "MSETNX a 1 b",
            "-ERR wrong number of arguments for 'msetnx' command",
        );
    }
}
