//! The hash table on which everything stands: keyspace, sets, hashes, the member index of sorted
//! sets.
//!
//! # Idea
//!
//! Linear hashing over buckets of one cache line. A table of `n` buckets takes the bucket of an
//! element from the low bits of its hash. Growing by one bucket splits exactly one: bucket `n -
//! 2^k` shares its elements with the new bucket `n`, by one more bit of the hash.
//!
//! ```text
//!   n = 5:   0     1    2    3    4            n = 6:   0    1     2    3    4    5
//!           000   .01  .10  .11  100                   000  001   .10  .11  100  101
//!                  └ split next                               └────── split ──────┘
//! ```
//!
//! So the load is the same at every size, growth costs one split per several inserts and never
//! stops the world, and shrinking is the same backwards. A bucket that gets more than its nine
//! elements before its turn to be split grows a chain. A lookup reads the table's header, one
//! bucket (a second one in a few percent of the cases) and the element: fingerprints leave one
//! false candidate in about fifty lookups.
//!
//! Elements are owned pointers of 48 bits; see [`Element`]. The hash is not stored: a split
//! recomputes it.
//!
//! # Rejected
//!
//! - Redis's chained table with incremental rehash: 16 bytes an element and a line for each element
//!   passed on the way, two tables to probe while rehashing, and one allocation of the whole table
//!   in the middle of a command.
//! - A Swiss table: fast and dense when full, but it doubles (the load falls to 7/16) in one stop,
//!   its scan order does not survive that, and a bucket does not tell a region of the hash space,
//!   which `scan` and the walk need.
//! - Valkey's bucketed table (seven elements a line, two tables while rehashing): the model for the
//!   bucket; nine addresses of 48 bits fit where it stores seven of 64, and splitting one bucket at
//!   a time needs no second table.
//! - Chains of elements through a `next` pointer in the element: 8 bytes more in each.
//!
//! # The walk
//!
//! A snapshot needs every element as it was at one moment, while commands go on.
//! [`Table::begin_walk`] marks all buckets unvisited by flipping one bit; from then on each path
//! that changes a bucket first hands its elements to the walk's [`BucketSink`], and
//! [`Table::walk_step`] visits the others in order. Every element of that moment is handed over
//! exactly once, unchanged; later ones never.
//!
//! # Invariants
//!
//! - `len` elements lie in the chains of buckets `0..count`; an empty table has no bucket and no
//!   memory.
//! - An element lies in the chain of `index_of(hash)`, under the fingerprint of its hash.
//! - Only the last bucket of a chain has vacant lanes, and none but the head is empty.
//! - While a walk runs, a bucket whose parity differs from the segments' has not been handed over,
//!   and has not been changed since the walk began; one at or past `count` does not exist, and is
//!   born as visited.

#![allow(unsafe_code)]

mod bucket;
mod element;
mod iter;
mod occupied;
mod random;
mod scan;
mod segments;
mod walk;

#[cfg(test)]
mod tests;

use std::marker::PhantomData;
use std::ptr::NonNull;

use smallvec::SmallVec;

pub use element::{Element, Hashed};
pub use iter::{IntoIter, Iter};
pub use occupied::{Occupied, Slot, Vacant};
pub use walk::BucketSink;

use bucket::{Bucket, Chain, Lanes, fingerprint};
use segments::Segments;
use walk::Walk;

/// A bucket is split when the table holds more than this many elements for each of its buckets ...
const SPLIT_LOAD: Load = Load {
    elements: 13,
    buckets: 2,
};
/// ... and two are merged when it holds fewer than this many.
const MERGE_LOAD: Load = Load {
    elements: 4,
    buckets: 1,
};

/// Elements to a number of buckets.
struct Load {
    elements: usize,
    buckets: usize,
}

impl Load {
    /// Whether `len` elements in `count` buckets are more than this load.
    #[inline(always)]
    const fn is_exceeded(&self, len: usize, count: u32) -> bool {
        len * self.buckets > self.elements * count as usize
    }

    /// Whether `len` elements in `count` buckets are less than this load.
    #[inline(always)]
    const fn is_missed(&self, len: usize, count: u32) -> bool {
        len * self.buckets < self.elements * count as usize
    }
}

