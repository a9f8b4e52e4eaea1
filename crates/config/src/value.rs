//! From text to value and back, by [`Kind`], with Redis's error texts.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use crate::composite::Merge;
use crate::definition::{Kind, Parameter};
use crate::error::system_text;
use crate::keyspace_events::KeyspaceEvents;

/// Why a value is refused, in the words that follow `CONFIG SET failed (...) - `.
pub(crate) type Reason = Cow<'static, str>;

/// A value in the form in which it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Number(i64),
    Text(Arc<[u8]>),
}

/// What parsing a value depends on beside the words.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    /// The present value, for those which a new one only amends.
    pub(crate) current: &'a [u8],
    pub(crate) merge: Merge,
    /// What relative directories are relative to.
    pub(crate) directory: &'a Path,
}

impl Parameter {
    /// Whether a value may be several words.
    pub(crate) fn takes_several_words(&self) -> bool {
        matches!(self.kind, Kind::Flags(_) | Kind::Composite(_))
    }

    pub(crate) fn default_value(&self) -> Value {
        match self.kind {
            Kind::Text { .. } | Kind::Directory | Kind::Composite(_) => {
                Value::Text(self.default_text.as_bytes().into())
            }
            _ => Value::Number(self.default_number),
        }
    }

    /// The default as CONFIG GET would show it.
    pub fn default_text(&self) -> String {
        String::from_utf8_lossy(&self.format(&self.default_value())).into_owned()
    }

    /// Parses a value given as words: one, except where [`Self::takes_several_words`].
    pub(crate) fn parse(&self, words: &[&[u8]], at: Surroundings<'_>) -> Result<Value, Reason> {
        if let Kind::Composite(composite) = self.kind {
            return (composite.parse)(words, at).map(|text| Value::Text(text.into()));
        }
        if let Kind::Flags(names) = self.kind {
            return parse_flags(names, words).map(Value::Number);
        }
        let [word] = words else {
            return Err("wrong number of arguments".into());
        };
        let number = match self.kind {
            Kind::Boolean => parse_boolean(word)?,
            Kind::Integer { min, max } => {
                let number =
                    parse_integer(word).ok_or("argument couldn't be parsed into an integer")?;
                self.within(number.into(), min, max)?
            }
            Kind::Memory { min, max } => {
                // Only a parameter whose bounds reach below zero takes a plain negative number.
                let number = parse_memory(word)
                    .map(i128::from)
                    .or_else(|| {
                        parse_integer(word)
                            .filter(|n| min < 0 && *n < 0)
                            .map(i128::from)
                    })
                    .ok_or("argument must be a memory value")?;
                self.within(number, min, max)?
            }
            Kind::MemoryOrPercent => parse_memory_or_percent(word)?,
            Kind::Octal { max } => {
                let mode =
                    parse_octal(word).ok_or("argument couldn't be parsed as an octal number")?;
                if mode > max {
                    return Err(format!("argument must be between 0 and {max:o} inclusive").into());
                }
                mode
            }
            Kind::Choice(names) => number_of(names, word).ok_or_else(|| one_of(names))?,
            Kind::Events => KeyspaceEvents::parse(word)
                .ok_or("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")?
                .bits() as i64,
            Kind::Text { check, .. } => {
                if let Some(check) = check {
                    check(word)?;
                }
                return Ok(Value::Text((*word).into()));
            }
            Kind::Directory => return parse_directory(word, at.directory).map(Value::Text),
            Kind::Flags(_) | Kind::Composite(_) => unreachable!("several words, parsed above"),
        };
        Ok(Value::Number(number))
    }

    fn within(&self, number: i128, min: i64, max: i64) -> Result<i64, Reason> {
        let number = i64::try_from(number)
            .ok()
            .filter(|number| (min..=max).contains(number));
        let number =
            number.ok_or_else(|| format!("argument must be between {min} and {max} inclusive"))?;
        Ok(self
            .clamp
            .map_or(number, |(least, most)| number.clamp(least, most)))
    }

