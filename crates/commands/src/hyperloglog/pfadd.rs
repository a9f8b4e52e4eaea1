//! PFADD key [element [element ...]]
//!
//! Most elements of a HyperLogLog in use change nothing, so it is looked at before it is written.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::{Event, Expiry};
use structures::hyperloglog::{self as hll, Mark};

use super::{corrupt, open, sparse_len_max};

pub(super) const PFADD: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("PFADD")
    .group(Group::HyperLogLog)
    .at_least(2)
    .flags(flags::WRITE | flags::DENY_OOM | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::INSERT)])
    .since("2.8.9")
    .syntax("key [element ...]")
    .summary("Adds elements to a HyperLogLog key. Creates the key if it doesn't exist.")
    .complexity("O(1) to add every element");

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let marks = args.rest().iter().map(|element| Mark::of(element));
    let sparse_len_max = sparse_len_max(ctx);
    let old = match ctx.db.peek(key) {
        None => None,
        Some(entry) => {
            let text = entry.as_text().ok_or(engine::CommandError::WrongType)?;
            Some(open(text)?.0)
        }
    };
    let is_changed = match old.map(|old| (old, hll::would_change(old, marks.clone()))) {
        // Dense, with nothing new.
        Some((_, Some(false))) => false,
        Some((_, Some(true))) => {
            let mut bytes = ctx.db.text_mut(key)?.into_bytes(0);
            let is_changed = hll::add_to_dense(&mut bytes, marks).map_err(corrupt)?;
            bytes.commit_if(is_changed, Event::string("pfadd"));
            true
        }
        old => {
            let is_new = old.is_none();
            let mut string = old.map_or_else(hll::empty, |(old, _)| old.to_vec());
            let is_changed = hll::add(&mut string, marks, sparse_len_max).map_err(corrupt)?;
            if is_new || is_changed {
                hll::put_out_of_date(&mut string);
                ctx.db
                    .set_text(key, &string, Expiry::Keep, Event::string("pfadd"));
            }
            is_new || is_changed
        }
    };
    ctx.reply.integer(is_changed as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn pfadd() {
        check(
            "PFADD k ; PFADD k ; PFADD k a b ; PFADD k a ; PFCOUNT k",
            ":1 ; :0 ; :1 ; :0 ; :2",
        );
        check(
            "PFADD k a b c ; GET k ; PFCOUNT k ; GET k",
            ":1 ; $\"HYLL\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x80`\\xf3\\x80P\\xb1\\x84K\\xfb\\x80BZ\" ; \
             :3 ; $\"HYLL\\x01\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x00\\x00\\x00\\x00`\\xf3\\x80P\\xb1\\x84K\\xfb\\x80BZ\"",
        );
        check(
            "PFADD k a ; EXPIRE k 9 ; PFADD k b ; TTL k",
            ":1 ; :1 ; :1 ; :9",
        );
    }

    #[test]
    fn errors() {
        check(
            "SET k abc ; PFADD k a",
            "+OK ; -WRONGTYPE Key is not a valid HyperLogLog string value.",
        );
        check(
            "SET k 123 ; PFADD k",
            "+OK ; -WRONGTYPE Key is not a valid HyperLogLog string value.",
        );
        check(
            "LPUSH k a ; PFADD k a",
            ":1 ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
        check(
            "SET k \"HYLL\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x80\\x00\" ; PFADD k a ; PFADD k",
            "+OK ; -INVALIDOBJ Corrupted HLL object detected ; :0",
        );
    }

    #[test]
    fn the_limit_of_the_sparse_form() {
        check(
            "CONFIG SET hll-sparse-max-bytes 30 ; PFADD k a b ; PFDEBUG ENCODING k ; PFADD k c d e f g ; \
             PFDEBUG ENCODING k ; STRLEN k ; PFADD k a ; PFADD k x ; PFCOUNT k",
            "+OK ; :1 ; +sparse ; :1 ; +dense ; :12304 ; :0 ; :1 ; :8",
        );
    }

    #[test]
    fn nothing_new_has_no_effect() {
        let mut fixture = fixture();
        fixture.run("PFADD k a ; PFADD k a ; PFDEBUG TODENSE k ; PFADD k a ; PFADD k b");
        assert_eq!(
            fixture.effects(),
            ["PFADD k a", "PFDEBUG TODENSE k", "PFADD k b"]
        );
    }
}
