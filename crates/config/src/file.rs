//! The line syntax of redis.conf: words, quotes and escapes.
//!
//! Words are separated by blanks. `"..."` takes `\n`, `\r`, `\t`, `\b`, `\a`, `\xHH` and a
//! backslash before any other byte; `'...'` takes `\'` only. A closing quote must end the word.

/// The words of a line, or nothing if its quotes are unbalanced.
pub(crate) fn split(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return Some(words);
        }
        let (word, after) = split_word(rest)?;
        words.push(word);
        rest = after;
    }
}

fn split_word(mut rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut word = Vec::new();
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' | 0 => return Some((word, after)),
            b'"' => return double_quoted(word, after),
            b'\'' => return single_quoted(word, after),
            _ => word.push(byte),
        }
        rest = after;
    }
    Some((word, rest))
}

fn double_quoted(mut word: Vec<u8>, mut rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    loop {
        rest = match rest {
            [] => return None,
            [b'\\', b'x', high, low, after @ ..]
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                word.push(hex_value(*high) * 16 + hex_value(*low));
                after
            }
            [b'\\', escaped, after @ ..] => {
                word.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 8,
                    b'a' => 7,
                    other => *other,
                });
                after
            }
            [b'"', after @ ..] => return ends_word(after).then_some((word, after)),
            [byte, after @ ..] => {
                word.push(*byte);
                after
            }
        }
    }
}

fn single_quoted(mut word: Vec<u8>, mut rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    loop {
        rest = match rest {
            [] => return None,
            [b'\\', b'\'', after @ ..] => {
                word.push(b'\'');
                after
            }
            [b'\'', after @ ..] => return ends_word(after).then_some((word, after)),
            [byte, after @ ..] => {
                word.push(*byte);
                after
            }
        }
    }
}

fn ends_word(after: &[u8]) -> bool {
    after.first().is_none_or(u8::is_ascii_whitespace)
}

fn hex_value(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit - b'A' + 10,
    }
}

/// The text in double quotes, so that [`split`] gives it back.
pub(crate) fn quote(text: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(text.len() + 2);
    quoted.push(b'"');
    for &byte in text {
        match byte {
            b'\\' | b'"' => quoted.extend_from_slice(&[b'\\', byte]),
            b'\n' => quoted.extend_from_slice(b"\\n"),
            b'\r' => quoted.extend_from_slice(b"\\r"),
            b'\t' => quoted.extend_from_slice(b"\\t"),
            7 => quoted.extend_from_slice(b"\\a"),
            8 => quoted.extend_from_slice(b"\\b"),
            b' '..=b'~' => quoted.push(byte),
            _ => quoted.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
        }
    }
    quoted.push(b'"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(line: &str) -> Option<Vec<String>> {
        let words = split(line.as_bytes())?;
        Some(
            words
                .into_iter()
                .map(|word| String::from_utf8_lossy(&word).into_owned())
                .collect(),
        )
    }

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        assert_eq!(words(line).unwrap(), expected, "{line}");
    }

    #[test]
    fn words_and_quotes() {
        check("", &[]);
        check("  port \t 6379 ", &["port", "6379"]);
        check(r#"save """#, &["save", ""]);
        check(r#"a "b c" 'd e'"#, &["a", "b c", "d e"]);
        check(r#"a "\x41\n\"\\\q" '\'\n'"#, &["a", "A\n\"\\q", "'\\n"]);
        check(r#"pre"fix""#, &["prefix"]);
        check(r#"a "\x4""#, &["a", "x4"]);
    }

    #[test]
    fn unbalanced_quotes() {
        for line in [
            r#"a "b"#,
            "a 'b",
            r#"a "b"c"#,
            "a 'b'c",
            r#"""""#,
            r#"a "\"#,
        ] {
            assert_eq!(words(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn quoting_round_trips(text: Vec<u8>) {
            prop_assert_eq!(split(&quote(&text)), Some(vec![text]));
        }

        #[test]
        fn any_bytes_split_without_a_panic(line: Vec<u8>) {
            split(&line);
        }
    }
}
