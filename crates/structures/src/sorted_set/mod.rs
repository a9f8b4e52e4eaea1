//! Sorted sets: members with a score, ordered by score and then by member.
//!
//! ```text
//!   small:  Packed    one allocation, columns of scores and members          "listpack"
//!   big:    Indexed   member index ─owns→ nodes ←points─ B+tree with counts  "skiplist"
//! ```
//!
//! A set starts small and turns big when it outgrows its [`Limits`], which come with the calls that
//! may grow it; it turns back only when asked to ([`SortedSet::pack_within`]). The names of the
//! encodings are the ones users know, whatever is underneath.
//!
//! Everything that selects goes through ranks: a range of scores or members becomes a range of
//! ranks in O(log n), counting is its length, an offset and a limit are arithmetic on it, and a walk
//! over it goes in either direction.
//!
//! Invariants: no score is NaN; -0.0 and 0.0 are the same score, and which of them is stored does
//! not change until the score does; both encodings order alike.

#![allow(unsafe_code)]

mod accumulator;
mod indexed;
mod node;
mod packed;
mod range;
#[cfg(test)]
mod tests;
mod tree;

use std::ops::Range;

use self::indexed::Indexed;
use self::packed::Packed;
use self::range::ScoreCut;
use crate::hash::hash;

pub use self::accumulator::Accumulator;
pub use self::range::{LexBound, LexRange, ScoreRange};

/// Up to where a set is kept in the small encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most members.
    pub entries_max: usize,
    /// The longest member, in bytes.
    pub member_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            entries_max: 128,
            member_bytes_max: 64,
        }
    }
}

/// How a set is stored, by the names that OBJECT ENCODING answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// One allocation.
    Listpack,
    /// An index and a tree.
    Skiplist,
}

impl Encoding {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Encoding::Listpack => "listpack",
            Encoding::Skiplist => "skiplist",
        }
    }
}

/// What [`SortedSet::insert`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The member is new.
    Added,
    /// The member has another score now.
    Updated,
    /// The member had that score already.
    Unchanged,
}

/// What [`SortedSet::upsert`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The score before, if the member was there.
    pub previous: Option<f64>,
    /// The score now, if the member is there.
    pub current: Option<f64>,
}

impl Change {
    #[inline]
    fn decided(previous: Option<f64>, decide: impl Decision) -> Self {
        let current = match (previous, decide(previous)) {
            // An equal score leaves the stored one, which may differ in the sign of zero.
            (Some(old), Some(new)) if old == new => previous,
            (_, Some(new)) => {
                debug_assert!(!new.is_nan(), "a score is never NaN");
                Some(new)
            }
            (_, None) => previous,
        };
        Change { previous, current }
    }

    /// Whether the set is another one than before.
    #[inline]
    pub fn is_change(&self) -> bool {
        self.previous != self.current
    }

    /// The same without the scores.
    #[inline]
    pub fn kind(&self) -> Inserted {
        match self.previous {
            None if self.current.is_some() => Inserted::Added,
            Some(_) if self.is_change() => Inserted::Updated,
            _ => Inserted::Unchanged,
        }
    }
}

/// Chooses a member's score, given the one it has; `None` leaves things as they are.
trait Decision: FnOnce(Option<f64>) -> Option<f64> {}

impl<F: FnOnce(Option<f64>) -> Option<f64>> Decision for F {}

enum Store {
    Packed(Packed),
    Indexed(Box<Indexed>),
}

/// A sorted set.
pub struct SortedSet {
    store: Store,
}

impl Default for SortedSet {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for SortedSet {
    /// A copy in the same encoding.
    fn clone(&self) -> Self {
        let store = match &self.store {
            Store::Packed(packed) => {
                let mut copy = Packed::new();
                for (member, score) in packed.iter(0..packed.len()) {
                    copy.insert(score, member);
                }
                Store::Packed(copy)
            }
            Store::Indexed(indexed) => {
                Store::Indexed(Box::new(Indexed::build(self.iter(), indexed.len())))
            }
        };
        SortedSet { store }
    }
}

impl SortedSet {
    /// An empty set, which allocates nothing.
    pub const fn new() -> Self {
        SortedSet {
            store: Store::Packed(Packed::new()),
        }
    }

