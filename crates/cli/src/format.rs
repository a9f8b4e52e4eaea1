//! Replies as text: the formatted, raw, CSV and JSON output of redis-cli, byte for byte.
//!
//! Programs parse this output, so the odd corners are kept: an error in raw mode has a newline of
//! its own, CSV flattens nested arrays, JSON shows an infinite double as it came. Kinds of reply
//! that redis-cli 7.0 refuses to print (big numbers, blob errors, attributes) are given the form
//! of their nearest relative.

use resp::client::Value;

/// How a reply is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// For people: types, quotes, numbered and indented elements.
    Formatted,
    /// For programs: the bare bytes.
    Raw,
    /// One line of comma-separated values.
    Csv,
    /// JSON whose strings hold the reply's bytes as they are.
    Json,
    /// JSON in ASCII: strings are quoted as in formatted output, then once more.
    QuotedJson,
}

/// A style and the delimiters that raw output uses.
#[derive(Clone, Debug)]
pub(crate) struct Format {
    pub(crate) style: Style,
    /// Between the elements of an aggregate.
    pub(crate) element_delimiter: Vec<u8>,
    /// After each reply.
    pub(crate) reply_delimiter: Vec<u8>,
}

impl Format {
    /// Appends a reply as it is shown on standard output, with its final newline.
    pub(crate) fn reply(&self, value: &Value, out: &mut Vec<u8>) {
        match self.style {
            Style::Formatted => formatted(value, &mut Vec::new(), out),
            Style::Raw => {
                self.raw(value, out);
                out.extend_from_slice(&self.reply_delimiter);
            }
            Style::Csv => {
                csv(value, out);
                out.push(b'\n');
            }
            Style::Json | Style::QuotedJson => {
                json(value, self.style, out);
                out.push(b'\n');
            }
        }
    }

    /// Appends a reply that is text for people whatever the style, such as that of INFO.
    pub(crate) fn verbatim(&self, value: &Value, out: &mut Vec<u8>) {
        self.raw(value, out);
    }

    /// Appends a message that the server pushed beside the replies.
    pub(crate) fn push(&self, value: &Value, out: &mut Vec<u8>) {
        if let (Style::Formatted, Value::Push(items)) = (self.style, value)
            && let [kind, Value::Array(keys)] = items.as_slice()
            && kind.as_bytes() == Some(b"invalidate")
        {
            out.extend_from_slice(b"-> invalidate: ");
            for (index, key) in keys.iter().enumerate() {
                if index > 0 {
                    out.extend_from_slice(b", ");
                }
                out.push(b'\'');
                out.extend_from_slice(key.as_bytes().unwrap_or_default());
                out.push(b'\'');
            }
            out.push(b'\n');
            return;
        }
        self.reply(value, out);
    }

    fn raw(&self, value: &Value, out: &mut Vec<u8>) {
        match value {
            Value::Null | Value::NullBulk | Value::NullArray => {}
            Value::Error(text) | Value::BlobError(text) => {
                out.extend_from_slice(text);
                out.push(b'\n');
            }
            Value::Simple(text) | Value::Bulk(text) | Value::Verbatim { text, .. } => {
                out.extend_from_slice(text);
            }
            Value::Boolean(true) => out.extend_from_slice(b"(true)"),
            Value::Boolean(false) => out.extend_from_slice(b"(false)"),
            Value::Integer(integer) => out.extend_from_slice(integer.to_string().as_bytes()),
            Value::Double(text) | Value::BigNumber(text) => out.extend_from_slice(text.as_bytes()),
            Value::Array(items) | Value::Set(items) | Value::Push(items) => {
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.extend_from_slice(&self.element_delimiter);
                    }
                    self.raw(item, out);
                }
            }
            Value::Map(pairs) => {
                for (index, (key, value)) in pairs.iter().enumerate() {
                    if index > 0 {
                        out.extend_from_slice(&self.element_delimiter);
                    }
                    self.raw(key, out);
                    out.push(b' ');
                    self.raw(value, out);
                }
            }
            Value::Attribute { value, .. } => self.raw(value, out),
        }
    }
}