    /// The value as CONFIG GET shows it.
    pub(crate) fn format(&self, value: &Value) -> Vec<u8> {
        match value {
            Value::Text(text) => match self.kind {
                Kind::Composite(composite) => (composite.show)(text),
                _ => text.to_vec(),
            },
            Value::Number(number) => self.format_number(*number).into_bytes(),
        }
    }

    fn format_number(&self, number: i64) -> String {
        match self.kind {
            Kind::Boolean => (if number != 0 { "yes" } else { "no" }).to_owned(),
            Kind::MemoryOrPercent if number < 0 => format!("{}%", -number),
            Kind::Octal { .. } => format!("{number:o}"),
            Kind::Choice(names) => name_of(names, number).to_owned(),
            Kind::Flags(names) => format_flags(names, number),
            Kind::Events => KeyspaceEvents::from_bits(number as u32).to_string(),
            _ => number.to_string(),
        }
    }

    /// The value as it stands in a file, after the name: sizes with units, texts in quotes.
    pub(crate) fn format_for_file(&self, value: &Value) -> Vec<u8> {
        match (self.kind, value) {
            (Kind::Memory { .. } | Kind::MemoryOrPercent, Value::Number(number))
                if *number >= 0 =>
            {
                format_memory(*number as u64).into_bytes()
            }
            (Kind::Text { .. } | Kind::Directory, Value::Text(text)) => crate::file::quote(text),
            (Kind::Events, _) => crate::file::quote(&self.format(value)),
            _ => self.format(value),
        }
    }

    /// What values are allowed, as a phrase; nothing for a free text.
    pub fn allowed(&self) -> Option<String> {
        const MAX: i64 = i64::MAX;
        Some(match self.kind {
            Kind::Boolean => "yes or no".to_owned(),
            Kind::Integer {
                min: i64::MIN,
                max: MAX,
            } => "an integer".to_owned(),
            Kind::Integer { min, max: MAX } => format!("an integer of at least {min}"),
            Kind::Integer { min, max } => format!("an integer from {min} to {max}"),
            Kind::Memory { min, max: MAX } => {
                format!(
                    "a size in bytes of at least {}, such as 100mb",
                    sign_and_memory(min)
                )
            }
            Kind::Memory { min, max } => format!(
                "a size in bytes from {} to {}, such as 100mb",
                sign_and_memory(min),
                sign_and_memory(max)
            ),
            Kind::MemoryOrPercent => "a size in bytes such as 100mb, or 0% to 100%".to_owned(),
            Kind::Octal { max } => format!("an octal mode from 0 to {max:o}"),
            Kind::Choice(names) => format!("one of {}", list(names)),
            Kind::Flags(names) => format!("one or more of {}", list(names)),
            Kind::Events => "letters of Ag$lshzxeKEtmdn".to_owned(),
            Kind::Text { .. } => return None,
            Kind::Directory => "an existing directory".to_owned(),
            Kind::Composite(composite) => composite.allowed.to_owned(),
        })
    }
}

fn list(names: &[(&str, i64)]) -> String {
    names
        .iter()
        .map(|(name, _)| *name)
        .collect::<Vec<_>>()
        .join(", ")
}

fn one_of(names: &[(&str, i64)]) -> Reason {
    format!("argument(s) must be one of the following: {}", list(names)).into()
}

fn number_of(names: &[(&str, i64)], word: &[u8]) -> Option<i64> {
    names
        .iter()
        .find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(word))
        .map(|(_, n)| *n)
}

fn name_of(names: &'static [(&'static str, i64)], number: i64) -> &'static str {
    names
        .iter()
        .find(|(_, n)| *n == number)
        .map_or("unknown", |(name, _)| name)
}

