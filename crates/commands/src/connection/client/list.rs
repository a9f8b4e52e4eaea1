//! CLIENT LIST [TYPE client-type] [ID client-id [client-id ...]] [...]
//!
//! Redis takes either TYPE or ID; Valkey's further filters, and several at once, do not clash.

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandResult, Ctx, DONE};

use super::filter::{Filter, SYNTAX, Verb};

pub(super) const LIST: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LIST")
    .group(Group::Connection)
    .at_least(2)
    .flags(super::FLAGS | flags::ADMIN)
    .since("2.4.0")
    .syntax(SYNTAX)
    .summary("Lists the connections, a line each.")
    .complexity("O(N), N being the number of connections")
    .tips(&["nondeterministic_output"])
    .history(&[
        ("2.8.12", "The field `id`."),
        ("5.0.0", "The filter `TYPE`."),
        (
            "6.2.0",
            "The filter `ID`; the fields `laddr`, `argv-mem`, `tot-mem` and `redir`.",
        ),
        ("7.0.0", "The fields `resp`, `multi-mem`, `rbs` and `rbp`."),
        ("7.0.3", "The field `ssub`."),
    ]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    args.skip(1);
    let filter = Filter::parse(ctx.server, args, Verb::List)?;
    let now_ms = ctx.now_ms();
    let own = ctx.session.client.id;
    let mut lines = Vec::new();
    for client in ctx.server.clients.all() {
        if filter.matches(&client, now_ms) && !(filter.skips_own == Some(true) && client.id == own)
        {
            client.describe(now_ms, &ctx.server.commands, &mut lines);
            lines.push(b'\n');
        }
    }
    ctx.reply.verbatim("txt", &lines);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn everyone_or_some() {
        for filter in [
            "",
            "TYPE normal",
            "ID 1",
            "ID 7 1 9",
            "USER default",
            "NAME me",
            "DB 0 FLAGS N",
            "NOT-ID 2",
            "IDLE 0",
            "SKIPME no",
        ] {
            let mut fixture = fixture();
            fixture.run("CLIENT SETNAME me");
            let list = fixture.run(&format!("CLIENT LIST {filter}"));
            assert!(list.starts_with("$\"id=1 addr= "), "{filter}: {list}");
        }
    }

    #[test]
    fn nobody() {
        for filter in [
            "TYPE pubsub",
            "TYPE master",
            "TYPE primary",
            "TYPE replica",
            "ID 99",
            "ID 0 -1",
            "NAME me",
            "NOT-TYPE normal",
            "DB 1",
            "MAXAGE 1",
            "SKIPME yes",
        ] {
            check(&format!("CLIENT LIST {filter}"), "$\"\"");
        }
    }

    #[test]
    fn refusals() {
        check("CLIENT LIST TYPE foo", "-ERR Unknown client type 'foo'");
        check("CLIENT LIST ID a", "-ERR Invalid client ID");
        for script in ["TYPE", "ID", "FOO", "FOO bar", "SKIPME maybe"] {
            check(&format!("CLIENT LIST {script}"), "-ERR syntax error");
        }
    }
}
