//! Judges replies: whether ours is as good as an oracle's, and which keys can no longer be compared.
//!
//! Where servers differ, whether that is a finding or not, the keys of the command may hold different values from then
//! on. They are *tainted*: until they are deleted on all servers, nothing about them is compared.

use std::collections::HashSet;

use super::generate::Command;
use super::known;
use super::line::View;
use super::values;
use crate::compat::{Look, Reply};

/// What the comparison of one command's replies came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Verdict {
    Same,
    /// Servers differ, and ours has company, or the difference is known; if the main oracle is not in that company, how
    /// it differs.
    Accepted(Option<String>),
    /// The finding's class.
    Finding(String),
}

impl View {
    /// Whether two replies are the same in this view.
    pub(super) fn same(self, a: &Reply, b: &Reply) -> bool {
        if a == b {
            return true;
        }
        let through =
            |looks: &[Look]| a.clone().seen_through(looks) == b.clone().seen_through(looks);
        match self {
            Self::Exact => false,
            Self::Sorted => through(&[Look::Sorted]),
            Self::Deep => through(&[Look::DeeplySorted]),
            Self::Pairs => through(&[Look::Pairs]),
            Self::Length => through(&[Look::Length]),
            Self::Type => through(&[Look::Type]),
            Self::Near(tolerance) => match (a, b) {
                (Reply::Integer(a), Reply::Integer(b)) => {
                    *a >= 0 && *b >= 0 && a.abs_diff(*b) <= tolerance as u64
                }
                _ => false,
            },
            Self::Shape => shape(a) == shape(b),
        }
    }

    /// The marker in the language of tests/compat.
    pub(super) fn marker(self) -> &'static str {
        match self {
            Self::Exact => "",
            Self::Sorted => "@sort ",
            Self::Deep => "@deep ",
            Self::Pairs => "@pairs ",
            Self::Length | Self::Shape => "@len ",
            Self::Type | Self::Near(_) => "@type ",
        }
    }
}

/// The reply with its texts and numbers left out, as far as they are elements.
fn shape(reply: &Reply) -> Reply {
    let inside = |list: &[Reply]| {
        let leaf = |reply: &Reply| match reply {
            Reply::Array(_) | Reply::Set(_) => shape(reply),
            Reply::Bulk(_) => Reply::Seen("text".to_owned()),
            Reply::Double(_) => Reply::Seen("double".to_owned()),
            other => other.clone(),
        };
        list.iter().map(leaf).collect()
    };
    match reply {
        Reply::Array(list) => Reply::Array(inside(list)),
        Reply::Set(list) => Reply::Set(inside(list)),
        Reply::Bulk(_) => Reply::Seen("text".to_owned()),
        other => other.clone(),
    }
}

/// Judges the replies of ours (the first) and of the oracles. `query` is our reply to the query before a command of
/// chance.
pub(super) fn judge(command: &Command, replies: &[Reply], query: Option<&Reply>) -> Verdict {
    let (ours, theirs) = replies.split_first().expect("ours is there");
    let name = command.name();
    if let (View::Shape, Some(query)) = (command.view, query)
        && let Some(wrong) = wrong_choice(command, ours, query)
    {
        return Verdict::Finding(format!("{name}: {wrong}"));
    }
    let same: Vec<bool> = theirs
        .iter()
        .map(|reply| command.view.same(ours, reply))
        .collect();
    if same.iter().all(|same| *same) {
        return Verdict::Same;
    }
    if same.contains(&true) {
        // One number in two spellings is no different state.
        let alike = theirs.iter().all(|reply| alike(ours, reply));
        let sided = || {
            format!(
                "{name}: {} instead of {}",
                kind(command, ours),
                kind(command, &theirs[0])
            )
        };
        return if alike {
            Verdict::Same
        } else {
            Verdict::Accepted((!same[0]).then(sided))
        };
    }
    let spelled = |reply: &Reply| known::same_but_for_numbers(command, ours, reply);
    if theirs.iter().any(spelled) {
        return Verdict::Accepted(None);
    }
    let (ours, main) = (kind(command, ours), kind(command, &theirs[0]));
    if known::is_known(&name, &ours, &main) {
        return Verdict::Accepted(None);
    }
    Verdict::Finding(format!("{name}: ours {ours}, theirs {main}"))
}

