//! What is left to type of a command, read off its syntax text.
//!
//! The text is the usual notation: `key [NX | XX] [GET] score member [score member ...]`, square
//! brackets for what may be left out, angle brackets for a choice that must be made. A match of
//! typed words against it is a guess, which is good enough to remind a person.

/// The part of `syntax` that `words`, typed after the command's name, have not yet covered.
pub(crate) fn remaining(syntax: &str, words: &[Vec<u8>]) -> String {
    let mut left: Vec<String> = tokens(syntax).into_iter().map(str::to_owned).collect();
    let mut words = words;
    while let [word, rest @ ..] = words
        && !left.is_empty()
    {
        let optional = left
            .iter()
            .take_while(|token| token.starts_with('['))
            .count();
        let keyword = left[..optional]
            .iter()
            .enumerate()
            .find_map(|(index, token)| Some((index, alternative(token, word)?.join(" "))));
        if let Some((index, chosen)) = keyword {
            left.remove(index);
            words = cover(&chosen, words, &mut left, index);
            continue;
        }
        let placeholder = left[..optional]
            .iter()
            .position(|token| !is_keyword(inner(token)));
        match placeholder {
            Some(index) if left[index].contains("...") => break,
            Some(index) => {
                left.remove(index);
                words = rest;
            }
            None if optional < left.len() => {
                left.drain(..optional);
                let token = left.remove(0);
                match alternative(&token, word) {
                    Some(chosen) if token.starts_with('<') => {
                        words = cover(&chosen.join(" "), words, &mut left, 0);
                    }
                    _ => words = rest,
                }
            }
            None => break,
        }
    }
    left.join(" ")
}

/// Takes the words that `chosen` asks for; what was not typed of it goes back into `left`.
fn cover<'w>(
    chosen: &str,
    words: &'w [Vec<u8>],
    left: &mut Vec<String>,
    index: usize,
) -> &'w [Vec<u8>] {
    let wanted = tokens(chosen);
    let typed = words.len().min(wanted.len());
    let missing = wanted[typed..].join(" ");
    if !missing.is_empty() {
        left.insert(index, missing);
    }
    &words[typed..]
}

/// Of the choices in a token, the tokens of the one that starts with this keyword.
fn alternative<'t>(token: &'t str, word: &[u8]) -> Option<Vec<&'t str>> {
    split(inner(token), |byte| byte == b'|')
        .into_iter()
        .map(tokens)
        .find(|choice| {
            choice.first().is_some_and(|first| {
                is_keyword(first) && word.eq_ignore_ascii_case(first.as_bytes())
            })
        })
}

/// Whether a text starts with a word that is typed as it stands.
fn is_keyword(text: &str) -> bool {
    let first = tokens(text).first().copied().unwrap_or_default();
    let first = split(inner(first), |byte| byte == b'|')
        .first()
        .copied()
        .unwrap_or_default();
    first.bytes().any(|byte| byte.is_ascii_uppercase())
        && !first.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// A token without its outer brackets.
fn inner(token: &str) -> &str {
    let bracketed = |open, close| token.strip_prefix(open)?.strip_suffix(close);
    bracketed('[', ']')
        .or_else(|| bracketed('<', '>'))
        .unwrap_or(token)
}

fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = split(text, |byte| byte.is_ascii_whitespace());
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// Cuts at separators outside of brackets.
fn split(text: &str, is_separator: impl Fn(u8) -> bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0_i32;
    let mut start = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'<' => depth += 1,
            b']' | b'>' => depth -= 1,
            _ if depth <= 0 && is_separator(byte) => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(syntax: &str, words: &str, expected: &str) {
        let words: Vec<_> = words
            .split_whitespace()
            .map(|word| word.as_bytes().to_vec())
            .collect();
        assert_eq!(
            remaining(syntax, &words),
            expected,
            "{syntax} after {words:?}"
        );
    }

    const SET: &str = "key value [NX | XX] [GET] [EX seconds | PX milliseconds | KEEPTTL]";

    #[test]
    fn required_arguments_go_in_order() {
        check("key value", "", "key value");
        check("key value", "k", "value");
        check("key value", "k v", "");
        check("key value", "k v extra", "");
    }

    #[test]
    fn options_go_by_their_keyword() {
        check(
            SET,
            "k v",
            "[NX | XX] [GET] [EX seconds | PX milliseconds | KEEPTTL]",
        );
        check(
            SET,
            "k v get",
            "[NX | XX] [EX seconds | PX milliseconds | KEEPTTL]",
        );
        check(SET, "k v xx EX 1", "[GET]");
        check(SET, "k v px", "[NX | XX] [GET] milliseconds");
        check(
            SET,
            "k v unknown",
            "[NX | XX] [GET] [EX seconds | PX milliseconds | KEEPTTL]",
        );
    }

    #[test]
    fn options_before_required_arguments() {
        let zadd = "key [NX | XX] [CH] score member [score member ...]";
        check(zadd, "k", "[NX | XX] [CH] score member [score member ...]");
        check(zadd, "k ch", "[NX | XX] score member [score member ...]");
        check(zadd, "k ch 1", "member [score member ...]");
        check(zadd, "k 1 a 2 b", "[score member ...]");
    }

    #[test]
    fn placeholders_in_brackets() {
        check("key [count]", "k 2", "");
        check("key [key ...]", "a b c", "[key ...]");
        check(
            "[section [section ...]]",
            "memory",
            "[section [section ...]]",
        );
    }

    #[test]
    fn choices_that_must_be_made() {
        let lmpop = "numkeys key [key ...] <LEFT | RIGHT> [COUNT count]";
        check(lmpop, "1 k", "[key ...] <LEFT | RIGHT> [COUNT count]");
        check("key <EX seconds | PERSIST> [GET]", "k ex", "seconds [GET]");
        check("key <EX seconds | PERSIST> [GET]", "k persist", "[GET]");
        check("<IP ip | ID id>", "", "<IP ip | ID id>");
    }
}
