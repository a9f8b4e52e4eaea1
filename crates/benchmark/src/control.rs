//! A plain blocking client for the few commands around a run: what the server is, how it is
//! configured.

use std::io::{self, BufRead, BufReader, Read, Write};

use crate::endpoint::{Blocking, Endpoint};
use crate::failure::Failure;
use crate::framing::Violation;
use crate::load::Greeting;
use crate::request::encode;

/// A RESP2 reply, as far as it is needed here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Text(String),
    Error(String),
    Items(Vec<Answer>),
    Null,
}

/// An authenticated connection.
#[derive(Debug)]
pub(crate) struct Control {
    stream: BufReader<Blocking>,
}

/// The settings a report shows, since they cost throughput.
#[derive(Debug)]
pub(crate) struct Durability {
    pub(crate) save: String,
    pub(crate) appendonly: String,
}

/// What INFO says about a server.
#[derive(Debug)]
pub(crate) struct Identity {
    /// Such as `Redis 7.0.15`.
    pub(crate) name: String,
    pub(crate) pid: Option<u32>,
}

impl Control {
    /// Connects and authenticates.
    pub(crate) fn open(endpoint: &Endpoint, greeting: &Greeting) -> Result<Self, Failure> {
        let stream = endpoint
            .connect()
            .map_err(|error| Failure::connect(endpoint, &error))?;
        let mut control = Self {
            stream: BufReader::new(stream),
        };
        if let Some(auth) = greeting.auth()
            && let Answer::Error(message) = control.ask(auth)?
        {
            return Err(Failure::Greeting {
                endpoint: endpoint.to_string(),
                message,
            });
        }
        Ok(control)
    }

    /// Whether the server may be a process of this machine.
    pub(crate) fn stays_on_this_machine(&self) -> bool {
        self.stream.get_ref().stays_on_this_machine()
    }

    /// Sends a command and waits for its reply.
    pub(crate) fn ask<A: AsRef<[u8]>>(&mut self, command: &[A]) -> Result<Answer, Failure> {
        let sent = self.stream.get_mut().write_all(&encode(command));
        sent.map_err(|error| Failure::io(&error))?;
        read_answer(&mut self.stream)
    }

    /// `None` if the server does not tell, as managed ones do not. A server that wants a password
    /// is a failure.
    pub(crate) fn durability(
        &mut self,
        endpoint: &Endpoint,
    ) -> Result<Option<Durability>, Failure> {
        let mut values = Vec::new();
        for name in ["save", "appendonly"] {
            match self.ask(&["CONFIG", "GET", name])? {
                Answer::Error(message) if message.starts_with("NOAUTH") => {
                    return Err(Failure::Greeting {
                        endpoint: endpoint.to_string(),
                        message,
                    });
                }
                Answer::Items(mut pair) if pair.len() >= 2 => match pair.swap_remove(1) {
                    Answer::Text(value) => values.push(value),
                    _ => return Ok(None),
                },
                _ => return Ok(None),
            }
        }
        let [save, appendonly] = <[String; 2]>::try_from(values).expect("one value for each name");
        Ok(Some(Durability { save, appendonly }))
    }

    /// Name, version and process of the server.
    pub(crate) fn identity(&mut self) -> Result<Identity, Failure> {
        Ok(match self.ask(&["INFO", "server"])? {
            Answer::Text(info) => Identity::read(&info),
            _ => Identity::read(""),
        })
    }
}

impl Identity {
    fn read(info: &str) -> Self {
        let field = |name: &str| {
            info.lines()
                .find_map(|line| line.trim_end().strip_prefix(name)?.strip_prefix(':'))
        };
        let known = [
            ("Caracal", "caracal_version"),
            ("Valkey", "valkey_version"),
            ("Redis", "redis_version"),
        ];
        let name = known
            .iter()
            .find_map(|(name, key)| field(key).map(|version| format!("{name} {version}")))
            .unwrap_or_else(|| "an unknown server".to_owned());
        Self {
            name,
            pid: field("process_id").and_then(|pid| pid.parse().ok()),
        }
    }
}

fn read_answer(stream: &mut impl BufRead) -> Result<Answer, Failure> {
    let mut line = Vec::new();
    stream
        .read_until(b'\n', &mut line)
        .map_err(|error| Failure::io(&error))?;
    if line.last() != Some(&b'\n') {
        return Err(Failure::Closed);
    }
    let text = String::from_utf8_lossy(&line[1..]).trim_end().to_owned();
    let length = || text.parse::<i64>().map_err(|_| Violation::Length(line[1]));
    Ok(match line[0] {
        b'+' | b':' => Answer::Text(text),
        b'-' => Answer::Error(text),
        b'$' => match usize::try_from(length()?) {
            Ok(length) => Answer::Text(read_payload(stream, length).map_err(|e| Failure::io(&e))?),
            Err(_) => Answer::Null,
        },
        b'*' => match length()? {
            ..0 => Answer::Null,
            count => Answer::Items(
                (0..count)
                    .map(|_| read_answer(stream))
                    .collect::<Result<_, _>>()?,
            ),
        },
        other => return Err(Violation::Type(other).into()),
    })
}

fn read_payload(stream: &mut impl Read, length: usize) -> io::Result<String> {
    let mut payload = Vec::new();
    stream.take(length as u64 + 2).read_to_end(&mut payload)?;
    if payload.len() < length + 2 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    payload.truncate(length);
    Ok(String::from_utf8_lossy(&payload).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let text = |text: &str| Answer::Text(text.to_owned());
        for (bytes, expected) in [
            ("+OK\r\n", text("OK")),
            (":5\r\n", text("5")),
            ("$2\r\n\r\n\r\n", text("\r\n")),
            ("$-1\r\n", Answer::Null),
            ("-ERR x\r\n", Answer::Error("ERR x".to_owned())),
            (
                "*2\r\n$4\r\nsave\r\n$0\r\n\r\n",
                Answer::Items(vec![text("save"), text("")]),
            ),
        ] {
            assert_eq!(
                read_answer(&mut bytes.as_bytes()).unwrap(),
                expected,
                "{bytes:?}"
            );
            let cut = &bytes.as_bytes()[..bytes.len() - 1];
            assert!(
                matches!(read_answer(&mut &*cut), Err(Failure::Closed)),
                "{bytes:?}"
            );
        }
        assert!(matches!(
            read_answer(&mut &b"HTTP\r\n"[..]),
            Err(Failure::Protocol(_))
        ));
    }

    #[test]
    fn a_server_is_named_by_its_own_version_first() {
        let info = "# Server\r\nredis_version:7.2.4\r\nvalkey_version:9.1.2\r\nprocess_id:12\r\n";
        let identity = Identity::read(info);
        assert_eq!(
            (identity.name.as_str(), identity.pid),
            ("Valkey 9.1.2", Some(12))
        );
        assert_eq!(
            Identity::read("redis_version:7.0.15\r\n").name,
            "Redis 7.0.15"
        );
        assert_eq!(Identity::read("").pid, None);
    }
}
