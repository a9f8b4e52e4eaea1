//! A reply as the comparison sees it, and the looks that leave out what may differ.

use std::fmt;

use super::script::Look;

/// A reply, or what came in its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Reply {
    Simple(Vec<u8>),
    Error(Vec<u8>),
    Integer(i64),
    /// A double, by the bits of its value: two spellings of one number are equal.
    Double(u64),
    Boolean(bool),
    BigNumber(Vec<u8>),
    Bulk(Vec<u8>),
    Verbatim(Vec<u8>),
    Null,
    NullBulk,
    NullArray,
    Array(Vec<Reply>),
    Set(Vec<Reply>),
    Push(Vec<Reply>),
    Map(Vec<(Reply, Reply)>),
    /// What a look has left of a reply.
    Seen(String),
    Closed,
    /// Nothing came in time, or bytes that are no reply.
    Nothing(String),
}

impl Reply {
    /// What `looks`, applied one after the other, leave of this reply.
    pub(crate) fn seen_through(self, looks: &[Look]) -> Self {
        looks.iter().fold(self, |reply, look| match reply {
            Self::Closed | Self::Nothing(_) => reply,
            _ => reply.through(look),
        })
    }

    fn through(self, look: &Look) -> Self {
        match look {
            Look::Sorted => self.sorted(),
            Look::DeeplySorted => self.deeply_sorted(),
            Look::Pairs => self.pairs(),
            Look::Type => Self::Seen(self.kind().to_owned()),
            Look::Length => {
                let length = match &self {
                    Self::Simple(text) | Self::Bulk(text) | Self::Verbatim(text) => text.len(),
                    Self::Array(list) | Self::Set(list) | Self::Push(list) => list.len(),
                    Self::Map(pairs) => pairs.len(),
                    _ => return self,
                };
                Self::Seen(format!("{} of length {length}", self.kind()))
            }
            Look::Range(low, high) => {
                let number = match &self {
                    Self::Integer(number) => Some(*number),
                    Self::Bulk(text) => String::from_utf8_lossy(text).parse().ok(),
                    _ => None,
                };
                match number {
                    Some(number) if (*low..=*high).contains(&number) => {
                        Self::Seen(format!("{} from {low} to {high}", self.kind()))
                    }
                    _ => self,
                }
            }
            Look::FirstWord => match &self {
                Self::Simple(text) | Self::Error(text) | Self::Bulk(text) => {
                    let text = String::from_utf8_lossy(text);
                    let word = text.split(' ').next().unwrap_or_default();
                    Self::Seen(format!("{} beginning with {word}", self.kind()))
                }
                _ => self,
            },
            Look::At(path) => path.iter().fold(self, |reply, &index| match reply {
                Self::Array(mut list) | Self::Set(mut list) | Self::Push(mut list)
                    if index < list.len() =>
                {
                    list.swap_remove(index)
                }
                // A map is addressed as the flat array that it is in RESP2.
                Self::Map(mut pairs) if index / 2 < pairs.len() => {
                    let (key, value) = pairs.swap_remove(index / 2);
                    if index % 2 == 0 { key } else { value }
                }
                other => other,
            }),
            Look::Only(names) => self.fields(names, |field, _| Some(field.to_owned())),
            Look::Names(names) => self.fields(names, |_, name| Some(name.to_owned())),
            Look::Has(part) => match self.text() {
                Some(text) if text.contains(part.as_str()) => {
                    Self::Seen(format!("{} with {part:?}", self.kind()))
                }
                _ => self,
            },
            Look::Versionless => self.versionless(),
        }
    }

