//! What a command answers when it does not do what was asked, with the exact text that clients
//! match on.

use std::borrow::Cow;

use keyspace::WrongType;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The reply is written.
    Done,
    /// The reply is written, and is the last of the connection.
    Close,
}

/// What a handler returns.
pub type CommandResult = Result<Outcome, CommandError>;

/// The result of a handler that has written its reply.
pub const DONE: CommandResult = Ok(Outcome::Done);

/// An error reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// The value has another type.
    WrongType,
    /// The words are not the command's syntax.
    Syntax,
    /// A word is no integer of 64 bits.
    NotAnInteger,
    /// A word is no float.
    NotAFloat,
    /// A word is no count: negative, or no integer.
    NotPositive,
    /// A constant text, its code included; the groups of commands keep their own.
    Fixed(&'static str),
    /// A composed text, its code included.
    Text(Box<[u8]>),
}

impl CommandError {
    /// The whole text, its code included.
    pub fn text(&self) -> &[u8] {
        let text = match self {
            CommandError::WrongType => {
                "WRONGTYPE Operation against a key holding the wrong kind of value"
            }
            CommandError::Syntax => "ERR syntax error",
            CommandError::NotAnInteger => "ERR value is not an integer or out of range",
            CommandError::NotAFloat => "ERR value is not a valid float",
            CommandError::NotPositive => "ERR value is out of range, must be positive",
            CommandError::Fixed(text) => text,
            CommandError::Text(text) => return text,
        };
        text.as_bytes()
    }

    /// A composed error; `text` includes the code.
    pub fn new(text: impl Into<Cow<'static, str>>) -> CommandError {
        match text.into() {
            Cow::Borrowed(text) => CommandError::Fixed(text),
            Cow::Owned(text) => CommandError::Text(text.into_bytes().into()),
        }
    }

    /// An error that repeats `word`, byte for byte, between two texts.
    pub fn quoting(before: &str, word: &[u8], after: &str) -> CommandError {
        CommandError::Text([before.as_bytes(), word, after.as_bytes()].concat().into())
    }

    /// The wrong number of words. `name` is the command's, in any case, with its container's before
    /// a `|`.
    pub fn arity(name: &str) -> CommandError {
        let name = name.to_ascii_lowercase();
        CommandError::new(format!(
            "ERR wrong number of arguments for '{name}' command"
        ))
    }
}

impl From<WrongType> for CommandError {
    fn from(_: WrongType) -> Self {
        CommandError::WrongType
    }
}
