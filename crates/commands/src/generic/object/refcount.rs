//! OBJECT REFCOUNT key
//!
//! Values are never shared: a key that is there is the one reference to its value.

use engine::spec::{Command, CommandSpec};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const REFCOUNT: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec {
    name: "REFCOUNT",
    summary: "Returns the reference count of a value of a key.",
    ..super::BASE
};

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    match ctx.db.inspect(args.at(2)) {
        Some(_) => ctx.reply.integer(1),
        None => ctx.reply.null(),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn reference_counts() {
        check(
            "SET k 12 ; OBJECT REFCOUNT k ; OBJECT REFCOUNT none",
            "+OK ; :1 ; _",
        );
    }
}