    /// Builds a set from members and scores in any order; in ascending order it takes O(n). Of
    /// equal members the last score counts. The result is in the small encoding if all of it is within the
    /// limits.
    pub fn from_items<M: AsRef<[u8]>>(
        items: impl IntoIterator<Item = (M, f64)>,
        limits: &Limits,
    ) -> Self {
        let mut items = items.into_iter();
        let mut set = SortedSet::new();
        while let Some((member, score)) = items.next() {
            set.insert(score, member.as_ref(), limits);
            if matches!(set.store, Store::Indexed(_)) {
                return set.extended(items);
            }
        }
        set
    }

    /// Builds a set from members in strictly ascending order of score and then member, each there
    /// once, and each with its hash ([`hash`](crate::hash::hash)): nothing is looked up or hashed.
    /// The result is in the small encoding if all of it is within the limits.
    ///
    /// # Panics
    /// If the order does not ascend.
    pub fn from_ordered<M: AsRef<[u8]>>(
        items: impl ExactSizeIterator<Item = (u64, M, f64)>,
        limits: &Limits,
    ) -> Self {
        if items.len() > limits.entries_max {
            return SortedSet {
                store: Store::Indexed(Box::new(Indexed::from_ordered(items))),
            };
        }
        let mut set = SortedSet::new();
        for (_, member, score) in items {
            set.append(score, member.as_ref(), limits);
        }
        set
    }

    /// Adds a member that is known to be new.
    fn append(&mut self, score: f64, member: &[u8], limits: &Limits) {
        match &mut self.store {
            Store::Packed(packed) if fits(packed, member, limits) => packed.insert(score, member),
            _ => {
                self.unpack().upsert(member, |_| Some(score));
            }
        }
    }

    /// Takes in the rest of a bulk load, starting over from what is already there: it is little.
    fn extended<M: AsRef<[u8]>>(self, rest: impl Iterator<Item = (M, f64)>) -> Self {
        enum Bytes<'a, M> {
            Old(&'a [u8]),
            New(M),
        }
        impl<M: AsRef<[u8]>> AsRef<[u8]> for Bytes<'_, M> {
            fn as_ref(&self) -> &[u8] {
                match self {
                    Bytes::Old(bytes) => bytes,
                    Bytes::New(bytes) => bytes.as_ref(),
                }
            }
        }
        let count = self.len() + rest.size_hint().0;
        let old = self
            .iter()
            .map(|(member, score)| (Bytes::Old(member), score));
        let new = rest.map(|(member, score)| (Bytes::New(member), score));
        SortedSet {
            store: Store::Indexed(Box::new(Indexed::build(old.chain(new), count))),
        }
    }

