//! Splits a typed line into the arguments of a command, with redis-cli's quoting.
//!
//! Bare words end at a blank. `"double"` quotes know `\n \r \t \b \a`, `\xHH` and take any other
//! escaped byte as itself; `'single'` quotes know only `\'`. A closing quote must be followed by a
//! blank or the end of the line. Works on bytes: a line need not be UTF-8.

/// A quote that is not closed, or one with something glued to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unbalanced;

/// What is being read inside an argument.
#[derive(Clone, Copy)]
enum Quote {
    Bare,
    Double,
    Single,
}

/// The arguments of a line, none for a blank one.
pub(crate) fn split(line: &[u8]) -> Result<Vec<Vec<u8>>, Unbalanced> {
    let mut args = Vec::new();
    let mut rest = line;
    loop {
        while let [first, tail @ ..] = rest
            && is_blank(*first)
        {
            rest = tail;
        }
        if rest.is_empty() {
            return Ok(args);
        }
        let (arg, tail) = argument(rest)?;
        args.push(arg);
        rest = tail;
    }
}

/// The one argument that a quoted text stands for, as in `--quoted-input`.
pub(crate) fn unquote(text: &[u8]) -> Result<Vec<u8>, Unbalanced> {
    let mut args = split(text)?;
    if args.len() != 1 {
        return Err(Unbalanced);
    }
    args.pop().ok_or(Unbalanced)
}

fn argument(text: &[u8]) -> Result<(Vec<u8>, &[u8]), Unbalanced> {
    let mut arg = Vec::new();
    let mut quote = Quote::Bare;
    let mut rest = text;
    loop {
        rest = match (quote, rest) {
            (Quote::Bare, [] | [b' ' | b'\n' | b'\r' | b'\t' | 0, ..]) => return Ok((arg, rest)),
            (Quote::Bare, [b'"', tail @ ..]) => {
                quote = Quote::Double;
                tail
            }
            (Quote::Bare, [b'\'', tail @ ..]) => {
                quote = Quote::Single;
                tail
            }
            (Quote::Double, [b'\\', b'x', high, low, tail @ ..])
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                arg.push(hex_digit(*high) << 4 | hex_digit(*low));
                tail
            }
            (Quote::Double, [b'\\', escaped, tail @ ..]) => {
                arg.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    other => *other,
                });
                tail
            }
            (Quote::Single, [b'\\', b'\'', tail @ ..]) => {
                arg.push(b'\'');
                tail
            }
            (Quote::Double, [b'"', tail @ ..]) | (Quote::Single, [b'\'', tail @ ..]) => {
                return match tail {
                    [] => Ok((arg, tail)),
                    [next, ..] if is_blank(*next) => Ok((arg, tail)),
                    _ => Err(Unbalanced),
                };
            }
            (_, [byte, tail @ ..]) => {
                arg.push(*byte);
                tail
            }
            (Quote::Double | Quote::Single, []) => return Err(Unbalanced),
        };
    }
}

/// C's `isspace`, and NUL, at which a C string would end.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c | 0)
}

fn hex_digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit - b'A' + 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::quote;
    use proptest::prelude::*;

    fn check(line: &str, expected: &[&[u8]]) {
        let args = split(line.as_bytes()).unwrap_or_else(|_| panic!("{line:?} is unbalanced"));
        assert_eq!(args, expected, "{line:?}");
    }

    #[test]
    fn words() {
        check("", &[]);
        check("  \t ", &[]);
        check("set  a\tb ", &[b"set", b"a", b"b"]);
    }

    #[test]
    fn double_quotes() {
        check(
            r#"set "a b" "\x00\xfF\n\r\t\b\a\"\\\q""#,
            &[b"set", b"a b", b"\x00\xff\n\r\t\x08\x07\"\\q"],
        );
        check(r#""""#, &[b""]);
        check(r#""\x0g""#, &[b"x0g"]);
        check(r#"key"" v"#, &[b"key", b"v"]);
    }

    #[test]
    fn single_quotes() {
        check(r"'a b' 'it\'s' '\n'", &[b"a b", b"it's", b"\\n"]);
    }

    #[test]
    fn unbalanced() {
        for line in [r#"""key"#, r#""key"x"#, r#""key"#, "'key", "'a'b", r#""\"#] {
            assert_eq!(split(line.as_bytes()), Err(Unbalanced), "{line}");
        }
    }

    #[test]
    fn unquote_takes_exactly_one() {
        assert_eq!(unquote(br#""\x41 b""#), Ok(b"A b".to_vec()));
        assert_eq!(unquote(b"a b"), Err(Unbalanced));
        assert_eq!(unquote(b""), Err(Unbalanced));
    }

    proptest! {
        #[test]
        fn quoting_and_splitting_are_inverse(args in prop::collection::vec(
            prop::collection::vec(any::<u8>(), 0..12), 0..5,
        )) {
            let mut line = Vec::new();
            for arg in &args {
                quote(arg, &mut line);
                line.push(b' ');
            }
            prop_assert_eq!(split(&line), Ok(args));
        }

        #[test]
        fn noise_never_panics(line in prop::collection::vec(
            prop_oneof![prop::sample::select(&b"\"'\\x0a \t"[..]), any::<u8>()], 0..20,
        )) {
            let _ = split(&line);
        }
    }
}
