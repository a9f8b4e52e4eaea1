//! Sets of byte strings.
//!
//! A set of integers is a sorted array (`intset.rs`), another small set a compact sequence
//! (`packed/`), and past the limits a set is a table of members (`table/`). The forms bear Redis's
//! names and are chosen by its thresholds; a set never goes back to a smaller form, as in Redis,
//! since members that come and go would pay for it again and again.
//!
//! Invariants: a member is present once; in the form of integers every member is the canonical text
//! of one.

pub mod algebra;
mod member;
mod members;
mod random;

use crate::hash::hash;
use crate::intset::{self, IntSet};
use crate::item::{Digits, Item, below, canonical_int};
use crate::packed::{self, Packed, length};
use members::Members;

/// Up to where the compact forms are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most members of a set of integers: `set-max-intset-entries`.
    pub intset_max_entries: usize,
    /// The most members of a compact sequence: `set-max-listpack-entries`.
    pub listpack_max_entries: usize,
    /// The longest member of a compact sequence, in bytes: `set-max-listpack-value`.
    pub listpack_max_value: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            intset_max_entries: 512,
            listpack_max_entries: 128,
            listpack_max_value: 64,
        }
    }
}

/// The form of a set, under the name that Redis has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// A sorted array of integers.
    Intset,
    /// A compact sequence.
    Listpack,
    /// A table.
    Hashtable,
}

impl Encoding {
    /// What `OBJECT ENCODING` answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Encoding::Intset => "intset",
            Encoding::Listpack => "listpack",
            Encoding::Hashtable => "hashtable",
        }
    }
}

/// A set of byte strings.
#[derive(Clone)]
pub struct Set(Form);

#[derive(Clone)]
enum Form {
    Ints(IntSet),
    Packed(Packed),
    Table(Box<Members>),
}

impl Set {
    /// A set without members; it allocates nothing.
    #[inline]
    pub const fn new() -> Set {
        Set(Form::Ints(IntSet::new()))
    }

    /// A set without members, in the form that suits about `count` of them of which `first` is one.
    pub fn for_members(first: &[u8], count: usize, limits: &Limits) -> Set {
        Set(
            if count <= limits.intset_max_entries && canonical_int(first).is_some() {
                Form::Ints(IntSet::new())
            } else if count <= limits.listpack_max_entries {
                Form::Packed(Packed::new())
            } else {
                Form::Table(Box::new(Members::with_capacity(count)))
            },
        )
    }

