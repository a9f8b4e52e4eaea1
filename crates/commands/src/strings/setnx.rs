//! SETNX key value

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry};

pub(super) const SETNX: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SETNX")
    .group(Group::String)
    .exactly(3)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::OW | access::INSERT)])
    .syntax("key value")
    .summary("Sets the string value of a key only when the key doesn't exist.")
    .complexity("O(1)")
    .deprecated("2.6.12", "`SET` with the `NX` argument");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let is_missing = ctx.db.find_for_write(args.at(1)).is_none();
    if is_missing {
        ctx.db
            .set_text(args.at(1), args.at(2), Expiry::Never, Event::string("set"));
    }
    ctx.reply.integer(is_missing as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn setnx() {
        check("SETNX k a ; SETNX k b ; GET k", ":1 ; :0 ; $a");
        check("LPUSH k a ; SETNX k b", ":1 ; :0");
    }
}
