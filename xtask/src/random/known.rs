//! Differences from all oracles that are meant, each with its reason.

use super::generate::Command;
use super::line::View;
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

const fn known(
    command: &'static str,
    ours: &'static str,
    theirs: &'static str,
    why: &'static str,
) -> Known {
    Known {
        command,
        ours,
        theirs,
        why,
    }
}

const KNOWN: &[Known] = &[
    known(
        "*",
        "-ERR invalid cursor",
        "array",
        "a cursor is a number and nothing else; the others take -0, as strtoul does",
    ),
    known(
        "OBJECT",
        "embstr",
        "raw",
        "a short string stands inside its entry, whatever command made it: SETBIT, PFADD, BITOP",
    ),
    known(
        "OBJECT",
        "int",
        "raw",
        "so does a number, if BITOP made its digits",
    ),
    known("OBJECT", "int", "embstr", "and if INCRBYFLOAT made them"),
    known(
        "OBJECT",
        "listpack",
        "quicklist",
        "LSET and LINSERT that find no place change nothing here; there the list may leave its compact form",
    ),
    known(
        "OBJECT",
        "listpack",
        "hashtable",
        "the results of SUNIONSTORE and its like go by their members; in the others by the forms that they passed through",
    ),
    known(
        "OBJECT",
        "listpack",
        "skiplist",
        "SORT makes a big set of a small one in the others, though it only reads",
    ),
    known(
        "PFCOUNT",
        "integer",
        "-INVALIDOBJ",
        "of a value that SETRANGE overwrote: a count that is kept in it is given as it stands",
    ),
    known(
        "OBJECT",
        "hashtable",
        "intset",
        "a union begins with a copy of the greatest set, and keeps its form",
    ),
    known(
        "GEOSEARCH",
        "-ERR exactly one of BYRADIUS, BYBOX and BYPOLYGON",
        "-ERR value is not a valid float",
        "BYPOLYGON as in Valkey, hexadecimal numbers as in Redis",
    ),
    known(
        "ZINCRBY",
        "-ERR value is not a valid float",
        "-ERR syntax error",
        "the words of ZADD are no words of ZINCRBY",
    ),
    known(
        "SORT",
        "array",
        "-ERR One or more scores",
        "hexadecimal numbers as in Redis 7.0, which refuses them only while an older error is in errno",
    ),
    known("SORT_RO", "array", "-ERR One or more scores", "as SORT"),
    known(
        "LCS",
        "bulk",
        "-ERR Insufficient memory",
        "our table has a bit where the others' has four bytes, so longer strings are allowed",
    ),
    known(
        "LCS",
        "array",
        "-ERR Insufficient memory",
        "the same with IDX",
    ),
    known(
        "LCS",
        "map",
        "-ERR Insufficient memory",
        "the same with IDX",
    ),
    known(
        "LCS",
        "integer",
        "-ERR Insufficient memory",
        "the same with LEN",
    ),
];

/// Whether a difference of these kinds is meant.
pub(super) fn is_known(command: &str, ours: &str, theirs: &str) -> bool {
    KNOWN.iter().any(|known| {
        (known.command == "*" || known.command == command)
            && ours.starts_with(known.ours)
            && theirs.starts_with(known.theirs)
    })
}

/// Whether two replies are the same but for numbers whose spelling is meant to differ.
pub(super) fn same_but_for_numbers(command: &Command, ours: &Reply, theirs: &Reply) -> bool {
    let name = command.name();
    match command.view {
        View::Exact => same_numbers(&name, ours, theirs),
        View::Sorted | View::Deep | View::Pairs => {
            same_numbers(&name, &by_number(ours), &by_number(theirs))
        }
        _ => false,
    }
}

/// The reply with its elements in an order that does not depend on the spelling of numbers.
fn by_number(reply: &Reply) -> Reply {
    fn plain(reply: &Reply) -> Reply {
        let all = |list: &[Reply]| list.iter().map(plain).collect();
        match reply {
            Reply::Array(list) => Reply::Array(all(list)),
            Reply::Set(list) => Reply::Set(all(list)),
            Reply::Bulk(text) => match number(text) {
                Some(number) => Reply::Bulk((number + 0.0).to_string().into_bytes()),
                None => reply.clone(),
            },
            Reply::Double(bits) => Reply::Double((f64::from_bits(*bits) + 0.0).to_bits()),
            other => other.clone(),
        }
    }
    let sorted = |list: &[Reply]| {
        let mut list: Vec<Reply> = list.iter().map(by_number).collect();
        list.sort_by_cached_key(plain);
        list
    };
    match reply {
        Reply::Array(list) => Reply::Array(sorted(list)),
        Reply::Set(list) => Reply::Set(sorted(list)),
        other => other.clone(),
    }
}

fn same_numbers(command: &str, ours: &Reply, theirs: &Reply) -> bool {
    let all = |a: &[Reply], b: &[Reply]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_numbers(command, a, b))
    };
    match (ours, theirs) {
        (Reply::Array(a), Reply::Array(b)) | (Reply::Set(a), Reply::Set(b)) => all(a, b),
        (Reply::Bulk(a), Reply::Bulk(b)) => {
            a == b || is_zero(command, a, b) || is_shorter(command, a, b)
        }
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

/// Ours is the shortest text that reads back as the number. The others' algorithm seldom misses it, they print 1e23 as
/// 99999999999999990000000; and ZSCAN of a big set prints all numbers with 17 digits, where everything else prints the shortest.
fn is_shorter(command: &str, ours: &[u8], theirs: &[u8]) -> bool {
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
    equal && (command == "ZSCAN" || (digits(ours) < digits(theirs) && digits(theirs) >= 16))
}

fn number(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
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

    #[test]
    fn an_order_by_number() {
        let list =
            |texts: [&str; 4]| Reply::Array(texts.map(|text| Reply::Bulk(text.into())).to_vec());
        let command = Command {
            view: View::Deep,
            ..Command::plain(&[b"ZUNION"])
        };
        let ours = list(["a", "-9.566", "b", "-9.5661"]);
        let theirs = list(["b", "-9.5661", "a", "-9.5660000000000007"]);
        assert!(same_but_for_numbers(&command, &ours, &theirs));
        assert!(!same_but_for_numbers(&command, &theirs, &ours));
    }
}
