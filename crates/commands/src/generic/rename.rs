//! RENAME key newkey, RENAMENX key newkey
//!
//! The expiry goes with the value; what was under the new name goes, in the background if it is big.

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

use super::NO_SUCH_KEY;

pub(super) const RENAME: Command = Command::new(&RENAME_SPEC, |ctx, args| {
    check_source(ctx, args)?;
    if args.at(1) != args.at(2) {
        ctx.db.rename(args.at(1), args.at(2));
    }
    ctx.reply.ok();
    DONE
});
pub(super) const RENAMENX: Command = Command::new(&RENAMENX_SPEC, run_renamenx);

const BASE: CommandSpec = CommandSpec::new("").exactly(3).syntax("key newkey");

const RENAME_SPEC: CommandSpec = CommandSpec {
    name: "RENAME",
    ..BASE
}
.flags(flags::WRITE)
.keys(&[
    KeySpec::first(access::RW | access::ACCESS | access::DELETE),
    KeySpec::at(2, access::OW | access::UPDATE),
])
.summary("Renames a key and overwrites the destination.")
.complexity("O(1); a value at the destination is freed in the background if it is big");

const RENAMENX_SPEC: CommandSpec = CommandSpec {
    name: "RENAMENX",
    ..BASE
}
.flags(flags::WRITE | flags::FAST)
.keys(&[
    KeySpec::first(access::RW | access::ACCESS | access::DELETE),
    KeySpec::at(2, access::OW | access::INSERT),
])
.summary("Renames a key only when the target key name doesn't exist.")
.complexity("O(1)")
.history(&[(
    "3.2.0",
    "The command no longer returns an error when source and destination names are the same.",
)]);

fn check_source(ctx: &Ctx<'_>, args: Args<'_>) -> Result<(), CommandError> {
    match ctx.db.peek(args.at(1)) {
        Some(_) => Ok(()),
        None => Err(NO_SUCH_KEY),
    }
}

fn run_renamenx(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    check_source(ctx, args)?;
    // One and the same key is there as well.
    let is_renamed = ctx.db.peek(args.at(2)).is_none();
    if is_renamed {
        ctx.db.rename(args.at(1), args.at(2));
    }
    ctx.reply.integer(is_renamed as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn rename() {
        check(
            "SET a v EX 10 ; RENAME a b ; EXISTS a ; GET b ; TTL b ; RENAME b b ; GET b",
            "+OK ; +OK ; :0 ; $v ; :10 ; +OK ; $v",
        );
        check(
            "RPUSH l 1 2 ; SET b x EX 10 ; RENAME l b ; LRANGE b 0 -1 ; TTL b",
            ":2 ; +OK ; +OK ; [$1 $2] ; :-1",
        );
        check(
            "RENAME none b ; RENAME none none",
            "-ERR no such key ; -ERR no such key",
        );
    }

    #[test]
    fn renamenx() {
        check(
            "MSET a 1 b 2 ; RENAMENX a b ; RENAMENX a c ; MGET a b c ; RENAMENX c c ; RENAMENX none none",
            "+OK ; :0 ; :1 ; [_ $2 $1] ; :0 ; -ERR no such key",
        );
    }

    #[test]
    fn a_dead_key_is_no_source_and_no_obstacle() {
        let mut fixture = fixture();
        fixture.run("SET a 1 PX 100 ; SET b 2");
        fixture.advance_ms(100);
        fixture.effects();
        fixture.check(
            "RENAME a c ; RENAMENX b a ; GET a",
            "-ERR no such key ; :1 ; $2",
        );
        assert_eq!(fixture.effects(), ["DEL a", "RENAMENX b a"]);
        fixture.run("RENAME a a ; RENAME a b");
        assert_eq!(fixture.effects(), ["RENAME a b"]);
    }
}
