//! The hash table on which everything stands: keyspace, sets, hashes, the member index of sorted
//! sets.
//!
//! # Idea
//!
//! Linear hashing over buckets of one cache line. A table of `n` buckets takes the bucket of an
//! element from the low bits of its hash. Growing by one bucket splits exactly one: bucket
//! `n - 2^k`, with the greatest `2^k` that is no more than `n`, shares its elements with the new
//! bucket `n`, by one more bit of the hash.
//!
//! ```text
//!   five buckets                        six buckets
//!     0    1    2    3    4               0    1    2    3    4    5
//!    000  .01  .10  .11  100             000  001  .10  .11  100  101
//!          └── the next to be split            └──── was split ────┘
//! ```
//!
//! So the load is about the same at every size, growth costs one split every few inserts and never
//! stops the world, and shrinking is the same backwards. A bucket that gets more than its nine
//! elements before its turn to be split has an overflow. A lookup reads the table's header, one
//! bucket (and in 6 to 12 of 100 cases an overflow) and the element; thanks to the fingerprints,
//! about one lookup in forty compares with a wrong element.
//!
//! Elements are owned pointers of 48 bits; see [`Element`]. The hash is not stored: a split
//! computes it again.
//!
//! # Rejected
//!
//! - Redis's chained table with incremental rehash: 16 bytes an element and a line for each element
//!   that is passed on the way, two tables to probe while it rehashes, and one allocation of a
//!   whole table in the middle of a command.
//! - A Swiss table: fast, and dense when full, but it doubles in one stop (and is then half empty),
//!   its scan order does not survive that, and no group of its slots stands for a region of the
//!   hashes, which `scan` and the walk need.
//! - Valkey's bucketed table, seven elements a line and two tables while it rehashes: the model for
//!   the bucket. Nine addresses of 48 bits fit where it stores seven of 64, and splitting one
//!   bucket at a time needs no second table.
//! - A chain through a `next` pointer in the element: 8 bytes more in each.
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
//! - `len` elements lie in buckets `0..count`; a table that loses its last element gives up its
//!   memory.
//! - An element lies in bucket `index_of(hash)`, under the fingerprint of its hash.
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

pub use element::{Element, Hashed};
pub use iter::{IntoIter, Iter};
pub use occupied::{Occupied, Slot, Vacant};
pub use walk::BucketSink;

use bucket::{Bucket, Lanes, fingerprint};
use segments::Segments;
use walk::Walk;

// The loads, in elements to two buckets. A bucket is split when the load is above the first while
// there is memory for one more, and above the second when that must be allocated: memory comes in
// steps of up to a quarter, and what is there is put to use. Two buckets are merged below the
// third.
//
// Measured for great tables at 6.5: 10.4 to 10.8 bytes an element, and 6 to 12 % of them lie in
// overflows. Computed (the elements of a bucket are Poisson-distributed): at 6 11.0 to 11.4 bytes
// and 4 to 9 %, at 7 9.8 to 10.3 bytes and 8 to 14 %.
const SPLIT_LOAD_SPARE: usize = 11;
const SPLIT_LOAD: usize = 13;
const MERGE_LOAD: usize = 9;

/// A hash table of owned pointers. See the module's page.
pub struct Table<E: Element> {
    segments: Segments,
    len: usize,
    walk: Option<Box<Walk<E>>>,
    elements: PhantomData<E>,
}

