//! The form of a list that needs more than one node: a deque of them.
//!
//! Invariants: no node is empty; `len` is the sum of the nodes' counts and `node_bytes` that of
//! their buffers; only a node of one item exceeds the byte limit that was in force when it was
//! filled.

use super::Limits;
use super::frame::framed;
use super::iter::{self, Runs};
use super::node::{End, Node};
use std::collections::VecDeque;

pub(super) struct Chain {
    nodes: VecDeque<Node>,
    len: usize,
    node_bytes: usize,
    /// Those of the last change that brought some; what removes items goes by them.
    limits: Limits,
}

impl Chain {
    /// A chain of the items of `node`.
    pub(super) fn new(node: Node, limits: &Limits) -> Chain {
        let mut chain = Chain {
            nodes: VecDeque::with_capacity(4),
            len: 0,
            node_bytes: 0,
            limits: *limits,
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
        // An edge node will most likely be filled: starting with a quarter saves the many small
        // steps.
        let room = match self.limits.node_items {
            u32::MAX if framed(item.len()) <= self.limits.node_bytes => self.limits.node_bytes / 4,
            _ => 0,
        };
        let node = Node::with_item(item, room, end, &self.limits);
        self.add_node(
            if end == End::Front {
                0
            } else {
                self.nodes.len()
            },
            node,
        );
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
        self.len -= n;
        while n > 0 {
            let at = if end == End::Front {
                0
            } else {
                self.nodes.len() - 1
            };
            let count = self.nodes[at].count();
            if count > n {
                return self.edit(at, |node, _| {
                    node.drop_many(end, n);
                    node.tighten();
                });
            }
            n -= count;
            self.drop_node(end);
        }
    }

    pub(super) fn set(&mut self, index: usize, item: &[u8], limits: &Limits) {
        self.limits = *limits;
        let (n, within) = self.locate(index);
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
        }
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
        let (mut n, within) = self.locate(index);
        self.len += 1;
        let fits = |node: &Node| node.fits(item.len(), limits);
        if fits(&self.nodes[n]) {
            return self.edit(n, |node, limits| node.insert(within, item, limits));
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
    }

    /// Removes up to `max` items equal to `value`, beginning at one end, and answers how many there
    /// were.
    pub(super) fn remove(&mut self, value: &[u8], from: End, max: usize) -> usize {
        let nodes = self.nodes.len();
        let mut removed = 0;
        let mut touched: Option<(usize, usize)> = None;
        for step in 0..nodes {
            if removed == max {
                break;
            }
            let n = if from == End::Front {
                step
            } else {
                nodes - 1 - step
            };
            let skip = match from {
                End::Front => 0,
                End::Back => self.nodes[n]
                    .count_equal(value)
                    .saturating_sub(max - removed),
            };
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

    /// Drops the empty nodes from `first` to `last` and joins neighbours that have become small.
    fn compact(&mut self, first: usize, last: usize) {
        let last = last.min(self.nodes.len() - 1);
        let mut kept = first;
        for n in first..=last {
            if self.nodes[n].count() == 0 {
                continue;
            }
            if kept > first && self.nodes[kept - 1].fits_all(&self.nodes[n], &self.limits) {
                let node = std::mem::replace(&mut self.nodes[n], Node::new());
                self.node_bytes -= node.heap_bytes();
                self.edit(kept - 1, |into, limits| into.append(&node, limits));
                continue;
            }
            self.nodes.swap(kept, n);
            kept += 1;
        }
        for node in self.nodes.drain(kept..=last) {
            self.node_bytes -= node.heap_bytes();
        }
        self.give_back();
    }

    /// Changes a node and accounts for its buffer.
    fn edit<R>(&mut self, n: usize, change: impl FnOnce(&mut Node, &Limits) -> R) -> R {
        let node = &mut self.nodes[n];
        self.node_bytes -= node.heap_bytes();
        let result = change(node, &self.limits);
        self.node_bytes += node.heap_bytes();
        result
    }

    fn add_node(&mut self, n: usize, node: Node) {
        self.node_bytes += node.heap_bytes();
        self.nodes.insert(n, node);
    }

    #[cold]
    fn drop_node(&mut self, end: End) {
        let node = match end {
            End::Front => self.nodes.pop_front(),
            End::Back => self.nodes.pop_back(),
        };
        self.node_bytes -= node.map_or(0, |node| node.heap_bytes());
        self.give_back();
    }

    fn give_back(&mut self) {
        if self.nodes.capacity() > 16 && self.nodes.len() < self.nodes.capacity() / 4 {
            self.nodes.shrink_to(self.nodes.len() * 2);
        }
    }

    pub(super) fn locate(&self, index: usize) -> (usize, usize) {
        iter::locate(self.runs(), self.len, index)
    }

    pub(super) fn get(&self, index: usize) -> &[u8] {
        let (n, within) = self.locate(index);
        self.nodes[n].get(within)
    }

    #[cfg(test)]
    pub(super) fn check(&self) {
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
        }
    }
}
