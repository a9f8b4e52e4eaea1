//! An inner page: up to 31 children, each with the first node below it and how many there are.
//!
//! The separators are exact: `keys[i]` and `firsts[i]` are the very first node of child `i`, so a
//! search settles ties of scores without a detour through the leaves, and a removed node is never
//! named by a separator. Counts make ranks a sum on the way down. The arrays lie side by side,
//! because a search reads the keys alone and a rank the counts alone.
//!
//! Invariant: 1 to 31 children, and never an only child at the root. The size is one allocation
//! class of 1,024 bytes with a little to spare.

use super::Page;
use crate::sorted_set::node::{NodePtr, NodeRef, partition_nodes, prefetch};
use crate::sorted_set::range::Probe;

/// How many children an inner page holds.
pub(super) const INNER_CAPACITY: usize = 31;

/// One child as its parent knows it.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) key: u64,
    pub(super) first: NodePtr,
    pub(super) page: Page,
    pub(super) count: usize,
}

#[repr(C)]
pub(super) struct Inner {
    len: usize,
    keys: [u64; INNER_CAPACITY],
    counts: [usize; INNER_CAPACITY],
    pages: [Page; INNER_CAPACITY],
    firsts: [NodePtr; INNER_CAPACITY],
}

const _: () = assert!(size_of::<Inner>() > 896 && size_of::<Inner>() <= 1024);

impl Inner {
    pub(super) fn new() -> Self {
        Inner {
            len: 0,
            keys: [0; INNER_CAPACITY],
            counts: [0; INNER_CAPACITY],
            pages: [Page::DANGLING; INNER_CAPACITY],
            firsts: [NodePtr::DANGLING; INNER_CAPACITY],
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn is_full(&self) -> bool {
        self.len == INNER_CAPACITY
    }

    #[inline]
    pub(super) fn page(&self, index: usize) -> Page {
        assert!(index < self.len);
        self.pages[index]
    }

    #[cfg(test)]
    pub(super) fn child(&self, index: usize) -> Child {
        assert!(index < self.len);
        Child {
            key: self.keys[index],
            first: self.firsts[index],
            page: self.pages[index],
            count: self.counts[index],
        }
    }

    pub(super) fn set(&mut self, index: usize, child: Child) {
        assert!(index < self.len);
        self.keys[index] = child.key;
        self.counts[index] = child.count;
        self.pages[index] = child.page;
        self.firsts[index] = child.first;
    }

    #[inline]
    pub(super) fn set_first(&mut self, index: usize, key: u64, first: NodePtr) {
        self.keys[index] = key;
        self.firsts[index] = first;
    }

    #[inline]
    pub(super) fn add(&mut self, index: usize, count: usize) {
        self.counts[index] += count;
    }

    #[inline]
    pub(super) fn subtract(&mut self, index: usize, count: usize) {
        self.counts[index] -= count;
    }

    pub(super) fn insert(&mut self, index: usize, child: Child) {
        assert!(self.len < INNER_CAPACITY && index <= self.len);
        let rest = index..self.len;
        self.keys.copy_within(rest.clone(), index + 1);
        self.counts.copy_within(rest.clone(), index + 1);
        self.pages.copy_within(rest.clone(), index + 1);
        self.firsts.copy_within(rest, index + 1);
        self.len += 1;
        self.set(index, child);
    }

    pub(super) fn remove(&mut self, index: usize) {
        assert!(index < self.len);
        let rest = index + 1..self.len;
        self.keys.copy_within(rest.clone(), index);
        self.counts.copy_within(rest.clone(), index);
        self.pages.copy_within(rest.clone(), index);
        self.firsts.copy_within(rest, index);
        self.len -= 1;
    }

    /// Moves the children from `at` on to the end of `right`.
    pub(super) fn move_tail(&mut self, at: usize, right: &mut Inner) {
        let moved = self.len - at;
        let to = right.len..right.len + moved;
        right.keys[to.clone()].copy_from_slice(&self.keys[at..self.len]);
        right.counts[to.clone()].copy_from_slice(&self.counts[at..self.len]);
        right.pages[to.clone()].copy_from_slice(&self.pages[at..self.len]);
        right.firsts[to].copy_from_slice(&self.firsts[at..self.len]);
        right.len += moved;
        self.len = at;
    }

    /// This page as its parent should know it.
    pub(super) fn summary(&self, page: Page) -> Child {
        assert!(self.len > 0);
        Child {
            key: self.keys[0],
            first: self.firsts[0],
            page,
            count: self.count(),
        }
    }

    fn count(&self) -> usize {
        self.count_before_child(self.len)
    }

    /// Asks for what a search reads once it has found its key.
    #[inline]
    pub(super) fn prefetch_children(&self) {
        for index in (0..INNER_CAPACITY).step_by(8) {
            prefetch(&self.pages[index]);
            prefetch(&self.counts[index]);
        }
    }

    /// How many nodes lie under the children left of `index`.
    #[inline]
    pub(super) fn count_before_child(&self, index: usize) -> usize {
        self.counts[..index].iter().sum()
    }

    /// The child that the cut of the probe goes through.
    #[inline]
    pub(super) fn child_at<P: Probe>(&self, probe: P) -> usize {
        let key = probe.key();
        let keys = &self.keys[..self.len];
        // Counting reads all lines at once, where halving waits for one after the other.
        let mut before: usize = keys.iter().map(|other| usize::from(*other < key)).sum();
        if keys.get(before) == Some(&key) {
            let ties = keys[before..].partition_point(|other| *other == key);
            before += partition_nodes(&self.firsts[before..before + ties], view, |first| {
                probe.enters(first)
            });
        }
        before.saturating_sub(1)
    }

    /// The child that holds the first node failing `is_before`, or the end of the one before it.
    pub(super) fn child_by(&self, is_before: impl FnMut(NodeRef<'_>) -> bool) -> usize {
        partition_nodes(&self.firsts[..self.len], view, is_before).saturating_sub(1)
    }

    /// The child that holds the node of that rank, and the rank inside the child.
    #[inline]
    pub(super) fn child_of_rank(&self, mut rank: usize) -> (usize, usize) {
        let mut index = 0;
        while index + 1 < self.len && rank >= self.counts[index] {
            rank -= self.counts[index];
            index += 1;
        }
        (index, rank)
    }
}

#[inline]
fn view(first: &NodePtr) -> NodeRef<'_> {
    // SAFETY: a separator is the first node of its subtree, hence a live node.
    unsafe { first.view() }
}
