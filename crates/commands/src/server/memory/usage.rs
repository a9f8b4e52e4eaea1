//! MEMORY USAGE key [SAMPLES count]
//!
//! The figure is exact, because every value keeps count of what it allocates. So there is nothing to
//! sample; the option is read for the sake of clients that send it.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

pub(super) const USAGE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("USAGE")
    .group(Group::Server)
    .at_least(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::at(2, access::RO)])
    .since("4.0.0")
    .syntax("key [SAMPLES count]")
    .summary("Returns the bytes that a key and its value take.")
    .complexity("O(1)");

/// A key's share of the table, in bytes: a bucket of 64 has nine places, and three in four of them are
/// taken.
const TABLE_SHARE: usize = 10;

fn parse(mut args: Args<'_>) -> Result<(), CommandError> {
    args.skip(2);
    while !args.is_done() {
        if !args.eat("SAMPLES") || args.integer()? < 0 {
            return Err(CommandError::Syntax);
        }
    }
    Ok(())
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    parse(args)?;
    match ctx.db.peek(args.at(2)) {
        Some(entry) => ctx.reply.count(entry.heap_bytes() + TABLE_SHARE),
        None => ctx.reply.null(),
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn usage() {
        check("MEMORY USAGE k ; SET k v ; MEMORY USAGE k", "_ ; +OK ; :26");
        check(
            "SET k v ; MEMORY USAGE k SAMPLES 0 ; MEMORY USAGE k samples 5 SAMPLES 3",
            "+OK ; :26 ; :26",
        );
        for (options, error) in [
            ("SAMPLES", "-ERR syntax error"),
            ("SAMPLES -1", "-ERR syntax error"),
            ("SAMPLES x", "-ERR value is not an integer or out of range"),
            ("SAMPLES 1 2", "-ERR syntax error"),
            ("FOO 1", "-ERR syntax error"),
        ] {
            check(&format!("MEMORY USAGE k {options}"), error);
        }
    }

    #[test]
    fn grows_with_the_value() {
        let mut fixture = fixture();
        let mut usage = |script: &str| {
            fixture.run(script);
            let reply = fixture.run("MEMORY USAGE k");
            reply[1..].parse::<usize>().unwrap()
        };
        let small = usage("SADD k 1");
        let large = usage("SADD k a b c d e f g h i j k l m n o p");
        assert!(small < large);
        let members: Vec<_> = (0..1000).map(|i| format!("member:{i}")).collect();
        assert!(usage(&format!("SADD k {}", members.join(" "))) > 10_000);
    }
}
