//! COMMAND LIST [FILTERBY MODULE module-name | ACLCAT category | PATTERN pattern]

use config::glob::{self, Case};
use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandError, CommandResult, Ctx, DONE, TableEntry, categories};

pub(super) const LIST: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LIST")
    .group(Group::Server)
    .at_least(2)
    .flags(super::FLAGS)
    .since("7.0.0")
    .syntax("[FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]")
    .summary("Lists the names of commands.")
    .complexity("O(N), N being the number of commands")
    .tips(&["nondeterministic_output_order"]);

enum Filter<'a> {
    None,
    /// Commands of a module, of which there are none.
    Module,
    Category(Option<u32>),
    Pattern(&'a [u8]),
}

fn parse<'a>(args: Args<'a>) -> Result<Filter<'a>, CommandError> {
    let [filterby, kind, value] = args.rest() else {
        return match args.is_done() {
            true => Ok(Filter::None),
            false => Err(CommandError::Syntax),
        };
    };
    if !filterby.eq_ignore_ascii_case(b"FILTERBY") {
        return Err(CommandError::Syntax);
    }
    match &kind.to_ascii_uppercase()[..] {
        b"MODULE" => Ok(Filter::Module),
        b"ACLCAT" => Ok(Filter::Category(categories::bit(&[b"@", *value].concat()))),
        b"PATTERN" => Ok(Filter::Pattern(value)),
        _ => Err(CommandError::Syntax),
    }
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    args.skip(1);
    let filter = parse(args)?;
    let table = &ctx.server.commands;
    let passes = |entry: &TableEntry| match &filter {
        Filter::None => true,
        Filter::Module => false,
        Filter::Category(bit) => bit.is_some_and(|bit| categories::of(entry.command) & bit != 0),
        Filter::Pattern(pattern) => {
            glob::matches(pattern, table.full_name(entry).as_bytes(), Case::Ignored)
        }
    };
    let begin = ctx.reply.begin();
    let mut count = 0;
    for entry in table.all().iter().filter(|entry| passes(entry)) {
        ctx.reply.bulk(table.full_name(entry).as_bytes());
        count += 1;
    }
    ctx.reply.end_array(begin, count);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn list() {
        let list = fixture().run("COMMAND LIST");
        for name in ["$get", "$config", "$config|get", "$client|help"] {
            assert!(
                list.split([' ', '[', ']']).any(|word| word == name),
                "{name} in {list}"
            );
        }
        check(
            "COMMAND LIST FILTERBY PATTERN CONFIG*",
            "[$config $config|get $config|resetstat $config|rewrite $config|set $config|help]",
        );
        check("COMMAND LIST FILTERBY PATTERN [gs]et", "[$get $set]");
    }

    #[test]
    fn by_category() {
        let mut fixture = fixture();
        let list = fixture.run("COMMAND LIST FILTERBY ACLCAT CONNECTION");
        for name in ["$client|id", "$command|docs", "$hello", "$ping"] {
            assert!(
                list.split([' ', '[', ']']).any(|word| word == name),
                "{name} in {list}"
            );
        }
        let list = fixture.run("COMMAND LIST FILTERBY ACLCAT dangerous");
        for name in ["$client|kill", "$config|set", "$debug", "$shutdown"] {
            assert!(
                list.split([' ', '[', ']']).any(|word| word == name),
                "{name} in {list}"
            );
        }
        fixture.check("COMMAND LIST FILTERBY ACLCAT foo", "[]");
        fixture.check("COMMAND LIST FILTERBY ACLCAT @string", "[]");
        fixture.check("COMMAND LIST FILTERBY MODULE foo", "[]");
    }

    #[test]
    fn refusals() {
        for script in [
            "FOO",
            "FILTERBY",
            "FOO a b",
            "FILTERBY FOO a",
            "FILTERBY PATTERN a b",
        ] {
            check(&format!("COMMAND LIST {script}"), "-ERR syntax error");
        }
    }
}
