//! CONFIG SET parameter value [parameter value ...]
//!
//! Whoever uses a parameter reads it when it matters, or has subscribed to changes; so a new value
//! is in force when the reply is read.

use config::Origin;
use engine::spec::{Command, CommandSpec, Group};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

pub(super) const SET: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SET")
    .group(Group::Server)
    .at_least(4)
    .flags(super::FLAGS)
    .since("2.0.0")
    .syntax("parameter value [parameter value ...]")
    .summary("Changes parameters at run time: all that are given, or none.")
    .complexity("O(N), N being the number of parameters")
    .tips(&["request_policy:all_nodes", "response_policy:all_succeeded"])
    .history(&[("7.0.0", "Takes several parameters.")]);

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    args.skip(1);
    let (pairs, []) = args.rest().as_chunks::<2>() else {
        return Err(CommandError::Syntax);
    };
    let pairs: Vec<(&[u8], &[u8])> = pairs.iter().map(|[name, value]| (*name, *value)).collect();
    let origin = if ctx.session.client.is_local() {
        Origin::Local
    } else {
        Origin::Remote
    };
    let changed = ctx
        .config()
        .set(&pairs, origin)
        .map_err(|error| CommandError::new(error.to_string()))?;
    for name in changed {
        let neglect = config::find(name.as_bytes()).and_then(|(_, it)| it.meaning.neglect());
        if let Some(reason) = neglect {
            log::warn!("The directive '{name}' has no effect: {reason}");
        }
    }
    ctx.reply.ok();
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn set() {
        check(
            "CONFIG SET maxmemory 100mb timeout 7 ; CONFIG GET maxmemory timeout",
            "+OK ; [$maxmemory $104857600 $timeout $7]",
        );
        check(
            "CONFIG SET loglevel warning ; CONFIG GET loglevel",
            "+OK ; [$loglevel $warning]",
        );
    }

    #[test]
    fn what_is_not_there_cannot_be_switched_on() {
        let refused = |name: &str| {
            format!(
                "-ERR CONFIG SET failed (possibly related to argument '{name}') - this version does \
                 not have what it configures"
            )
        };
        check(
            "CONFIG SET appendonly yes ; CONFIG GET appendonly",
            &format!("{} ; [$appendonly $no]", refused("appendonly")),
        );
        check(
            "CONFIG SET notify-keyspace-events Ex",
            &refused("notify-keyspace-events"),
        );
        check("CONFIG SET tls-port 6380", &refused("tls-port"));
        check("CONFIG SET save '60 1'", &refused("save"));
        check(
            "CONFIG SET appendonly no save '' stop-writes-on-bgsave-error no",
            "+OK",
        );
        check("CONFIG SET activerehashing no", "+OK");
    }

    #[test]
    fn all_or_none() {
        check(
            "CONFIG SET timeout 7 maxmemory x ; CONFIG GET timeout",
            "-ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a \
             memory value ; [$timeout $0]",
        );
        check(
            "CONFIG SET foo 1",
            "-ERR Unknown option or number of arguments for CONFIG SET - 'foo'",
        );
        check("CONFIG SET maxmemory 1 hz", "-ERR syntax error");
        check(
            "CONFIG SET maxmemory",
            "-ERR wrong number of arguments for 'config|set' command",
        );
        check(
            "CONFIG SET databases 4",
            "-ERR CONFIG SET failed (possibly related to argument 'databases') - can't set \
             immutable config",
        );
    }
}
