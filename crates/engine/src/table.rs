//! The command table: from a name, in any case, to its command, in one probe.

use std::fmt;

use crate::spec::Command;

/// A command with what dispatch wants to know about it at once.
#[derive(Clone, Copy, Debug)]
pub struct TableEntry {
    /// The command.
    pub command: &'static Command,
    /// Its place among all commands, subcommands included: the index of its counters.
    pub index: usize,
    /// Whether it has its one key at word 1 and shares the gate: it can be part of a run.
    pub is_simple: bool,
    /// The entries of its subcommands: this many from `subcommands_from` on.
    subcommands: usize,
    subcommands_from: usize,
}

/// All commands of a server.
pub struct CommandTable {
    entries: Vec<TableEntry>,
    /// The full names, lower case, subcommands as `config|get`; parallel to `entries`.
    names: Vec<String>,
    /// Open addressing over twice as many slots as names at least; an index into `entries`.
    slots: Box<[u16]>,
    top_level: usize,
}

const EMPTY: u16 = u16::MAX;

impl CommandTable {
    /// The table of `commands`.
    ///
    /// # Panics
    /// If two have the same name.
    pub fn new(commands: impl IntoIterator<Item = &'static Command>) -> Self {
        let mut entries: Vec<TableEntry> = Vec::new();
        let mut names = Vec::new();
        for command in commands {
            entries.push(TableEntry::new(command, entries.len()));
            names.push(command.spec.name.to_ascii_lowercase());
        }
        let top_level = entries.len();
        for container in 0..top_level {
            let command = entries[container].command;
            if command.subcommands.is_empty() {
                continue;
            }
            entries[container].subcommands_from = entries.len();
            entries[container].subcommands = command.subcommands.len() + 1;
            let help = std::iter::once(crate::help::of(command.spec));
            for command in command.subcommands.iter().chain(help) {
                let sub = command.spec.name.to_ascii_lowercase();
                names.push(format!("{}|{sub}", names[container]));
                entries.push(TableEntry::new(command, entries.len()));
            }
        }
        let mut slots = vec![EMPTY; (top_level * 4).next_power_of_two()].into_boxed_slice();
        for (index, name) in names[..top_level].iter().enumerate() {
            let mut slot = slot_of(name.as_bytes(), slots.len());
            while slots[slot] != EMPTY {
                assert_ne!(
                    &names[slots[slot] as usize], name,
                    "two commands of one name"
                );
                slot = (slot + 1) & (slots.len() - 1);
            }
            slots[slot] = index as u16;
        }
        CommandTable {
            entries,
            names,
            slots,
            top_level,
        }
    }

    /// The command of this name, which may be a container.
    #[inline]
    pub fn find(&self, name: &[u8]) -> Option<&TableEntry> {
        let mut slot = slot_of(name, self.slots.len());
        loop {
            let entry = self.entries.get(self.slots[slot] as usize)?;
            if entry
                .command
                .spec
                .name
                .as_bytes()
                .eq_ignore_ascii_case(name)
            {
                return Some(entry);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// The subcommand of `container` of this name.
    pub fn find_subcommand(&self, container: &TableEntry, name: &[u8]) -> Option<&TableEntry> {
        self.subcommands(container).iter().find(|entry| {
            entry
                .command
                .spec
                .name
                .as_bytes()
                .eq_ignore_ascii_case(name)
        })
    }

    /// The subcommands of `container`, `HELP` last.
    pub fn subcommands(&self, container: &TableEntry) -> &[TableEntry] {
        &self.entries[container.subcommands_from..][..container.subcommands]
    }

    /// The command or subcommand of a full name in any case, `config|get` for a subcommand.
    pub fn find_full(&self, name: &[u8]) -> Option<&TableEntry> {
        match name.iter().position(|byte| *byte == b'|') {
            None => self.find(name),
            Some(bar) => self.find_subcommand(self.find(&name[..bar])?, &name[bar + 1..]),
        }
    }

    /// All commands, containers among them but not their subcommands.
    pub fn commands(&self) -> &[TableEntry] {
        &self.entries[..self.top_level]
    }

    /// All commands and all subcommands, in the order of their indexes.
    pub fn all(&self) -> &[TableEntry] {
        &self.entries
    }

    /// The full name, in lower case: `get`, `config|get`.
    pub fn full_name(&self, entry: &TableEntry) -> &str {
        &self.names[entry.index]
    }
}

impl TableEntry {
    fn new(command: &'static Command, index: usize) -> Self {
        let spec = command.spec;
        TableEntry {
            command,
            index,
            is_simple: spec.is_single_key() && spec.is_plain(),
            subcommands: 0,
            subcommands_from: 0,
        }
    }
}

impl fmt::Debug for CommandTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.names).finish()
    }
}

/// Mixes the first eight bytes, cases folded, with the length. Names are few and known; there is
/// nothing to defend against here.
#[inline]
fn slot_of(name: &[u8], slots: usize) -> usize {
    let mut word = [0u8; 8];
    let taken = name.len().min(8);
    word[..taken].copy_from_slice(&name[..taken]);
    let folded = u64::from_le_bytes(word) & 0xdfdf_dfdf_dfdf_dfdf;
    let mixed = folded
        .wrapping_add(name.len() as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize & (slots - 1)
}
