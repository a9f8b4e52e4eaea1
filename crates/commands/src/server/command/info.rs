//! COMMAND INFO [command-name ...], and COMMAND alone

use engine::spec::{BeginSearch, Command, CommandSpec, FindKeys, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, CommandTable, Ctx, DONE, TableEntry, categories};
use resp::ReplyWriter;

pub(super) const INFO: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("INFO")
    .group(Group::Server)
    .at_least(2)
    .flags(super::FLAGS)
    .since("2.8.13")
    .syntax("[command-name ...]")
    .summary("Tells of commands what a client library wants to know.")
    .complexity("O(N), N being the number of commands told of")
    .tips(&["nondeterministic_output_order"])
    .history(&[("7.0.0", "Without names it tells of all commands.")]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    args.skip(1);
    if args.is_done() {
        return all(ctx, args);
    }
    let table = &ctx.server.commands;
    ctx.reply.array(args.rest().len());
    for name in args.rest() {
        match table.find_full(name) {
            Some(entry) => write(&mut ctx.reply, table, entry),
            None => ctx.reply.null(),
        }
    }
    DONE
}

/// COMMAND alone.
pub(super) fn all(ctx: &mut Ctx<'_>, _: Args<'_>) -> CommandResult {
    let table = &ctx.server.commands;
    ctx.reply.array(table.commands().len());
    for entry in table.commands() {
        write(&mut ctx.reply, table, entry);
    }
    DONE
}

fn write(reply: &mut ReplyWriter<'_>, table: &CommandTable, entry: &TableEntry) {
    let spec = entry.command.spec;
    let (first, last, step) = spec.key_range();
    reply.array(10);
    reply.bulk(table.full_name(entry).as_bytes());
    reply.integer(spec.arity());
    let movable = if spec.has_movable_keys() {
        flags::MOVABLE_KEYS
    } else {
        0
    };
    write_flags(reply, flags::SHOWN, spec.flags | movable);
    reply.integer(first);
    reply.integer(last);
    reply.integer(step);
    let categories = categories::of(entry.command);
    reply.set(categories.count_ones() as usize);
    categories::names(categories).for_each(|name| reply.simple(name));
    reply.set(spec.tips.len());
    spec.tips.iter().for_each(|tip| reply.bulk(tip.as_bytes()));
    reply.set(spec.keys.len());
    spec.keys.iter().for_each(|key| write_key_spec(reply, key));
    let subcommands = table.subcommands(entry);
    reply.set(subcommands.len());
    for subcommand in subcommands {
        write(reply, table, subcommand);
    }
}

/// The set of the names of those of `bits` that have one.
pub(super) fn write_flags(reply: &mut ReplyWriter<'_>, names: &[(u32, &str)], bits: u32) {
    let set = names.iter().filter(|(bit, _)| bits & bit != 0);
    reply.set(set.clone().count());
    set.for_each(|(_, name)| reply.simple(name));
}

fn write_key_spec(reply: &mut ReplyWriter<'_>, key: &KeySpec) {
    reply.map(if key.notes.is_empty() { 3 } else { 4 });
    if !key.notes.is_empty() {
        reply.bulk(b"notes");
        reply.bulk(key.notes.as_bytes());
    }
    reply.bulk(b"flags");
    write_flags(reply, access::SHOWN, key.flags);
    reply.bulk(b"begin_search");
    match key.begin {
        BeginSearch::Index(index) => {
            write_search(reply, "index", &[("index", index as i64)]);
        }
        BeginSearch::Keyword(keyword, from) => {
            write_type(reply, "keyword", 2);
            reply.bulk(b"keyword");
            reply.bulk(keyword.as_bytes());
            reply.bulk(b"startfrom");
            reply.integer(from as i64);
        }
        BeginSearch::Unknown(_) => write_search(reply, "unknown", &[]),
    }
    reply.bulk(b"find_keys");
    match key.find {
        _ if matches!(key.begin, BeginSearch::Unknown(_)) => write_search(reply, "unknown", &[]),
        FindKeys::Range { last, step, limit } => {
            let fields = [
                ("lastkey", last as i64),
                ("keystep", step as i64),
                ("limit", limit as i64),
            ];
            write_search(reply, "range", &fields);
        }
        FindKeys::KeyNum {
            number,
            first,
            step,
        } => {
            let fields = [
                ("keynumidx", number as i64),
                ("firstkey", first as i64),
                ("keystep", step as i64),
            ];
            write_search(reply, "keynum", &fields);
        }
    }
}

fn write_search(reply: &mut ReplyWriter<'_>, kind: &str, fields: &[(&str, i64)]) {
    write_type(reply, kind, fields.len());
    for (name, value) in fields {
        reply.bulk(name.as_bytes());
        reply.integer(*value);
    }
}

fn write_type(reply: &mut ReplyWriter<'_>, kind: &str, fields: usize) {
    reply.map(2);
    reply.bulk(b"type");
    reply.bulk(kind.as_bytes());
    reply.bulk(b"spec");
    reply.map(fields);
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    const GET: &str = "[$get :2 [+readonly +fast] :1 :1 :1 [+@read +@string +@fast] [] [[$flags \
        [+RO +access] $begin_search [$type $index $spec [$index :1]] $find_keys [$type $range $spec \
        [$lastkey :0 $keystep :1 $limit :0]]]] []]";

    #[test]
    fn commands_and_subcommands() {
        check("COMMAND INFO get", &format!("[{GET}]"));
        check(
            "COMMAND INFO GET foo CONFIG|get client|help foo|bar get|x",
            &format!(
                "[{GET} _ [$config|get :-3 [+admin +noscript +loading +stale] :0 :0 :0 [+@admin \
                 +@slow +@dangerous] [] [] []] [$client|help :2 [+loading +stale] :0 :0 :0 [+@slow \
                 +@connection] [] [] []] _ _]"
            ),
        );
    }

    #[test]
    fn resp3() {
        check3(
            "COMMAND INFO set foo ping",
            "[[$set :-3 ~[+write +denyoom] :1 :1 :1 ~[+@write +@string +@slow] ~[] ~[{$notes: $\"RW \
             and ACCESS due to the optional `GET` argument\", $flags: ~[+RW +access +update \
             +variable_flags], $begin_search: {$type: $index, $spec: {$index: :1}}, $find_keys: \
             {$type: $range, $spec: {$lastkey: :0, $keystep: :1, $limit: :0}}}] ~[]] _ [$ping :-1 \
             ~[+fast] :0 :0 :0 ~[+@fast +@connection] ~[$request_policy:all_shards \
             $response_policy:all_succeeded] ~[] ~[]]]",
        );
    }

    #[test]
    fn all_commands() {
        let mut fixture = fixture();
        let all = fixture.run("COMMAND");
        assert_eq!(fixture.run("COMMAND INFO"), all);
        assert!(
            all.contains("[$config :-2 [] :0 :0 :0 [+@slow] [] [] [[$config|get :-3"),
            "{all}"
        );
    }
}
