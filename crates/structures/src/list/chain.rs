//! The form of a list that needs more than one node: a deque of them.
//!
//! Invariants: no node is empty; `len` is the sum of the nodes' counts and `node_bytes` that of
//! their buffers; only a node of one item exceeds the byte limit that was in force when it was
//! filled. The nodes that are less than `depth` away from an end are plain, and the first and the
//! last always are, so that the ends need no thought of compression. Those further in are compressed
//! where it is worth it, unless they got there while the directive was 0 and have not been touched
//! since: when the depth changes, the borders move and the middle stays as it is.

use super::Limits;
use super::frame::framed;
use super::iter::{self, Runs};
#[cfg(test)]
use super::node::State;
use super::node::{End, Node};
use std::collections::VecDeque;

pub(super) struct Chain {
    nodes: VecDeque<Node>,
    len: usize,
    node_bytes: usize,
    /// Those of the last change that brought some; what removes items goes by them.
    limits: Limits,
    /// The compression depth that the nodes are in order for; 0 is none.
    depth: u16,
}

impl Chain {
    /// A chain of the items of `node`.
    pub(super) fn new(mut node: Node, limits: &Limits) -> Chain {
        node.decompress();
        let mut chain = Chain {
            nodes: VecDeque::with_capacity(4),
            len: 0,
            node_bytes: 0,
            limits: *limits,
            depth: limits.compress_depth,
        };
        if node.count() > 0 {
            chain.len = node.count();
            chain.add_node(0, node);
        }
        chain
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.node_bytes + self.nodes.capacity() * size_of::<Node>() + size_of::<Chain>()
    }