    /// The name of its type.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Simple(_) => "simple",
            Self::Error(_) => "error",
            Self::Integer(_) => "integer",
            Self::Double(_) => "double",
            Self::Boolean(_) => "boolean",
            Self::BigNumber(_) => "big number",
            Self::Bulk(_) => "bulk",
            Self::Verbatim(_) => "verbatim",
            Self::Null => "null",
            Self::NullBulk => "null bulk",
            Self::NullArray => "null array",
            Self::Array(_) => "array",
            Self::Set(_) => "set",
            Self::Push(_) => "push",
            Self::Map(_) => "map",
            Self::Seen(_) => "seen",
            Self::Closed => "closed",
            Self::Nothing(_) => "nothing",
        }
    }

    /// The text of a reply that is one.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Simple(text) | Self::Error(text) | Self::Bulk(text) | Self::Verbatim(text) => {
                Some(String::from_utf8_lossy(text).into_owned())
            }
            Self::Integer(number) => Some(number.to_string()),
            _ => None,
        }
    }

    fn sorted(self) -> Self {
        match self {
            Self::Array(mut list) => {
                list.sort();
                Self::Array(list)
            }
            Self::Set(mut list) => {
                list.sort();
                Self::Set(list)
            }
            Self::Map(mut pairs) => {
                pairs.sort();
                Self::Map(pairs)
            }
            Self::Bulk(text) | Self::Verbatim(text) => {
                let text = String::from_utf8_lossy(&text);
                let mut lines: Vec<&str> = text.lines().collect();
                lines.sort_unstable();
                Self::Bulk(lines.join("\n").into())
            }
            other => other,
        }
    }

    fn deeply_sorted(self) -> Self {
        let all = |list: Vec<Self>| list.into_iter().map(Self::deeply_sorted).collect();
        match self {
            Self::Array(list) => Self::Array(all(list)).sorted(),
            Self::Set(list) => Self::Set(all(list)).sorted(),
            Self::Map(pairs) => {
                let pairs = pairs
                    .into_iter()
                    .map(|(key, value)| (key, value.deeply_sorted()));
                Self::Map(pairs.collect()).sorted()
            }
            other => other,
        }
    }

    fn pairs(self) -> Self {
        match self {
            Self::Array(list) if list.len() % 2 == 0 => {
                let mut pairs: Vec<Self> = list
                    .chunks(2)
                    .map(|pair| Self::Array(pair.to_vec()))
                    .collect();
                pairs.sort();
                Self::Array(pairs)
            }
            other => other.sorted(),
        }
    }

    /// Of text made of `name:value` lines, or of lines of `name=value` words, what `keep` makes of each field in
    /// `names`, in their order.
    fn fields(self, names: &[String], keep: impl Fn(&str, &str) -> Option<String>) -> Self {
        let Some(text) = self.text().filter(|_| !matches!(self, Self::Error(_))) else {
            return self;
        };
        let named = |field: &str, separator: char| {
            let name = field.split_once(separator)?.0;
            let order = names.iter().position(|wanted| wanted == name)?;
            Some((order, keep(field, name)?))
        };
        let joined = |mut fields: Vec<(usize, String)>| {
            fields.sort();
            fields
                .into_iter()
                .map(|(_, field)| field)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let by_line: Vec<_> = text.lines().filter_map(|line| named(line, ':')).collect();
        let mut parts = vec![joined(by_line)];
        for line in text.lines() {
            parts.push(joined(
                line.split(' ')
                    .filter_map(|field| named(field, '='))
                    .collect(),
            ));
        }
        parts.retain(|part| !part.is_empty());
        Self::Bulk(format!("{} with {}", self.kind(), parts.join("\n")).into())
    }

    fn versionless(self) -> Self {
        let all = |list: Vec<Self>| list.into_iter().map(Self::versionless).collect();
        let text = |text: Vec<u8>| {
            let text = String::from_utf8_lossy(&text).into_owned();
            let is_version = |text: &str| {
                text.split('.').count() == 3
                    && text
                        .split('.')
                        .all(|part| !part.is_empty() && part.parse::<u32>().is_ok())
            };
            if ["redis", "valkey", "caracal"].contains(&text.as_str()) || is_version(&text) {
                b"(name or version)".to_vec()
            } else {
                text.into_bytes()
            }
        };
        match self {
            Self::Array(list) => Self::Array(all(list)),
            Self::Set(list) => Self::Set(all(list)),
            Self::Map(pairs) => {
                let pairs = pairs
                    .into_iter()
                    .map(|(key, value)| (key, value.versionless()));
                Self::Map(pairs.collect())
            }
            Self::Bulk(bytes) => Self::Bulk(text(bytes)),
            other => other,
        }
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, open: &str, list: &[Self], close: &str| {
            write!(f, "{open}")?;
            for (index, reply) in list.iter().enumerate() {
                write!(f, "{}{reply}", if index == 0 { "" } else { ", " })?;
            }
            write!(f, "{close}")
        };
        match self {
            Self::Simple(text) => write!(f, "+{}", text.escape_ascii()),
            Self::Error(text) => write!(f, "-{}", text.escape_ascii()),
            Self::Integer(number) => write!(f, ":{number}"),
            Self::Double(bits) => write!(f, ",{}", f64::from_bits(*bits)),
            Self::Boolean(value) => write!(f, "#{value}"),
            Self::BigNumber(text) => write!(f, "({}", text.escape_ascii()),
            Self::Bulk(text) => write!(f, "\"{}\"", text.escape_ascii()),
            Self::Verbatim(text) => write!(f, "=\"{}\"", text.escape_ascii()),
            Self::Null => write!(f, "null"),
            Self::NullBulk => write!(f, "null bulk"),
            Self::NullArray => write!(f, "null array"),
            Self::Array(items) => list(f, "[", items, "]"),
            Self::Set(items) => list(f, "set [", items, "]"),
            Self::Push(items) => list(f, "push [", items, "]"),
            Self::Map(pairs) => {
                write!(f, "{{")?;
                for (index, (key, value)) in pairs.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if index == 0 { "" } else { ", " })?;
                }
                write!(f, "}}")
            }
            Self::Seen(text) => write!(f, "({text})"),
            Self::Closed => write!(f, "(connection closed)"),
            Self::Nothing(why) => write!(f, "({why})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Reply {
        Reply::Bulk(text.into())
    }

    #[test]
    fn looks_leave_out_what_may_differ() {
        let list = Reply::Array(vec![bulk("b"), bulk("2"), bulk("a"), bulk("1")]);
        assert_eq!(
            list.clone().seen_through(&[Look::Sorted]).to_string(),
            r#"["1", "2", "a", "b"]"#
        );
        assert_eq!(
            list.clone().seen_through(&[Look::Pairs]).to_string(),
            r#"[["a", "1"], ["b", "2"]]"#
        );
        assert_eq!(list.clone().seen_through(&[Look::At(vec![2])]), bulk("a"));
        assert_eq!(
            list.seen_through(&[Look::Length]).to_string(),
            "(array of length 4)"
        );
        assert_eq!(
            Reply::Integer(7)
                .seen_through(&[Look::Range(1, 9)])
                .to_string(),
            "(integer from 1 to 9)"
        );
        assert_eq!(
            Reply::Integer(10).seen_through(&[Look::Range(1, 9)]),
            Reply::Integer(10)
        );
    }

    #[test]
    fn fields_of_words_and_of_lines() {
        let only = |names: &[&str]| Look::Only(names.iter().map(|name| name.to_string()).collect());
        let client = bulk("id=3 addr=1.2.3.4:5 name= db=0\n");
        assert_eq!(
            client.seen_through(&[only(&["name", "db"])]).to_string(),
            r#""bulk with name= db=0""#
        );
        let info = bulk("# Server\r\nredis_mode:standalone\r\nos:x\r\n");
        assert_eq!(
            info.seen_through(&[only(&["redis_mode"])]).to_string(),
            r#""bulk with redis_mode:standalone""#
        );
    }

    #[test]
    fn a_lost_reply_passes_through_every_look() {
        assert_eq!(Reply::Closed.seen_through(&[Look::Type]), Reply::Closed);
    }
}