    /// A set of the given members, which may repeat.
    ///
    /// See also [`Set::from_new_items`] and [`algebra`].
    pub fn from_items<'a>(items: impl IntoIterator<Item = Item<'a>>, limits: &Limits) -> Set {
        let mut set = Set::new();
        for item in items {
            set.insert_item(item, limits);
        }
        set
    }

    /// A set of the given members, which are all different.
    pub fn from_new_items(items: &[Item<'_>], limits: &Limits) -> Set {
        let mut set = Set::new();
        let mut digits = Digits::new();
        for (done, item) in items.iter().enumerate() {
            if let Form::Table(members) = &mut set.0 {
                members.insert_new(item.text(&mut digits));
                continue;
            }
            set.insert_new(*item, limits);
            // Now it is known that there will be a table, and for how many.
            if let Form::Table(members) = &mut set.0 {
                members.reserve(items.len() - done - 1);
            }
        }
        set
    }

    /// Adds a member that is known to be new.
    fn insert_new(&mut self, item: Item<'_>, limits: &Limits) {
        match (&self.0, item) {
            (Form::Ints(_), _) => {
                self.insert_item(item, limits);
            }
            _ => item.with_bytes(|member| self.append(member, limits)),
        }
    }

    /// Goes over to a table at once if `count` members, which are about to be added, would not suit
    /// the present form.
    pub fn expect(&mut self, count: usize, limits: &Limits) {
        let max = match &self.0 {
            Form::Ints(_) => limits.intset_max_entries,
            Form::Packed(_) => limits.listpack_max_entries,
            Form::Table(_) => return,
        };
        if count > max {
            self.table(count);
        }
    }

    /// The number of members.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Ints(ints) => ints.len(),
            Form::Packed(packed) => packed.len(),
            Form::Table(members) => members.table().len(),
        }
    }

    /// Whether there is no member.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The allocated bytes.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Form::Ints(ints) => ints.heap_bytes(),
            Form::Packed(packed) => packed.heap_bytes(),
            Form::Table(members) => members.heap_bytes(),
        }
    }

    /// The form it has at present.
    pub fn encoding(&self) -> Encoding {
        match &self.0 {
            Form::Ints(_) => Encoding::Intset,
            Form::Packed(_) => Encoding::Listpack,
            Form::Table(_) => Encoding::Hashtable,
        }
    }

    /// Asks for the memory that [`Set::contains`] looks at first; `hash` is the member's.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        match &self.0 {
            Form::Ints(ints) => ints.prefetch(),
            Form::Packed(packed) => packed.prefetch(),
            Form::Table(members) => members.table().prefetch_bucket(hash),
        }
    }

    /// Asks for the member itself, once what [`Set::prefetch`] asked for is there.
    #[inline]
    pub fn prefetch_member(&self, hash: u64) {
        if let Form::Table(members) = &self.0 {
            members.table().prefetch_element(hash);
        }
    }

    /// Whether `member` is one.
    #[inline]
    pub fn contains(&self, member: &[u8]) -> bool {
        match &self.0 {
            Form::Ints(ints) => canonical_int(member).is_some_and(|value| ints.contains(value)),
            Form::Packed(packed) => packed.find::<1>(member).is_some(),
            Form::Table(members) => members.contains(hash(member), member),
        }
    }

    /// As [`Set::contains`], for a member whose hash is known.
    #[inline]
    pub fn contains_hashed(&self, hash: u64, member: &[u8]) -> bool {
        match &self.0 {
            Form::Table(members) => members.contains(hash, member),
            _ => self.contains(member),
        }
    }

    /// As [`Set::contains`], for an item of another set.
    #[inline]
    pub fn contains_item(&self, item: Item<'_>) -> bool {
        match (&self.0, item) {
            (Form::Ints(ints), Item::Int(value)) => ints.contains(value),
            _ => item.with_bytes(|member| self.contains(member)),
        }
    }

    /// Adds `member` and says whether it was new.
    ///
    /// # Panics
    /// When it is longer than [`MAX_ITEM_BYTES`](crate::block::MAX_ITEM_BYTES).
    #[inline]
    pub fn insert(&mut self, member: &[u8], limits: &Limits) -> bool {
        match &mut self.0 {
            Form::Table(members) => members.insert(member),
            Form::Packed(packed) => {
                if packed.find::<1>(member).is_some() {
                    return false;
                }
                self.append(member, limits);
                true
            }
            Form::Ints(_) => match canonical_int(member) {
                Some(value) => self.insert_int(value, limits),
                None => {
                    self.leave_ints(member, limits);
                    true
                }
            },
        }
    }

    /// As [`Set::insert`], for an item of another set.
    #[inline]
    pub fn insert_item(&mut self, item: Item<'_>, limits: &Limits) -> bool {
        match (&self.0, item) {
            (Form::Ints(_), Item::Int(value)) => self.insert_int(value, limits),
            _ => item.with_bytes(|member| self.insert(member, limits)),
        }
    }

    /// Removes `member` and says whether it was one.
    #[inline]
    pub fn remove(&mut self, member: &[u8]) -> bool {
        match &mut self.0 {
            Form::Ints(ints) => canonical_int(member).is_some_and(|value| ints.remove(value)),
            Form::Packed(packed) => match packed.find::<1>(member) {
                Some(offset) => {
                    packed.remove::<1>(offset);
                    true
                }
                None => false,
            },
            Form::Table(members) => members.remove(member),
        }
    }

    /// A member chosen by 64 random bits, each with the same probability.
    #[inline]
    pub fn random(&self, random: u64) -> Option<Item<'_>> {
        if self.is_empty() {
            return None;
        }
        match &self.0 {
            Form::Ints(ints) => Some(Item::Int(ints.get(below(random, ints.len())))),
            Form::Packed(packed) => {
                let offset = packed.nth(below(random, packed.len()));
                Some(Item::Bytes(packed.item(offset).0))
            }
            Form::Table(members) => members.table().random(random).map(Item::Bytes),
        }
    }

    /// Removes a member chosen as by [`Set::random`]; `read` sees it on its way out.
    #[inline]
    pub fn pop_random<R>(&mut self, random: u64, read: impl FnOnce(Item<'_>) -> R) -> Option<R> {
        if self.is_empty() {
            return None;
        }
        match &mut self.0 {
            Form::Ints(ints) => {
                let index = below(random, ints.len());
                Some(read(Item::Int(ints.remove_at(index))))
            }
            Form::Packed(packed) => {
                let offset = packed.nth(below(random, packed.len()));
                let result = read(Item::Bytes(packed.item(offset).0));
                packed.remove::<1>(offset);
                Some(result)
            }
            Form::Table(members) => members.pop_random(random, |member| read(Item::Bytes(member))),
        }
    }

    /// All members, each once: integers in ascending order, others in no order to rely on.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Item<'_>> {
        match &self.0 {
            Form::Ints(ints) => Iter::Ints(ints.iter()),
            Form::Packed(packed) => Iter::Packed(packed.iter()),
            Form::Table(members) => Iter::Table(members.table().iter()),
        }
    }

    /// Visits some members and answers the cursor for the next call. 0 begins and ends a scan;
    /// every member that is present throughout is visited at least once. A set without a table is
    /// visited as a whole.
    pub fn scan<'a>(&'a self, cursor: u64, mut visit: impl FnMut(Item<'a>)) -> u64 {
        match &self.0 {
            Form::Table(members) => members
                .table()
                .scan(cursor, |member| visit(Item::Bytes(member))),
            _ => {
                self.iter().for_each(visit);
                0
            }
        }
    }

    fn insert_int(&mut self, value: i64, limits: &Limits) -> bool {
        let Form::Ints(ints) = &mut self.0 else {
            unreachable!("callers looked at the form")
        };
        let max = limits.intset_max_entries.min(intset::MAX_MEMBERS - 1);
        if max == 0 && ints.is_empty() {
            self.leave_ints(Digits::new().format(value), limits);
            return true;
        }
        if !ints.insert(value) {
            return false;
        }
        if ints.len() > max {
            self.table(0);
        }
        true
    }

    /// Appends a member, known to be new, to a compact sequence, or to the table that it has to
    /// become.
    #[inline]
    fn append(&mut self, member: &[u8], limits: &Limits) {
        match &mut self.0 {
            Form::Packed(packed)
                if packed.len() < limits.listpack_max_entries
                    && member.len() <= limits.listpack_max_value
                    && packed.has_room(length::size(member.len()) + member.len()) =>
            {
                packed.push([member]);
            }
            _ => self.table(1).insert_new(member),
        }
    }

    /// Adds a member that is not to be kept as an integer to a set of integers.
    #[cold]
    fn leave_ints(&mut self, member: &[u8], limits: &Limits) {
        let Form::Ints(ints) = &self.0 else {
            unreachable!("callers looked at the form")
        };
        let longest = ints.bounds().map_or(0, |(min, max)| {
            let text = |value| Digits::new().format(value).len();
            text(min).max(text(max))
        });
        // The smallest and the largest integer have the longest texts; a set of up to 2^30 of them
        // is not short.
        if ints.len() < limits.listpack_max_entries
            && longest <= limits.listpack_max_value
            && ints.len().saturating_mul(longest + 1) < 1 << 30
        {
            let mut packed = Packed::new();
            let mut digits = Digits::new();
            for value in ints.iter() {
                packed.push([digits.format(value)]);
            }
            self.0 = Form::Packed(packed);
        }
        self.append(member, limits);
    }

    /// The table, which the members move to, with room for `more`, if there is none yet.
    fn table(&mut self, more: usize) -> &mut Members {
        if !matches!(self.0, Form::Table(_)) {
            let mut members = Box::new(Members::with_capacity(self.len() + more));
            let mut digits = Digits::new();
            for item in self.iter() {
                members.insert_new(item.text(&mut digits));
            }
            self.0 = Form::Table(members);
        }
        let Form::Table(members) = &mut self.0 else {
            unreachable!("it was made one above")
        };
        members
    }
}

impl Default for Set {
    fn default() -> Set {
        Set::new()
    }
}

enum Iter<'a, T> {
    Ints(intset::Iter<'a>),
    Packed(packed::Iter<'a>),
    Table(T),
}

impl<'a, T: Iterator<Item = &'a [u8]>> Iterator for Iter<'a, T> {
    type Item = Item<'a>;

    #[inline]
    fn next(&mut self) -> Option<Item<'a>> {
        match self {
            Iter::Ints(ints) => ints.next().map(Item::Int),
            Iter::Packed(items) => items.next().map(Item::Bytes),
            Iter::Table(members) => members.next().map(Item::Bytes),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Iter::Ints(ints) => ints.size_hint(),
            Iter::Packed(_) => (0, None),
            Iter::Table(members) => members.size_hint(),
        }
    }
}

#[cfg(test)]
mod tests;
