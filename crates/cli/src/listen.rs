//! Messages that arrive unasked: MONITOR's lines and those of subscriptions.

use std::os::fd::AsFd;

use resp::client::Value;

use crate::Failure;
use crate::args::Options;
use crate::connection::Lost;
use crate::format::Style;
use crate::session::{Broken, Pushes, Report, Session, print};
use crate::terminal::{self, Event, KeyByKey, Watch};

/// Ends without a newline: the next message overwrites it.
const READING: &str = "Reading messages... (press Ctrl-C to quit or any key to type command)\r";

impl Session {
    /// Shows what MONITOR reports, until it fails or, at a prompt, until Ctrl-C.
    pub(crate) fn monitor(&mut self) -> Result<(), Broken> {
        loop {
            let value = match self.receive(Pushes::Awaited) {
                Ok(value) => value,
                Err(Broken::Interrupted) => {
                    // Only a new connection is free of the stream.
                    self.connect(Report::Loud);
                    return Ok(());
                }
                Err(other) => return Err(other),
            };
            self.show_message(&value)?;
            if matches!(value, Value::Error(_) | Value::BlobError(_)) {
                return Ok(());
            }
        }
    }

    /// Shows messages for ever, as a one-shot SUBSCRIBE does.
    pub(crate) fn listen(&mut self) -> Result<(), Failure> {
        while self.is_subscribed() {
            match self.receive(Pushes::Awaited) {
                Ok(value) => self.show_message(&value)?,
                Err(Broken::Lost(lost)) => {
                    self.after_loss(&lost)?;
                }
                Err(Broken::Interrupted) => return Err(Failure::Told),
                Err(Broken::Failure(failure)) => return Err(failure),
            }
        }
        Ok(())
    }

    /// Shows messages until there is input: a key on a terminal, or anything on another standard
    /// input. Ctrl-C leaves the subscriptions by connecting anew.
    pub(crate) fn listen_until_input(&mut self) -> Result<(), Failure> {
        let _mode = KeyByKey::enter();
        let notice = Notice::new(&self.options);
        while self.is_subscribed() {
            match self.wait_for_message(&notice) {
                Ok(Some(value)) => self.show_message(&value)?,
                Ok(None) => return Ok(()),
                Err(Broken::Lost(lost)) => {
                    self.after_loss(&lost)?;
                    return Ok(());
                }
                Err(Broken::Interrupted) => {
                    print(b"Closing current connection. Ready to reconnect to the server...\n")?;
                    self.connect(Report::Loud);
                    return Ok(());
                }
                Err(Broken::Failure(failure)) => return Err(failure),
            }
        }
        Ok(())
    }

    /// The next message, or `None` if there is input.
    fn wait_for_message(&mut self, notice: &Notice) -> Result<Option<Value>, Broken> {
        loop {
            let (Some(connection), Some(interrupts)) = (&mut self.connection, &self.interrupts)
            else {
                return Err(Lost::Closed.into());
            };
            if let Some(value) = connection.try_receive()? {
                return Ok(Some(value));
            }
            notice.show()?;
            let event = terminal::wait(connection.as_fd(), interrupts, Watch::ServerAndInput)
                .map_err(Lost::Io)?;
            notice.erase()?;
            match event {
                Event::Server => connection.fill()?,
                Event::Interrupted => return Err(Broken::Interrupted),
                Event::Input => return Ok(None),
            }
        }
    }
}

/// The line that tells a person what the prompt has gone for.
struct Notice {
    shown: bool,
    colored: bool,
}

impl Notice {
    fn new(options: &Options) -> Self {
        let shown = options.format.style != Style::Raw && terminal::stdout_is_terminal();
        let colored = std::env::var("TERM").is_ok_and(|term| term.contains("xterm"));
        Notice { shown, colored }
    }

    fn show(&self) -> Result<(), Failure> {
        match (self.shown, self.colored) {
            (false, _) => Ok(()),
            (true, false) => print(READING.as_bytes()),
            (true, true) => print(format!("\x1b[1;90m{READING}\x1b[0m").as_bytes()),
        }
    }

    fn erase(&self) -> Result<(), Failure> {
        if self.shown { print(b"\x1b[K") } else { Ok(()) }
    }
}