/// Appends a value for people. `indent` goes before each line but the first, on which the caller
/// has already written the element's number.
fn formatted(value: &Value, indent: &mut Vec<u8>, out: &mut Vec<u8>) {
    match value {
        Value::Error(text) | Value::BlobError(text) => {
            out.extend_from_slice(b"(error) ");
            out.extend_from_slice(text);
        }
        Value::Simple(text) | Value::Verbatim { text, .. } => out.extend_from_slice(text),
        Value::Integer(integer) => out.extend_from_slice(format!("(integer) {integer}").as_bytes()),
        Value::Double(text) => out.extend_from_slice(format!("(double) {text}").as_bytes()),
        Value::BigNumber(text) => out.extend_from_slice(format!("(big number) {text}").as_bytes()),
        Value::Bulk(text) => quote(text, out),
        Value::Null | Value::NullBulk | Value::NullArray => out.extend_from_slice(b"(nil)"),
        Value::Boolean(true) => out.extend_from_slice(b"(true)"),
        Value::Boolean(false) => out.extend_from_slice(b"(false)"),
        Value::Array(items) if items.is_empty() => out.extend_from_slice(b"(empty array)"),
        Value::Set(items) if items.is_empty() => out.extend_from_slice(b"(empty set)"),
        Value::Push(items) if items.is_empty() => out.extend_from_slice(b"(empty push)"),
        Value::Map(pairs) if pairs.is_empty() => out.extend_from_slice(b"(empty hash)"),
        Value::Array(items) | Value::Push(items) => return elements(items, ')', indent, out),
        Value::Set(items) => return elements(items, '~', indent, out),
        Value::Map(pairs) => return formatted_pairs(pairs, '#', indent, out),
        Value::Attribute { attributes, value } => {
            if !attributes.is_empty() {
                formatted_pairs(attributes, '|', indent, out);
                out.extend_from_slice(indent);
            }
            return formatted(value, indent, out);
        }
    }
    out.push(b'\n');
}

fn elements(items: &[Value], mark: char, indent: &mut Vec<u8>, out: &mut Vec<u8>) {
    let width = items.len().to_string().len();
    for (index, item) in items.iter().enumerate() {
        number(index, width, mark, indent, out);
        nested(width, indent, |indent| formatted(item, indent, out));
    }
}

fn formatted_pairs(pairs: &[(Value, Value)], mark: char, indent: &mut Vec<u8>, out: &mut Vec<u8>) {
    let width = pairs.len().to_string().len();
    for (index, (key, value)) in pairs.iter().enumerate() {
        number(index, width, mark, indent, out);
        nested(width, indent, |indent| {
            formatted(key, indent, out);
            // The value follows on the key's line, unless it needs lines of its own.
            out.pop();
            out.extend_from_slice(b" => ");
            if takes_lines(value) {
                out.push(b'\n');
                out.extend_from_slice(indent);
            }
            formatted(value, indent, out);
        });
    }
}

fn number(index: usize, width: usize, mark: char, indent: &[u8], out: &mut Vec<u8>) {
    if index > 0 {
        out.extend_from_slice(indent);
    }
    out.extend_from_slice(format!("{:width$}{mark} ", index + 1).as_bytes());
}

/// Runs `show` with the indent of the elements inside one that is numbered in `width` digits.
fn nested(width: usize, indent: &mut Vec<u8>, show: impl FnOnce(&mut Vec<u8>)) {
    let outer = indent.len();
    indent.resize(outer + width + 2, b' ');
    show(indent);
    indent.truncate(outer);
}

fn takes_lines(value: &Value) -> bool {
    match value {
        Value::Array(items) | Value::Set(items) | Value::Push(items) => match items.as_slice() {
            [] => false,
            [only] => takes_lines(only),
            _ => true,
        },
        Value::Map(pairs) => match pairs.as_slice() {
            [] => false,
            [(_, only)] => takes_lines(only),
            _ => true,
        },
        Value::Attribute { attributes, value } => !attributes.is_empty() || takes_lines(value),
        _ => false,
    }
}

