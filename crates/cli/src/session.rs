//! A user's dialogue with a server: connecting, sending commands, showing the replies, and
//! remembering what they changed (database, transaction, protocol, subscriptions).
//!
//! A connection that the server dropped while the user was idle is replaced before the next command
//! is sent. One that breaks after sending is not retried: the command may have been executed, and
//! sending INCR twice is worse than an error message.

use std::fmt;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::thread;

use resp::client::Value;

use crate::args::{Endpoint, Options, Protocol};
use crate::connection::{Connection, Lost, reason};
use crate::observe::{self, Subscriptions};
use crate::redirection::Redirection;
use crate::terminal::{self, Event, Interrupts, Watch};
use crate::{Failure, complain};

/// Redirections followed for one command before giving up on a cluster that disagrees with itself.
const REDIRECTIONS_MAX: u32 = 16;

/// Whether a failing connect is told to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    Loud,
    Quiet,
}

/// How connecting ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connected {
    Ready,
    Unreachable,
    /// Connected, but AUTH, SELECT or HELLO failed.
    Refused,
}

/// How issuing a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Issued {
    /// Answered, be it with an error.
    Answered,
    /// Not answered; the user has been told why.
    Unanswered,
}

/// Why waiting for a reply ended without one.
pub(crate) enum Broken {
    Lost(Lost),
    /// Ctrl-C.
    Interrupted,
    Failure(Failure),
}

impl From<Lost> for Broken {
    fn from(lost: Lost) -> Self {
        Broken::Lost(lost)
    }
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Broken::Failure(failure)
    }
}

/// Where pushes go while a reply is awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushes {
    /// Printed or dropped, as the user wants it.
    Aside,
    /// They are what is awaited.
    Awaited,
}

pub(crate) struct Session {
    pub(crate) options: Options,
    endpoint: Endpoint,
    pub(crate) connection: Option<Connection>,
    /// Present at a prompt: Ctrl-C then stops waiting, and a lost connection is no end.
    pub(crate) interrupts: Option<Interrupts>,
    /// The database of the connection, and the one to have after connecting anew.
    pub(crate) database: i64,
    pub(crate) wanted_database: i64,
    /// Inside MULTI: the database before it.
    pub(crate) transaction: Option<i64>,
    pub(crate) resp3: bool,
    pub(crate) subscriptions: Subscriptions,
    /// The next command follows an ASK redirection.
    asking: bool,
}

impl Session {
    pub(crate) fn new(options: Options) -> Self {
        Session {
            endpoint: options.endpoint(),
            connection: None,
            interrupts: None,
            database: 0,
            wanted_database: options.database,
            transaction: None,
            resp3: false,
            subscriptions: Subscriptions::default(),
            asking: false,
            options,
        }
    }

    /// What to show before the cursor.
    pub(crate) fn prompt(&self) -> String {
        if self.connection.is_none() {
            return "not connected> ".into();
        }
        let mut prompt = match &self.endpoint {
            Endpoint::Unix(path) => format!("redis {}", path.display()),
            Endpoint::Tcp { host, port } if host.contains(':') => format!("[{host}]:{port}"),
            Endpoint::Tcp { host, port } => format!("{host}:{port}"),
        };
        if self.database != 0 {
            prompt.push_str(&format!("[{}]", self.database));
        }
        if self.transaction.is_some() {
            prompt.push_str("(TX)");
        }
        if self.is_subscribed() {
            prompt.push_str("(subscribed mode)");
        }
        prompt.push_str("> ");
        prompt
    }

    pub(crate) fn is_subscribed(&self) -> bool {
        self.subscriptions.any()
    }

    /// Makes the session forget its server for another one.
    pub(crate) fn set_endpoint(&mut self, endpoint: Endpoint) {
        self.endpoint = endpoint;
    }

    /// Connects, or connects anew, and authenticates, selects and switches the protocol.
    pub(crate) fn connect(&mut self, report: Report) -> Connected {
        self.connection = None;
        self.database = 0;
        self.transaction = None;
        self.resp3 = false;
        self.subscriptions = Subscriptions::default();
        let options = &self.options;
        let opened = Connection::open(
            &self.endpoint,
            options.connect_timeout,
            options.ip_preference,
        );
        let mut connection = match opened {
            Ok(connection) => connection,
            Err(error) => {
                if report == Report::Loud {
                    let place = Place(&self.endpoint);
                    let reason = reason(&error);
                    let reason = reason
                        .strip_prefix("failed to lookup address information: ")
                        .unwrap_or(&reason);
                    complain(&format!("Could not connect to Redis at {place}: {reason}"));
                }
                return Connected::Unreachable;
            }
        };
        if self.options.verbose {
            complain(&format!("Connected to {}", Place(&self.endpoint)));
        }
        let result = self.shake_hands(&mut connection);
        self.connection = Some(connection);
        match result {
            Ok(()) => Connected::Ready,
            Err(message) => {
                complain(&message);
                Connected::Refused
            }
        }
    }

