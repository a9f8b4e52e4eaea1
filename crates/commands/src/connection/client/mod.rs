//! CLIENT: the connections, this one and all.

use engine::CommandError;
use engine::spec::{Command, CommandSpec, Group};

mod filter;
mod getname;
mod id;
mod info;
mod kill;
mod list;
mod no_evict;
mod no_touch;
mod setinfo;
mod setname;

pub(super) const CLIENT: Command = Command::container(
    &SPEC,
    &[
        getname::GETNAME,
        id::ID,
        info::INFO,
        kill::KILL,
        list::LIST,
        no_evict::NO_EVICT,
        no_touch::NO_TOUCH,
        setinfo::SETINFO,
        setname::SETNAME,
    ],
);

const SPEC: CommandSpec = CommandSpec::new("CLIENT")
    .group(Group::Connection)
    .at_least(2)
    .since("2.4.0")
    .summary("Commands on this connection and on all of them.")
    .complexity("That of the subcommand.");

/// What all subcommands have in common.
const FLAGS: u32 = {
    use engine::spec::flags::{CONNECTION, LOADING, NO_SCRIPT, STALE};
    NO_SCRIPT | LOADING | STALE | CONNECTION
};

/// The switch that a word is, in any case.
fn on_or_off(word: &[u8]) -> Result<bool, CommandError> {
    if word.eq_ignore_ascii_case(b"on") {
        Ok(true)
    } else if word.eq_ignore_ascii_case(b"off") {
        Ok(false)
    } else {
        Err(CommandError::Syntax)
    }
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn container() {
        check(
            "CLIENT",
            "-ERR wrong number of arguments for 'client' command",
        );
        check(
            "CLIENT FOO",
            "-ERR unknown subcommand 'FOO'. Try CLIENT HELP.",
        );
        check(
            "CLIENT HELP a",
            "-ERR wrong number of arguments for 'client|help' command",
        );
        let help = fixture().run("CLIENT HELP");
        assert!(help.starts_with(
            "[+CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are: +GETNAME +    "
        ));
        assert!(help.ends_with("+HELP +    Print this help.]"), "{help}");
    }
}
