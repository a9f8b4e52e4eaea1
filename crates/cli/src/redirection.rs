//! A cluster node's error that names the node to ask instead.

use resp::client::Value;

/// `MOVED 3999 127.0.0.1:6381`, or the same with ASK.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Redirection {
    pub(crate) slot: u32,
    pub(crate) host: String,
    pub(crate) port: u16,
    /// For this command only, after ASKING.
    pub(crate) asking: bool,
}

impl Redirection {
    /// The redirection that a reply is, if it is one.
    pub(crate) fn parse(value: &Value) -> Option<Redirection> {
        let text = std::str::from_utf8(value.as_error()?).ok()?;
        let mut words = text.split(' ');
        let asking = match words.next()? {
            "MOVED" => false,
            "ASK" => true,
            _ => return None,
        };
        let slot = words.next()?.parse().ok()?;
        let (host, port) = words.next()?.rsplit_once(':')?;
        Some(Redirection {
            slot,
            host: host.to_owned(),
            port: port.parse().ok()?,
            asking,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirections() {
        let parse = |text: &str| Redirection::parse(&Value::Error(text.into()));
        let moved = parse("MOVED 3999 127.0.0.1:6381").unwrap();
        assert_eq!(
            moved,
            Redirection {
                slot: 3999,
                host: "127.0.0.1".into(),
                port: 6381,
                asking: false
            }
        );
        let ask = parse("ASK 1 ::1:7000").unwrap();
        assert_eq!(
            (ask.host.as_str(), ask.port, ask.asking),
            ("::1", 7000, true)
        );
        assert_eq!(parse("ERR MOVED 1 a:1"), None);
        assert_eq!(parse("MOVED x"), None);
    }
}
