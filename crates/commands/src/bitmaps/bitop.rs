//! BITOP operation destkey key [key ...]
//!
//! DIFF, DIFF1, ANDOR and ONE came with Redis 8.2.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;
use structures::bits::{Combination, Combiner};

pub(super) const BITOP: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("BITOP")
    .group(Group::Bitmap)
    .at_least(4)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[
        KeySpec::at(2, access::OW | access::UPDATE),
        KeySpec::from(3, access::RO | access::ACCESS),
    ])
    .since("2.6.0")
    .syntax("<AND | OR | XOR | NOT | DIFF | DIFF1 | ANDOR | ONE> destkey key [key ...]")
    .summary("Performs bitwise operations on multiple strings, and stores the result.")
    .complexity("O(N)");

const NOT_OF_SEVERAL: CommandError =
    CommandError::Fixed("ERR BITOP NOT must be called with a single source key.");

/// The operation, which may ask for a number of keys.
fn parse(args: &mut Args<'_>) -> Result<Combination, CommandError> {
    const OPERATIONS: [(&str, Combination); 8] = [
        ("AND", Combination::And),
        ("OR", Combination::Or),
        ("XOR", Combination::Xor),
        ("NOT", Combination::Not),
        ("DIFF", Combination::FirstOnly),
        ("DIFF1", Combination::NotFirst),
        ("ANDOR", Combination::FirstAndAny),
        ("ONE", Combination::One),
    ];
    let found = OPERATIONS.iter().find(|(name, _)| args.eat(name));
    let (name, combination) = found.copied().ok_or(CommandError::Syntax)?;
    // The destination is behind the operation.
    let keys = args.rest().len() - 1;
    match combination {
        Combination::Not if keys > 1 => Err(NOT_OF_SEVERAL),
        Combination::FirstOnly | Combination::NotFirst | Combination::FirstAndAny if keys < 2 => {
            Err(CommandError::new(format!(
                "ERR BITOP {name} must be called with at least two source keys."
            )))
        }
        _ => Ok(combination),
    }
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let combination = parse(&mut args)?;
    let target = args.required()?;
    let keys = args.rest();
    let mut len_max = 0;
    for key in keys {
        if let Some(text) = ctx.db.text(key)? {
            len_max = len_max.max(text.with_bytes(<[u8]>::len));
        }
    }
    ctx.reply.count(len_max);
    if len_max == 0 {
        ctx.db.remove(target, Event::DEL);
        return DONE;
    }
    let mut combiner = Combiner::new(combination, len_max);
    for key in keys {
        match ctx.db.peek(key).and_then(|entry| entry.as_text()) {
            None => combiner.add(b""),
            Some(text) => text.with_bytes(|bytes| combiner.add(bytes)),
        }
    }
    ctx.db
        .put_text(target, combiner.finish(), Event::string("set"));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn bitop() {
        check(
            "MSET a \"\\x0f\\xff\" b \"\\x3c\" ; BITOP AND d a b ; GET d ; BITOP or d a b ; GET d",
            "+OK ; :2 ; $\"\\x0c\\x00\" ; :2 ; $\"?\\xff\"",
        );
        check(
            "MSET a \"\\x0f\\xff\" b \"\\x3c\" ; BITOP XOR d a b none ; GET d ; BITOP NOT d a ; GET d",
            "+OK ; :2 ; $\"3\\xff\" ; :2 ; $\"\\xf0\\x00\"",
        );
        check(
            "MSET a \"\\x0f\\xff\" b \"\\x3c\" ; BITOP DIFF d a b ; GET d ; BITOP DIFF1 d a b ; GET d",
            "+OK ; :2 ; $\"\\x03\\xff\" ; :2 ; $\"0\\x00\"",
        );
        check(
            "MSET a \"\\x0f\\xff\" b \"\\x3c\" c \"\\x11\" ; BITOP ANDOR d a b c ; GET d ; BITOP ONE d a b c ; GET d",
            "+OK ; :2 ; $\"\\r\\x00\" ; :2 ; $\"\\\"\\xff\"",
        );
        check("BITOP AND d none ; EXISTS d", ":0 ; :0");
        check("SET d x EX 9 ; BITOP OR d none ; EXISTS d", "+OK ; :0 ; :0");
        check(
            "LPUSH d x ; SET a ab ; BITOP OR d a ; GET d ; TTL d",
            ":1 ; +OK ; :2 ; $ab ; :-1",
        );
        // Longer than what stands in an entry, and beyond the first database.
        check(
            "SELECT 1 ; SETRANGE a 5000 x ; BITOP OR d a ; STRLEN d",
            "+OK ; :5001 ; :5001 ; :5001",
        );
        check("SET n 12 ; BITOP AND n n ; INCR n", "+OK ; :2 ; :13");
    }

    #[test]
    fn errors() {
        check("BITOP FOO d a", "-ERR syntax error");
        check(
            "BITOP NOT d a b",
            "-ERR BITOP NOT must be called with a single source key.",
        );
        check(
            "BITOP diff d a ; BITOP ANDOR d a",
            "-ERR BITOP DIFF must be called with at least two source keys. ; \
             -ERR BITOP ANDOR must be called with at least two source keys.",
        );
        check(
            "LPUSH l a ; SET d x ; BITOP AND d none l ; GET d",
            ":1 ; +OK ; -WRONGTYPE Operation against a key holding the wrong kind of value ; $x",
        );
    }
}
