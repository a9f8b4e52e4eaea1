//! An order-statistics B+tree of node pointers.
//!
//! ```text
//!                 inner: key, first node, count of each child
//!                /        |        \
//!            inner      inner      inner
//!            /   \      /   \      /   \
//!         leaf ⇄ leaf ⇄ leaf ⇄ leaf ⇄ leaf        all leaves at one depth, linked both ways
//! ```
//!
//! Rank, select by rank and every kind of bound are O(log n): counts are summed on the way down.
//! A skiplist with spans, the usual choice, needs about 30 bytes of links and spans a member and
//! misses the cache at every step; a leaf needs 8 bytes and lets an iteration prefetch.
//!
//! A page that is full shares with a sibling that has room before it splits, so that random loads
//! fill the leaves to more than four fifths. Loads at either edge leave full pages behind. A page that
//! falls under a quarter joins a sibling if the two stay under three quarters together.
//!
//! The tree owns its pages and not the nodes. Pages are named by plain pointers that never leave
//! this module; `&self` and `&mut self` of the tree guard them all, as if it held them inline.
//!
//! Invariants: the ones of leaf and inner page; `len` is the sum of all leaves; no page is empty.

mod build;
mod change;
#[cfg(test)]
mod check;
mod inner;
mod iter;
mod leaf;

use std::ptr::NonNull;

use smallvec::SmallVec;

use self::inner::Inner;
use self::leaf::Leaf;
use super::node::{NodePtr, NodeRef, allocated};
use super::range::{Probe, Target};

pub(super) use self::build::Builder;
pub(super) use self::iter::Iter;

#[derive(Clone, Copy, PartialEq, Eq)]
struct LeafPtr(NonNull<Leaf>);

#[derive(Clone, Copy, PartialEq, Eq)]
struct InnerPtr(NonNull<Inner>);

/// A leaf or an inner page; the level it is met on says which.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Page(NonNull<u8>);

impl Page {
    const DANGLING: Page = Page(NonNull::dangling());

    #[inline]
    fn as_leaf(self) -> LeafPtr {
        LeafPtr(self.0.cast())
    }

    #[inline]
    fn as_inner(self) -> InnerPtr {
        InnerPtr(self.0.cast())
    }
}

impl From<LeafPtr> for Page {
    fn from(leaf: LeafPtr) -> Self {
        Page(leaf.0.cast())
    }
}

impl From<InnerPtr> for Page {
    fn from(inner: InnerPtr) -> Self {
        Page(inner.0.cast())
    }
}

#[derive(Clone, Copy)]
struct Step {
    inner: InnerPtr,
    index: usize,
}

/// The way from the root to an entry.
struct Path {
    steps: SmallVec<[Step; 8]>,
    leaf: LeafPtr,
    index: usize,
}

pub(super) struct Tree {
    root: Option<Page>,
    /// How many inner pages lie above a leaf.
    height: usize,
    len: usize,
    first: Option<LeafPtr>,
    last: Option<LeafPtr>,
    leaves: usize,
    inners: usize,
}

// SAFETY: the tree owns its pages, and the nodes it points at belong to the same set and are
// `Send` themselves.
unsafe impl Send for Tree {}
// SAFETY: `&Tree` only reads pages and nodes.
unsafe impl Sync for Tree {}

