//! A big sorted set: the member index and the tree over the same nodes.
//!
//! The index owns the nodes; the tree points at them. Every node is in both, except inside the
//! methods here.

use std::collections::VecDeque;
use std::ops::Range;

use super::node::{Node, NodePtr, NodeRef};
use super::range::{LexRange, ScoreCut};
use super::tree::{Builder, Tree};
use super::{Change, Decision};
use crate::hash::hash;
use crate::table::{Slot, Table};

pub(super) struct Indexed {
    // Declared first and so dropped first: it points at what the index owns.
    tree: Tree,
    index: Table<Node>,
    node_bytes: usize,
}

impl Indexed {
    /// Builds a set of about `count` members from what comes, fastest when that is in order.
    pub(super) fn build<M: AsRef<[u8]>>(
        items: impl IntoIterator<Item = (M, f64)>,
        count: usize,
    ) -> Self {
        let mut index = Table::with_capacity(count);
        let mut builder = Builder::new();
        let mut node_bytes = 0;
        let mut items = items.into_iter();
        let mut stray = None;
        let mut last: Option<(u64, Vec<u8>)> = None;
        for (member, score) in items.by_ref() {
            let bytes = member.as_ref();
            let node = Node::new(score, bytes);
            let key = node.view().key();
            let ascends = last.as_ref().is_none_or(|(last_key, last_member)| {
                (*last_key, last_member.as_slice()) < (key, bytes)
            });
            let slot = index.entry(hash(bytes), |other: NodeRef<'_>| other.member() == bytes);
            let (true, Slot::Vacant(vacant)) = (ascends, slot) else {
                stray = Some((member, score));
                break;
            };
            node_bytes += node.view().heap_bytes();
            let pointer = node.pointer();
            vacant.insert(node);
            // SAFETY: the index owns the node, and this type takes nodes out of the tree before it
            // drops them; the order has just been checked.
            unsafe { builder.push(pointer) };
            let (last_key, last_member) = last.get_or_insert_default();
            *last_key = key;
            last_member.clear();
            last_member.extend_from_slice(bytes);
        }
        let mut set = Indexed {
            tree: builder.finish(),
            index,
            node_bytes,
        };
        for (member, score) in stray.into_iter().chain(items) {
            set.upsert(member.as_ref(), |_| Some(score));
        }
        set
    }

    /// Builds a set from members that come in strictly ascending order, each once, with their
    /// hashes: nothing is looked up.
    ///
    /// # Panics
    /// If the order does not ascend.
    pub(super) fn from_ordered<M: AsRef<[u8]>>(
        items: impl ExactSizeIterator<Item = (u64, M, f64)>,
    ) -> Self {
        /// How many buckets are on their way at a time.
        const AHEAD: usize = 8;
        let mut index = Table::with_capacity(items.len());
        let mut builder = Builder::new();
        let mut node_bytes = 0;
        let mut last: Option<NodePtr> = None;
        let mut waiting: VecDeque<(u64, Node)> = VecDeque::with_capacity(AHEAD);
        for (hash, member, score) in items {
            index.prefetch_bucket(hash);
            let node = Node::new(score, member.as_ref());
            let view = node.view();
            let ascends = last.is_none_or(|last| {
                // SAFETY: the node before is in the index or waits to be.
                let last = unsafe { last.view() };
                last.compare(view.key(), view.member()).is_lt()
            });
            assert!(ascends, "members come in ascending order");
            node_bytes += view.heap_bytes();
            let pointer = node.pointer();
            last = Some(pointer);
            if waiting.len() == AHEAD
                && let Some((hash, node)) = waiting.pop_front()
            {
                index.insert_hashed(hash, node);
            }
            waiting.push_back((hash, node));
            // SAFETY: the index will own the node before anybody sees the tree, and this type takes
            // nodes out of the tree before it drops them; the order has just been checked.
            unsafe { builder.push(pointer) };
        }
        for (hash, node) in waiting {
            index.insert_hashed(hash, node);
        }
        Indexed {
            tree: builder.finish(),
            index,
            node_bytes,
        }
    }

    /// Builds a set over the nodes of an index, which are all in `order`, ascending.
    ///
    /// # Safety
    /// `order` names every node of `index` once.
    pub(super) unsafe fn from_index(
        index: Table<Node>,
        order: impl Iterator<Item = NodePtr>,
        node_bytes: usize,
    ) -> Self {
        let mut builder = Builder::new();
        for node in order {
            // SAFETY: the index owns the node; the caller promises the order.
            unsafe { builder.push(node) };
        }
        Indexed {
            tree: builder.finish(),
            index,
            node_bytes,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.tree.len()
    }

    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    pub(super) fn index(&self) -> &Table<Node> {
        &self.index
    }

    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<Self>() + self.tree.heap_bytes() + self.index.heap_bytes() + self.node_bytes
    }

    #[inline]
    pub(super) fn find(&self, member: &[u8]) -> Option<NodeRef<'_>> {
        self.find_hashed(hash(member), member)
    }

