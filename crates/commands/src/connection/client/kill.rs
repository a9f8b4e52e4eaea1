//! CLIENT KILL addr:port | filter value [filter value ...]
//!
//! The old form kills one client or answers an error; the new one kills all that pass the filters
//! and says how many. Who kills itself reads the reply before its connection ends.

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

use super::filter::{Filter, Verb};

pub(super) const KILL: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("KILL")
    .group(Group::Connection)
    .at_least(3)
    .flags(super::FLAGS | flags::ADMIN)
    .since("2.4.0")
    .syntax(
        "<ip:port | <ID client-id [client-id ...] | TYPE <NORMAL | MASTER | PRIMARY | SLAVE | \
         REPLICA | PUBSUB> | USER username | ADDR ip:port | LADDR ip:port | SKIPME <YES | NO> | \
         MAXAGE maxage | FLAGS flags | NAME name | IDLE idle | LIB-NAME libname | LIB-VER libver | \
         DB db | IP ip> ...>",
    )
    .summary("Ends open connections.")
    .complexity("O(N), N being the number of connections")
    .history(&[
        (
            "2.8.12",
            "Filters beside the plain address, `ID` among them.",
        ),
        ("3.2.0", "`TYPE` knows `master`."),
        (
            "5.0.0",
            "`TYPE` knows `replica` as another word for `slave`.",
        ),
        ("6.2.0", "The filter `LADDR`."),
        ("7.4.0", "The filter `MAXAGE`."),
    ]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    args.skip(1);
    if let [address] = args.rest() {
        let killed = kill(ctx, |client| client.address.as_bytes() == *address);
        if killed == 0 {
            return Err(CommandError::Fixed("ERR No such client"));
        }
        ctx.reply.ok();
        return DONE;
    }
    let filter = Filter::parse(ctx.server, args, Verb::Kill)?;
    let (now_ms, own) = (ctx.now_ms(), ctx.session.client.id);
    let spares_own = filter.skips_own.unwrap_or(true);
    let killed = kill(ctx, |client| {
        filter.matches(client, now_ms) && !(spares_own && client.id == own)
    });
    ctx.reply.count(killed);
    DONE
}

/// Kills the clients that `is_meant` picks, and returns how many.
fn kill(ctx: &Ctx<'_>, is_meant: impl Fn(&engine::clients::Client) -> bool) -> usize {
    let mut killed = 0;
    for client in ctx.server.clients.all() {
        if is_meant(&client) && !client.is_killed() {
            client.kill();
            killed += 1;
        }
    }
    killed
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use engine::Session;
    use engine::clients::Origin;

    use crate::{check, fixture};

    /// Runs the script with a second client, of address 1.2.3.4:5, and returns whether that one was
    /// killed.
    #[track_caller]
    fn kills_other(script: &str, want: &str) -> bool {
        let mut fixture = fixture();
        let is_closed = Arc::new(AtomicBool::new(false));
        let origin = Origin {
            address: "1.2.3.4:5".to_owned(),
            local_address: "127.0.0.1:6379".to_owned(),
            ..Origin::default()
        };
        let flag = is_closed.clone();
        let other = Session::new(fixture.server(), origin, move || flag.store(true, Relaxed));
        fixture.check(script, want);
        assert_eq!(other.client.is_killed(), is_closed.load(Relaxed));
        other.client.is_killed()
    }

    #[test]
    fn old_form() {
        assert!(kills_other("CLIENT KILL 1.2.3.4:5 ; PING", "+OK ; +PONG"));
        assert!(!kills_other("CLIENT KILL 1.2.3.4:6", "-ERR No such client"));
        assert!(!kills_other("CLIENT KILL ID", "-ERR No such client"));
    }

    #[test]
    fn filters() {
        for filter in [
            "ID 2",
            "ID 7 2",
            "ADDR 1.2.3.4:5",
            "LADDR 127.0.0.1:6379",
            "IP 1.2.3.4",
            "TYPE normal",
            "USER default",
            "SKIPME yes",
            "ID 2 TYPE normal ADDR 1.2.3.4:5",
            "NOT-ID 1",
        ] {
            assert!(
                kills_other(&format!("CLIENT KILL {filter}"), ":1"),
                "{filter}"
            );
        }
        for filter in [
            "ID 1",
            "ID 2 TYPE pubsub",
            "ADDR 1.2.3.4:6",
            "MAXAGE 1000",
            "NOT-ADDR 1.2.3.4:5",
            "LIB-NAME x",
        ] {
            assert!(
                !kills_other(&format!("CLIENT KILL {filter}"), ":0"),
                "{filter}"
            );
        }
    }

    #[test]
    fn who_kills_itself_reads_the_reply() {
        check("CLIENT KILL TYPE normal SKIPME no ; PING", ":1");
        check("CLIENT KILL ID 1 SKIPME no ; PING", ":1");
    }

    #[test]
    fn refusals() {
        check(
            "CLIENT KILL",
            "-ERR wrong number of arguments for 'client|kill' command",
        );
        let id = "-ERR client-id should be greater than 0";
        check(
            "CLIENT KILL ID a ; CLIENT KILL ID 0 ; CLIENT KILL ID -3",
            &[id; 3].join(" ; "),
        );
        check("CLIENT KILL USER nobody ID 3", "-ERR No such user 'nobody'");
        check("CLIENT KILL TYPE foo", "-ERR Unknown client type 'foo'");
        check(
            "CLIENT KILL MAXAGE a",
            "-ERR maxage is not an integer or out of range",
        );
        check(
            "CLIENT KILL MAXAGE 0",
            "-ERR maxage should be greater than 0",
        );
        for script in ["SKIPME foo", "FOO bar", "ID 1 MAXAGE", "ID 1 x"] {
            check(&format!("CLIENT KILL {script}"), "-ERR syntax error");
        }
    }
}
