//! GET key

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};

use super::reply_text;

pub(super) const GET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GET")
    .group(Group::String)
    .exactly(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .syntax("key")
    .summary("Returns the string value of a key.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    reply_text(&mut ctx.reply, ctx.db.text(args.at(1))?);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn get() {
        check("GET k", "_");
        check("SET k v ; GET k", "+OK ; $v");
        check("SET k 007 ; GET k", "+OK ; $007");
    }
}
