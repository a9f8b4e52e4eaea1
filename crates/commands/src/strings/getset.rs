//! GETSET key value

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry};

use super::reply_text;

pub(super) const GETSET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GETSET")
    .group(Group::String)
    .exactly(3)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::UPDATE)])
    .syntax("key value")
    .summary("Returns the previous string value of a key after setting it to a new value.")
    .complexity("O(1)")
    .deprecated("6.2.0", "`SET` with the `GET` argument");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    reply_text(&mut ctx.reply, ctx.db.text(args.at(1))?);
    ctx.db
        .set_text(args.at(1), args.at(2), Expiry::Never, Event::string("set"));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn getset() {
        check("GETSET k a ; GETSET k b ; GET k", "_ ; $a ; $b");
        check("SET k v EX 9 ; GETSET k w ; TTL k", "+OK ; $v ; :-1");
    }
}
