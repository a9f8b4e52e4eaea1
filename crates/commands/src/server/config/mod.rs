//! CONFIG: the parameters of the running server. What they are stands in crate `config`.

use engine::spec::{Command, CommandSpec, Group};

mod get;
mod resetstat;
mod rewrite;
mod set;

pub(super) const CONFIG: Command = Command::container(
    &SPEC,
    &[get::GET, resetstat::RESETSTAT, rewrite::REWRITE, set::SET],
);

const SPEC: CommandSpec = CommandSpec::new("CONFIG")
    .group(Group::Server)
    .at_least(2)
    .since("2.0.0")
    .summary("Commands on the parameters of the running server.")
    .complexity("That of the subcommand.");

/// What all subcommands have in common.
const FLAGS: u32 = {
    use engine::spec::flags::{ADMIN, LOADING, NO_SCRIPT, STALE};
    ADMIN | NO_SCRIPT | LOADING | STALE
};

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn container() {
        check(
            "CONFIG",
            "-ERR wrong number of arguments for 'config' command",
        );
        check(
            "CONFIG FOO",
            "-ERR unknown subcommand 'FOO'. Try CONFIG HELP.",
        );
        check(
            "CONFIG HELP",
            "[+CONFIG <subcommand> [<arg> [value] [opt] ...]. Subcommands are: \
             +GET <parameter> [<parameter> ...] \
             +    Returns the values of the parameters that match any of the patterns. \
             +RESETSTAT +    Sets the figures of INFO to zero. \
             +REWRITE +    Writes the parameters in force to the configuration file. \
             +SET <parameter> <value> [<parameter> <value> ...] \
             +    Changes parameters at run time: all that are given, or none. \
             +HELP +    Print this help.]",
        );
    }
}