/// A hash table of owned pointers. See the module's page.
pub struct Table<E: Element> {
    segments: Segments,
    len: usize,
    walk: Option<Box<Walk<E>>>,
    elements: PhantomData<E>,
}

// SAFETY: the table owns its elements and its buckets; the walk's sink is `Send` by its trait.
unsafe impl<E: Element + Send> Send for Table<E> {}
// SAFETY: a shared table gives out nothing but views of its elements; the sink is only reached
// through `&mut`.
unsafe impl<E: Element + Sync> Sync for Table<E> {}

impl<E: Element> Table<E> {
    /// An empty table, which allocates nothing.
    #[inline]
    pub const fn new() -> Self {
        Self {
            segments: Segments::new(),
            len: 0,
            walk: None,
            elements: PhantomData,
        }
    }

    /// An empty table with the buckets for `len` elements, for a bulk load: nothing is split on the
    /// way.
    pub fn with_capacity(len: usize) -> Self {
        let mut table = Self::new();
        while SPLIT_LOAD.is_exceeded(len, table.segments.count()) && !table.segments.is_full() {
            table.segments.push();
        }
        table
    }

    /// The number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes of memory that the table has allocated, without its elements and the sink of a
    /// walk. O(1).
    pub fn heap_bytes(&self) -> usize {
        self.segments.heap_bytes()
    }

    /// Starts to bring the bucket of a hash into the cache, and reads nothing of it: the first
    /// phase of a batch of lookups.
    #[inline]
    pub fn prefetch_bucket(&self, hash: u64) {
        if self.segments.count() > 0 {
            prefetch(self.head(hash).as_ptr().cast());
        }
    }

    /// Reads the bucket of a hash, and starts to bring its candidates into the cache: the second
    /// phase.
    #[inline]
    pub fn prefetch_element(&self, hash: u64) {
        if self.segments.count() == 0 {
            return;
        }
        // SAFETY: a head is a valid bucket, and the table is borrowed.
        let bucket = unsafe { self.head(hash).as_ref() };
        let candidates = bucket.matches(fingerprint(hash));
        for lane in Lanes(candidates) {
            prefetch(bucket.element(lane).as_ptr());
        }
        if candidates == 0
            && let Some(next) = bucket.next()
        {
            prefetch(next.as_ptr().cast());
        }
    }