    /// A ready connection for one of the modes, or the end of the program.
    pub(crate) fn connect_or_fail(&mut self) -> Result<&mut Connection, Failure> {
        match (self.connect(Report::Loud), &mut self.connection) {
            (Connected::Ready, Some(connection)) => Ok(connection),
            _ => Err(Failure::Told),
        }
    }

    fn shake_hands(&mut self, connection: &mut Connection) -> Result<(), String> {
        if let Some(password) = &self.options.password {
            let mut args: Vec<&[u8]> = vec![b"AUTH"];
            args.extend(self.options.user.as_deref());
            args.push(password);
            accepted(connection, &args).map_err(|error| format!("AUTH failed: {error}"))?;
        }
        self.select(connection)?;
        if matches!(
            self.options.protocol,
            Protocol::Resp3 | Protocol::Resp3IfPossible
        ) {
            match accepted(connection, &["HELLO", "3"]) {
                Ok(()) => self.resp3 = true,
                Err(error) => {
                    let message = format!("HELLO 3 failed: {error}");
                    if self.options.protocol == Protocol::Resp3 {
                        return Err(message);
                    }
                    complain(&message);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn select(&mut self, connection: &mut Connection) -> Result<(), String> {
        let wanted = self.wanted_database;
        if wanted == self.database {
            return Ok(());
        }
        accepted(connection, &["SELECT", &wanted.to_string()])
            .map_err(|error| format!("SELECT {wanted} failed: {error}"))?;
        self.database = wanted;
        Ok(())
    }

    /// Sends a command `repeat` times (for ever, if negative) and shows each reply.
    pub(crate) fn issue(&mut self, args: &[Vec<u8>], repeat: i64) -> Result<Issued, Failure> {
        if let Some(interrupts) = &self.interrupts {
            interrupts.take();
        }
        let hung_up = self.connection.as_mut().is_none_or(Connection::has_hung_up);
        if hung_up {
            // What was queued is gone, and what follows must not run outside the transaction.
            if self.transaction.is_some() {
                return self.after_loss(&Lost::Closed);
            }
            if self.connect(Report::Loud) == Connected::Unreachable {
                return Ok(Issued::Unanswered);
            }
        }
        let mut redirections = 0;
        loop {
            match self.exchange(args, repeat) {
                Ok(None) => return Ok(Issued::Answered),
                Ok(Some(endpoint)) => {
                    redirections += 1;
                    if redirections > REDIRECTIONS_MAX {
                        complain("Too many redirections");
                        return Ok(Issued::Unanswered);
                    }
                    self.endpoint = endpoint;
                    if self.connect(Report::Loud) == Connected::Unreachable {
                        return Ok(Issued::Unanswered);
                    }
                }
                Err(Broken::Failure(failure)) => return Err(failure),
                Err(Broken::Interrupted) => return Err(Failure::Told),
                Err(Broken::Lost(Lost::Closed)) if is(&args[0], "shutdown") => {
                    self.connection = None;
                    return Ok(Issued::Answered);
                }
                Err(Broken::Lost(lost)) => return self.after_loss(&lost),
            }
        }
    }

    /// At a prompt the user goes on without a connection; a one-shot command has failed.
    pub(crate) fn after_loss(&mut self, lost: &Lost) -> Result<Issued, Failure> {
        complain(&format!("Error: {lost}"));
        self.connection = None;
        self.transaction = None;
        self.subscriptions = Subscriptions::default();
        match self.interrupts {
            Some(_) => Ok(Issued::Unanswered),
            None => Err(Failure::Told),
        }
    }

    /// Sends and shows; returns the node to go to instead, if the server names one.
    fn exchange(&mut self, args: &[Vec<u8>], repeat: i64) -> Result<Option<Endpoint>, Broken> {
        let command = &args[0];
        let verbatim = observe::is_text_for_people(args);
        let is_subscription = command.to_ascii_lowercase().ends_with(b"subscribe");
        let mut left = repeat;
        while left != 0 {
            left = if left > 0 { left - 1 } else { left };
            let connection = self.connection.as_mut().ok_or(Lost::Closed)?;
            if std::mem::take(&mut self.asking) {
                connection.send(&["ASKING"])?;
                connection.reply()?;
            }
            connection.send(args)?;
            if is(command, "monitor") {
                self.monitor()?;
                return Ok(None);
            }
            // These are confirmed by messages, one per channel.
            let mut confirmations = if is_subscription {
                (args.len() - 1).max(1)
            } else {
                0
            };
            loop {
                let among_messages = confirmations > 0 || self.is_subscribed();
                let pushes = if among_messages {
                    Pushes::Awaited
                } else {
                    Pushes::Aside
                };
                let value = self.receive(pushes)?;
                if self.options.follow_redirections
                    && let Some(redirection) = Redirection::parse(&value)
                {
                    self.asking = redirection.asking;
                    return Ok(Some(self.redirected(redirection)?));
                }
                if self.options.fail_on_error
                    && self.interrupts.is_none()
                    && let Some(error) = value.as_error()
                {
                    complain(&String::from_utf8_lossy(error));
                    return Err(Failure::Told.into());
                }
                self.show(&value, verbatim)?;
                if among_messages {
                    if let Some(kind) = self.message_kind(&value) {
                        let confirms = confirmations > 0 && kind.eq_ignore_ascii_case(command);
                        self.count_subscriptions(&value);
                        if confirms {
                            confirmations -= 1;
                        }
                        if !confirms || confirmations > 0 {
                            continue;
                        }
                    } else if matches!(value, Value::Push(_)) {
                        continue;
                    }
                }
                self.observe(args, &value);
                break;
            }
            if !self.options.interval.is_zero() {
                thread::sleep(self.options.interval);
            }
        }
        Ok(None)
    }

    /// The next value to show as a reply.
    pub(crate) fn receive(&mut self, pushes: Pushes) -> Result<Value, Broken> {
        loop {
            let connection = self.connection.as_mut().ok_or(Lost::Closed)?;
            match connection.try_receive()? {
                Some(value) => {
                    if pushes == Pushes::Awaited || !matches!(value, Value::Push(_)) {
                        return Ok(value);
                    }
                    if self.options.show_pushes {
                        let mut text = Vec::new();
                        self.options.format.push(&value, &mut text);
                        print(&text)?;
                    }
                }
                None => {
                    if let Some(interrupts) = &self.interrupts {
                        let event = terminal::wait(connection.as_fd(), interrupts, Watch::Server)
                            .map_err(Lost::Io)?;
                        if event == Event::Interrupted {
                            return Err(Broken::Interrupted);
                        }
                    }
                    connection.fill()?;
                }
            }
        }
    }

    fn show(&self, value: &Value, verbatim: bool) -> Result<(), Failure> {
        let mut text = Vec::new();
        if verbatim {
            self.options.format.verbatim(value, &mut text);
        } else {
            self.options.format.reply(value, &mut text);
        }
        print(&text)
    }

    /// Shows a value that arrived unasked, and what it says of subscriptions.
    pub(crate) fn show_message(&mut self, value: &Value) -> Result<(), Failure> {
        if self.message_kind(value).is_some() {
            self.count_subscriptions(value);
        }
        self.show(value, false)
    }

    fn redirected(&self, redirection: Redirection) -> Result<Endpoint, Failure> {
        let host = match (redirection.host, &self.endpoint) {
            // An empty host means the one that answered.
            (host, Endpoint::Tcp { host: current, .. }) if host.is_empty() => current.clone(),
            (host, _) => host,
        };
        let port = redirection.port;
        if self.interrupts.is_some() {
            let slot = redirection.slot;
            print(format!("-> Redirected to slot [{slot}] located at {host}:{port}\n").as_bytes())?;
        }
        Ok(Endpoint::Tcp { host, port })
    }

    /// Sends a command, connecting anew for as long as it takes.
    pub(crate) fn call_persistently(&mut self, args: &[&str]) -> Result<Value, Failure> {
        let mut attempts = 0;
        loop {
            if let Some(connection) = &mut self.connection {
                match connection.call(args) {
                    Ok(value) => {
                        if attempts > 0 {
                            print(b"\r\x1b[0K")?;
                        }
                        return Ok(value);
                    }
                    Err(Lost::Protocol(error)) => {
                        return Err(Failure::Message(format!("Error: {error}")));
                    }
                    Err(_) => self.connection = None,
                }
            }
            attempts += 1;
            print(format!("\r\x1b[0KReconnecting... {attempts}\r").as_bytes())?;
            if self.connect(Report::Quiet) != Connected::Ready {
                self.connection = None;
                thread::sleep(std::time::Duration::from_secs(1));
            }
        }
    }
}

/// Writes to standard output at once: what is read may be piped on line by line.
pub(crate) fn print(text: &[u8]) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout
        .write_all(text)
        .and_then(|()| stdout.flush())
        .map_err(Failure::Output)
}

/// Whether a word is a command's name, given in lower case.
pub(crate) fn is(word: &[u8], name: &str) -> bool {
    word.eq_ignore_ascii_case(name.as_bytes())
}

fn accepted<A: AsRef<[u8]>>(connection: &mut Connection, args: &[A]) -> Result<(), String> {
    match connection.call(args) {
        Ok(value) => match value.as_error() {
            Some(error) => Err(String::from_utf8_lossy(error).into_owned()),
            None => Ok(()),
        },
        Err(lost) => Err(lost.to_string()),
    }
}

/// An endpoint as error messages name it.
struct Place<'a>(&'a Endpoint);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Endpoint::Tcp { host, port } => write!(f, "{host}:{port}"),
            Endpoint::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}
