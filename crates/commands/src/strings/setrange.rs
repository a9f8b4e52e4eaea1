//! SETRANGE key offset value

use config::parameter;
use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::Event;

use super::{STRING_TOO_LONG, text_len};

pub(super) const SETRANGE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SETRANGE")
    .group(Group::String)
    .exactly(4)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[KeySpec::first(access::RW | access::UPDATE)])
    .since("2.2.0")
    .syntax("key offset value")
    .summary("Overwrites a part of a string value with another by an offset. Creates the key if it doesn't exist.")
    .complexity("O(M) where M is the length of the value, and of the zeros before it if the string ends there");

const OFFSET: CommandError = CommandError::Fixed("ERR offset is out of range");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let offset = u64::try_from(args.integer()?).map_err(|_| OFFSET)?;
    let value = args.required()?;
    let len_max = ctx.setting(parameter::PROTO_MAX_BULK_LEN) as u64;
    let text = ctx.db.text_mut(key)?;
    let old_len = text.get().map_or(0, text_len);
    if value.is_empty() {
        ctx.reply.count(old_len);
        return DONE;
    }
    // No overflow: the offset is an i64's, and the value is in memory.
    let end = offset + value.len() as u64;
    if end > len_max {
        return Err(STRING_TOO_LONG);
    }
    let (start, end) = (offset as usize, end as usize);
    let mut bytes = text.into_bytes(end);
    bytes[start..end].copy_from_slice(value);
    ctx.reply.count(bytes.len());
    bytes.commit_if(true, Event::string("setrange"));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn setrange() {
        check(
            "SET k \"Hello World\" ; SETRANGE k 6 Redis ; GET k",
            "+OK ; :11 ; $\"Hello Redis\"",
        );
        check(
            "SETRANGE k 2 ab ; GET k ; SETRANGE k 3 cde ; GET k",
            ":4 ; $\"\\x00\\x00ab\" ; :6 ; $\"\\x00\\x00acde\"",
        );
        check(
            "SET k 1234 EX 9 ; SETRANGE k 0 2 ; INCR k ; TTL k",
            "+OK ; :4 ; :2235 ; :9",
        );
        check(
            "SETRANGE k 5 \"\" ; EXISTS k ; SET k ab ; SETRANGE k 9 \"\"",
            ":0 ; :0 ; +OK ; :2",
        );
    }

    #[test]
    fn errors() {
        check("SETRANGE k -1 v", "-ERR offset is out of range");
        check(
            "SETRANGE k x v",
            "-ERR value is not an integer or out of range",
        );
        check(
            "SETRANGE k 536870912 v ; SETRANGE k 9223372036854775807 v ; EXISTS k",
            "-ERR string exceeds maximum allowed size (proto-max-bulk-len) ; \
             -ERR string exceeds maximum allowed size (proto-max-bulk-len) ; :0",
        );
        check(
            "LPUSH k a ; SETRANGE k 0 \"\"",
            ":1 ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
