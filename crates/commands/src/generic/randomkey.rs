//! RANDOMKEY

use engine::spec::{Command, CommandSpec, flags};
use engine::{Args, CommandResult, Ctx, DONE, random};

pub(super) const RANDOMKEY: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("RANDOMKEY")
    .exactly(1)
    .flags(flags::READONLY)
    .summary("Returns a random key name from the database.")
    .complexity("O(1)")
    .tips(&[
        "request_policy:all_shards",
        "response_policy:special",
        "nondeterministic_output",
    ]);

fn run(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    match ctx.db.random_key(random::next) {
        Some(key) => ctx.reply.bulk(&key),
        None => ctx.reply.null(),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn randomkey() {
        check(
            "RANDOMKEY ; SET k v ; RANDOMKEY ; SELECT 1 ; RANDOMKEY",
            "_ ; +OK ; $k ; +OK ; _",
        );
    }

    #[test]
    fn dead_keys_do_not_come() {
        let mut fixture = fixture();
        fixture.run("SET a 1 PX 100 ; SET b 2 PX 100");
        fixture.advance_ms(100);
        fixture.check("RANDOMKEY ; SET c 3 ; RANDOMKEY", "_ ; +OK ; $c");
    }
}
