//! CLIENT NO-EVICT ON | OFF

use std::sync::atomic::Ordering::Relaxed;

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const NO_EVICT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("NO-EVICT")
    .group(Group::Connection)
    .exactly(3)
    .flags(super::FLAGS | flags::ADMIN)
    .since("7.0.0")
    .syntax("<ON | OFF>")
    .summary("Keeps the connection when the buffers of all clients take too much memory, or no longer does.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let is_on = super::on_or_off(args.at(2))?;
    ctx.session.client.is_kept.store(is_on, Relaxed);
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn no_evict() {
        check("CLIENT NO-EVICT on ; CLIENT NO-EVICT OFF", "+OK ; +OK");
        check("CLIENT NO-EVICT x", "-ERR syntax error");
        check(
            "CLIENT NO-EVICT",
            "-ERR wrong number of arguments for 'client|no-evict' command",
        );
        let info = fixture().run("CLIENT NO-EVICT on ; CLIENT INFO");
        assert!(info.contains(" flags=e "), "{info}");
        let info = fixture().run("CLIENT NO-EVICT on ; RESET ; CLIENT INFO");
        assert!(info.contains(" flags=N "), "{info}");
    }
}
