//! The patterns of BY and GET: `#` is the element itself; otherwise the first `*` stands for it in
//! the name of a key, and `->` before the end introduces a field of the hash there. A pattern
//! without `*` leads nowhere.

use keyspace::{Db, Text, Value};

pub(super) struct Pattern<'a>(Form<'a>);

enum Form<'a> {
    Element,
    Key {
        before: &'a [u8],
        behind: &'a [u8],
        field: Option<&'a [u8]>,
    },
    Nothing,
}

impl<'a> Pattern<'a> {
    pub(super) fn new(text: &'a [u8]) -> Pattern<'a> {
        if text == b"#" {
            return Pattern(Form::Element);
        }
        let Some(star) = text.iter().position(|byte| *byte == b'*') else {
            return Pattern(Form::Nothing);
        };
        let (before, behind) = (&text[..star], &text[star + 1..]);
        let arrow = behind.windows(2).position(|pair| pair == b"->");
        Pattern(match arrow {
            Some(arrow) if arrow + 2 < behind.len() => Form::Key {
                before,
                behind: &behind[..arrow],
                field: Some(&behind[arrow + 2..]),
            },
            _ => Form::Key {
                before,
                behind,
                field: None,
            },
        })
    }

    pub(super) fn leads_to_keys(&self) -> bool {
        matches!(self.0, Form::Key { .. })
    }

    pub(super) fn is_element(&self) -> bool {
        matches!(self.0, Form::Element)
    }

    /// Calls `read` with what the pattern leads to for `element`; a value of another type is as good
    /// as none. `name` is room for the key's name.
    pub(super) fn look_up<R>(
        &self,
        db: &mut Db<'_>,
        element: &[u8],
        name: &mut Vec<u8>,
        read: impl FnOnce(Option<&[u8]>) -> R,
    ) -> R {
        let (before, behind, field) = match self.0 {
            Form::Element => return read(Some(element)),
            Form::Nothing => return read(None),
            Form::Key {
                before,
                behind,
                field,
            } => (before, behind, field),
        };
        name.clear();
        name.extend_from_slice(before);
        name.extend_from_slice(element);
        name.extend_from_slice(behind);
        db.reach(name);
        match (db.find(name).map(|entry| entry.value()), field) {
            (Some(Value::Text(Text::Bytes(bytes))), None) => read(Some(bytes)),
            (Some(Value::Text(Text::Int(value))), None) => {
                read(Some(itoa::Buffer::new().format(value).as_bytes()))
            }
            (Some(Value::Hash(hash)), Some(field)) => read(hash.get(field)),
            _ => read(None),
        }
    }
}
