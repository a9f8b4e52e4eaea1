//! The prompt: reads lines, and sends each as a command.
//!
//! On a terminal an editor gives history, completion and hints; from a pipe or file, lines are read
//! as bytes and no prompt is shown, so that scripts can feed commands.

use std::borrow::Cow;
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::os::fd::AsFd;
use std::time::Instant;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::{Hint, Hinter};
use rustyline::history::{History as _, MemHistory};
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor};

use crate::Failure;
use crate::args::Endpoint;
use crate::connection::reason;
use crate::format::Style;
use crate::help::Help;
use crate::history::{self, History};
use crate::line_split;
use crate::session::{Report, Session, is, print};
use crate::terminal::{self, Interrupts};

/// A command that took at least this long is followed by its time, in formatted output.
const SLOW_MS: u128 = 500;

/// Reads and runs lines until the end of input or `quit`.
pub(crate) fn run(session: &mut Session, help: &mut Help<'_>) -> Result<u8, Failure> {
    let interrupts = Interrupts::watch().map_err(failed)?;
    session.interrupts = Some(interrupts);
    if terminal::stdin_is_terminal() {
        if let Some(connection) = &mut session.connection
            && let Ok(docs) = connection.call(&["COMMAND", "DOCS"])
        {
            help.learn(&docs);
        }
        Prompt::new(session, help)?.run()
    } else {
        run_lines(session, help)
    }
}

/// What to do after a line.
enum Next {
    Line,
    Quit,
    ClearScreen,
    SetHints(bool),
}

fn run_lines(session: &mut Session, help: &Help<'_>) -> Result<u8, Failure> {
    let stdin = io::stdin().as_fd().try_clone_to_owned().map_err(failed)?;
    let mut input = BufReader::new(File::from(stdin));
    loop {
        if session.is_subscribed() && input.buffer().is_empty() {
            session.listen_until_input()?;
        }
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line).map_err(failed)? == 0 {
            return Ok(0);
        }
        if let (Next::Quit, _) = run_line(session, help, &line)? {
            return Ok(0);
        }
    }
}

/// Runs one line; returns also its arguments without a repeat count, for the history.
fn run_line(
    session: &mut Session,
    help: &Help<'_>,
    line: &[u8],
) -> Result<(Next, Vec<Vec<u8>>), Failure> {
    let Ok(mut args) = line_split::split(line) else {
        print(b"Invalid argument(s)\n")?;
        return Ok((Next::Line, Vec::new()));
    };
    let mut repeat = 1;
    if args.len() > 1
        && let Some(count) = repeat_count(&args[0])
    {
        args.remove(0);
        match count {
            Ok(count) => repeat = count,
            Err(Unreasonable) => {
                print(b"Invalid redis-cli repeat command option value.\n")?;
                return Ok((Next::Line, args));
            }
        }
    }
    let Some(first) = args.first() else {
        return Ok((Next::Line, args));
    };
    let next = if is(first, "quit") || is(first, "exit") {
        Next::Quit
    } else if first.starts_with(b":") {
        match preference(&args) {
            Ok(hints) => Next::SetHints(hints),
            Err(message) => {
                print(format!("{message}\n").as_bytes())?;
                Next::Line
            }
        }
    } else if is(first, "connect") && args.len() == 3 {
        match std::str::from_utf8(&args[2])
            .ok()
            .and_then(|port| port.parse().ok())
        {
            Some(port) => {
                let host = String::from_utf8_lossy(&args[1]).into_owned();
                session.set_endpoint(Endpoint::Tcp { host, port });
                session.connect(Report::Loud);
            }
            None => print(b"Invalid server port.\n")?,
        }
        Next::Line
    } else if is(first, "clear") && args.len() == 1 {
        Next::ClearScreen
    } else if let Some(text) = help.answer(&args) {
        print(text.as_bytes())?;
        Next::Line
    } else {
        let start = Instant::now();
        session.issue(&args, repeat)?;
        let elapsed = start.elapsed();
        if elapsed.as_millis() >= SLOW_MS && session.options.format.style == Style::Formatted {
            print(format!("({:.2}s)\n", elapsed.as_secs_f64()).as_bytes())?;
        }
        Next::Line
    };
    Ok((next, args))
}

/// A repeat count that is zero, negative or beyond counting.
struct Unreasonable;

/// The number before a command, as in `5 INCR n`.
fn repeat_count(word: &[u8]) -> Option<Result<i64, Unreasonable>> {
    let digits = word
        .strip_prefix(b"-")
        .or(word.strip_prefix(b"+"))
        .unwrap_or(word);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let count = std::str::from_utf8(word)
        .ok()
        .and_then(|word| word.parse::<i64>().ok());
    Some(count.filter(|count| *count > 0).ok_or(Unreasonable))
}

/// `:set hints` or `:set nohints`.
fn preference(args: &[Vec<u8>]) -> Result<bool, String> {
    let shown = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
    match args {
        [set, name, ..] if is(set, ":set") => match name.to_ascii_lowercase().as_slice() {
            b"hints" => Ok(true),
            b"nohints" => Ok(false),
            _ => Err(format!("unknown preference '{}'", shown(name))),
        },
        [other, ..] => Err(format!("unknown internal command '{}'", shown(other))),
        [] => Err("no preference given".into()),
    }
}

/// The prompt on a terminal.
struct Prompt<'s, 'h> {
    session: &'s mut Session,
    help: &'h Help<'h>,
    editor: Editor<Assistant<'h>, MemHistory>,
    history: History,
}