/// Where an element lies: valid until the table changes.
#[derive(Clone, Copy)]
struct Place {
    bucket: NonNull<Bucket>,
    lane: u32,
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
            segments: Segments::new(0),
            len: 0,
            walk: None,
            elements: PhantomData,
        }
    }

    /// An empty table with the buckets for `len` elements, for a bulk load: nothing is split on the
    /// way.
    pub fn with_capacity(len: usize) -> Self {
        let mut table = Self::new();
        while len * 2 > table.segments.count() as usize * SPLIT_LOAD && !table.segments.is_full() {
            table.segments.push();
        }
        while table.segments.count() < table.segments.capacity() {
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
        self.segments.heap_bytes() + self.walk.as_ref().map_or(0, |_| size_of::<Walk<E>>())
    }

    /// Starts to bring the bucket of a hash into the cache, and reads nothing of it: the first
    /// phase of a batch of lookups.
    #[inline]
    pub fn prefetch_bucket(&self, hash: u64) {
        if self.segments.count() > 0 {
            let index = self.segments.index_of(hash);
            prefetch(self.segments.at(index).as_ptr().cast());
        }
    }

    /// Reads the bucket of a hash, and starts to bring its candidates into the cache: the second
    /// phase.
    #[inline]
    pub fn prefetch_element(&self, hash: u64) {
        if self.segments.count() == 0 {
            return;
        }
        let bucket = self.bucket_of(hash);
        let candidates = bucket.matches(fingerprint(hash));
        for lane in Lanes(candidates) {
            prefetch(bucket.element(lane).as_ptr());
        }
        if candidates == 0
            && bucket.may_overflow(fingerprint(hash))
            && let Some(overflow) = bucket.overflow()
        {
            prefetch((&raw const *overflow).cast());
        }
    }

    /// Makes the buckets for `more` elements beside those that are there, as
    /// [`Table::with_capacity`] does. Only for a table that holds a few: each is moved.
    pub fn reserve(&mut self, more: usize) {
        let wanted = self.len + more;
        while wanted * 2 > self.segments.count() as usize * SPLIT_LOAD && !self.segments.is_full() {
            self.split();
        }
    }

    /// The element with this hash that `eq` accepts.
    #[inline]
    pub fn find(&self, hash: u64, eq: impl FnMut(E::Ref<'_>) -> bool) -> Option<E::Ref<'_>> {
        let place = self.probe(hash, eq)?;
        // SAFETY: the probe found a live element, and it lives as long as the table is borrowed.
        Some(unsafe { E::borrow(place.bucket.as_ref().element(place.lane)) })
    }

    /// As [`Table::find`], for a change. A walk gets the element's bucket first.
    #[inline]
    pub fn find_mut(
        &mut self,
        hash: u64,
        eq: impl FnMut(E::Ref<'_>) -> bool,
    ) -> Option<Occupied<'_, E>> {
        let place = self.probe(hash, eq)?;
        Some(self.occupied(place))
    }

    /// The element with this hash that `eq` accepts, or the place for one.
    #[inline]
    pub fn entry(&mut self, hash: u64, eq: impl FnMut(E::Ref<'_>) -> bool) -> Slot<'_, E> {
        match self.probe(hash, eq) {
            Some(place) => Slot::Occupied(self.occupied(place)),
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

    /// As [`Table::insert_unique`], for an element whose hash is known.
    #[inline]
    pub fn insert_hashed(&mut self, hash: u64, element: E) -> Occupied<'_, E> {
        let raw = element.into_raw();
        // SAFETY: just made from an element, and the view ends with the comparison.
        debug_assert_eq!(E::hash_of(unsafe { E::borrow(raw) }), hash, "another hash");
        self.insert_raw(hash, raw)
    }

    /// Every element in the bucket of this hash, its overflow included.
    #[inline]
    pub fn bucket_elements(&self, hash: u64, f: impl FnMut(E::Ref<'_>)) {
        if self.segments.count() > 0 {
            each::<E>(self.bucket_of(hash), f);
        }
    }

    /// Removes and drops every element that `keep`, which is asked once for each, refuses. A walk
    /// gets everything first.
    pub fn retain(&mut self, mut keep: impl FnMut(E::Ref<'_>) -> bool) {
        for index in 0..self.segments.count() {
            let bucket = self.segments.at(index);
            self.hand_over(bucket);
            // Backwards: what fills a hole comes from the end, and has been asked about already.
            for nth in (0..self.segments.bucket(index).len()).rev() {
                let Some(lane) = self.segments.bucket(index).nth(nth) else {
                    continue;
                };
                let raw = self.segments.bucket(index).element(lane);
                // SAFETY: an element of the table, and the view ends with the call.
                if !keep(unsafe { E::borrow(raw) }) {
                    drop(self.take_out(Place { bucket, lane }));
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
        let empty = Segments::new(self.segments.parity);
        IntoIter::new(Table {
            segments: std::mem::replace(&mut self.segments, empty),
            len: std::mem::take(&mut self.len),
            walk: None,
            elements: PhantomData,
        })
    }

    /// All elements, in no order.
    pub fn iter(&self) -> Iter<'_, E> {
        Iter::new(self)
    }

    /// How the elements are spread. O(n), for diagnosis.
    pub fn shape(&self) -> Shape {
        let mut shape = Shape {
            buckets: self.segments.count() as usize,
            ..Shape::default()
        };
        for index in 0..self.segments.count() {
            if let Some(overflow) = self.segments.bucket(index).overflow() {
                shape.overflows += 1;
                shape.in_overflows += overflow.len() as usize;
            }
        }
        shape
    }

    /// The bucket of a hash, in a table that has buckets.
    #[inline(always)]
    fn bucket_of(&self, hash: u64) -> &Bucket {
        self.segments.bucket(self.segments.index_of(hash))
    }

    #[inline(always)]
    fn probe(&self, hash: u64, mut eq: impl FnMut(E::Ref<'_>) -> bool) -> Option<Place> {
        if self.segments.count() == 0 {
            return None;
        }
        let fingerprint = fingerprint(hash);
        let at = self.segments.at(self.segments.index_of(hash));
        // SAFETY: a bucket of this table, which is borrowed. (The place is made from the pointer
        // and not from the reference, for its user may write.)
        let bucket = unsafe { at.as_ref() };
        for lane in Lanes(bucket.matches(fingerprint)) {
            // SAFETY: an occupied lane holds a live element, and the view ends with the call.
            if eq(unsafe { E::borrow(bucket.element(lane)) }) {
                return Some(Place { bucket: at, lane });
            }
        }
        if !bucket.may_overflow(fingerprint) {
            return None;
        }
        let lane = Self::probe_overflow(bucket, fingerprint, eq)?;
        Some(Place { bucket: at, lane })
    }

    #[inline(never)]
    fn probe_overflow(
        bucket: &Bucket,
        fingerprint: u8,
        mut eq: impl FnMut(E::Ref<'_>) -> bool,
    ) -> Option<u32> {
        bucket
            .overflow_matches(fingerprint)
            // SAFETY: as in `probe`.
            .find(|&lane| eq(unsafe { E::borrow(bucket.element(lane)) }))
    }

    #[inline(always)]
    fn occupied(&mut self, place: Place) -> Occupied<'_, E> {
        self.hand_over(place.bucket);
        Occupied::new(self, place)
    }

    /// Puts an element in that is not there yet. Growth comes first, so that the place stays valid.
    #[inline]
    fn insert_raw(&mut self, hash: u64, raw: NonNull<u8>) -> Occupied<'_, E> {
        let load = (self.len + 1) * 2;
        let count = self.segments.count() as usize;
        if load > count * SPLIT_LOAD_SPARE
            && (load > count * SPLIT_LOAD || self.segments.count() < self.segments.capacity())
        {
            self.split();
        }
        let index = self.segments.index_of(hash);
        let bucket = self.segments.at(index);
        self.hand_over(bucket);
        let lane = self.segments.insert(index, fingerprint(hash), raw);
        self.len += 1;
        Occupied::new(self, Place { bucket, lane })
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
        let old = Segments::partner_of(new);
        self.hand_over(self.segments.at(old));
        for raw in self.segments.bucket(old).elements() {
            prefetch(raw.as_ptr());
        }
        self.segments.push();
        let all = self.segments.take(old);
        for (fingerprint, raw) in all.pairs() {
            // SAFETY: an element of the table, and the view ends with the call.
            let index = self
                .segments
                .index_of(E::hash_of(unsafe { E::borrow(raw) }));
            debug_assert!(index == old || index == new, "an element with another hash");
            self.segments.insert(index, fingerprint, raw);
        }
    }

    /// Takes an element out of its place, and leaves the buckets as they are.
    #[inline]
    fn take_out(&mut self, place: Place) -> E {
        let raw = self.vacate(place);
        // SAFETY: it has left the table, which owned it.
        unsafe { E::from_raw(raw) }
    }

    /// Takes the address of an element, dead or alive, out of its place.
    #[inline]
    fn vacate(&mut self, mut place: Place) -> NonNull<u8> {
        self.len -= 1;
        // SAFETY: whoever calls has found an element at this place, and nothing has changed since.
        unsafe { place.bucket.as_mut() }.remove(place.lane, &mut self.segments.overflow_words)
    }

    /// Merges two buckets if there are too many, and answers whether it did.
    #[inline(always)]
    fn merge_if_sparse(&mut self) -> bool {
        self.len * 2 < self.segments.count() as usize * MERGE_LOAD && self.merge()
    }

    /// Gives up the last bucket, and moves what it holds to where that came from.
    #[cold]
    #[inline(never)]
    fn merge(&mut self) -> bool {
        if self.len == 0 {
            while self.segments.count() > 0 {
                self.segments.pop();
            }
        }
        if self.segments.count() < 2 {
            return false;
        }
        let last = self.segments.count() - 1;
        let home = Segments::partner_of(last);
        self.hand_over(self.segments.at(last));
        self.hand_over(self.segments.at(home));
        let all = self.segments.take(last);
        for (fingerprint, raw) in all.pairs() {
            self.segments.insert(home, fingerprint, raw);
        }
        self.segments.pop();
        true
    }
}

/// How the elements of a table are spread. See [`Table::shape`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// Buckets.
    pub buckets: usize,
    /// Buckets with an overflow.
    pub overflows: usize,
    /// Elements that lie in overflows.
    pub in_overflows: usize,
}

impl<E: Element> Default for Table<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Element> Drop for Table<E> {
    fn drop(&mut self) {
        for index in 0..self.segments.count() {
            let all = self.segments.take(index);
            for raw in all.elements() {
                // SAFETY: it has left the table, which owned it.
                drop(unsafe { E::from_raw(raw) });
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

#[inline]
fn each<'a, E: Element>(bucket: &'a Bucket, mut f: impl FnMut(E::Ref<'a>)) {
    for raw in bucket.elements() {
        // SAFETY: the elements of a bucket are alive, and stay as they are while their table, which
        // the bucket is borrowed from, is borrowed.
        f(unsafe { E::borrow(raw) });
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
