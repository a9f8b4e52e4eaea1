//! Server addresses as one argument: `redis://[user:]password@host[:port][/db]`, `host:port` or a
//! socket path.

use crate::endpoint::Endpoint;

/// What an address says; what it does not say is `None`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Uri {
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u16>,
    pub(crate) database: Option<u64>,
}

/// Reads a `redis://` or `valkey://` URI. User and password may be percent-encoded; an empty user
/// is none.
pub(crate) fn parse_uri(text: &str) -> Result<Uri, String> {
    let invalid = |what: &str| format!("Invalid URI \"{text}\": {what}");
    let (scheme, rest) = text.split_once("://").ok_or_else(|| invalid("no scheme"))?;
    match scheme.to_ascii_lowercase().as_str() {
        "redis" | "valkey" => {}
        "rediss" | "valkeys" => return Err(invalid("TLS is not supported here")),
        _ => return Err(invalid("the scheme is not redis")),
    }
    let mut uri = Uri::default();
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let address = match authority.rsplit_once('@') {
        Some((credentials, address)) => {
            let (user, password) = credentials.split_once(':').unwrap_or(("", credentials));
            let decode = |part| percent_decode(part).ok_or_else(|| invalid("bad percent encoding"));
            uri.user = Some(decode(user)?).filter(|user| !user.is_empty());
            uri.password = Some(decode(password)?);
            address
        }
        None => authority,
    };
    let (host, port) = split_port(address);
    uri.host = Some(host.to_owned()).filter(|host| !host.is_empty());
    if let Some(port) = port {
        uri.port = Some(port.parse().map_err(|_| invalid("bad port"))?);
    }
    let database = path.split('?').next().unwrap_or_default();
    if !database.is_empty() {
        uri.database = Some(
            database
                .parse()
                .map_err(|_| invalid("bad database number"))?,
        );
    }
    Ok(uri)
}

/// Reads `host:port`, `[v6]:port` or the path of a unix socket.
pub(crate) fn parse_endpoint(text: &str) -> Result<Endpoint, String> {
    if text.starts_with(['/', '.']) {
        return Ok(Endpoint::Unix(text.into()));
    }
    let (host, port) = split_port(text);
    match port.map(str::parse) {
        Some(Ok(port)) if !host.is_empty() => Ok(Endpoint::Tcp {
            host: host.to_owned(),
            port,
        }),
        _ => Err(format!("\"{text}\" is not HOST:PORT")),
    }
}

fn split_port(address: &str) -> (&str, Option<&str>) {
    if let Some((host, rest)) = address
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
    {
        return (host, rest.strip_prefix(':'));
    }
    match address.rsplit_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (address, None),
    }
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_uri() {
        assert_eq!(
            parse_uri("redis://al%40ice:p%3Aw@10.0.0.1:7000/3?x=1").unwrap(),
            Uri {
                user: Some("al@ice".to_owned()),
                password: Some("p:w".to_owned()),
                host: Some("10.0.0.1".to_owned()),
                port: Some(7000),
                database: Some(3),
            }
        );
    }

    #[test]
    fn parts_may_be_missing() {
        let uri = parse_uri("redis://secret@host").unwrap();
        assert_eq!((uri.user, uri.password.as_deref()), (None, Some("secret")));
        assert_eq!(
            (uri.host.as_deref(), uri.port, uri.database),
            (Some("host"), None, None)
        );
        assert_eq!(
            parse_uri("valkey://:pw@[::1]:7").unwrap().host.as_deref(),
            Some("::1")
        );
        assert_eq!(parse_uri("redis://").unwrap(), Uri::default());
    }

    #[test]
    fn bad_uris_are_told_apart() {
        for (uri, reason) in [
            ("host", "no scheme"),
            ("http://h", "the scheme is not redis"),
            ("rediss://h", "TLS"),
            ("redis://h:port", "bad port"),
            ("redis://h/x", "bad database"),
            ("redis://%zz@h", "bad percent"),
        ] {
            assert!(parse_uri(uri).unwrap_err().contains(reason), "{uri}");
        }
    }

    #[test]
    fn endpoints() {
        let tcp = |host: &str, port| Endpoint::Tcp {
            host: host.to_owned(),
            port,
        };
        assert_eq!(parse_endpoint("h:1"), Ok(tcp("h", 1)));
        assert_eq!(parse_endpoint("[::1]:2"), Ok(tcp("::1", 2)));
        assert_eq!(
            parse_endpoint("/tmp/s"),
            Ok(Endpoint::Unix("/tmp/s".into()))
        );
        assert!(parse_endpoint("h").is_err() && parse_endpoint(":1").is_err());
        assert!(parse_endpoint("h:70000").is_err());
    }
}