    #[inline]
    pub(super) fn runs(&self) -> Runs<'_> {
        self.nodes.as_slices()
    }

    /// The only node, or an empty one if there is none, once the items take no more than half of
    /// what one node may: from there on the list is better off without the chain. The chain is of
    /// no use afterwards.
    #[inline]
    pub(super) fn take_small(&mut self) -> Option<Node> {
        if self.nodes.len() > 1 {
            return None;
        }
        let Some(node) = self.nodes.front() else {
            return Some(Node::new());
        };
        let small = node.used() <= self.limits.node_bytes / 2
            && node.count() <= self.limits.node_items as usize / 2;
        if small { self.nodes.pop_front() } else { None }
    }

    #[inline]
    pub(super) fn push(&mut self, end: End, item: &[u8], limits: &Limits) {
        self.limits = *limits;
        self.len += 1;
        let edge = match end {
            End::Front => self.nodes.front_mut(),
            End::Back => self.nodes.back_mut(),
        };
        match edge {
            Some(node) if node.fits(item.len(), limits) => {
                self.node_bytes -= node.heap_bytes();
                node.push(end, item, limits);
                self.node_bytes += node.heap_bytes();
            }
            _ => self.push_node(end, item),
        }
    }

    #[cold]
    fn push_node(&mut self, end: End, item: &[u8]) {
        self.follow_depth();
        // An edge node will most likely be filled: starting with a quarter saves the many small
        // steps.
        let room = match self.limits.node_items {
            Limits::ANY_ITEMS if framed(item.len()) <= self.limits.node_bytes => {
                self.limits.node_bytes / 4
            }
            _ => 0,
        };
        let node = Node::with_item(item, room, end, &self.limits);
        let n = match end {
            End::Front => 0,
            End::Back => self.nodes.len(),
        };
        self.add_node(n, node);
        self.cover(end, 1);
    }

    #[inline]
    pub(super) fn peek(&self, end: End) -> Option<&[u8]> {
        match end {
            End::Front => self.nodes.front()?.peek(end),
            End::Back => self.nodes.back()?.peek(end),
        }
    }

    /// Drops the item at one end, which has to be there.
    #[inline]
    pub(super) fn drop_one(&mut self, end: End) {
        self.len -= 1;
        let edge = match end {
            End::Front => self.nodes.front_mut(),
            End::Back => self.nodes.back_mut(),
        };
        let node = edge.expect("the caller saw an item");
        if node.count() > 1 {
            node.drop_one(end);
        } else {
            self.drop_node(end);
        }
    }

    /// Drops `n` items at one end, which have to be there.
    pub(super) fn drop_many(&mut self, end: End, mut n: usize) {
        self.follow_depth();
        self.len -= n;
        let mut dropped = 0;
        while n > 0 {
            let at = self.place(end, 0);
            let count = self.nodes[at].count();
            if count > n {
                self.edit(at, |node, _| {
                    node.drop_many(end, n);
                    node.tighten();
                });
                break;
            }
            n -= count;
            self.pop_node(end);
            dropped += 1;
        }
        if dropped > 0 {
            self.expose(end, dropped);
            self.give_back();
        }
    }

    pub(super) fn set(&mut self, index: usize, item: &[u8], limits: &Limits) {
        self.limits = *limits;
        self.follow_depth();
        let (n, within) = self.locate(index);
        self.decompress(n);
        let node = &self.nodes[n];
        if node.fits_instead(within, item.len(), limits) {
            self.edit(n, |node, limits| {
                node.replace(within, item, limits);
                node.tighten();
            });
        } else if node.count() == 1 {
            self.edit(n, |node, limits| {
                *node = Node::with_item(item, 0, End::Back, limits)
            });
        } else {
            self.edit(n, |node, limits| node.remove(within, limits));
            self.len -= 1;
            self.insert(index, item, limits);
            // The insertion may have gone elsewhere, and have moved this node.
            (n.saturating_sub(2)..n + 3).for_each(|n| self.compress(n));
            return;
        }
        self.compress(n);
    }

    /// Puts an item before item `index`, or behind the last one.
    pub(super) fn insert(&mut self, index: usize, item: &[u8], limits: &Limits) {
        if index == 0 {
            return self.push(End::Front, item, limits);
        }
        if index == self.len {
            return self.push(End::Back, item, limits);
        }
        self.limits = *limits;
        self.follow_depth();
        let (mut n, within) = self.locate(index);
        self.len += 1;
        let fits = |node: &Node| node.fits(item.len(), limits);
        if fits(&self.nodes[n]) {
            self.edit(n, |node, limits| node.insert(within, item, limits));
            return self.compress(n);
        }
        if within > 0 {
            let second = self.edit(n, |node, _| node.split(within));
            n += 1;
            self.add_node(n, second);
        }
        // The place is now between two nodes.
        if fits(&self.nodes[n - 1]) {
            self.edit(n - 1, |node, limits| node.push_back(item, limits));
        } else if fits(&self.nodes[n]) {
            self.edit(n, |node, limits| node.push_front(item, limits));
        } else {
            self.add_node(n, Node::with_item(item, 0, End::Back, limits));
        }
        self.compact(n.saturating_sub(2), n + 2);
        // One node may have been cut in two and another put in between.
        self.cover(End::Front, 2);
        self.cover(End::Back, 2);
    }

    /// Removes up to `max` items equal to `value`, beginning at one end, and answers how many there
    /// were.
    pub(super) fn remove(&mut self, value: &[u8], from: End, max: usize) -> usize {
        self.follow_depth();
        let nodes = self.nodes.len();
        let mut removed = 0;
        let mut touched: Option<(usize, usize)> = None;
        let mut scratch = Node::new();
        for step in 0..nodes {
            if removed == max {
                break;
            }
            let n = self.place(from, step);
            let node = &self.nodes[n];
            let mut skip = 0;
            if from == End::Back || !node.is_plain() {
                let equal = node.plain(&mut scratch).count_equal(value);
                if equal == 0 {
                    continue;
                }
                if from == End::Back {
                    skip = equal.saturating_sub(max - removed);
                }
                self.decompress(n);
            }
            let here = self.nodes[n].remove_equal(value, skip, max - removed);
            if here > 0 {
                removed += here;
                self.edit(n, |node, _| node.tighten());
                let (first, last) = touched.unwrap_or((n, n));
                touched = Some((first.min(n), last.max(n)));
            }
        }
        self.len -= removed;
        if let Some((first, last)) = touched {
            self.compact(first.saturating_sub(1), last + 1);
        }
        removed
    }

    /// Drops the empty nodes from `first` to `last`, joins neighbours that have become small, and
    /// compresses what is deep enough.
    fn compact(&mut self, first: usize, last: usize) {
        let last = last.min(self.nodes.len() - 1);
        let mut kept = first;
        for n in first..=last {
            if self.nodes[n].count() == 0 {
                continue;
            }
            if kept > first && self.nodes[kept - 1].fits_all(&self.nodes[n], &self.limits) {
                let mut node = std::mem::replace(&mut self.nodes[n], Node::new());
                self.node_bytes -= node.heap_bytes();
                node.decompress();
                self.edit(kept - 1, |into, limits| into.append(&node, limits));
                continue;
            }
            self.nodes.swap(kept, n);
            kept += 1;
        }
        for node in self.nodes.drain(kept..=last) {
            self.node_bytes -= node.heap_bytes();
        }
        let dropped = last + 1 - kept;
        self.expose(End::Front, dropped);
        self.expose(End::Back, dropped);
        (first..kept).for_each(|n| self.compress(n));
        self.give_back();
    }

    /// Changes a node, which becomes plain for it, and accounts for its buffer.
    fn edit<R>(&mut self, n: usize, change: impl FnOnce(&mut Node, &Limits) -> R) -> R {
        let node = &mut self.nodes[n];
        self.node_bytes -= node.heap_bytes();
        node.decompress();
        let result = change(node, &self.limits);
        self.node_bytes += node.heap_bytes();
        result
    }

    fn decompress(&mut self, n: usize) {
        self.edit(n, |_, _| ());
    }

    /// Compresses node `n` if there is one, it is deep enough, and it is worth it.
    fn compress(&mut self, n: usize) {
        let depth = usize::from(self.depth);
        if depth == 0 || n < depth || n + depth >= self.nodes.len() {
            return;
        }
        let node = &mut self.nodes[n];
        self.node_bytes -= node.heap_bytes();
        node.compress();
        self.node_bytes += node.heap_bytes();
    }

    /// Compresses nodes at one end of the middle, after up to `added` nodes have come before them.
    fn cover(&mut self, end: End, added: usize) {
        let depth = usize::from(self.depth);
        if depth > 0 && self.nodes.len() > 2 * depth {
            for steps in depth..(depth + added).min(self.nodes.len()) {
                self.compress(self.place(end, steps));
            }
        }
    }

    /// Makes nodes plain that have come less than the depth from one end, now that up to `dropped`
    /// are gone there.
    fn expose(&mut self, end: End, dropped: usize) {
        let depth = usize::from(self.depth).max(1);
        for steps in depth.saturating_sub(dropped)..depth.min(self.nodes.len()) {
            self.decompress(self.place(end, steps));
        }
    }

    /// Has the nodes in order for the depth that is in force. Whatever adds, drops or changes nodes
    /// begins with it; a push into a node does without.
    fn follow_depth(&mut self) {
        if self.depth != self.limits.compress_depth {
            self.change_depth();
        }
    }

    #[cold]
    fn change_depth(&mut self) {
        let old = usize::from(self.depth);
        self.depth = self.limits.compress_depth;
        for end in [End::Front, End::Back] {
            self.expose(end, usize::MAX);
            self.cover(end, old.saturating_sub(self.depth.into()));
        }
    }

    /// The index of the node that is `steps` away from an end.
    fn place(&self, end: End, steps: usize) -> usize {
        match end {
            End::Front => steps,
            End::Back => self.nodes.len() - 1 - steps,
        }
    }

    fn add_node(&mut self, n: usize, node: Node) {
        self.node_bytes += node.heap_bytes();
        self.nodes.insert(n, node);
    }

    #[cold]
    fn drop_node(&mut self, end: End) {
        self.follow_depth();
        self.pop_node(end);
        self.expose(end, 1);
        self.give_back();
    }

    fn pop_node(&mut self, end: End) {
        let node = match end {
            End::Front => self.nodes.pop_front(),
            End::Back => self.nodes.pop_back(),
        };
        self.node_bytes -= node.map_or(0, |node| node.heap_bytes());
    }

    fn give_back(&mut self) {
        if self.nodes.capacity() > 16 && self.nodes.len() < self.nodes.capacity() / 4 {
            self.nodes.shrink_to(self.nodes.len() * 2);
        }
    }

    pub(super) fn locate(&self, index: usize) -> (usize, usize) {
        iter::locate(self.runs(), self.len, index)
    }

    pub(super) fn get<R>(&self, index: usize, read: impl FnOnce(&[u8]) -> R) -> R {
        let (n, within) = self.locate(index);
        read(self.nodes[n].plain(&mut Node::new()).get(within))
    }

    /// How many nodes there are, and how many of them are compressed.
    #[cfg(test)]
    pub(super) fn compressed(&self) -> (usize, usize) {
        let compressed = self.nodes.iter().filter(|node| !node.is_plain());
        (self.nodes.len(), compressed.count())
    }

    #[cfg(test)]
    pub(super) fn check(&self) {
        for steps in 0..usize::from(self.depth).max(1).min(self.nodes.len()) {
            for end in [End::Front, End::Back] {
                assert!(self.nodes[self.place(end, steps)].state == State::Plain);
            }
        }
        assert!(self.nodes.iter().all(|node| node.count() > 0));
        assert_eq!(self.len, self.nodes.iter().map(Node::count).sum::<usize>());
        assert_eq!(
            self.node_bytes,
            self.nodes.iter().map(Node::heap_bytes).sum::<usize>()
        );
    }
}

impl Clone for Chain {
    fn clone(&self) -> Chain {
        // Copies of nodes have no free room.
        let nodes = self.nodes.clone();
        let node_bytes = nodes.iter().map(Node::heap_bytes).sum();
        Chain {
            nodes,
            len: self.len,
            node_bytes,
            limits: self.limits,
            depth: self.depth,
        }
    }
}