    /// The element with this hash that `eq` accepts.
    #[inline]
    pub fn find(&self, hash: u64, eq: impl FnMut(E::Ref<'_>) -> bool) -> Option<E::Ref<'_>> {
        let (bucket, lane) = self.probe(hash, eq)?;
        // SAFETY: the probe found a valid element, which lives as long as the table is borrowed.
        Some(unsafe { E::borrow(bucket.as_ref().element(lane)) })
    }

    /// As [`Table::find`], for a change. A walk gets the element's bucket first.
    #[inline]
    pub fn find_mut(
        &mut self,
        hash: u64,
        eq: impl FnMut(E::Ref<'_>) -> bool,
    ) -> Option<Occupied<'_, E>> {
        let (bucket, lane) = self.probe(hash, eq)?;
        let head = self.head(hash);
        Some(self.occupied(head, bucket, lane))
    }

    /// The element with this hash that `eq` accepts, or the place for one.
    #[inline]
    pub fn entry(&mut self, hash: u64, eq: impl FnMut(E::Ref<'_>) -> bool) -> Slot<'_, E> {
        match self.probe(hash, eq) {
            Some((bucket, lane)) => {
                let head = self.head(hash);
                Slot::Occupied(self.occupied(head, bucket, lane))
            }
            None => Slot::Vacant(Vacant::new(self, hash)),
        }
    }

    /// Puts in an element that the caller knows not to be there yet, without looking for it.
    pub fn insert_unique(&mut self, element: E) -> Occupied<'_, E> {
        let raw = element.into_raw();
        // SAFETY: just made from an element; the view is gone before anything else is done with it.
        let hash = E::hash_of(unsafe { E::borrow(raw) });
        self.insert_raw(hash, raw)
    }

    /// Every element in the bucket of this hash, its chain included.
    #[inline]
    pub fn bucket_elements(&self, hash: u64, f: impl FnMut(E::Ref<'_>)) {
        if self.segments.count() > 0 {
            self.each_in_chain(self.head(hash), f);
        }
    }

    /// Removes and drops every element that `keep` refuses. A walk gets everything first.
    pub fn retain(&mut self, mut keep: impl FnMut(E::Ref<'_>) -> bool) {
        let mut places: SmallVec<[(NonNull<Bucket>, u32); 32]> = SmallVec::new();
        for index in 0..self.segments.count() {
            let head = self.segments.bucket(index);
            self.hand_over(head);
            let mut next = Some(head);
            while let Some(at) = next {
                // SAFETY: a bucket of the chain, and nothing changes it meanwhile.
                let bucket = unsafe { at.as_ref() };
                places.extend(Lanes(bucket.occupied()).map(|lane| (at, lane)));
                next = bucket.next();
            }
            // Backwards: what fills a hole comes from the end of the chain, and has been asked
            // about already.
            while let Some((at, lane)) = places.pop() {
                // SAFETY: removals behind this place have left it as it is, occupied by a live
                // element, and the view ends with the call.
                if !keep(unsafe { E::borrow(at.as_ref().element(lane)) }) {
                    drop(self.take_out(head, at, lane));
                }
            }
        }
        while self.merge_if_sparse() {}
    }

    /// Removes and drops all elements. A walk gets them first.
    pub fn clear(&mut self) {
        drop(self.drain());
    }

    /// Takes all elements out, in O(1), for another thread to free; the table is empty afterwards.
    /// A walk gets them first, and goes on.
    pub fn drain(&mut self) -> IntoIter<E> {
        self.walk_to_end();
        let mut segments = Segments::new();
        segments.parity = self.segments.parity;
        IntoIter::new(Table {
            segments: std::mem::replace(&mut self.segments, segments),
            len: std::mem::take(&mut self.len),
            walk: None,
            elements: PhantomData,
        })
    }

    /// All elements, in no order.
    pub fn iter(&self) -> Iter<'_, E> {
        Iter::new(self)
    }

    #[inline(always)]
    fn head(&self, hash: u64) -> NonNull<Bucket> {
        self.segments.bucket(self.segments.index_of(hash))
    }

    #[inline(always)]
    fn probe(
        &self,
        hash: u64,
        mut eq: impl FnMut(E::Ref<'_>) -> bool,
    ) -> Option<(NonNull<Bucket>, u32)> {
        if self.segments.count() == 0 {
            return None;
        }
        let fingerprint = fingerprint(hash);
        let mut at = self.head(hash);
        loop {
            // SAFETY: heads and links lead to valid buckets, and the table is borrowed.
            let bucket = unsafe { at.as_ref() };
            for lane in Lanes(bucket.matches(fingerprint)) {
                // SAFETY: an occupied lane holds a live element, and the view ends with the call.
                if eq(unsafe { E::borrow(bucket.element(lane)) }) {
                    return Some((at, lane));
                }
            }
            at = bucket.next()?;
        }
    }

    #[inline(always)]
    fn occupied(
        &mut self,
        head: NonNull<Bucket>,
        bucket: NonNull<Bucket>,
        lane: u32,
    ) -> Occupied<'_, E> {
        self.hand_over(head);
        Occupied::new(self, head, bucket, lane)
    }

    fn each_in_chain(&self, head: NonNull<Bucket>, mut f: impl FnMut(E::Ref<'_>)) {
        // SAFETY: a head of this table, which is borrowed.
        for raw in unsafe { Chain::new(head) } {
            // SAFETY: the chain yields live elements, and the view ends with the call.
            f(unsafe { E::borrow(raw) });
        }
    }

    /// Puts an element in that is not there yet. Growth comes first, so that the place stays valid.
    fn insert_raw(&mut self, hash: u64, raw: NonNull<u8>) -> Occupied<'_, E> {
        if SPLIT_LOAD.is_exceeded(self.len + 1, self.segments.count()) {
            self.split();
        }
        let head = self.head(hash);
        self.hand_over(head);
        // SAFETY: a head of this table, which is borrowed exclusively.
        let (bucket, lane) =
            unsafe { bucket::append(head, fingerprint(hash), raw, &mut self.segments.chains) };
        self.len += 1;
        Occupied::new(self, head, bucket, lane)
    }

    /// Adds a bucket, and moves into it what belongs there.
    #[cold]
    #[inline(never)]
    fn split(&mut self) {
        let new = self.segments.count();
        if new == 0 {
            self.segments.push();
            return;
        }
        if self.segments.is_full() {
            return;
        }
        let old_index = Segments::partner_of(new);
        self.hand_over(self.segments.bucket(old_index));
        self.segments.push();
        let (old, new) = (self.segments.bucket(old_index), self.segments.bucket(new));
        // SAFETY: a head of this table, which is borrowed exclusively.
        for raw in unsafe { Chain::new(old) } {
            prefetch(raw.as_ptr());
        }
        let mut chains = self.segments.chains;
        let segments = &self.segments;
        // SAFETY: both are heads of this table; `dissolve` has let go of the old one before it
        // hands out the elements, and `hash_of` does not unwind.
        unsafe {
            bucket::dissolve(old, &mut chains, |chains, fingerprint, raw| {
                let home = if segments.index_of(E::hash_of(E::borrow(raw))) == old_index {
                    old
                } else {
                    new
                };
                bucket::append(home, fingerprint, raw, chains);
            });
        }
        self.segments.chains = chains;
    }

    /// Takes an element out of its lane, and leaves the buckets as they are.
    #[inline]
    fn take_out(&mut self, head: NonNull<Bucket>, at: NonNull<Bucket>, lane: u32) -> E {
        let raw = self.vacate(head, at, lane);
        // SAFETY: it has left the table, which owned it.
        unsafe { E::from_raw(raw) }
    }

    /// Takes the address of an element, dead or alive, out of its lane.
    #[inline]
    fn vacate(&mut self, head: NonNull<Bucket>, at: NonNull<Bucket>, lane: u32) -> NonNull<u8> {
        self.len -= 1;
        // SAFETY: whoever calls has found the element at this place, and nothing has changed since.
        unsafe { bucket::remove(head, at, lane, &mut self.segments.chains) }
    }

    /// Merges two buckets if there are too many, and answers whether it did.
    #[inline(always)]
    fn merge_if_sparse(&mut self) -> bool {
        MERGE_LOAD.is_missed(self.len, self.segments.count()) && self.merge()
    }

    /// Gives up the last bucket, and moves what it holds to where it came from.
    #[cold]
    #[inline(never)]
    fn merge(&mut self) -> bool {
        if self.len == 0 {
            // All buckets are empty, and without chains.
            while self.segments.count() > 0 {
                self.segments.pop();
            }
            return false;
        }
        let last_index = self.segments.count() - 1;
        if last_index == 0 {
            return false;
        }
        let last = self.segments.bucket(last_index);
        let home = self.segments.bucket(Segments::partner_of(last_index));
        self.hand_over(last);
        self.hand_over(home);
        // SAFETY: two different heads of this table, which is borrowed exclusively.
        unsafe {
            bucket::dissolve(
                last,
                &mut self.segments.chains,
                |chains, fingerprint, raw| {
                    bucket::append(home, fingerprint, raw, chains);
                },
            );
        }
        self.segments.pop();
        true
    }
}

impl<E: Element> Default for Table<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Element> Drop for Table<E> {
    fn drop(&mut self) {
        for index in 0..self.segments.count() {
            // SAFETY: a head of this table, and each element is taken out once.
            unsafe {
                bucket::dissolve(
                    self.segments.bucket(index),
                    &mut self.segments.chains,
                    |_, _, raw| drop(E::from_raw(raw)),
                );
            }
        }
    }
}

impl<E: Element> IntoIterator for Table<E> {
    type Item = E;
    type IntoIter = IntoIter<E>;

    fn into_iter(self) -> IntoIter<E> {
        IntoIter::new(self)
    }
}

impl<'a, E: Element> IntoIterator for &'a Table<E> {
    type Item = E::Ref<'a>;
    type IntoIter = Iter<'a, E>;

    fn into_iter(self) -> Iter<'a, E> {
        self.iter()
    }
}

impl<E: Element> Extend<E> for Table<E> {
    /// Puts in elements that the caller knows not to be there yet.
    fn extend<I: IntoIterator<Item = E>>(&mut self, elements: I) {
        for element in elements {
            self.insert_unique(element);
        }
    }
}

#[inline(always)]
fn prefetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