/// What is wrong with the elements that a command of chance chose.
fn wrong_choice(command: &Command, ours: &Reply, query: &Reply) -> Option<&'static str> {
    fn leaves<'r>(reply: &'r Reply, all: &mut Vec<&'r Reply>) {
        match reply {
            Reply::Array(list) | Reply::Set(list) => {
                list.iter().for_each(|reply| leaves(reply, all))
            }
            Reply::Map(pairs) => pairs.iter().for_each(|(key, value)| {
                leaves(key, all);
                leaves(value, all);
            }),
            Reply::Null | Reply::NullBulk | Reply::NullArray | Reply::Error(_) => {}
            leaf => all.push(leaf),
        }
    }
    let (mut chosen, mut known) = (Vec::new(), Vec::new());
    leaves(ours, &mut chosen);
    leaves(query, &mut known);
    let known: HashSet<&Reply> = known.into_iter().collect();
    if chosen.iter().any(|leaf| !known.contains(leaf)) {
        return Some("an element that the key does not have");
    }
    let count = command
        .words
        .get(2)
        .and_then(|word| std::str::from_utf8(word).ok()?.parse::<i64>().ok());
    let step = if command.words.len() > 3 { 2 } else { 1 };
    if count.is_some_and(|count| count >= 0) {
        let names: Vec<&&Reply> = chosen.iter().step_by(step).collect();
        let distinct: HashSet<_> = names.iter().collect();
        if distinct.len() < names.len() {
            return Some("an element twice");
        }
    }
    None
}

