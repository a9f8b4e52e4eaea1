//! Reads a reply to COMMAND DOCS into hints, writing each command's arguments out as syntax text.
//!
//! RESP2 sends the maps as flat arrays, so both forms are read alike. Anything that is missing or of
//! another type is skipped: these are hints.

use resp::client::Value;

use crate::CommandHint;

/// Nesting of arguments that is followed; real ones have four levels.
const DEPTH_MAX: u32 = 16;

/// The commands and subcommands of the reply.
pub(crate) fn commands(reply: &Value) -> Vec<CommandHint> {
    let mut commands = Vec::new();
    for (name, docs) in entries(reply) {
        let Some(name) = text(name) else { continue };
        commands.push(command(&name, docs));
        for (name, docs) in field(docs, "subcommands").map(entries).unwrap_or_default() {
            if let Some(name) = text(name) {
                commands.push(command(&name, docs));
            }
        }
    }
    commands
}

fn command(name: &str, docs: &Value) -> CommandHint {
    let field_text = |name| field(docs, name).and_then(text).unwrap_or_default();
    CommandHint {
        name: name.replace('|', " ").to_ascii_uppercase().into(),
        syntax: arguments(field(docs, "arguments"), " ", DEPTH_MAX).into(),
        summary: field_text("summary").into(),
        group: field_text("group").into(),
    }
}

fn arguments(list: Option<&Value>, separator: &str, depth: u32) -> String {
    let items = list.and_then(Value::as_items).unwrap_or_default();
    let texts: Vec<String> = items.iter().map(|item| argument(item, depth)).collect();
    texts.join(separator)
}

fn argument(argument: &Value, depth: u32) -> String {
    if depth == 0 {
        return "...".into();
    }
    let field_text = |name| field(argument, name).and_then(text);
    let flags = field(argument, "flags")
        .and_then(Value::as_items)
        .unwrap_or_default();
    let has = |name: &str| {
        flags
            .iter()
            .any(|flag| flag.as_bytes() == Some(name.as_bytes()))
    };
    let token = field_text("token").map(|token| match token.as_str() {
        "" => "\"\"".to_owned(),
        _ => token,
    });
    let kind = field_text("type").unwrap_or_default();
    let nested = |separator| arguments(field(argument, "arguments"), separator, depth - 1);
    let value = match kind.as_str() {
        "pure-token" => String::new(),
        "oneof" if has("optional") && token.is_none() && !has("multiple") => nested(" | "),
        "oneof" => format!("<{}>", nested(" | ")),
        "block" => nested(" "),
        _ => field_text("display_text")
            .or(field_text("name"))
            .unwrap_or_default(),
    };
    let join = |token: &str, value: &str| format!("{token} {value}").trim().to_owned();
    let token = token.unwrap_or_default();
    let shown = match (has("multiple"), has("multiple_token")) {
        (true, true) => {
            let once = join(&token, &value);
            format!("{once} [{once} ...]")
        }
        (true, false) => join(&token, &format!("{value} [{value} ...]")),
        _ => join(&token, &value),
    };
    if has("optional") {
        format!("[{shown}]")
    } else {
        shown
    }
}

/// The pairs of a map, or of an array that stands for one.
fn entries(value: &Value) -> Vec<(&Value, &Value)> {
    match value {
        Value::Map(pairs) => pairs.iter().map(|(key, value)| (key, value)).collect(),
        Value::Array(items) => items
            .chunks_exact(2)
            .map(|pair| (&pair[0], &pair[1]))
            .collect(),
        _ => Vec::new(),
    }
}

fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    entries(value)
        .into_iter()
        .find(|(key, _)| key.as_bytes() == Some(name.as_bytes()))
        .map(|(_, value)| value)
}

fn text(value: &Value) -> Option<String> {
    value
        .as_bytes()
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(text: &str) -> Value {
        Value::Bulk(text.into())
    }

    fn map(pairs: &[(&str, Value)]) -> Value {
        Value::Array(
            pairs
                .iter()
                .flat_map(|(key, value)| [bulk(key), value.clone()])
                .collect(),
        )
    }

    fn plain(name: &str) -> Value {
        map(&[("name", bulk(name)), ("type", bulk("string"))])
    }

    fn token(name: &str) -> Value {
        map(&[
            ("name", bulk("t")),
            ("type", bulk("pure-token")),
            ("token", bulk(name)),
        ])
    }

    fn flags(names: &[&str]) -> Value {
        Value::Set(
            names
                .iter()
                .map(|name| Value::Simple((*name).into()))
                .collect(),
        )
    }

    #[test]
    fn syntax_is_written_out() {
        let choice = map(&[
            ("name", bulk("condition")),
            ("type", bulk("oneof")),
            ("flags", flags(&["optional"])),
            ("arguments", Value::Array(vec![token("NX"), token("XX")])),
        ]);
        let must = map(&[
            ("name", bulk("where")),
            ("type", bulk("oneof")),
            (
                "arguments",
                Value::Array(vec![token("LEFT"), token("RIGHT")]),
            ),
        ]);
        let block = map(&[
            ("name", bulk("data")),
            ("type", bulk("block")),
            ("flags", flags(&["multiple"])),
            (
                "arguments",
                Value::Array(vec![plain("score"), plain("member")]),
            ),
        ]);
        let get = map(&[
            ("name", bulk("pattern")),
            ("type", bulk("pattern")),
            ("token", bulk("GET")),
            ("flags", flags(&["optional", "multiple", "multiple_token"])),
        ]);
        let docs = map(&[
            ("summary", bulk("Adds.")),
            ("group", bulk("module")),
            (
                "arguments",
                Value::Array(vec![plain("key"), choice, must, block, get]),
            ),
            (
                "subcommands",
                Value::Map(vec![(bulk("x|y"), map(&[("group", bulk("g"))]))]),
            ),
        ]);
        let learned = commands(&Value::Map(vec![(bulk("x"), docs)]));
        assert_eq!(learned.len(), 2);
        assert_eq!(learned[0].name, "X");
        assert_eq!(
            learned[0].syntax,
            "key [NX | XX] <LEFT | RIGHT> score member [score member ...] \
             [GET pattern [GET pattern ...]]"
        );
        assert_eq!(
            (&*learned[0].summary, &*learned[0].group),
            ("Adds.", "module")
        );
        assert_eq!((&*learned[1].name, &*learned[1].syntax), ("X Y", ""));
    }

    #[test]
    fn nonsense_gives_nothing() {
        assert_eq!(commands(&Value::Error(b"ERR".to_vec())), []);
        assert_eq!(commands(&Value::Array(vec![Value::Null, Value::Null])), []);
    }
}
