//! An interactive client with the flags and output of redis-cli.
//!
//! [`run`] is the whole program, given its arguments and a table of the server's commands for help,
//! completion and hints. The flags, the output and the exit codes are redis-cli's, since scripts
//! depend on them; where redis-cli would send a command twice after a lost connection, this client
//! reports the loss instead.
//!
//! Code map: `args` and `flags` (the command line) → `session` with `observe` (the dialogue) over
//! `connection` (the transport), `format` (replies as text), `line_split` (text as arguments), `repl`
//! with `history`, `help` and `syntax` (the prompt), `listen` (messages), `modes` (a file per
//! `--mode`), `terminal` (keys and signals).
//! Nothing here knows what a command does beyond the few that change the state of a connection.

mod args;
mod connection;
mod docs;
mod flags;
mod format;
mod help;
mod history;
mod line_split;
mod listen;
mod modes;
mod observe;
mod redirection;
mod repl;
mod session;
mod syntax;
mod terminal;
mod uri;

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStringExt;

use crate::args::{FromStdin, Mode, Options};
use crate::help::Help;
use crate::session::{Issued, Report, Session};

/// One command, as help, completion and hints show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandHint {
    /// The name in upper case, with the container before a subcommand: `CLIENT LIST`.
    pub name: Cow<'static, str>,
    /// The arguments, as in `key value [NX | XX] [GET]`; a leading name is left out when shown.
    pub syntax: Cow<'static, str>,
    /// One line on what it does.
    pub summary: Cow<'static, str>,
    /// The group it belongs to, for `help @group`.
    pub group: Cow<'static, str>,
}

/// What the program calls itself in its version and usage texts.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The name that the user typed, for instance `caracal cli`.
    pub name: &'a str,
    /// The version that `--version` prints.
    pub version: &'a str,
}

/// Why the program ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Told to the user before ending.
    Message(String),
    /// The user knows, or needs no telling.
    Told,
    /// Standard output is gone; there is no one to tell.
    Output(io::Error),
}

/// Runs the client to its end and returns the exit code of the process.
///
/// `args` are those after the program's name. Standard input, output and error are used directly.
pub fn run(
    program: Program<'_>,
    args: impl IntoIterator<Item = OsString>,
    commands: &[CommandHint],
) -> u8 {
    let args: Vec<Vec<u8>> = args.into_iter().map(OsStringExt::into_vec).collect();
    match start(program, &args, commands) {
        Ok(code) => code,
        Err(Failure::Message(message)) => {
            complain(&message);
            1
        }
        Err(Failure::Told) => 1,
        Err(Failure::Output(error)) => {
            if error.kind() != io::ErrorKind::BrokenPipe {
                complain(&format!("Error writing to standard output: {error}"));
            }
            1
        }
    }
}

fn start(program: Program<'_>, args: &[Vec<u8>], commands: &[CommandHint]) -> Result<u8, Failure> {
    let mut options = Options::new(terminal::stdout_is_terminal());
    args::parse(args, &mut options).map_err(Failure::Message)?;
    match options.mode {
        Mode::Help => {
            let mut out = Vec::new();
            args::usage(program.name, program.version, &mut out).map_err(Failure::Output)?;
            session::print(&out)?;
            return Ok(0);
        }
        Mode::Version => {
            session::print(format!("{} {}\n", program.name, program.version).as_bytes())?;
            return Ok(0);
        }
        _ => {}
    }
    find_password(&mut options)?;
    let mode = options.mode.clone();
    let mut session = Session::new(options);
    match mode {
        Mode::Command => {
            let mut help = Help::new(program, commands);
            if session.options.command.is_empty() {
                session.connect(Report::Loud);
                repl::run(&mut session, &mut help)
            } else {
                one_shot(&mut session, &help)
            }
        }
        other => modes::run(&mut session, other),
    }
}

/// The command line's password wins over the environment's; a typed one wins over both.
fn find_password(options: &mut Options) -> Result<(), Failure> {
    if options.password.is_some() && options.warn_of_password && !options.ask_password {
        complain(
            "Warning: Using a password with '-a' or '-u' option on the command line interface \
             may not be safe.",
        );
    }
    if options.ask_password {
        let password = terminal::read_password("Please input password: ");
        options.password = Some(password.map_err(|error| {
            Failure::Message(format!(
                "Error reading the password: {}",
                connection::reason(&error)
            ))
        })?);
    } else if options.password.is_none() {
        options.password = std::env::var_os("REDISCLI_AUTH").map(OsStringExt::into_vec);
    }
    Ok(())
}

/// Runs the command of the command line.
fn one_shot(session: &mut Session, help: &Help<'_>) -> Result<u8, Failure> {
    let mut command = session.options.command.clone();
    if session.options.quoted_input {
        for arg in &mut command {
            let Ok(unquoted) = line_split::unquote(arg) else {
                session::print(b"Invalid quoted string\n")?;
                return Err(Failure::Told);
            };
            *arg = unquoted;
        }
    }
    match session.options.from_stdin.clone() {
        FromStdin::Nothing => {}
        FromStdin::LastArgument => command.push(read_stdin()?),
        FromStdin::Tag(tag) => {
            let Some(tagged) = command.iter_mut().find(|arg| **arg == tag) else {
                return Err(Failure::Message(
                    "Using -X option but stdin tag not match.".into(),
                ));
            };
            *tagged = read_stdin()?;
        }
    }
    if let Some(text) = help.answer(&command) {
        session::print(text.as_bytes())?;
        return Ok(0);
    }
    let repeat = session.options.repeat;
    let issued = session.issue(&command, repeat)?;
    session.listen()?;
    Ok(match issued {
        Issued::Answered => 0,
        Issued::Unanswered => 1,
    })
}

fn read_stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).map_err(|error| {
        let reason = connection::reason(&error);
        Failure::Message(format!("Reading from standard input: {reason}"))
    })?;
    Ok(bytes)
}

/// Tells the user on standard error; if that is closed, no one wants to know.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}