impl<'s, 'h> Prompt<'s, 'h> {
    fn new(session: &'s mut Session, help: &'h Help<'h>) -> Result<Self, Failure> {
        let config = Config::builder()
            .max_history_size(history::LINES_MAX)
            .map_err(editor_failed)?
            .completion_type(CompletionType::Circular)
            .build();
        let mut lines = MemHistory::with_config(&config);
        let history = History::open();
        for line in history.load() {
            let _ = lines.add(&line);
        }
        let mut editor = Editor::with_history(config, lines).map_err(editor_failed)?;
        editor.set_helper(Some(Assistant {
            help,
            hints: Cell::new(true),
        }));
        let prompt = Prompt {
            session,
            help,
            editor,
            history,
        };
        prompt.load_preferences()?;
        Ok(prompt)
    }

    fn load_preferences(&self) -> Result<(), Failure> {
        let Some(path) = history::dotfile("CARACALCLI_RCFILE", ".caracalclirc") else {
            return Ok(());
        };
        for line in fs::read(path)
            .unwrap_or_default()
            .split(|byte| *byte == b'\n')
        {
            let args = line_split::split(line).unwrap_or_default();
            if args.is_empty() {
                continue;
            }
            match preference(&args) {
                Ok(hints) => self.set_hints(hints),
                Err(message) => print(format!(".caracalclirc: {message}\n").as_bytes())?,
            }
        }
        Ok(())
    }

    fn set_hints(&self, shown: bool) {
        if let Some(assistant) = self.editor.helper() {
            assistant.hints.set(shown);
        }
    }

    fn run(mut self) -> Result<u8, Failure> {
        loop {
            let line = match self.editor.readline(&self.session.prompt()) {
                Ok(line) => line,
                Err(ReadlineError::Eof | ReadlineError::Interrupted) => {
                    if self.session.is_subscribed() {
                        self.session.connect(Report::Loud);
                        continue;
                    }
                    return Ok(0);
                }
                Err(error) => return Err(editor_failed(error)),
            };
            if line.trim().is_empty() {
                // Only a wish to see messages again.
                if self.session.is_subscribed() {
                    self.session.listen_until_input()?;
                }
                continue;
            }
            // Kept before it runs: QUIT, or a command that hangs, should be found again.
            let _ = self.editor.add_history_entry(line.as_str());
            let args = line_split::split(line.as_bytes()).unwrap_or_default();
            let counted = args.len() > 1 && repeat_count(&args[0]).is_some();
            self.history.append(&line, &args[usize::from(counted)..]);
            match run_line(self.session, self.help, line.as_bytes())?.0 {
                Next::Line => {}
                Next::Quit => return Ok(0),
                Next::ClearScreen => self.editor.clear_screen().map_err(editor_failed)?,
                Next::SetHints(shown) => self.set_hints(shown),
            }
            if self.session.is_subscribed() {
                self.session.listen_until_input()?;
            }
        }
    }
}

/// What the editor asks while a line is typed.
struct Assistant<'h> {
    help: &'h Help<'h>,
    hints: Cell<bool>,
}

/// Shown behind the cursor, and never inserted: it is a reminder, not a suggestion.
struct ArgumentHint(String);

impl Hint for ArgumentHint {
    fn display(&self) -> &str {
        &self.0
    }

    fn completion(&self) -> Option<&str> {
        None
    }
}

impl Hinter for Assistant<'_> {
    type Hint = ArgumentHint;

    fn hint(&self, line: &str, position: usize, _: &Context<'_>) -> Option<ArgumentHint> {
        if !self.hints.get() || position < line.len() {
            return None;
        }
        let mut args = line_split::split(line.as_bytes()).ok()?;
        if args.len() > 1 && repeat_count(&args[0]).is_some() {
            args.remove(0);
        }
        let hint = self.help.hint(&args)?;
        let gap = if line.ends_with(char::is_whitespace) {
            ""
        } else {
            " "
        };
        Some(ArgumentHint(format!("{gap}{hint}")))
    }
}

impl Completer for Assistant<'_> {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok((0, self.help.completions(&line[..position])))
    }
}

impl Highlighter for Assistant<'_> {
    fn highlight_hint<'t>(&self, hint: &'t str) -> Cow<'t, str> {
        Cow::Owned(format!("\x1b[90m{hint}\x1b[0m"))
    }
}

impl Validator for Assistant<'_> {}

impl rustyline::Helper for Assistant<'_> {}

fn failed(error: io::Error) -> Failure {
    Failure::Message(format!("Error reading input: {}", reason(&error)))
}

fn editor_failed(error: ReadlineError) -> Failure {
    Failure::Message(format!("Error reading input: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeat_counts() {
        let check = |word: &str| repeat_count(word.as_bytes()).map(|count| count.ok());
        assert_eq!(check("5"), Some(Some(5)));
        assert_eq!(check("0"), Some(None));
        assert_eq!(check("-1"), Some(None));
        assert_eq!(check("99999999999999999999"), Some(None));
        assert_eq!(check("5x"), None);
        assert_eq!(check("get"), None);
    }

    #[test]
    fn preferences() {
        let check = |line: &str| preference(&line_split::split(line.as_bytes()).unwrap());
        assert_eq!(check(":set hints"), Ok(true));
        assert_eq!(check(":SET NoHints"), Ok(false));
        assert!(check(":set x").is_err());
        assert!(check(":x").is_err());
    }
}
