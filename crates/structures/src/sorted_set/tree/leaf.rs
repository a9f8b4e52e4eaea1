//! A leaf: up to 76 node pointers in order, each with a hint of its score.
//!
//! A binary search over bare pointers would miss the cache at every step. User-space addresses
//! leave 16 bits of a word free, so each word carries, above the pointer, where its key lies
//! between `base` and `base + 65535 << shift`, clamped at both ends. That mapping never decreases,
//! whatever `base` and `shift` are: a smaller hint means an earlier node, and only nodes whose hint
//! equals the probe's are looked at. Usually that is one node, or none. The alternative, the whole
//! score beside each pointer, would cost eight more bytes a member.
//!
//! | offset | bytes | what |
//! |-------:|------:|------|
//! | 0 | 8 | `base` |
//! | 8 | 16 | the neighbouring leaves |
//! | 24 | 2 | length |
//! | 26 | 2 | how many entries came in clamped since the last calibration |
//! | 28 | 1 | `shift` |
//! | 32 | 76 x 8 | entries: hint in the upper 16 bits, address in the lower 48 |
//!
//! Invariants: every entry below the length is a live node, in strictly ascending order, and its
//! hint is what `hint` answers for its key. The size is exactly one allocation class.

use std::cmp::Ordering;

use super::LeafPtr;
use crate::sorted_set::node::{NodePtr, NodeRef, partition_nodes, prefetch};
use crate::sorted_set::range::Probe;

/// How many nodes a leaf holds.
pub(super) const LEAF_CAPACITY: usize = 76;
const HINT_MAX: u64 = 0xFFFF;
const ADDRESS_BITS: u32 = 48;
const ADDRESS_MASK: u64 = (1 << ADDRESS_BITS) - 1;
/// Below this many distinct hints from the first entry to the last, a leaf is calibrated anew.
const POOR_SPREAD: u64 = 1024;

#[derive(Clone, Copy)]
struct Entry(u64);

impl Entry {
    const EMPTY: Entry = Entry(0);

    #[inline]
    fn new(hint: u64, node: NodePtr) -> Self {
        let address = node.to_address();
        debug_assert!(address <= ADDRESS_MASK && hint <= HINT_MAX);
        Entry(hint << ADDRESS_BITS | address)
    }

    #[inline]
    fn hint(self) -> u64 {
        self.0 >> ADDRESS_BITS
    }

    #[inline]
    fn address(self) -> u64 {
        self.0 & ADDRESS_MASK
    }

    #[inline]
    fn pointer(self) -> NodePtr {
        NodePtr::from_address(self.address())
    }
}

#[repr(C)]
pub(super) struct Leaf {
    base: u64,
    pub(super) prev: Option<LeafPtr>,
    pub(super) next: Option<LeafPtr>,
    len: u16,
    clamped: u16,
    shift: u8,
    entries: [Entry; LEAF_CAPACITY],
}

const _: () = assert!(size_of::<Leaf>() == 640);

impl Leaf {
    pub(super) fn new() -> Self {
        Leaf {
            base: 0,
            prev: None,
            next: None,
            len: 0,
            clamped: 0,
            shift: 0,
            entries: [Entry::EMPTY; LEAF_CAPACITY],
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        usize::from(self.len)
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.len() == LEAF_CAPACITY
    }

    #[inline]
    fn entries(&self) -> &[Entry] {
        &self.entries[..usize::from(self.len)]
    }

    #[inline]
    pub(super) fn node(&self, index: usize) -> NodeRef<'_> {
        view(&self.entries()[index])
    }

