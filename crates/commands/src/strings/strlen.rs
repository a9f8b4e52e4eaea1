//! STRLEN key

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};

use super::text_len;

pub(super) const STRLEN: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("STRLEN")
    .group(Group::String)
    .exactly(2)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO)])
    .since("2.2.0")
    .syntax("key")
    .summary("Returns the length of a string value.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    ctx.reply
        .count(ctx.db.text(args.at(1))?.map_or(0, text_len));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn strlen() {
        check(
            "STRLEN k ; SET k hello ; STRLEN k ; SET k -12 ; STRLEN k",
            ":0 ; +OK ; :5 ; +OK ; :3",
        );
    }
}
