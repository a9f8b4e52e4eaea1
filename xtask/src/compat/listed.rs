//! tests/COMPAT.md: the list of the places where the oracles differ among themselves, with whom Caracal follows and why.
//!
//! The list is a table that people read and this module parses. A row speaks of one command of one section, or of a
//! whole section when its command is `*`. Rows ratchet: a difference without a row fails, and so does a row without a
//! difference.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::workspace;

/// A row of the list.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) script: String,
    pub(super) section: String,
    pub(super) command: String,
    /// The oracles whose reply is Caracal's.
    pub(super) follows: Vec<String>,
    pub(super) why: String,
}

/// What stands before a row's reason has been written; the run fails as long as it is there.
pub(super) const NO_REASON: &str = "REASON MISSING";

/// Stands where each reply is like some oracle's but no oracle is followed in all of them.
const MIXED: &str = "mixed";

const HEAD: &str = "| Script | Section | Command | Like | Why |";

/// The parsed file: the text before the table is kept as it is.
pub(super) struct Listed {
    before: String,
    pub(super) rows: Vec<Row>,
}

impl Listed {
    pub(super) fn read() -> Result<Self> {
        let path = path();
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let (before, table) = text
            .split_once(HEAD)
            .context("COMPAT.md has lost its table")?;
        let rows = table.lines().skip(2).filter(|line| line.starts_with('|'));
        let rows = rows.map(parse_row).collect::<Result<_>>()?;
        Ok(Self {
            before: before.to_owned(),
            rows,
        })
    }

    /// The row that speaks of a command: one that names it goes before one for the section.
    pub(super) fn find(&self, script: &str, section: &str, command: &str) -> Option<usize> {
        let of_section = |row: &Row| row.script == script && row.section == section;
        let exact = self
            .rows
            .iter()
            .position(|row| of_section(row) && row.command == command);
        exact.or_else(|| {
            self.rows
                .iter()
                .position(|row| of_section(row) && row.command == "*")
        })
    }

    pub(super) fn write(&self) -> Result<()> {
        let mut text = format!("{}{HEAD}\n|---|---|---|---|---|\n", self.before);
        for row in &self.rows {
            let command = match row.command.as_str() {
                "*" => "*".to_owned(),
                command => format!("`{}`", command.replace('|', "\\|")),
            };
            let follows = match row.follows.join(", ") {
                none if none.is_empty() => MIXED.to_owned(),
                names => names,
            };
            writeln!(
                text,
                "| {} | {} | {command} | {follows} | {} |",
                row.script, row.section, row.why
            )?;
        }
        std::fs::write(path(), text)?;
        Ok(())
    }
}

fn path() -> PathBuf {
    workspace().join("tests/COMPAT.md")
}

fn parse_row(line: &str) -> Result<Row> {
    let inner = line
        .trim()
        .trim_start_matches('|')
        .trim_end_matches('|')
        .replace("\\|", "\0");
    let cells: Vec<String> = inner
        .split('|')
        .map(|cell| cell.trim().replace('\0', "|"))
        .collect();
    ensure!(
        cells.len() == 5,
        "COMPAT.md: a row needs five cells: {line}"
    );
    let command = cells[2]
        .strip_prefix('`')
        .and_then(|text| text.strip_suffix('`'));
    Ok(Row {
        script: cells[0].clone(),
        section: cells[1].clone(),
        command: command.unwrap_or(&cells[2]).to_owned(),
        follows: cells[3]
            .split(',')
            .map(|name| name.trim().to_owned())
            .filter(|name| name != MIXED)
            .collect(),
        why: cells[4].clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_with_its_escapes() {
        let row =
            parse_row("| strings | SET | `SET a\\|b` | redis-8.2, valkey-9.1 | newer |").unwrap();
        assert_eq!(row.command, "SET a|b");
        assert_eq!(row.follows, ["redis-8.2", "valkey-9.1"]);
        assert!(parse_row("| a | b |").is_err());
    }
}