fn parse_flags(names: &'static [(&'static str, i64)], words: &[&[u8]]) -> Result<i64, Reason> {
    let mut flags = 0;
    if words.is_empty() {
        return Err(one_of(names));
    }
    for word in words {
        flags |= number_of(names, word).ok_or_else(|| one_of(names))?;
    }
    use crate::choices::shutdown::{NOSAVE, SAVE};
    if flags & SAVE != 0 && flags & NOSAVE != 0 {
        return Err("shutdown options SAVE and NOSAVE can't be used simultaneously".into());
    }
    Ok(flags)
}

fn format_flags(names: &'static [(&'static str, i64)], flags: i64) -> String {
    if flags == 0 {
        return name_of(names, 0).to_owned();
    }
    let set = names
        .iter()
        .filter(|(_, bit)| flags & bit != 0)
        .map(|(name, _)| *name);
    set.collect::<Vec<_>>().join(" ")
}

fn parse_boolean(word: &[u8]) -> Result<i64, Reason> {
    if word.eq_ignore_ascii_case(b"yes") {
        Ok(1)
    } else if word.eq_ignore_ascii_case(b"no") {
        Ok(0)
    } else {
        Err("argument must be 'yes' or 'no'".into())
    }
}

/// Decimal digits as Redis takes them everywhere: no plus sign, no leading zeros, no spaces.
pub(crate) fn parse_integer(word: &[u8]) -> Option<i64> {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    let is_canonical = match digits {
        [b'0'] => digits.len() == word.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !is_canonical {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Digits as C's `strtoll` takes them: signs and leading zeros are fine.
pub(crate) fn parse_loose_integer(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A number of bytes: `100`, `100b`, `1k` (1000), `1kb` (1024), and so on up to `gb`.
pub(crate) fn parse_memory(word: &[u8]) -> Option<u64> {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let unit = match word[digits..].to_ascii_lowercase().as_slice() {
        b"" | b"b" => 1,
        b"k" => 1_000,
        b"kb" => 1 << 10,
        b"m" => 1_000_000,
        b"mb" => 1 << 20,
        b"g" => 1_000_000_000,
        b"gb" => 1 << 30,
        _ => return None,
    };
    if digits == 0 {
        // Nothing at all is no bytes; a unit alone is a slip.
        return word.is_empty().then_some(0);
    }
    let digits = std::str::from_utf8(&word[..digits]).ok()?;
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn parse_memory_or_percent(word: &[u8]) -> Result<i64, Reason> {
    if let Some(bytes) = parse_memory(word) {
        const RANGE: &str = "argument must be between -100 and 9223372036854775807 inclusive";
        return i64::try_from(bytes).map_err(|_| RANGE.into());
    }
    match word.strip_suffix(b"%").and_then(parse_integer) {
        Some(percent @ 0..=100) => Ok(-percent),
        Some(101..) => Err("percentage argument must be less or equal to 100".into()),
        _ => Err("argument must be a memory or percent value".into()),
    }
}

fn parse_octal(word: &[u8]) -> Option<i64> {
    if word.is_empty() || !word.iter().all(|byte| (b'0'..=b'7').contains(byte)) {
        return None;
    }
    i64::from_str_radix(std::str::from_utf8(word).ok()?, 8).ok()
}

/// The greatest unit that divides the number, so that a rewritten file stays readable.
pub(crate) fn format_memory(bytes: u64) -> String {
    for (unit, name) in [(1 << 30, "gb"), (1 << 20, "mb"), (1 << 10, "kb")] {
        if bytes != 0 && bytes.is_multiple_of(unit) {
            return format!("{}{name}", bytes / unit);
        }
    }
    bytes.to_string()
}

fn sign_and_memory(bytes: i64) -> String {
    let sign = if bytes < 0 { "-" } else { "" };
    format!("{sign}{}", format_memory(bytes.unsigned_abs()))
}

fn parse_directory(word: &[u8], current: &Path) -> Result<Arc<[u8]>, Reason> {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    if word.is_empty() {
        return Err("dir can't be empty".into());
    }
    let path = current.join(std::ffi::OsStr::from_bytes(word));
    let path = path.canonicalize().map_err(|error| system_text(&error))?;
    if !path.is_dir() {
        return Err("Not a directory".into());
    }
    Ok(path.into_os_string().into_vec().into())
}

/// A validator of file names that may not be paths.
macro_rules! base_name {
    ($function:ident, $parameter:literal, $noun:literal) => {
        pub(crate) fn $function(name: &[u8]) -> Result<(), Reason> {
            if name.is_empty() {
                return Err(concat!($parameter, " can't be empty").into());
            }
            if name.contains(&b'/') || name.contains(&b'\\') {
                return Err(concat!($parameter, " can't be a path, just a ", $noun).into());
            }
            Ok(())
        }
    };
}
base_name!(check_db_filename, "dbfilename", "filename");
base_name!(check_append_filename, "appendfilename", "filename");
base_name!(check_append_dirname, "appenddirname", "dirname");

pub(crate) fn check_cluster_file(name: &[u8]) -> Result<(), Reason> {
    if name.is_empty() {
        return Err("cluster-config-file can't be empty".into());
    }
    Ok(())
}

pub(crate) fn check_hostname(name: &[u8]) -> Result<(), Reason> {
    if name.len() >= 256 {
        return Err("Hostnames must be less than 256 characters".into());
    }
    if !name
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'))
    {
        return Err("Hostnames may only contain alphanumeric characters, hyphens or dots".into());
    }
    Ok(())
}

/// Whether a text can stand in the file of a cluster node, whose separators it must not hold.
fn is_cluster_word(text: &[u8]) -> bool {
    const SEPARATORS: &[u8] = b" !\"#$%&'()*+,;<=>?@[\\]^{|}~";
    text.iter()
        .all(|byte| !byte.is_ascii_control() && !SEPARATORS.contains(byte))
}

pub(crate) fn check_node_name(name: &[u8]) -> Result<(), Reason> {
    const WRONG: &str = "Announced human node name contained invalid character";
    if is_cluster_word(name) {
        Ok(())
    } else {
        Err(WRONG.into())
    }
}

pub(crate) fn check_cluster_address(address: &[u8]) -> Result<(), Reason> {
    const WRONG: &str = "cluster-announce-ip contains invalid character";
    if is_cluster_word(address) {
        Ok(())
    } else {
        Err(WRONG.into())
    }
}

pub(crate) fn check_ipv4(address: &[u8]) -> Result<(), Reason> {
    check_address::<std::net::Ipv4Addr>(address, "Invalid IPv4 address")
}

pub(crate) fn check_ipv6(address: &[u8]) -> Result<(), Reason> {
    check_address::<std::net::Ipv6Addr>(address, "Invalid IPv6 address")
}

fn check_address<A: std::str::FromStr>(address: &[u8], wrong: &'static str) -> Result<(), Reason> {
    let parses = std::str::from_utf8(address).is_ok_and(|text| text.parse::<A>().is_ok());
    if address.is_empty() || parses {
        Ok(())
    } else {
        Err(wrong.into())
    }
}

pub(crate) fn check_process_title(template: &[u8]) -> Result<(), Reason> {
    const WRONG: &str = "template format is invalid or contains unknown variables";
    const VARIABLES: &[&str] = &[
        "title",
        "listen-addr",
        "server-mode",
        "port",
        "tls-port",
        "unixsocket",
        "config-file",
    ];
    let mut rest = std::str::from_utf8(template).map_err(|_| WRONG)?;
    while let Some(open) = rest.find('{') {
        let (name, after) = rest[open + 1..].split_once('}').ok_or(WRONG)?;
        if !VARIABLES.contains(&name) {
            return Err(WRONG.into());
        }
        rest = after;
    }
    Ok(())
}