fn csv(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Error(text) | Value::BlobError(text) => {
            out.extend_from_slice(b"ERROR,");
            quote(text, out);
        }
        Value::Simple(text) | Value::Bulk(text) | Value::Verbatim { text, .. } => quote(text, out),
        Value::Integer(integer) => out.extend_from_slice(integer.to_string().as_bytes()),
        Value::Double(text) | Value::BigNumber(text) => out.extend_from_slice(text.as_bytes()),
        Value::Null | Value::NullBulk | Value::NullArray => out.extend_from_slice(b"NULL"),
        Value::Boolean(boolean) => out.extend_from_slice(boolean.to_string().as_bytes()),
        Value::Array(items) | Value::Set(items) | Value::Push(items) => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                csv(item, out);
            }
        }
        Value::Map(pairs) => {
            for (index, (key, value)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                csv(key, out);
                out.push(b',');
                csv(value, out);
            }
        }
        Value::Attribute { value, .. } => csv(value, out),
    }
}

fn json(value: &Value, style: Style, out: &mut Vec<u8>) {
    match value {
        Value::Error(text) | Value::BlobError(text) => {
            out.extend_from_slice(b"error:");
            json_string(text, style, out);
        }
        Value::Simple(text) | Value::Bulk(text) | Value::Verbatim { text, .. } => {
            json_string(text, style, out);
        }
        Value::Integer(integer) => out.extend_from_slice(integer.to_string().as_bytes()),
        Value::Double(text) | Value::BigNumber(text) => out.extend_from_slice(text.as_bytes()),
        Value::Null | Value::NullBulk | Value::NullArray => out.extend_from_slice(b"null"),
        Value::Boolean(boolean) => out.extend_from_slice(boolean.to_string().as_bytes()),
        Value::Array(items) | Value::Set(items) | Value::Push(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                json(item, style, out);
            }
            out.push(b']');
        }
        Value::Map(pairs) => {
            out.push(b'{');
            for (index, (key, value)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                json_key(key, style, out);
                out.push(b':');
                json(value, style, out);
            }
            out.push(b'}');
        }
        Value::Attribute { value, .. } => json(value, style, out),
    }
}

/// JSON's keys are strings; RESP3's may be anything, and are put into quotes.
fn json_key(key: &Value, style: Style, out: &mut Vec<u8>) {
    let mut text = Vec::new();
    json(key, style, &mut text);
    let quoted =
        key.as_bytes().is_some() || key.as_error().is_some() || text.first() == Some(&b'"');
    if !quoted {
        out.push(b'"');
    }
    out.extend_from_slice(&text);
    if !quoted {
        out.push(b'"');
    }
}

