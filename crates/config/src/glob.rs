//! The patterns of CONFIG GET and `include`: `*`, `?`, `[a-z]`, `[^a]` and `\` before a byte.

/// Whether a word is a pattern at all rather than a plain name.
pub fn is_pattern(word: &[u8]) -> bool {
    word.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
}

/// Whether upper and lower case are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    /// They are.
    Ignored,
    /// They are not.
    Exact,
}

impl Case {
    fn fold(self, byte: u8) -> u8 {
        if self == Case::Ignored {
            byte.to_ascii_lowercase()
        } else {
            byte
        }
    }
}

/// Whether `name` matches `pattern`.
///
/// Only the last `*` is ever retried: whatever an earlier one could match, the last can too. So the
/// time is bounded by the product of the lengths, whatever the pattern.
pub fn matches(pattern: &[u8], name: &[u8], case: Case) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut retry = None;
    while n < name.len() {
        if pattern.get(p) == Some(&b'*') {
            p += 1;
            retry = Some((p, n));
            continue;
        }
        match one(&pattern[p..], name[n], case) {
            Some(length) => {
                p += length;
                n += 1;
            }
            None => match &mut retry {
                Some((after_star, from)) => {
                    *from += 1;
                    (p, n) = (*after_star, *from);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// The length of the pattern's first element if it matches the byte.
fn one(pattern: &[u8], byte: u8, case: Case) -> Option<usize> {
    let byte = case.fold(byte);
    match pattern {
        [] => None,
        [b'?', ..] => Some(1),
        [b'[', ..] => {
            let (is_match, length) = class(pattern, byte, case);
            is_match.then_some(length)
        }
        [b'\\', literal, ..] => (case.fold(*literal) == byte).then_some(2),
        [literal, ..] => (case.fold(*literal) == byte).then_some(1),
    }
}

/// Whether a class matches, and its length; one without its `]` runs to the end of the pattern.
fn class(pattern: &[u8], byte: u8, case: Case) -> (bool, usize) {
    let is_negated = pattern.get(1) == Some(&b'^');
    let mut at = if is_negated { 2 } else { 1 };
    let mut is_match = false;
    while let Some(first) = pattern.get(at) {
        match (first, pattern.get(at + 1), pattern.get(at + 2)) {
            (b']', ..) => {
                at += 1;
                break;
            }
            (b'\\', Some(literal), _) => {
                is_match |= case.fold(*literal) == byte;
                at += 2;
            }
            (low, Some(b'-'), Some(high)) => {
                let (low, high) = (case.fold(*low), case.fold(*high));
                is_match |= (low.min(high)..=low.max(high)).contains(&byte);
                at += 3;
            }
            (literal, ..) => {
                is_match |= case.fold(*literal) == byte;
                at += 1;
            }
        }
    }
    (is_match != is_negated, at)
}

#[cfg(test)]
mod tests {
    use super::Case;

    fn matches(pattern: &[u8], name: &[u8]) -> bool {
        super::matches(pattern, name, Case::Ignored)
    }

    #[test]
    fn patterns() {
        for (pattern, name) in [
            ("*", "port"),
            ("", ""),
            ("p*t", "port"),
            ("*max*entries*", "hash-max-listpack-entries"),
            ("P?RT", "port"),
            ("[a-p]ort", "port"),
            ("[^x]ort", "port"),
            ("\\port", "port"),
            ("[p", "p"),
            ("a*b*c", "aXbXbc"),
        ] {
            assert!(
                matches(pattern.as_bytes(), name.as_bytes()),
                "{pattern} {name}"
            );
        }
        for (pattern, name) in [
            ("", "port"),
            ("p?t", "port"),
            ("*x", "port"),
            ("[^p]ort", "port"),
            ("port\\", "port"),
            ("[", "port"),
            ("ports", "port"),
        ] {
            assert!(
                !matches(pattern.as_bytes(), name.as_bytes()),
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn case() {
        assert!(!super::matches(b"a*", b"AB", Case::Exact));
        assert!(super::matches(b"[A-C]*", b"bb", Case::Ignored));
    }

    #[test]
    fn many_stars_end_soon() {
        let pattern = b"*a".repeat(200);
        assert!(!matches(
            &pattern,
            &b"a"
                .repeat(5_000)
                .iter()
                .chain(b"b")
                .copied()
                .collect::<Vec<_>>()
        ));
    }
}
