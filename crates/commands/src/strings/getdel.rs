//! GETDEL key

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::Event;

use super::reply_text;

pub(super) const GETDEL: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("GETDEL")
    .group(Group::String)
    .exactly(2)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::DELETE)])
    .since("6.2.0")
    .syntax("key")
    .summary("Returns the string value of a key after deleting the key.")
    .complexity("O(1)");

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let key = args.at(1);
    reply_text(&mut ctx.reply, ctx.db.text(key)?);
    if ctx.db.remove(key, Event::DEL) {
        ctx.effects.add(&[b"DEL", key]);
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn getdel() {
        check(
            "GETDEL k ; SET k v ; GETDEL k ; EXISTS k",
            "_ ; +OK ; $v ; :0",
        );
        check(
            "LPUSH k a ; GETDEL k ; LLEN k",
            ":1 ; -WRONGTYPE Operation against a key holding the wrong kind of value ; :1",
        );
    }

    #[test]
    fn the_effect_is_a_del() {
        let mut fixture = fixture();
        fixture.run("GETDEL k ; SET k v ; GETDEL k");
        assert_eq!(fixture.effects(), ["SET k v", "DEL k"]);
    }
}
