//! `-u redis://user:password@host:port/database`: every part but the scheme may be missing.
//!
//! With one word before the `@` it is the password. User and password are percent-encoded, an IPv6
//! host stands in brackets. Queries are not part of the form.

/// What a URI says; `None` leaves the setting as it is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Uri {
    pub(crate) user: Option<Vec<u8>>,
    pub(crate) password: Option<Vec<u8>>,
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u16>,
    pub(crate) database: Option<i64>,
}

/// Reads a URI, or says in one line why not.
pub(crate) fn parse(uri: &str) -> Result<Uri, String> {
    let (scheme, rest) = uri.split_once("://").ok_or("Invalid URI scheme")?;
    match scheme.to_ascii_lowercase().as_str() {
        "redis" | "valkey" | "caracal" => {}
        "rediss" | "valkeys" => {
            return Err(format!(
                "{scheme}:// needs TLS, which this client does not speak"
            ));
        }
        _ => return Err("Invalid URI scheme".into()),
    }
    let mut parsed = Uri::default();
    let (authority, path) = match rest.split_once('/') {
        Some((authority, path)) => (authority, path),
        None => (rest, ""),
    };
    let address = match authority.rsplit_once('@') {
        Some((user_info, address)) => {
            let password = match user_info.split_once(':') {
                Some((user, password)) => {
                    parsed.user = Some(percent_decode(user)?);
                    password
                }
                None => user_info,
            };
            parsed.password = Some(percent_decode(password)?);
            address
        }
        None => authority,
    };
    let (host, port) = match address.strip_prefix('[') {
        Some(bracketed) => {
            let (host, rest) = bracketed.split_once(']').ok_or("Invalid URI host")?;
            (host, rest.strip_prefix(':'))
        }
        None => match address.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (address, None),
        },
    };
    if !host.is_empty() {
        parsed.host = Some(host.to_owned());
    }
    if let Some(port) = port {
        parsed.port = Some(port.parse().map_err(|_| "Invalid server port.")?);
    }
    if !path.is_empty() {
        parsed.database = Some(path.parse().map_err(|_| "Invalid URI database number")?);
    }
    Ok(parsed)
}

fn percent_decode(text: &str) -> Result<Vec<u8>, String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let (Some(high), Some(low)) = (bytes.next(), bytes.next()) else {
            return Err("Incomplete URI encoding".into());
        };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let (Some(high), Some(low)) = (digit(high), digit(low)) else {
            return Err("Illegal character in URI encoding".into());
        };
        // Two hexadecimal digits fit a byte.
        decoded.push((high << 4 | low) as u8);
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part() {
        let uri = parse("redis://us%3Aer:p%40ss@example.org:7000/3").unwrap();
        assert_eq!(
            uri,
            Uri {
                user: Some(b"us:er".to_vec()),
                password: Some(b"p@ss".to_vec()),
                host: Some("example.org".into()),
                port: Some(7000),
                database: Some(3),
            }
        );
    }

    #[test]
    fn parts_may_be_missing() {
        assert_eq!(parse("redis://").unwrap(), Uri::default());
        let uri = parse("VALKEY://secret@").unwrap();
        assert_eq!(
            uri,
            Uri {
                password: Some(b"secret".to_vec()),
                ..Uri::default()
            }
        );
        let uri = parse("redis://[::1]:7000").unwrap();
        assert_eq!((uri.host.as_deref(), uri.port), (Some("::1"), Some(7000)));
        assert_eq!(parse("redis:///2").unwrap().database, Some(2));
    }

    #[test]
    fn errors() {
        for uri in [
            "http://x",
            "x",
            "redis://x:99999",
            "redis://x/y",
            "redis://%4@h",
            "redis://%gg@h",
        ] {
            assert!(parse(uri).is_err(), "{uri}");
        }
        assert!(parse("rediss://x").unwrap_err().contains("TLS"));
    }
}
