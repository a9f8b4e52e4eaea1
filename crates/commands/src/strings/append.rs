//! APPEND key value

use config::parameter;
use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry};

use super::{STRING_TOO_LONG, text_len};

pub(super) const APPEND: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("APPEND")
    .group(Group::String)
    .exactly(3)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::INSERT)])
    .since("2.0.0")
    .syntax("key value")
    .summary("Appends a string to the value of a key. Creates the key if it doesn't exist.")
    .complexity("O(1) amortized, for a value that grows by small pieces");

const EVENT: Event = Event::string("append");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let (key, tail) = (args.at(1), args.at(2));
    let len_max = ctx.setting(parameter::PROTO_MAX_BULK_LEN) as usize;
    let text = ctx.db.text_mut(key)?;
    let Some(old_len) = text.get().map(text_len) else {
        // A new value is stored as SET would store it; room to grow comes with the first growth.
        drop(text);
        ctx.db.set_text(key, tail, Expiry::Never, EVENT);
        ctx.reply.count(tail.len());
        return DONE;
    };
    if old_len + tail.len() > len_max {
        return Err(STRING_TOO_LONG);
    }
    let len = text.edit(EVENT, |bytes| {
        bytes.extend_from_slice(tail);
        bytes.len()
    });
    ctx.reply.count(len);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn append() {
        check("APPEND k ab ; APPEND k cd ; GET k", ":2 ; :4 ; $abcd");
        check(
            "SET k 12 EX 9 ; APPEND k 3 ; INCR k ; TTL k",
            "+OK ; :3 ; :124 ; :9",
        );
        check(
            "LPUSH k a ; APPEND k b",
            ":1 ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