/// Whether two replies differ at most in how numbers are spelled.
fn alike(a: &Reply, b: &Reply) -> bool {
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<f64>().ok();
    match (a, b) {
        (Reply::Array(a), Reply::Array(b)) | (Reply::Set(a), Reply::Set(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        (Reply::Bulk(x), Reply::Bulk(y)) => {
            a == b || number(x).is_some_and(|x| Some(x) == number(y))
        }
        _ => a == b,
    }
}

/// A reply in few words: what findings are told apart by.
fn kind(command: &Command, reply: &Reply) -> String {
    match reply {
        Reply::Error(text) => {
            let text = String::from_utf8_lossy(text);
            let is_theirs =
                |word: &&str| !command.words[1..].iter().any(|own| own == word.as_bytes());
            let words: Vec<&str> = text.split(' ').filter(is_theirs).collect();
            let plain: String = words
                .join(" ")
                .chars()
                .filter(|c| !c.is_ascii_digit())
                .take(70)
                .collect();
            format!("-{plain}")
        }
        // There are few encodings, and each pair of them is a matter of its own.
        Reply::Bulk(text) if command.name() == "OBJECT" => String::from_utf8_lossy(text).into(),
        Reply::Simple(text) => format!("+{}", String::from_utf8_lossy(text)),
        Reply::Nothing(why) => why.clone(),
        Reply::Closed => "connection closed".to_owned(),
        other => other.kind().to_owned(),
    }
}

/// The keys among a command's words, and those that its patterns can reach.
pub(super) fn keys_of(command: &Command, known: &HashSet<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for word in &command.words[1..] {
        if known.contains(word) {
            keys.push(word.clone());
        } else if let Some(star) = word.iter().position(|byte| *byte == b'*')
            && command.words[0].to_ascii_uppercase().starts_with(b"SORT")
        {
            keys.extend(
                known
                    .iter()
                    .filter(|key| key.starts_with(&word[..star]))
                    .cloned(),
            );
        }
    }
    keys.sort();
    keys.dedup();
    keys
}

/// Which keys cannot be compared.
pub(super) struct Taint {
    known: HashSet<Vec<u8>>,
    keys: HashSet<Vec<u8>>,
    all: bool,
}

impl Taint {
    pub(super) fn new() -> Self {
        Self {
            known: values::all_keys().into_iter().collect(),
            keys: HashSet::new(),
            all: false,
        }
    }

    pub(super) fn keys_of(&self, command: &Command) -> Vec<Vec<u8>> {
        keys_of(command, &self.known)
    }

    /// Whether the reply to this command can be compared. If not, what it writes is tainted as well.
    pub(super) fn admits(&mut self, command: &Command) -> bool {
        if self.all || (command.global && !self.keys.is_empty()) {
            return false;
        }
        let keys = self.keys_of(command);
        if !keys.iter().any(|key| self.keys.contains(key)) {
            return true;
        }
        if !command.reads_only {
            self.keys.extend(keys);
        }
        false
    }

    /// The servers differ about this command's keys from now on.
    pub(super) fn add(&mut self, command: &Command) {
        let keys = self.keys_of(command);
        self.all |= keys.is_empty() || command.global;
        self.keys.extend(keys);
    }

    /// What makes the servers equal again.
    pub(super) fn cure(&mut self, db: u8) -> Vec<Command> {
        if self.all {
            self.all = false;
            self.keys.clear();
            return vec![Command {
                reads_only: false,
                ..Command::plain(&[b"FLUSHALL"])
            }];
        }
        if self.keys.is_empty() {
            return Vec::new();
        }
        let mut keys: Vec<Vec<u8>> = self.keys.drain().collect();
        keys.sort();
        let mut words: Vec<&[u8]> = vec![b"DEL"];
        words.extend(keys.iter().map(Vec::as_slice));
        let delete = Command {
            reads_only: false,
            ..Command::plain(&words)
        };
        let (here, there): (&[u8], &[u8]) = if db == 0 { (b"0", b"1") } else { (b"1", b"0") };
        vec![
            delete.clone(),
            Command::plain(&[b"SELECT", there]),
            delete,
            Command::plain(&[b"SELECT", here]),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str, view: View) -> Command {
        let words: Vec<&[u8]> = text.split(' ').map(str::as_bytes).collect();
        Command {
            view,
            reads_only: false,
            ..Command::plain(&words)
        }
    }

    fn bulk(text: &str) -> Reply {
        Reply::Bulk(text.into())
    }

    #[test]
    fn a_reply_needs_company() {
        let get = command("GET s1", View::Exact);
        let judged = |replies: &[Reply]| judge(&get, replies, None);
        assert_eq!(judged(&[bulk("a"), bulk("a")]), Verdict::Same);
        let sided = judged(&[bulk("a"), bulk("b"), bulk("a")]);
        assert!(matches!(sided, Verdict::Accepted(Some(_))));
        let with_main = judged(&[bulk("a"), bulk("a"), bulk("b")]);
        assert_eq!(with_main, Verdict::Accepted(None));
        assert_eq!(
            judged(&[bulk("0.1"), bulk("0.10"), bulk("0.1")]),
            Verdict::Same
        );
        assert!(matches!(
            judged(&[bulk("a"), bulk("b"), bulk("c")]),
            Verdict::Finding(_)
        ));
    }

    #[test]
    fn chosen_elements_come_from_the_key() {
        let pop = command("SPOP e1 2", View::Shape);
        let query = Reply::Set(vec![bulk("a"), bulk("b")]);
        let judged = |ours: &[&str], theirs: &[&str]| {
            let list = |texts: &[&str]| Reply::Set(texts.iter().map(|text| bulk(text)).collect());
            judge(&pop, &[list(ours), list(theirs)], Some(&query))
        };
        assert_eq!(judged(&["a"], &["b"]), Verdict::Same);
        assert!(matches!(judged(&["c"], &["b"]), Verdict::Finding(_)));
        assert!(matches!(
            judged(&["a", "a"], &["a", "b"]),
            Verdict::Finding(_)
        ));
        assert!(matches!(judged(&["a"], &["a", "b"]), Verdict::Finding(_)));
    }

    #[test]
    fn taint_spreads_by_writes_and_ends_with_the_cure() {
        let mut taint = Taint::new();
        taint.add(&command("SADD e1 a", View::Exact));
        assert!(!taint.admits(&command("SUNIONSTORE e2 e1", View::Exact)));
        assert!(!taint.admits(&command("SCARD e2", View::Exact)));
        assert!(taint.admits(&command("SCARD e3", View::Exact)));
        assert_eq!(taint.cure(0)[0].words.len(), 3);
        assert!(taint.admits(&command("SCARD e2", View::Exact)));
    }
}