    pub(super) fn first(&self) -> NodeRef<'_> {
        self.node(0)
    }

    pub(super) fn last(&self) -> NodeRef<'_> {
        self.node(self.len() - 1)
    }

    pub(super) fn pointers(&self) -> impl Iterator<Item = NodePtr> + '_ {
        self.entries().iter().map(|entry| entry.pointer())
    }

    /// Asks for all of a leaf, as a search in it is about to read here and there.
    #[inline]
    pub(super) fn prefetch(leaf: LeafPtr) {
        let words = leaf.0.as_ptr().cast::<u64>();
        for line in 0..size_of::<Leaf>() / 64 {
            prefetch(words.wrapping_add(line * 8));
        }
    }

    /// Asks for the node of an entry; beyond the length it may be a stale one, which harms nobody.
    #[inline]
    pub(super) fn prefetch_node(&self, index: usize) {
        if let Some(entry) = self.entries.get(index).filter(|entry| entry.0 != 0) {
            entry.pointer().prefetch();
        }
    }

    /// Where `key` lies on this leaf's scale, and whether it fell off it.
    #[inline]
    fn locate(&self, key: u64) -> (u64, bool) {
        let steps = key.saturating_sub(self.base) >> self.shift;
        (steps.min(HINT_MAX), key < self.base || steps > HINT_MAX)
    }

    /// The first entry that could have `hint`, and the one after the last.
    #[inline]
    fn run(&self, hint: u64) -> (usize, usize) {
        let entries = self.entries();
        let floor = hint << ADDRESS_BITS;
        let start = entries.partition_point(|entry| entry.0 < floor);
        let same = entries[start..]
            .iter()
            .take_while(|entry| entry.hint() == hint)
            .count();
        (start, start + same)
    }

    /// How many nodes lie before the probe's cut.
    #[inline]
    pub(super) fn count_before<P: Probe>(&self, probe: P) -> usize {
        let (start, end) = self.run(self.locate(probe.key()).0);
        start
            + partition_nodes(&self.entries()[start..end], view, |node| {
                let key = node.key();
                key < probe.key() || (key == probe.key() && probe.is_after(node))
            })
    }

    /// How the node at `index` compares; it is read only if its hint leaves that open.
    #[inline]
    pub(super) fn compare(&self, index: usize, key: u64, member: &[u8]) -> Ordering {
        let (hint, _) = self.locate(key);
        self.entries()[index]
            .hint()
            .cmp(&hint)
            .then_with(|| self.node(index).compare(key, member))
    }

    /// The index of a node that is known by its address; nothing but the leaf is read.
    #[inline]
    pub(super) fn index_of(&self, key: u64, node: NodePtr) -> Option<usize> {
        let (hint, _) = self.locate(key);
        let (start, end) = self.run(hint);
        let wanted = Entry::new(hint, node).0;
        self.entries()[start..end]
            .iter()
            .position(|entry| entry.0 == wanted)
            .map(|at| start + at)
    }

    /// How many nodes lie before the first that fails `is_before`.
    pub(super) fn partition_point(&self, is_before: impl FnMut(NodeRef<'_>) -> bool) -> usize {
        partition_nodes(self.entries(), view, is_before)
    }

    /// Puts a node at `index`; there must be room, and the order must stay right.
    #[inline]
    pub(super) fn insert(&mut self, index: usize, key: u64, node: NodePtr) {
        let len = self.len();
        let (hint, clamped) = self.locate(key);
        self.entries.copy_within(index..len, index + 1);
        self.entries[index] = Entry::new(hint, node);
        self.len += 1;
        self.note(clamped);
    }

    /// Appends without keeping hints; `calibrate` has to follow.
    pub(super) fn push_unhinted(&mut self, node: NodePtr) {
        self.entries[self.len()] = Entry::new(0, node);
        self.len += 1;
    }

    /// Takes in that the node at `index` has another key now, in the same place of the order.
    pub(super) fn rehint(&mut self, index: usize, key: u64) {
        let (hint, clamped) = self.locate(key);
        self.entries[index] = Entry::new(hint, self.entries()[index].pointer());
        self.note(clamped);
    }

    #[inline]
    fn note(&mut self, clamped: bool) {
        if clamped {
            self.clamped += 1;
            // The share keeps the cost of calibrating proportional to the insertions between.
            if self.clamped > 4 + self.len / 4 {
                self.calibrate();
            }
        }
    }

    pub(super) fn remove(&mut self, index: usize, count: usize) {
        let len = self.len();
        self.entries.copy_within(index + count..len, index);
        self.len -= count as u16;
    }

    /// Moves everything from `at` on into the empty leaf `right`. The hints move unchanged, since
    /// `right` takes over the scale.
    pub(super) fn split_off(&mut self, at: usize, right: &mut Leaf) {
        debug_assert_eq!(right.len, 0);
        let moved = self.len() - at;
        right.base = self.base;
        right.shift = self.shift;
        right.entries[..moved].copy_from_slice(&self.entries[at..at + moved]);
        right.len = moved as u16;
        self.len = at as u16;
        self.clamped = 0;
        right.clamped = 0;
        self.calibrate_if_poor();
        right.calibrate_if_poor();
    }

    /// Starts an empty leaf on the right or left edge with the scale of its full neighbour, moved
    /// so that an ascending or descending load stays on it.
    pub(super) fn adopt_scale(&mut self, neighbour: &Leaf, key: u64) {
        debug_assert_eq!(self.len, 0);
        self.shift = neighbour.shift;
        self.base = key.saturating_sub((HINT_MAX / 2) << neighbour.shift);
    }

    /// Moves the last `count` nodes to the front of `right`.
    pub(super) fn give_right(&mut self, count: usize, right: &mut Leaf) {
        let at = self.len() - count;
        let right_len = right.len();
        right.entries.copy_within(..right_len, count);
        right.len += count as u16;
        for index in 0..count {
            right.take_in(index, self.entries[at + index]);
        }
        self.len = at as u16;
        right.calibrate_if_poor();
    }

    /// Moves the first `count` nodes to the end of `left`.
    pub(super) fn give_left(&mut self, count: usize, left: &mut Leaf) {
        let left_len = left.len();
        left.len += count as u16;
        for index in 0..count {
            left.take_in(left_len + index, self.entries[index]);
        }
        self.remove(0, count);
        left.calibrate_if_poor();
    }

    fn take_in(&mut self, index: usize, entry: Entry) {
        let (hint, clamped) = self.locate(view(&entry).key());
        self.entries[index] = Entry::new(hint, entry.pointer());
        self.clamped += u16::from(clamped);
    }

    fn calibrate_if_poor(&mut self) {
        if self.len < 2 {
            return;
        }
        let spread = self.entries[self.len() - 1].hint() - self.entries[0].hint();
        if (spread < POOR_SPREAD && self.shift > 0) || self.clamped > 4 + self.len / 4 {
            self.calibrate();
        }
    }

    /// Chooses the scale anew, a third of it for the keys at hand and a third on either side.
    #[cold]
    pub(super) fn calibrate(&mut self) {
        self.clamped = 0;
        if self.len == 0 {
            return;
        }
        let (first, last) = (self.first().key(), self.last().key());
        let span = last - first;
        self.base = first.saturating_sub(span);
        let width = last.saturating_add(span) - self.base;
        self.shift = (u64::BITS - width.leading_zeros()).saturating_sub(16) as u8;
        for index in 0..self.len() {
            let entry = self.entries[index];
            let (hint, _) = self.locate(view(&entry).key());
            self.entries[index] = Entry::new(hint, entry.pointer());
        }
    }

    /// Panics when an invariant of this file does not hold.
    #[cfg(test)]
    pub(super) fn check(&self) {
        assert!(self.len > 0 && self.len() <= LEAF_CAPACITY);
        for index in 0..self.len() {
            let node = self.node(index);
            assert_eq!(
                self.entries[index].hint(),
                self.locate(node.key()).0,
                "a stale hint"
            );
            if index > 0 {
                let before = self.node(index - 1);
                assert!(
                    before.compare(node.key(), node.member()).is_lt(),
                    "out of order"
                );
            }
        }
    }
}

#[inline]
fn view(entry: &Entry) -> NodeRef<'_> {
    // SAFETY: a leaf holds live nodes only, as whoever inserts into the tree promises, and the
    // node cannot be freed during a borrow of the leaf that names it.
    unsafe { entry.pointer().view() }
}
