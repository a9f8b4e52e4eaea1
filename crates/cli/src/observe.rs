//! What a command and its reply tell of the connection's state: the only place that knows single
//! commands by what they do.

use resp::client::Value;

use crate::complain;
use crate::session::Session;

/// Channels that the connection is subscribed to, as the server counts them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Subscriptions {
    channels_and_patterns: i64,
    shard_channels: i64,
}

impl Subscriptions {
    pub(crate) fn any(self) -> bool {
        self.channels_and_patterns > 0 || self.shard_channels > 0
    }
}

impl Session {
    /// `subscribe`, `message` and so on, if that is what the value is.
    pub(crate) fn message_kind<'v>(&self, value: &'v Value) -> Option<&'v [u8]> {
        let items = match value {
            Value::Push(items) if self.resp3 => items,
            Value::Array(items) if !self.resp3 => items,
            _ => return None,
        };
        let kind = items.first()?.as_bytes()?;
        let is_message = kind.ends_with(b"message") || kind.ends_with(b"subscribe");
        (items.len() >= 3 && is_message).then_some(kind)
    }

    pub(crate) fn count_subscriptions(&mut self, value: &Value) {
        let Some([kind, _, Value::Integer(count)]) = value.as_items() else {
            return;
        };
        match kind.as_bytes() {
            Some(b"ssubscribe" | b"sunsubscribe") => self.subscriptions.shard_channels = *count,
            Some(kind) if kind.ends_with(b"subscribe") => {
                self.subscriptions.channels_and_patterns = *count;
            }
            _ => {}
        }
    }

    /// Remembers what a command changed on the server's side.
    pub(crate) fn observe(&mut self, args: &[Vec<u8>], reply: &Value) {
        let succeeded = reply.as_error().is_none();
        let command = args[0].to_ascii_lowercase();
        match (command.as_slice(), args.len()) {
            (b"select", 2) if succeeded => {
                let number = std::str::from_utf8(&args[1])
                    .ok()
                    .and_then(|text| text.parse().ok());
                self.set_database(number.unwrap_or(0));
            }
            (b"auth", 2 | 3) => {
                if let Some(mut connection) = self.connection.take() {
                    let selected = self.select(&mut connection);
                    self.connection = Some(connection);
                    if let Err(message) = selected {
                        complain(&message);
                    }
                }
            }
            (b"multi", 1) if succeeded => self.transaction = Some(self.database),
            (b"exec", 1) => {
                if let Some(before) = self.transaction.take()
                    && (!succeeded || reply.is_null())
                {
                    self.set_database(before);
                }
            }
            (b"discard", 1) if succeeded => {
                if let Some(before) = self.transaction.take() {
                    self.set_database(before);
                }
            }
            (b"reset", 1) if succeeded => {
                self.set_database(0);
                self.transaction = None;
                self.resp3 = false;
                self.subscriptions = Subscriptions::default();
            }
            (b"hello", _) => match reply {
                Value::Map(_) => self.resp3 = true,
                Value::Array(_) => self.resp3 = false,
                _ => {}
            },
            _ => {}
        }
    }

    fn set_database(&mut self, database: i64) {
        self.database = database;
        self.wanted_database = database;
    }
}

/// Replies that are laid out for reading and would suffer from quotes.
pub(crate) fn is_text_for_people(args: &[Vec<u8>]) -> bool {
    let second = args
        .get(1)
        .map(|arg| arg.to_ascii_lowercase())
        .unwrap_or_default();
    matches!(
        (
            args[0].to_ascii_lowercase().as_slice(),
            second.as_slice(),
            args.len()
        ),
        (b"info" | b"lolwut", _, _)
            | (
                b"debug",
                b"htstats" | b"htstats-key" | b"client-eviction",
                _
            )
            | (b"memory", b"malloc-stats" | b"doctor", _)
            | (b"cluster", b"nodes" | b"info", 2)
            | (b"client", b"list" | b"info", _)
            | (b"latency", b"graph", 3)
            | (b"latency", b"doctor", 2)
            | (b"proxy", b"info", _)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Endpoint, Options};
    use crate::session::{Connected, Report};

    #[test]
    fn prompts() {
        let mut session = Session::new(Options::new(true));
        assert_eq!(session.prompt(), "not connected> ");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        session.set_endpoint(Endpoint::Tcp {
            host: "127.0.0.1".into(),
            port,
        });
        assert_eq!(session.connect(Report::Quiet), Connected::Ready);
        assert_eq!(session.prompt(), format!("127.0.0.1:{port}> "));
        session.observe(&[b"Select".to_vec(), b"1".to_vec()], &Value::Simple(vec![]));
        session.observe(&[b"multi".to_vec()], &Value::Simple(vec![]));
        assert_eq!(session.prompt(), format!("127.0.0.1:{port}[1](TX)> "));
        session.observe(&[b"select".to_vec(), b"2".to_vec()], &Value::Simple(vec![]));
        session.observe(&[b"exec".to_vec()], &Value::NullArray);
        assert_eq!(session.prompt(), format!("127.0.0.1:{port}[1]> "));
    }

    #[test]
    fn text_for_people() {
        let check =
            |line: &str| is_text_for_people(&crate::line_split::split(line.as_bytes()).unwrap());
        assert!(check("INFO memory"));
        assert!(check("client LIST"));
        assert!(!check("client id"));
        assert!(!check("cluster info extra"));
    }
}
