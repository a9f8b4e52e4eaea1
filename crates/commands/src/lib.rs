//! Every command, a file each (or a file for a shared grammar), a folder a group.
//!
//! A file holds the spec, the parsed form, the parser and the handler, in this order, and its tests.
//! A group's `mod.rs` lists its commands; nothing else has to be told of a new one. Commands do not
//! know each other; what a group shares stands in its `mod.rs`.

use engine::spec::Command;

mod bitmaps;
mod connection;
mod drawing;
mod generic;
mod geo;
mod hashes;
mod hyperloglog;
mod lists;
mod scanning;
mod server;
mod sets;
mod sorted_sets;
mod strings;

/// All commands, by group.
const GROUPS: &[&[Command]] = &[
    bitmaps::COMMANDS,
    connection::COMMANDS,
    generic::COMMANDS,
    geo::COMMANDS,
    hashes::COMMANDS,
    hyperloglog::COMMANDS,
    lists::COMMANDS,
    server::COMMANDS,
    sets::COMMANDS,
    sorted_sets::COMMANDS,
    strings::COMMANDS,
];

/// All commands.
pub fn all() -> impl Iterator<Item = &'static Command> {
    GROUPS.iter().flat_map(|group| group.iter())
}

/// A test server with all commands.
#[cfg(test)]
fn fixture() -> testkit::Fixture {
    testkit::Fixture::new(all())
}

/// Executes a script on a fresh server and compares the replies; see [`testkit`] for the notation.
#[cfg(test)]
#[track_caller]
fn check(script: &str, want: &str) {
    fixture().check(script, want);
}

/// As [`check`], in RESP3; the reply to HELLO is left out.
#[cfg(test)]
#[track_caller]
fn check3(script: &str, want: &str) {
    let mut fixture = fixture();
    fixture.run("HELLO 3");
    fixture.check(script, want);
}