    #[inline]
    pub(super) fn find_hashed(&self, hash: u64, member: &[u8]) -> Option<NodeRef<'_>> {
        self.index.find(hash, |node| node.member() == member)
    }

    /// Asks the caller what score the member should have, given the one it has.
    #[inline]
    pub(super) fn upsert(&mut self, member: &[u8], decide: impl Decision) -> Change {
        match self
            .index
            .entry(hash(member), |node| node.member() == member)
        {
            Slot::Occupied(occupied) => {
                let node = occupied.into_ref();
                let change = Change::decided(Some(node.score()), decide);
                if let (Some(score), true) = (change.current, change.is_change()) {
                    self.tree.rescore(node, score);
                }
                change
            }
            Slot::Vacant(vacant) => {
                let change = Change::decided(None, decide);
                if let Some(score) = change.current {
                    let node = Node::new(score, member);
                    let pointer = node.pointer();
                    self.node_bytes += node.view().heap_bytes();
                    vacant.insert(node);
                    // SAFETY: the index owns the node, which is not in the tree yet; this type
                    // takes nodes out of the tree before it drops them.
                    unsafe { self.tree.insert(pointer) };
                }
                change
            }
        }
    }

    pub(super) fn remove(&mut self, member: &[u8]) -> Option<f64> {
        let occupied = self
            .index
            .find_mut(hash(member), |node| node.member() == member)?;
        self.tree.remove(occupied.get());
        let node = occupied.remove();
        self.node_bytes -= node.view().heap_bytes();
        Some(node.view().score())
    }

    /// Removes the members of those ranks, which must exist, and shows each to `f`.
    pub(super) fn remove_ranks(&mut self, ranks: Range<usize>, mut f: impl FnMut(&[u8], f64)) {
        let mut left = ranks.len();
        while left > 0 {
            let nodes = self.tree.remove_some(ranks.start, left);
            left -= nodes.len();
            // The nodes lie scattered; asking for all of them first overlaps the waiting.
            for pointer in &nodes {
                pointer.prefetch();
            }
            for (at, pointer) in nodes.iter().enumerate() {
                if let Some(soon) = nodes.get(at + 4) {
                    // SAFETY: out of the tree but still owned by the index.
                    self.index
                        .prefetch_bucket(hash(unsafe { soon.view() }.member()));
                }
                // SAFETY: as above; the view ends before the node is dropped.
                let member_hash = hash(unsafe { pointer.view() }.member());
                let occupied = self
                    .index
                    .find_mut(member_hash, |node| node.pointer() == *pointer)
                    .expect("the index holds every node of the tree");
                let node = occupied.remove();
                self.node_bytes -= node.view().heap_bytes();
                f(node.view().member(), node.view().score());
            }
        }
    }

    /// Asks for what taking the smallest again soon will need.
    #[inline]
    pub(super) fn prefetch_first(&self) {
        if let Some(node) = self.tree.prefetch_first() {
            self.index.prefetch_bucket(hash(node.member()));
        }
    }

    pub(super) fn count_before(&self, cut: ScoreCut) -> usize {
        self.tree.count_before(cut)
    }

    pub(super) fn ranks_by_lex(&self, range: &LexRange<'_>) -> Range<usize> {
        let start = self
            .tree
            .partition_point(|node| range.starts_after(node.member()));
        start
            ..self
                .tree
                .partition_point(|node| range.reaches(node.member()))
    }

    /// Panics when an invariant does not hold.
    #[cfg(test)]
    pub(super) fn check(&self) {
        self.tree.check();
        assert_eq!(self.tree.len(), self.index.len());
        let mut node_bytes = 0;
        for node in self.index.iter() {
            node_bytes += node.heap_bytes();
            let rank = self.tree.rank(node);
            assert!(
                self.tree
                    .node_at(rank)
                    .is_some_and(|at| at.pointer() == node.pointer())
            );
        }
        assert_eq!(node_bytes, self.node_bytes);
    }
}
