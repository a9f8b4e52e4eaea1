//! The inputs of unions, intersections and differences: sorted sets, plain sets, whose members all
//! have the score 1, and keys that are not there.
//!
//! Members are read in batches, so that looking a whole batch up elsewhere can ask for all the
//! memory first and wait for it once. A member is hashed once, when it is read, whatever number
//! of sets it is looked up in.

use std::ops::ControlFlow;

use engine::{Args, CommandError};
use keyspace::Db;
use resp::number::parse_i64;
use structures::hash::hash;
use structures::item::{Digits, Item};
use structures::set::Set;
use structures::sorted_set::SortedSet;

/// How many members are read at a time: about what a core fetches side by side.
const BATCH: usize = 16;

/// An input.
#[derive(Clone, Copy)]
pub(super) enum Input<'a> {
    Missing,
    Sorted(&'a SortedSet),
    Plain(&'a Set),
}

/// A member of an input or of a result.
#[derive(Clone, Copy)]
pub(super) struct Scored<'a> {
    pub(super) hash: u64,
    pub(super) member: Member<'a>,
    pub(super) score: f64,
}

/// The bytes of a member: an input's, or the text of an integer that has none there.
#[derive(Clone, Copy)]
pub(super) enum Member<'a> {
    Bytes(&'a [u8]),
    Digits { len: u8, digits: [u8; 20] },
}

impl AsRef<[u8]> for Member<'_> {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        match self {
            Member::Bytes(bytes) => bytes,
            Member::Digits { len, digits } => &digits[..usize::from(*len)],
        }
    }
}

impl<'a> From<Item<'a>> for Member<'a> {
    #[inline]
    fn from(item: Item<'a>) -> Self {
        match item {
            Item::Bytes(bytes) => Member::Bytes(bytes),
            Item::Int(value) => {
                let mut buffer = Digits::new();
                let text = buffer.format(value);
                let mut digits = [0; 20];
                digits[..text.len()].copy_from_slice(text);
                Member::Digits {
                    len: text.len() as u8,
                    digits,
                }
            }
        }
    }
}

impl<'a> Input<'a> {
    /// What is at `key`.
    fn read(db: &'a Db<'_>, key: &[u8]) -> Result<Input<'a>, CommandError> {
        let Some(entry) = db.find(key) else {
            return Ok(Input::Missing);
        };
        if let Some(set) = entry.collection::<SortedSet>() {
            return Ok(Input::Sorted(set));
        }
        entry
            .collection::<Set>()
            .map(Input::Plain)
            .ok_or(CommandError::WrongType)
    }

    /// The number of members.
    pub(super) fn len(&self) -> usize {
        match self {
            Input::Missing => 0,
            Input::Sorted(set) => set.len(),
            Input::Plain(set) => set.len(),
        }
    }

    /// Whether both are the same value, of the same key.
    pub(super) fn is_same(&self, other: &Input<'_>) -> bool {
        match (self, other) {
            (Input::Sorted(a), Input::Sorted(b)) => std::ptr::eq(*a, *b),
            (Input::Plain(a), Input::Plain(b)) => std::ptr::eq(*a, *b),
            _ => false,
        }
    }

    /// Asks for the memory that looking these members up will take.
    #[inline]
    pub(super) fn prefetch(&self, members: &[Scored<'_>]) {
        match self {
            Input::Missing => (),
            Input::Sorted(set) => {
                members.iter().for_each(|m| set.prefetch_hashed(m.hash));
                members.iter().for_each(|m| set.prefetch_member(m.hash));
            }
            Input::Plain(set) => {
                members.iter().for_each(|m| set.prefetch(m.hash));
                members.iter().for_each(|m| set.prefetch_member(m.hash));
            }
        }
    }

    /// The score of a member.
    #[inline]
    pub(super) fn score(&self, of: &Scored<'_>) -> Option<f64> {
        match self {
            Input::Missing => None,
            Input::Sorted(set) => set.score_hashed(of.hash, of.member.as_ref()),
            Input::Plain(set) => set
                .contains_hashed(of.hash, of.member.as_ref())
                .then_some(1.0),
        }
    }

    /// Shows all members to `f`, some at a time, those of a sorted set in its order. `f` may do with
    /// a batch what it likes, and ends the walk when it breaks.
    pub(super) fn read_batches(
        self,
        mut f: impl FnMut(&mut Vec<Scored<'a>>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut batch = Vec::with_capacity(BATCH);
        let mut push = |member: Member<'a>, score| {
            batch.push(Scored {
                hash: hash(member.as_ref()),
                member,
                score,
            });
            if batch.len() < BATCH {
                return ControlFlow::Continue(());
            }
            let flow = f(&mut batch);
            batch.clear();
            flow
        };
        match self {
            Input::Missing => (),
            Input::Sorted(set) => set
                .iter()
                .try_for_each(|(member, score)| push(Member::Bytes(member), score))?,
            Input::Plain(set) => set.iter().try_for_each(|item| push(item.into(), 1.0))?,
        }
        if batch.is_empty() {
            return ControlFlow::Continue(());
        }
        f(&mut batch)
    }
}

/// The inputs that `numkeys key [key ...]` name, which `args` moves behind of. `name` is the
/// command's, in lower case.
pub(super) fn read<'a>(
    db: &'a Db<'_>,
    args: &mut Args<'_>,
    name: &str,
) -> Result<Vec<Input<'a>>, CommandError> {
    let count = parse_i64(args.required()?).ok_or(CommandError::NotAnInteger)?;
    if count < 1 {
        return Err(CommandError::new(format!(
            "ERR at least 1 input key is needed for '{name}' command"
        )));
    }
    let keys = usize::try_from(count)
        .ok()
        .and_then(|count| args.rest().get(..count))
        .ok_or(CommandError::Syntax)?;
    args.skip(keys.len());
    keys.iter().map(|key| Input::read(db, key)).collect()
}
