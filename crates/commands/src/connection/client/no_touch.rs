//! CLIENT NO-TOUCH ON | OFF
//!
//! It takes effect with the next command. TOUCH marks keys all the same.

use std::sync::atomic::Ordering::Relaxed;

use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const NO_TOUCH: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("NO-TOUCH")
    .group(Group::Connection)
    .exactly(3)
    .flags(super::FLAGS)
    .since("7.2.0")
    .syntax("<ON | OFF>")
    .summary("Lets commands of the connection read keys without marking them as used, or no longer does.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let is_on = super::on_or_off(args.at(2))?;
    ctx.session.client.leaves_no_marks.store(is_on, Relaxed);
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn no_touch() {
        check("CLIENT NO-TOUCH on ; CLIENT NO-TOUCH OFF", "+OK ; +OK");
        check("CLIENT NO-TOUCH x", "-ERR syntax error");
        check(
            "CLIENT NO-TOUCH",
            "-ERR wrong number of arguments for 'client|no-touch' command",
        );
        let info = fixture().run("CLIENT NO-TOUCH on ; CLIENT INFO");
        assert!(info.contains(" flags=T "), "{info}");
    }
}