    /// How many members there are.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.store {
            Store::Packed(packed) => packed.len(),
            Store::Indexed(indexed) => indexed.len(),
        }
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The encoding.
    pub fn encoding(&self) -> Encoding {
        match self.store {
            Store::Packed(_) => Encoding::Listpack,
            Store::Indexed(_) => Encoding::Skiplist,
        }
    }

    /// The bytes allocated for the set, without the set itself. O(1).
    pub fn heap_bytes(&self) -> usize {
        match &self.store {
            Store::Packed(packed) => packed.heap_bytes(),
            Store::Indexed(indexed) => indexed.heap_bytes(),
        }
    }

    /// Gives a member a score.
    #[inline]
    pub fn insert(&mut self, score: f64, member: &[u8], limits: &Limits) -> Inserted {
        self.upsert(member, limits, |_| Some(score)).kind()
    }

    /// Looks a member up once and gives it the score that `decide` makes of the one it has; `None`
    /// leaves it alone, or absent. The score must not be NaN.
    #[inline]
    pub fn upsert(
        &mut self,
        member: &[u8],
        limits: &Limits,
        decide: impl FnOnce(Option<f64>) -> Option<f64>,
    ) -> Change {
        let packed = match &mut self.store {
            Store::Indexed(indexed) => return indexed.upsert(member, decide),
            Store::Packed(packed) => packed,
        };
        if let Some(index) = packed.find(member) {
            let change = Change::decided(packed.get(index).map(|(_, score)| score), decide);
            if let (Some(score), true) = (change.current, change.is_change()) {
                packed.rescore(index, score, member);
            }
            return change;
        }
        let change = Change::decided(None, decide);
        if let Some(score) = change.current {
            if fits(packed, member, limits) {
                packed.insert(score, member);
            } else {
                self.unpack().upsert(member, |_| Some(score));
            }
        }
        change
    }

    /// Turns the small encoding into the big one.
    #[cold]
    fn unpack(&mut self) -> &mut Indexed {
        if let Store::Packed(packed) = &self.store {
            // It is about to grow, and leaves room for one more.
            let indexed = Indexed::build(packed.iter(0..packed.len()), packed.len() + 1);
            self.store = Store::Indexed(Box::new(indexed));
        }
        match &mut self.store {
            Store::Indexed(indexed) => indexed,
            Store::Packed(_) => unreachable!("the store was just replaced"),
        }
    }

    /// Turns the big encoding into the small one if the set is within the limits; answers whether
    /// it is small now. For results of *STORE and of loading, not for sets that shrink.
    pub fn pack_within(&mut self, limits: &Limits) -> bool {
        if let Store::Indexed(indexed) = &self.store {
            if indexed.len() > limits.entries_max {
                return false;
            }
            let mut packed = Packed::new();
            for (member, score) in self.iter() {
                if !fits(&packed, member, limits) {
                    return false;
                }
                packed.insert(score, member);
            }
            self.store = Store::Packed(packed);
        }
        true
    }

    /// Begins to bring what a lookup of the member needs into the cache.
    #[inline]
    pub fn prefetch(&self, member: &[u8]) {
        if let Store::Indexed(indexed) = &self.store {
            indexed.index().prefetch_bucket(hash(member));
        }
    }

    /// As [`SortedSet::prefetch`], by the member's hash.
    #[inline]
    pub fn prefetch_hashed(&self, hash: u64) {
        if let Store::Indexed(indexed) = &self.store {
            indexed.index().prefetch_bucket(hash);
        }
    }

    /// Asks for the member itself, once what [`SortedSet::prefetch_hashed`] asked for is there.
    #[inline]
    pub fn prefetch_member(&self, hash: u64) {
        if let Store::Indexed(indexed) = &self.store {
            indexed.index().prefetch_element(hash);
        }
    }

    /// The score of a member.
    #[inline]
    pub fn score(&self, member: &[u8]) -> Option<f64> {
        match &self.store {
            Store::Packed(packed) => packed.get(packed.find(member)?).map(|(_, score)| score),
            Store::Indexed(indexed) => indexed.find(member).map(|node| node.score()),
        }
    }

    /// As [`SortedSet::score`], for a member whose hash is known.
    #[inline]
    pub fn score_hashed(&self, hash: u64, member: &[u8]) -> Option<f64> {
        match &self.store {
            Store::Packed(_) => self.score(member),
            Store::Indexed(indexed) => indexed.find_hashed(hash, member).map(|node| node.score()),
        }
    }

    /// How many members come before this one, and its score.
    pub fn rank(&self, member: &[u8]) -> Option<(usize, f64)> {
        match &self.store {
            Store::Packed(packed) => {
                let index = packed.find(member)?;
                packed.get(index).map(|(_, score)| (index, score))
            }
            Store::Indexed(indexed) => {
                let node = indexed.find(member)?;
                Some((indexed.tree().rank(node), node.score()))
            }
        }
    }

    /// The member of that rank. With a random number below the length, a random member.
    #[inline]
    pub fn get_by_rank(&self, rank: usize) -> Option<(&[u8], f64)> {
        match &self.store {
            Store::Packed(packed) => packed.get(rank),
            Store::Indexed(indexed) => indexed
                .tree()
                .node_at(rank)
                .map(|node| (node.member(), node.score())),
        }
    }

    /// Removes a member and answers its score.
    pub fn remove(&mut self, member: &[u8]) -> Option<f64> {
        match &mut self.store {
            Store::Packed(packed) => {
                let index = packed.find(member)?;
                let score = packed.get(index).map(|(_, score)| score);
                packed.remove(index..index + 1);
                score
            }
            Store::Indexed(indexed) => indexed.remove(member),
        }
    }

    /// Removes the first member, after `f` has seen it.
    #[inline]
    pub fn pop_min<R>(&mut self, f: impl FnOnce(&[u8], f64) -> R) -> Option<R> {
        self.pop(0, f)
    }

    /// Removes the last member, after `f` has seen it.
    #[inline]
    pub fn pop_max<R>(&mut self, f: impl FnOnce(&[u8], f64) -> R) -> Option<R> {
        self.pop(self.len().checked_sub(1)?, f)
    }

    #[inline]
    fn pop<R>(&mut self, rank: usize, f: impl FnOnce(&[u8], f64) -> R) -> Option<R> {
        match &mut self.store {
            Store::Packed(packed) => {
                let (member, score) = packed.get(rank)?;
                let answer = f(member, score);
                packed.remove(rank..rank + 1);
                Some(answer)
            }
            Store::Indexed(indexed) => {
                let mut f = Some(f);
                let mut answer = None;
                if rank < indexed.len() {
                    indexed.remove_ranks(rank..rank + 1, |member, score| {
                        answer = f.take().map(|f| f(member, score));
                    });
                    if rank == 0 {
                        indexed.prefetch_first();
                    }
                }
                answer
            }
        }
    }

    /// Removes the members of those ranks, as far as they exist, shows each to `f` in order, and
    /// answers how many there were.
    pub fn remove_range(&mut self, ranks: Range<usize>, mut f: impl FnMut(&[u8], f64)) -> usize {
        let ranks = self.clamp(ranks);
        match &mut self.store {
            Store::Packed(packed) => {
                for (member, score) in packed.iter(ranks.clone()) {
                    f(member, score);
                }
                if !ranks.is_empty() {
                    packed.remove(ranks.clone());
                }
            }
            Store::Indexed(indexed) => indexed.remove_ranks(ranks.clone(), f),
        }
        ranks.len()
    }

    /// The ranks of the members with a score in the range; empty when there are none.
    pub fn ranks_by_score(&self, range: &ScoreRange) -> Range<usize> {
        let count = |cut| match &self.store {
            Store::Packed(packed) => packed.count_before(cut),
            Store::Indexed(indexed) => indexed.count_before(cut),
        };
        let start = ScoreCut::at_min(range).map_or(0, count);
        let end = ScoreCut::at_max(range).map_or(self.len(), count);
        start..end.max(start)
    }

    /// The ranks of the members in the range, in a set whose scores are all the same; with other
    /// sets, some range of ranks.
    pub fn ranks_by_lex(&self, range: &LexRange<'_>) -> Range<usize> {
        let Range { start, end } = match &self.store {
            Store::Packed(packed) => packed.ranks_by_lex(range),
            Store::Indexed(indexed) => indexed.ranks_by_lex(range),
        };
        start..end.max(start)
    }

    /// The members of those ranks, as far as they exist, from either end.
    pub fn range_by_rank(&self, ranks: Range<usize>) -> Iter<'_> {
        let ranks = self.clamp(ranks);
        Iter(match &self.store {
            Store::Packed(packed) => Walk::Packed(packed.iter(ranks)),
            Store::Indexed(indexed) => Walk::Indexed(indexed.tree().iter(ranks.start, ranks.end)),
        })
    }

    /// The members with a score in the range, from either end.
    pub fn range_by_score(&self, range: &ScoreRange) -> Iter<'_> {
        self.range_by_rank(self.ranks_by_score(range))
    }

    /// The members in the range, from either end; see [`SortedSet::ranks_by_lex`].
    pub fn range_by_lex(&self, range: &LexRange<'_>) -> Iter<'_> {
        self.range_by_rank(self.ranks_by_lex(range))
    }

    /// All members in order, from either end.
    pub fn iter(&self) -> Iter<'_> {
        self.range_by_rank(0..self.len())
    }

    fn clamp(&self, ranks: Range<usize>) -> Range<usize> {
        let end = ranks.end.min(self.len());
        ranks.start.min(end)..end
    }

    /// Shows some members to `f` and answers the cursor to go on with; 0 starts and ends. A member
    /// that is there all the time is shown at least once. The small encoding shows everything in
    /// one call.
    pub fn scan(&self, cursor: u64, mut f: impl FnMut(&[u8], f64)) -> u64 {
        match &self.store {
            Store::Packed(packed) => {
                for (member, score) in packed.iter(0..packed.len()) {
                    f(member, score);
                }
                0
            }
            Store::Indexed(indexed) => indexed
                .index()
                .scan(cursor, |node| f(node.member(), node.score())),
        }
    }

    /// Panics when an invariant does not hold.
    #[cfg(test)]
    fn check(&self) {
        match &self.store {
            Store::Packed(packed) => packed.check(),
            Store::Indexed(indexed) => indexed.check(),
        }
    }
}

