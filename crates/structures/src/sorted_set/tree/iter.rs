//! Walking a stretch of the order from both ends.
//!
//! A big set's nodes are scattered over the heap, so a walk that waits for each of them runs at
//! the latency of memory. The iterator asks for nodes some steps ahead, and for the next leaf while it
//! is in the one before, and then runs at the memory's throughput.

use super::leaf::Leaf;
use super::{LeafPtr, Tree};
use crate::sorted_set::node::{NodeRef, prefetch};

/// How many nodes ahead are asked for.
const AHEAD: usize = 16;
/// Entries in a cache line.
const LINE: usize = 8;

#[derive(Clone, Copy)]
struct Cursor<'a> {
    leaf: &'a Leaf,
    index: usize,
}

/// Nodes in order, or in reverse from the back.
#[derive(Clone)]
pub(in super::super) struct Iter<'a> {
    tree: &'a Tree,
    /// The ranks still to come.
    start: usize,
    end: usize,
    /// Where `start` is, once somebody asked.
    front: Option<Cursor<'a>>,
    /// Where `end - 1` is, once somebody asked.
    back: Option<Cursor<'a>>,
}

impl<'a> Iter<'a> {
    pub(super) fn new(tree: &'a Tree, start: usize, end: usize) -> Self {
        debug_assert!(start <= end && end <= tree.len());
        Iter {
            tree,
            start,
            end,
            front: None,
            back: None,
        }
    }

    fn cursor(&self, rank: usize) -> Cursor<'a> {
        let (leaf, index) = self
            .tree
            .place_of_rank(rank)
            .expect("the rank is inside the tree");
        Cursor { leaf, index }
    }

    fn leaf(&self, leaf: Option<LeafPtr>) -> Option<&'a Leaf> {
        leaf.map(|leaf| self.tree.leaf(leaf))
    }

    #[cold]
    fn start_front(&self) -> Cursor<'a> {
        let cursor = self.cursor(self.start);
        for offset in 1..AHEAD.min(self.end - self.start) {
            cursor.leaf.prefetch_node(cursor.index + offset);
        }
        cursor
    }

    #[cold]
    fn start_back(&self) -> Cursor<'a> {
        let cursor = self.cursor(self.end - 1);
        for offset in 1..AHEAD.min(self.end - self.start).min(cursor.index + 1) {
            cursor.leaf.prefetch_node(cursor.index - offset);
        }
        cursor
    }

    #[inline]
    fn prefetch_forward(&self, cursor: Cursor<'a>) {
        let ahead = cursor.index + AHEAD;
        if ahead < cursor.leaf.len() {
            cursor.leaf.prefetch_node(ahead);
        } else if let Some(next) = self.leaf(cursor.leaf.next) {
            next.prefetch_node(ahead - cursor.leaf.len());
        }
        if cursor.index.is_multiple_of(LINE) {
            prefetch_line(cursor.leaf.next, cursor.index);
        }
    }

    #[inline]
    fn prefetch_backward(&self, cursor: Cursor<'a>) {
        if cursor.index >= AHEAD {
            cursor.leaf.prefetch_node(cursor.index - AHEAD);
        } else if let Some(prev) = self.leaf(cursor.leaf.prev) {
            // A short leaf wraps to an index out of range, which asks for nothing.
            prev.prefetch_node((prev.len() + cursor.index).wrapping_sub(AHEAD));
        }
        if cursor.index.is_multiple_of(LINE) {
            prefetch_line(cursor.leaf.prev, cursor.index);
        }
    }
}

#[inline]
fn prefetch_line(leaf: Option<LeafPtr>, index: usize) {
    if let Some(leaf) = leaf {
        prefetch(leaf.0.as_ptr().cast::<u64>().wrapping_add(index));
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = NodeRef<'a>;

    #[inline]
    fn next(&mut self) -> Option<NodeRef<'a>> {
        if self.start == self.end {
            return None;
        }
        let cursor = match self.front {
            Some(cursor) => cursor,
            None => self.start_front(),
        };
        if self.end - self.start > AHEAD {
            self.prefetch_forward(cursor);
        }
        self.start += 1;
        let index = cursor.index + 1;
        self.front = if index < cursor.leaf.len() {
            Some(Cursor {
                leaf: cursor.leaf,
                index,
            })
        } else {
            self.leaf(cursor.leaf.next)
                .map(|leaf| Cursor { leaf, index: 0 })
        };
        Some(cursor.leaf.node(cursor.index))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.start;
        (left, Some(left))
    }

    fn nth(&mut self, count: usize) -> Option<NodeRef<'a>> {
        let skipped = count.min(self.end - self.start);
        if skipped > 0 {
            self.start += skipped;
            self.front = None;
        }
        self.next()
    }
}

impl<'a> DoubleEndedIterator for Iter<'a> {
    #[inline]
    fn next_back(&mut self) -> Option<NodeRef<'a>> {
        if self.start == self.end {
            return None;
        }
        let cursor = match self.back {
            Some(cursor) => cursor,
            None => self.start_back(),
        };
        if self.end - self.start > AHEAD {
            self.prefetch_backward(cursor);
        }
        self.end -= 1;
        self.back = match cursor.index.checked_sub(1) {
            Some(index) => Some(Cursor {
                leaf: cursor.leaf,
                index,
            }),
            None => self.leaf(cursor.leaf.prev).map(|leaf| Cursor {
                leaf,
                index: leaf.len() - 1,
            }),
        };
        Some(cursor.leaf.node(cursor.index))
    }

    fn nth_back(&mut self, count: usize) -> Option<NodeRef<'a>> {
        let skipped = count.min(self.end - self.start);
        if skipped > 0 {
            self.end -= skipped;
            self.back = None;
        }
        self.next_back()
    }
}

impl ExactSizeIterator for Iter<'_> {}
