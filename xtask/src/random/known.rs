//! Differences from all oracles that are meant, each with its reason.

use crate::compat::Reply;

/// A difference that is no finding.
struct Known {
    /// The command's name, `*` for any.
    command: &'static str,
    /// What our reply's kind begins with: an error's text behind a dash, a simple string behind a plus, or a type.
    ours: &'static str,
    /// The same of the main oracle's.
    theirs: &'static str,
    /// Why.
    #[expect(dead_code, reason = "the list is read by people")]
    why: &'static str,
}

const KNOWN: &[Known] = &[Known {
    command: "SCAN",
    ours: "-ERR invalid cursor",
    theirs: "array",
    why: "a cursor is a number and nothing else; the others take -0, as strtoul does",
}];

/// Whether a difference of these kinds is meant.
pub(super) fn is_known(command: &str, ours: &str, theirs: &str) -> bool {
    KNOWN.iter().any(|known| {
        (known.command == "*" || known.command == command)
            && ours.starts_with(known.ours)
            && theirs.starts_with(known.theirs)
    })
}

/// Whether two replies are the same but for numbers whose spelling is meant to differ.
pub(super) fn same_numbers(command: &str, ours: &Reply, theirs: &Reply) -> bool {
    let all = |a: &[Reply], b: &[Reply]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_numbers(command, a, b))
    };
    match (ours, theirs) {
        (Reply::Array(a), Reply::Array(b)) | (Reply::Set(a), Reply::Set(b)) => all(a, b),
        (Reply::Bulk(a), Reply::Bulk(b)) => a == b || is_zero(command, a, b) || is_shorter(a, b),
        // -0 again.
        (Reply::Double(a), Reply::Double(b)) => f64::from_bits(*a) == f64::from_bits(*b),
        _ => ours == theirs,
    }
}

/// A score of -0 is stored as 0: what compares equal prints equal. The others print what was set last, and only in the
/// big form.
fn is_zero(command: &str, ours: &[u8], theirs: &[u8]) -> bool {
    command.starts_with('Z') && ours == b"0" && theirs == b"-0"
}

/// Ours is the shortest text that reads back as the number. The others' algorithm seldom misses it: they print 1e23 as
/// 99999999999999990000000.
fn is_shorter(ours: &[u8], theirs: &[u8]) -> bool {
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<f64>().ok();
    let digits = |text: &[u8]| {
        let mantissa = text.split(|byte| *byte == b'e').next().unwrap_or_default();
        let digits = mantissa.iter().filter(|byte| byte.is_ascii_digit());
        let digits: Vec<u8> = digits.copied().skip_while(|digit| *digit == b'0').collect();
        digits.len()
            - digits
                .iter()
                .rev()
                .take_while(|digit| **digit == b'0')
                .count()
    };
    let equal = number(ours).is_some_and(|ours| number(theirs) == Some(ours));
    equal && digits(ours) < digits(theirs) && digits(theirs) >= 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_that_are_meant() {
        let same = |ours: &str, theirs: &str| {
            same_numbers(
                "ZSCORE",
                &Reply::Bulk(ours.into()),
                &Reply::Bulk(theirs.into()),
            )
        };
        assert!(same("0", "-0"));
        assert!(same("1e+23", "99999999999999990000000"));
        assert!(!same("99999999999999990000000", "1e+23"));
        assert!(!same("1e+21", "1000000000000000000000"));
        assert!(!same("1", "2"));
    }
}