fn json_string(text: &[u8], style: Style, out: &mut Vec<u8>) {
    if style == Style::QuotedJson {
        let mut quoted = Vec::new();
        quote(text, &mut quoted);
        for byte in quoted {
            if byte == b'\\' {
                out.push(b'\\');
            }
            out.push(byte);
        }
        return;
    }
    out.push(b'"');
    for &byte in text {
        match byte {
            b'\\' | b'"' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            0x0c => out.extend_from_slice(b"\\f"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0..=0x1f => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Appends a string in double quotes such that [`crate::line_split`] reads it back.
pub(crate) fn quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text {
        match byte {
            b'\\' | b'"' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x07 => out.extend_from_slice(b"\\a"),
            0x08 => out.extend_from_slice(b"\\b"),
            b' '..=b'~' => out.push(byte),
            _ => out.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use resp::client::Decoder;

    /// Shows a reply, given as the protocol has it, in one style.
    fn check(style: Style, reply: &str, expected: Expect) {
        let mut decoder = Decoder::new();
        decoder.feed(reply.replace('|', "\r\n").as_bytes());
        let value = decoder.next().unwrap().unwrap();
        let format = Format {
            style,
            element_delimiter: b"\n".to_vec(),
            reply_delimiter: b"\n".to_vec(),
        };
        let mut out = Vec::new();
        format.push(&value, &mut out);
        expected.assert_eq(&String::from_utf8(out).unwrap());
    }

    const NESTED: &str = "*3|:1|*2|+a|*2|$1|b|$-1|%2|+k|:1|+l|*2|#t|,1.5|";

    #[test]
    fn formatted_scalars() {
        let check = |reply, expected| check(Style::Formatted, reply, expected);
        check(":1|", expect!["(integer) 1\n"]);
        check("-ERR x|", expect!["(error) ERR x\n"]);
        check("$-1|", expect!["(nil)\n"]);
        check("*-1|", expect!["(nil)\n"]);
        check("_|", expect!["(nil)\n"]);
        check("+OK|", expect!["OK\n"]);
        check(
            "$4|a\"\t\u{1}|",
            expect![[r#"
            "a\"\t\x01"
        "#]],
        );
        check("=8|txt:a\"\tb|", expect!["a\"\tb\n"]);
        check(",1.5|", expect!["(double) 1.5\n"]);
        check("#f|", expect!["(false)\n"]);
        check("(123|", expect!["(big number) 123\n"]);
        check("!5|ERR x|", expect!["(error) ERR x\n"]);
    }

    #[test]
    fn formatted_aggregates() {
        let check = |reply, expected| check(Style::Formatted, reply, expected);
        check("*0|", expect!["(empty array)\n"]);
        check("%0|", expect!["(empty hash)\n"]);
        check("~0|", expect!["(empty set)\n"]);
        check(
            NESTED,
            expect![[r#"
            1) (integer) 1
            2) 1) a
               2) 1) "b"
                  2) (nil)
            3) 1# k => (integer) 1
               2# l => 
                  1) (true)
                  2) (double) 1.5
        "#]],
        );
        check(
            "~2|:1|:2|",
            expect![[r#"
            1~ (integer) 1
            2~ (integer) 2
        "#]],
        );
        check(
            ">2|$10|invalidate|*2|$1|a|$1|b|",
            expect!["-> invalidate: 'a', 'b'\n"],
        );
    }

    #[test]
    fn numbers_are_aligned() {
        let reply = format!("*10|{}", ":7|".repeat(9) + "*1|:8|");
        check(
            Style::Formatted,
            &reply,
            expect![[r#"
             1) (integer) 7
             2) (integer) 7
             3) (integer) 7
             4) (integer) 7
             5) (integer) 7
             6) (integer) 7
             7) (integer) 7
             8) (integer) 7
             9) (integer) 7
            10) 1) (integer) 8
        "#]],
        );
    }

    #[test]
    fn raw() {
        check(
            Style::Raw,
            NESTED,
            expect![[r#"
            1
            a
            b

            k 1
            l (true)
            1.5
        "#]],
        );
        check(Style::Raw, "-ERR x|", expect!["ERR x\n\n"]);
    }

    #[test]
    fn delimiters() {
        let format = Format {
            style: Style::Raw,
            element_delimiter: b", ".to_vec(),
            reply_delimiter: b";".to_vec(),
        };
        let mut out = Vec::new();
        format.reply(
            &Value::Array(vec![Value::Integer(1), Value::Integer(2)]),
            &mut out,
        );
        assert_eq!(out, b"1, 2;");
        out.clear();
        format.reply(&Value::Null, &mut out);
        assert_eq!(out, b";");
    }

    #[test]
    fn csv() {
        check(
            Style::Csv,
            NESTED,
            expect![[r#"
            1,"a","b",NULL,"k",1,"l",true,1.5
        "#]],
        );
        check(
            Style::Csv,
            "-ERR x|",
            expect![[r#"
            ERROR,"ERR x"
        "#]],
        );
    }

    #[test]
    fn json() {
        check(
            Style::Json,
            NESTED,
            expect![[r#"
            [1,["a",["b",null]],{"k":1,"l":[true,1.5]}]
        "#]],
        );
        check(
            Style::Json,
            "%1|:1|$3|a\u{1}\n|",
            expect![[r#"
            {"1":"a\u0001\n"}
        "#]],
        );
        check(
            Style::QuotedJson,
            "%1|:1|$4|a\u{1}é|",
            expect![[r#"
            {"1":"a\\x01\\xc3\\xa9"}
        "#]],
        );
    }
}