impl Tree {
    pub(super) const fn new() -> Self {
        Tree {
            root: None,
            height: 0,
            len: 0,
            first: None,
            last: None,
            leaves: 0,
            inners: 0,
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.leaves * allocated(size_of::<Leaf>()) + self.inners * allocated(size_of::<Inner>())
    }

    #[inline]
    fn leaf(&self, leaf: LeafPtr) -> &Leaf {
        // SAFETY: the page is one of this tree's, and `&self` keeps it from changing.
        unsafe { leaf.0.as_ref() }
    }

    #[inline]
    fn leaf_mut(&mut self, mut leaf: LeafPtr) -> &mut Leaf {
        // SAFETY: the page is one of this tree's, which `&mut self` borrows as a whole.
        unsafe { leaf.0.as_mut() }
    }

    fn two_leaves_mut(&mut self, mut a: LeafPtr, mut b: LeafPtr) -> (&mut Leaf, &mut Leaf) {
        assert!(a != b);
        // SAFETY: two different pages of this tree, which `&mut self` borrows as a whole.
        unsafe { (a.0.as_mut(), b.0.as_mut()) }
    }

    #[inline]
    fn inner(&self, inner: InnerPtr) -> &Inner {
        // SAFETY: the page is one of this tree's, and `&self` keeps it from changing.
        unsafe { inner.0.as_ref() }
    }

    #[inline]
    fn inner_mut(&mut self, mut inner: InnerPtr) -> &mut Inner {
        // SAFETY: the page is one of this tree's, which `&mut self` borrows as a whole.
        unsafe { inner.0.as_mut() }
    }

    fn two_inners_mut(&mut self, mut a: InnerPtr, mut b: InnerPtr) -> (&mut Inner, &mut Inner) {
        assert!(a != b);
        // SAFETY: two different pages of this tree, which `&mut self` borrows as a whole.
        unsafe { (a.0.as_mut(), b.0.as_mut()) }
    }

    fn new_leaf(&mut self) -> LeafPtr {
        self.leaves += 1;
        LeafPtr(NonNull::from(Box::leak(Box::new(Leaf::new()))))
    }

    fn new_inner(&mut self) -> InnerPtr {
        self.inners += 1;
        InnerPtr(NonNull::from(Box::leak(Box::new(Inner::new()))))
    }

    /// Gives up a leaf that no page and no link names any more.
    fn free_leaf(&mut self, leaf: LeafPtr) {
        self.leaves -= 1;
        // SAFETY: the page came from a `Box` and nothing names it any more.
        drop(unsafe { Box::from_raw(leaf.0.as_ptr()) });
    }

    /// Gives up an inner page that no page names any more.
    fn free_inner(&mut self, inner: InnerPtr) {
        self.inners -= 1;
        // SAFETY: the page came from a `Box` and nothing names it any more.
        drop(unsafe { Box::from_raw(inner.0.as_ptr()) });
    }

    /// Walks from the root to a leaf by the children that `choose` names.
    #[inline]
    fn walk_down(&self, mut choose: impl FnMut(InnerPtr, &Inner) -> usize) -> Option<LeafPtr> {
        let mut page = self.root?;
        for _ in 0..self.height {
            let inner = self.inner(page.as_inner());
            inner.prefetch_children();
            page = inner.page(choose(page.as_inner(), inner));
        }
        Leaf::prefetch(page.as_leaf());
        Some(page.as_leaf())
    }

    /// The leaf that the cut of the probe goes through, and how many nodes lie left of that leaf.
    #[inline]
    fn leaf_at<P: Probe>(&self, probe: P) -> Option<(LeafPtr, usize)> {
        let mut before = 0;
        let leaf = self.walk_down(|_, inner| {
            let index = inner.child_at(probe);
            before += inner.count_before_child(index);
            index
        })?;
        Some((leaf, before))
    }

    /// How many nodes lie before the cut of the probe.
    pub(super) fn count_before<P: Probe>(&self, probe: P) -> usize {
        match self.leaf_at(probe) {
            Some((leaf, before)) => before + self.leaf(leaf).count_before(probe),
            None => 0,
        }
    }

    /// How many nodes lie before the first that fails `is_before`, if it holds for a prefix of the
    /// order; some count otherwise.
    pub(super) fn partition_point(&self, mut is_before: impl FnMut(NodeRef<'_>) -> bool) -> usize {
        let mut before = 0;
        let leaf = self.walk_down(|_, inner| {
            let index = inner.child_by(&mut is_before);
            before += inner.count_before_child(index);
            index
        });
        before + leaf.map_or(0, |leaf| self.leaf(leaf).partition_point(is_before))
    }

    /// The rank of a node of this tree.
    ///
    /// # Panics
    /// If the node is not in the tree.
    pub(super) fn rank(&self, node: NodeRef<'_>) -> usize {
        let target = Target {
            key: node.key(),
            member: node.member(),
        };
        let (leaf, before) = self.leaf_at(target).expect("the tree holds the node");
        before + self.index_in(leaf, target.key, node.pointer())
    }

    #[inline]
    fn index_in(&self, leaf: LeafPtr, key: u64, node: NodePtr) -> usize {
        self.leaf(leaf)
            .index_of(key, node)
            .expect("the tree holds the node")
    }

    /// The node of that rank.
    #[inline]
    pub(super) fn node_at(&self, rank: usize) -> Option<NodeRef<'_>> {
        let (leaf, index) = self.place_of_rank(rank)?;
        Some(leaf.node(index))
    }

    /// Asks for a node some places behind the first, and answers one that is nearer and was asked
    /// for a while ago if this is called after every removal.
    #[inline]
    pub(super) fn prefetch_first(&self) -> Option<NodeRef<'_>> {
        let leaf = self.leaf(self.first?);
        leaf.prefetch_node(6);
        (leaf.len() > 3).then(|| leaf.node(3))
    }

    fn place_of_rank(&self, mut rank: usize) -> Option<(&Leaf, usize)> {
        if rank >= self.len {
            return None;
        }
        // Both ends are asked for far more often than anything between.
        if rank == 0 {
            return Some((self.leaf(self.first?), 0));
        }
        if rank + 1 == self.len {
            let leaf = self.leaf(self.last?);
            return Some((leaf, leaf.len() - 1));
        }
        let leaf = self.walk_down(|_, inner| {
            let (index, inside) = inner.child_of_rank(rank);
            rank = inside;
            index
        })?;
        Some((self.leaf(leaf), rank))
    }

    /// The nodes of the ranks `start..end`, which must lie inside the tree.
    pub(super) fn iter(&self, start: usize, end: usize) -> Iter<'_> {
        Iter::new(self, start, end)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if let Some(root) = self.root.take() {
            self.free_below(root, self.height);
        }
    }
}

impl Tree {
    /// Frees a page and everything below it; recursion is as deep as the tree is high.
    fn free_below(&mut self, page: Page, height: usize) {
        if height == 0 {
            return self.free_leaf(page.as_leaf());
        }
        let inner = page.as_inner();
        for index in 0..self.inner(inner).len() {
            let child = self.inner(inner).page(index);
            self.free_below(child, height - 1);
        }
        self.free_inner(inner);
    }
}
