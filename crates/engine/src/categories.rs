//! The categories of access control lists, derived from what the specs say.
//!
//! A command is in the categories that its flags imply and in that of its group. A container is in
//! those of its flags only: rights are given for its subcommands.

use crate::spec::{Command, flags};

/// All categories, with their `@`, in the order of their bits and of COMMAND INFO.
pub const NAMES: &[&str] = &[
    "@keyspace",
    "@read",
    "@write",
    "@set",
    "@sortedset",
    "@list",
    "@hash",
    "@string",
    "@bitmap",
    "@hyperloglog",
    "@geo",
    "@stream",
    "@pubsub",
    "@admin",
    "@fast",
    "@slow",
    "@blocking",
    "@dangerous",
    "@connection",
    "@transaction",
    "@scripting",
];

/// The bit of a category, whose name is given with its `@` and in any case.
pub fn bit(name: &[u8]) -> Option<u32> {
    let index = NAMES
        .iter()
        .position(|known| known.as_bytes().eq_ignore_ascii_case(name))?;
    Some(1 << index)
}

/// The categories of a command, as bits.
pub fn of(command: &Command) -> u32 {
    let spec = command.spec;
    let mut bits = 0;
    let mut add = |is_in: bool, name: &str| {
        if is_in {
            debug_assert!(bit(name.as_bytes()).is_some(), "no category {name}");
            bits |= bit(name.as_bytes()).unwrap_or(0);
        }
    };
    if let Some(categories) = spec.categories {
        categories.iter().for_each(|name| add(true, name));
    } else if let Some(name) = spec.group.category() {
        add(command.subcommands.is_empty(), name);
    }
    // A script reads and writes by the commands that it calls.
    let is_script = spec.group.category() == Some("@scripting");
    add(spec.has(flags::KEYSPACE), "@keyspace");
    add(spec.has(flags::READONLY) && !is_script, "@read");
    add(spec.has(flags::WRITE), "@write");
    add(spec.has(flags::PUBSUB), "@pubsub");
    add(spec.has(flags::ADMIN), "@admin");
    add(spec.has(flags::FAST), "@fast");
    add(!spec.has(flags::FAST), "@slow");
    add(spec.has(flags::BLOCKING), "@blocking");
    add(
        spec.has(flags::ADMIN) || spec.has(flags::DANGEROUS),
        "@dangerous",
    );
    add(spec.has(flags::CONNECTION), "@connection");
    bits
}

/// The names of `bits`.
pub fn names(bits: u32) -> impl Iterator<Item = &'static str> {
    (0..NAMES.len())
        .filter(move |index| bits & 1 << index != 0)
        .map(|index| NAMES[index])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{CommandSpec, Group};

    fn run(_: &mut crate::Ctx<'_>, _: crate::Args<'_>) -> crate::CommandResult {
        crate::DONE
    }

    fn show(spec: CommandSpec) -> String {
        let spec: &'static CommandSpec = Box::leak(Box::new(spec));
        names(of(&Command::new(spec, run)))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn derived_from_flags_and_group() {
        let spec = CommandSpec::new("TEST");
        assert_eq!(show(spec), "@keyspace @slow");
        assert_eq!(
            show(
                spec.group(Group::SortedSet)
                    .flags(flags::WRITE | flags::FAST)
            ),
            "@write @sortedset @fast"
        );
        assert_eq!(
            show(spec.group(Group::Server).flags(flags::ADMIN)),
            "@admin @slow @dangerous"
        );
        assert_eq!(
            show(spec.group(Group::Scripting).flags(flags::READONLY)),
            "@slow @scripting"
        );
        assert_eq!(
            show(spec.flags(flags::WRITE).categories(&["@set", "@list"])),
            "@write @set @list @slow"
        );
    }

    #[test]
    fn bits_and_names() {
        assert_eq!(bit(b"@KeySpace"), Some(1));
        assert_eq!(bit(b"keyspace"), None);
        for (index, name) in NAMES.iter().enumerate() {
            assert_eq!(names(1 << index).collect::<Vec<_>>(), [*name]);
        }
    }
}
