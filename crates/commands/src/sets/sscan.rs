//! SSCAN key cursor [MATCH pattern] [COUNT count]
//!
//! A compact set is returned whole, whatever the count.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::item::Item;
use structures::set::Set;

use super::reply_item;
use crate::scanning::{ScanOptions, parse_cursor};

pub(super) const SSCAN: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SSCAN")
    .group(Group::Set)
    .at_least(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("2.8.0")
    .syntax("key cursor [MATCH pattern] [COUNT count]")
    .summary("Iterates over members of a set.")
    .complexity("O(1) for every call. O(N) for a complete iteration, including enough command calls for the cursor to return back to 0. N is the number of elements inside the collection.")
    .tips(&["nondeterministic_output"]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    let cursor = parse_cursor(&mut args)?;
    // Options are not looked at if there is no set: so it is elsewhere, too.
    let Some(set) = ctx.db.collection::<Set>(key)? else {
        ctx.reply.array(2);
        ctx.reply.bulk(b"0");
        ctx.reply.array(0);
        return DONE;
    };
    let options = ScanOptions::parse(&mut args, |_| Ok(false))?;
    let mut found: Vec<Item<'_>> = Vec::new();
    let next = options.steps(cursor, |cursor| {
        let mut seen = 0;
        let next = set.scan(cursor, |member| {
            seen += 1;
            if member.with_bytes(|member| options.allow(member)) {
                found.push(member);
            }
        });
        (next, seen)
    });
    ctx.reply.array(2);
    ctx.reply.bulk(itoa::Buffer::new().format(next).as_bytes());
    ctx.reply.array(found.len());
    found
        .into_iter()
        .for_each(|member| reply_item(&mut ctx.reply, member));
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn small_sets() {
        check(
            "SADD s 1 2 13 ; SSCAN s 0 ; SSCAN s 0 MATCH 1* COUNT 1 ; SSCAN none 7",
            ":3 ; [$0 [$1 $2 $13]] ; [$0 [$1 $13]] ; [$0 []]",
        );
        check(
            "SADD s a ; SSCAN s x ; SSCAN s 0 NOVALUES ; SSCAN s 0 MATCH ; SSCAN none 0 FOO",
            ":1 ; -ERR invalid cursor ; -ERR syntax error ; -ERR syntax error ; [$0 []]",
        );
    }

    #[test]
    fn a_whole_scan_of_a_big_set() {
        let mut fixture = fixture();
        for i in 0..1000 {
            fixture.run(&format!("SADD s m{i}"));
        }
        let (mut cursor, mut seen) = ("0".to_owned(), Vec::new());
        loop {
            let reply = fixture.run(&format!("SSCAN s {cursor} COUNT 9"));
            let (next, members) = reply.trim_start_matches("[$").split_once(" [").unwrap();
            let members = members.trim_end_matches(']').split(' ');
            seen.extend(members.map(str::to_owned));
            cursor = next.to_owned();
            if cursor == "0" {
                break;
            }
        }
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 1000);
    }
}
