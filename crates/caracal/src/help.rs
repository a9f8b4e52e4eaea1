//! What `--help` prints, and the hints that the interactive client shows.

use std::borrow::Cow;

use cli::CommandHint;

/// The help of the server program.
pub(crate) const HELP: &str = "\
Caracal, an in-memory data store that speaks the Redis protocol.

Usage: caracal [server] [/path/to/redis.conf] [-] [--directive value ...]
       caracal cli [options] [command [arg ...]]       an interactive client, see caracal cli --help
       caracal bench [options] [command [arg ...]]     a load generator, see caracal bench --help
       caracal --version | --help

Without a file the server listens on port 6379 with the defaults. Every directive of redis.conf can
be given on the command line, and overrides the file; `-` reads directives from standard input.
Through a symbolic link named redis-server, redis-cli or redis-benchmark (or valkey-...) it is that
program.

Directives you may want first:
  --port 6379                 the TCP port; 0 opens none
  --bind 127.0.0.1 ::1        the addresses to listen on
  --unixsocket PATH           a Unix socket to listen on as well
  --workers N                 threads that execute commands (default: the cores)
  --requirepass PASSWORD      what clients must send with AUTH
  --maxclients 10000          connections at a time
  --timeout 0                 seconds after which an idle client is closed; 0 is never
  --daemonize yes             go to the background, with --pidfile and --logfile
  --loglevel notice           debug, verbose, notice, warning or nothing

Examples:
  caracal
  caracal --port 7777 --workers 1
  caracal /etc/redis/redis.conf --loglevel verbose
  echo 'maxclients 100' | caracal -
";

/// The commands as the client's completion and hints want them.
pub(crate) fn command_hints() -> Vec<CommandHint> {
    let mut hints = Vec::new();
    for command in commands::all() {
        let spec = command.spec;
        if command.subcommands.is_empty() {
            hints.push(hint(spec.name.into(), spec.syntax, spec));
        }
        for sub in command.subcommands {
            hints.push(hint(
                format!("{} {}", spec.name, sub.spec.name).into(),
                sub.spec.syntax,
                sub.spec,
            ));
        }
    }
    hints
}

fn hint(
    name: Cow<'static, str>,
    syntax: &'static str,
    spec: &'static engine::spec::CommandSpec,
) -> CommandHint {
    CommandHint {
        name,
        syntax: syntax.into(),
        summary: spec.summary.into(),
        group: spec.group.name().into(),
    }
}
