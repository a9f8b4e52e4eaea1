//! SPOP key [count]
//!
//! Which members go is chance; the effect names them, so that a replica removes the same.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE, random};
use keyspace::Event;
use structures::set::Set;

use super::reply_item;

pub(super) const SPOP: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SPOP")
    .group(Group::Set)
    .at_least(2)
    .flags(flags::WRITE | flags::FAST)
    .keys(&[KeySpec::first(access::RW | access::ACCESS | access::DELETE)])
    .syntax("key [count]")
    .summary("Returns one or more random members from a set after removing them. Deletes the set if the last member was popped.")
    .complexity("O(N) where N is the number of members popped")
    .tips(&["nondeterministic_output"])
    .history(&[("3.2.0", "Added the `count` argument.")]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    if args.len() > 2 {
        return pop_many(ctx, args);
    }
    let key = args.at(1);
    let Some(mut set) = ctx.db.collection_mut::<Set>(key)? else {
        ctx.reply.null();
        return DONE;
    };
    let effects = &mut ctx.effects;
    set.pop_random(random::next(), |member| {
        reply_item(&mut ctx.reply, member);
        if effects.is_journaled() {
            member.with_bytes(|member| effects.add(&[b"SREM", key, member]));
        }
    });
    set.commit(Event::set("spop"));
    DONE
}

fn pop_many(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    if args.len() > 3 {
        return Err(CommandError::Syntax);
    }
    let (key, count) = (args.required()?, args.count()?);
    let Some(mut set) = ctx.db.collection_mut::<Set>(key)? else {
        ctx.reply.set(0);
        return DONE;
    };
    if count >= set.len() {
        ctx.reply.set(set.len());
        set.iter()
            .for_each(|member| reply_item(&mut ctx.reply, member));
        // The guard goes unused; the key goes as a whole, freed elsewhere if it is big.
        set.commit_if(false, Event::DEL);
        ctx.db.remove(key, Event::set("spop"));
        ctx.effects.add(&[b"DEL", key]);
        return DONE;
    }
    ctx.reply.set(count);
    let mut popped = Vec::new();
    for _ in 0..count {
        set.pop_random(random::next(), |member| {
            reply_item(&mut ctx.reply, member);
            if ctx.effects.is_journaled() {
                popped.push(member.to_vec());
            }
        });
    }
    set.commit_if(count > 0, Event::set("spop"));
    if !popped.is_empty() {
        let mut words: Vec<&[u8]> = vec![b"SREM", key];
        words.extend(popped.iter().map(Vec::as_slice));
        ctx.effects.add(&words);
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    #[test]
    fn spop() {
        check(
            "SPOP s ; SPOP s 3 ; SADD s a ; SPOP s ; EXISTS s",
            "_ ; [] ; :1 ; $a ; :0",
        );
        check3(
            "SPOP s 2 ; SADD s a ; SPOP s 5 ; EXISTS s",
            "~[] ; :1 ; ~[$a] ; :0",
        );
        check("SADD s a b c ; SPOP s 0 ; SCARD s", ":3 ; [] ; :3");
    }

    #[test]
    fn bad_counts() {
        check("SPOP s -1", "-ERR value is out of range, must be positive");
        check("SPOP s 1 2", "-ERR syntax error");
    }

    #[test]
    fn effects_name_the_members() {
        let mut fixture = fixture();
        fixture.run("SADD s a ; SPOP s");
        assert_eq!(fixture.effects(), ["SADD s a", "SREM s a"]);
        fixture.run("SADD s a ; SPOP s 9");
        assert_eq!(fixture.effects(), ["SADD s a", "DEL s"]);
        fixture.run("SADD s 1 2 3 4");
        fixture.effects();
        let reply = fixture.run("SPOP s 2").replace(['[', ']', '$'], "");
        assert_eq!(fixture.effects(), [format!("SREM s {reply}")]);
    }
}
