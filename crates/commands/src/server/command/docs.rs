//! COMMAND DOCS [command-name ...]

use engine::spec::{Command, CommandSpec, Group};
use engine::syntax::{self, Argument};
use engine::{Args, CommandResult, CommandTable, Ctx, DONE, TableEntry};
use resp::ReplyWriter;

pub(super) const DOCS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("DOCS")
    .group(Group::Server)
    .at_least(2)
    .flags(super::FLAGS)
    .since("7.0.0")
    .syntax("[command-name ...]")
    .summary("Tells of commands what a person wants to know.")
    .complexity("O(N), N being the number of commands told of")
    .tips(&["nondeterministic_output_order"]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    args.skip(1);
    let table = &ctx.server.commands;
    let entries: Vec<&TableEntry> = if args.is_done() {
        table.commands().iter().collect()
    } else {
        let names = args.rest().iter();
        names.filter_map(|name| table.find_full(name)).collect()
    };
    ctx.reply.map(entries.len());
    for entry in entries {
        write(&mut ctx.reply, table, entry);
    }
    DONE
}

fn write(reply: &mut ReplyWriter<'_>, table: &CommandTable, entry: &TableEntry) {
    let spec = entry.command.spec;
    reply.bulk(table.full_name(entry).as_bytes());
    let begin = reply.begin();
    let mut fields = 4;
    for (name, value) in [
        ("summary", spec.summary),
        ("since", spec.since),
        ("group", spec.group.name()),
        ("complexity", spec.complexity),
    ] {
        reply.bulk(name.as_bytes());
        reply.bulk(value.as_bytes());
    }
    if let Some((since, replacement)) = spec.replaced_by {
        fields += 3;
        reply.bulk(b"doc_flags");
        reply.set(1);
        reply.simple("deprecated");
        reply.bulk(b"deprecated_since");
        reply.bulk(since.as_bytes());
        reply.bulk(b"replaced_by");
        reply.bulk(replacement.as_bytes());
    }
    if !spec.history.is_empty() {
        fields += 1;
        reply.bulk(b"history");
        reply.set(spec.history.len());
        for (version, change) in spec.history {
            reply.array(2);
            reply.bulk(version.as_bytes());
            reply.bulk(change.as_bytes());
        }
    }
    // A test makes sure that every syntax is one.
    let arguments = syntax::arguments(spec).unwrap_or_default();
    if !arguments.is_empty() {
        fields += 1;
        reply.bulk(b"arguments");
        write_arguments(reply, &arguments);
    }
    let subcommands = table.subcommands(entry);
    if !subcommands.is_empty() {
        fields += 1;
        reply.bulk(b"subcommands");
        reply.map(subcommands.len());
        for subcommand in subcommands {
            write(reply, table, subcommand);
        }
    }
    reply.end_map(begin, fields);
}

fn write_arguments(reply: &mut ReplyWriter<'_>, arguments: &[Argument]) {
    reply.array(arguments.len());
    for argument in arguments {
        let begin = reply.begin();
        let fields = write_argument(reply, argument);
        reply.end_map(begin, fields);
    }
}

/// The pairs of an argument's map; returns how many.
fn write_argument(reply: &mut ReplyWriter<'_>, argument: &Argument) -> usize {
    let mut fields = 0;
    let mut text = |name: &str, value: &str| {
        fields += 1;
        reply.bulk(name.as_bytes());
        reply.bulk(value.as_bytes());
    };
    text("name", &argument.name);
    text("type", argument.kind.name());
    if !argument.kind.is_composite() {
        text("display_text", &argument.name);
    }
    if let Some(index) = argument.key_spec {
        fields += 1;
        reply.bulk(b"key_spec_index");
        reply.count(index);
    }
    if let Some(token) = &argument.token {
        fields += 1;
        reply.bulk(b"token");
        reply.bulk(token.as_bytes());
    }
    let flags: Vec<&str> = [
        (argument.is_optional, "optional"),
        (argument.is_multiple, "multiple"),
        (argument.repeats_token, "multiple_token"),
    ]
    .iter()
    .filter_map(|(is_set, name)| is_set.then_some(*name))
    .collect();
    if !flags.is_empty() {
        fields += 1;
        reply.bulk(b"flags");
        reply.set(flags.len());
        flags.iter().for_each(|flag| reply.simple(flag));
    }
    if argument.kind.is_composite() {
        fields += 1;
        reply.bulk(b"arguments");
        write_arguments(reply, &argument.parts);
    }
    fields
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    #[test]
    fn every_syntax_is_one() {
        let commands = crate::all().flat_map(|command| {
            let subcommands = command.subcommands.iter();
            std::iter::once(command).chain(subcommands)
        });
        for command in commands {
            let spec = command.spec;
            if let Err(error) = engine::syntax::arguments(spec) {
                panic!("{}: {}: {}", spec.name, spec.syntax, error.reason);
            }
            assert!(
                spec.summary.ends_with('.'),
                "{}: {}",
                spec.name,
                spec.summary
            );
            assert!(!spec.complexity.is_empty(), "{}", spec.name);
        }
    }

    #[test]
    fn one_command() {
        check(
            "COMMAND DOCS get foo",
            "[$get [$summary $\"Returns the string value of a key.\" $since $1.0.0 $group $string \
             $complexity $O(1) $arguments [[$name $key $type $key $display_text $key \
             $key_spec_index :0]]]]",
        );
        check3(
            "COMMAND DOCS ping",
            "{$ping: {$summary: $\"Returns the server\\'s liveliness response.\", $since: $1.0.0, \
             $group: $connection, $complexity: $O(1), $arguments: [{$name: $message, $type: $string, \
             $display_text: $message, $flags: ~[+optional]}]}}",
        );
        check3(
            "COMMAND DOCS quit",
            "{$quit: {$summary: $\"Ends the connection.\", $since: $1.0.0, $group: $connection, \
             $complexity: $O(1), $doc_flags: ~[+deprecated], $deprecated_since: $7.2.0, \
             $replaced_by: $\"closing the socket\"}}",
        );
        check("COMMAND DOCS foo", "[]");
    }

    #[test]
    fn choices_and_subcommands() {
        let mut fixture = fixture();
        fixture.run("HELLO 3");
        let docs = fixture.run("COMMAND DOCS SET");
        assert!(docs.contains(
            "{$name: $condition, $type: $oneof, $flags: ~[+optional], $arguments: [{$name: $nx, \
             $type: $pure-token, $display_text: $nx, $token: $NX}"
        ));
        let docs = fixture.run("COMMAND DOCS config");
        assert!(
            docs.contains("$subcommands: {$config|get: {$summary: "),
            "{docs}"
        );
        assert!(docs.contains("$config|help: {$summary: "), "{docs}");
    }

    #[test]
    fn all_commands() {
        let docs = fixture().run("COMMAND DOCS");
        for command in crate::all() {
            let name = command.spec.name.to_ascii_lowercase();
            assert!(docs.contains(&format!("${name} [$summary ")), "{name}");
        }
    }
}