/// Whether one more member keeps the small encoding within its limits.
fn fits(packed: &Packed, member: &[u8], limits: &Limits) -> bool {
    packed.len() < limits.entries_max
        && member.len() <= limits.member_bytes_max
        && packed.heap_bytes() + member.len() <= packed::BYTES_MAX
}

/// Members and scores in order; see [`SortedSet::range_by_rank`].
#[derive(Clone)]
pub struct Iter<'a>(Walk<'a>);

#[derive(Clone)]
enum Walk<'a> {
    Packed(packed::Iter<'a>),
    Indexed(tree::Iter<'a>),
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a [u8], f64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Walk::Packed(walk) => walk.next(),
            Walk::Indexed(walk) => walk.next().map(|node| (node.member(), node.score())),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Walk::Packed(walk) => walk.size_hint(),
            Walk::Indexed(walk) => walk.size_hint(),
        }
    }

    /// O(log n) in the big encoding, O(1) in the small one.
    fn nth(&mut self, count: usize) -> Option<Self::Item> {
        match &mut self.0 {
            Walk::Packed(walk) => walk.nth(count),
            Walk::Indexed(walk) => walk.nth(count).map(|node| (node.member(), node.score())),
        }
    }

    // Chooses the encoding once instead of at every step.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, f: F) -> B {
        match self.0 {
            Walk::Packed(walk) => walk.fold(init, f),
            Walk::Indexed(walk) => walk.map(|node| (node.member(), node.score())).fold(init, f),
        }
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Walk::Packed(walk) => walk.next_back(),
            Walk::Indexed(walk) => walk.next_back().map(|node| (node.member(), node.score())),
        }
    }

    /// O(log n) in the big encoding, O(1) in the small one.
    fn nth_back(&mut self, count: usize) -> Option<Self::Item> {
        match &mut self.0 {
            Walk::Packed(walk) => walk.nth_back(count),
            Walk::Indexed(walk) => walk
                .nth_back(count)
                .map(|node| (node.member(), node.score())),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a SortedSet {
    type Item = (&'a [u8], f64);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}
