//! How the tree changes: insertion, removal, a new score, and the pages that split and join on it.
//!
//! Every change walks down once and remembers the way. The common case then touches one leaf and
//! the counts along the way; a change of structure repairs the parents from their children, which
//! is simpler than tracking differences and rare enough.

use smallvec::SmallVec;

use super::inner::{Child, INNER_CAPACITY};
use super::leaf::LEAF_CAPACITY;
use super::{LeafPtr, Page, Path, Step, Tree};
use crate::sorted_set::node::{NodePtr, NodeRef, key_of};
use crate::sorted_set::range::{Probe, Target};

/// A sibling takes nodes over while it has at least this much room.
const SHARE_ROOM: usize = LEAF_CAPACITY / 5;
const LEAF_LOW: usize = LEAF_CAPACITY / 4;
const LEAF_JOINED: usize = LEAF_CAPACITY * 3 / 4;
const INNER_LOW: usize = INNER_CAPACITY / 4;
const INNER_JOINED: usize = INNER_CAPACITY * 3 / 4;

impl Tree {
    /// Adds a node.
    ///
    /// # Safety
    /// The node is alive and stays so until it is removed, the tree holds no equal one, and its
    /// score changes only through [`Tree::rescore`].
    pub(in super::super) unsafe fn insert(&mut self, node: NodePtr) {
        // SAFETY: the caller promises a live node.
        let view = unsafe { node.view() };
        let target = Target {
            key: view.key(),
            member: view.member(),
        };
        let Some(mut path) = self.path_to(target) else {
            return self.plant(target.key, node);
        };
        let leaf = self.leaf(path.leaf);
        if leaf.is_full() {
            if leaf.next.is_none() && path.index == leaf.len() {
                return self.extend_right(&path, target.key, node);
            }
            if leaf.prev.is_none() && path.index == 0 {
                return self.extend_left(&path, target.key, node);
            }
            self.make_room(&path);
            path = self
                .path_to(target)
                .expect("a tree with a full leaf has a root");
        }
        self.leaf_mut(path.leaf)
            .insert(path.index, target.key, node);
        self.len += 1;
        for step in &path.steps {
            self.inner_mut(step.inner).add(step.index, 1);
        }
        if path.index == 0 {
            self.renew_first(&path);
        }
    }

    /// Takes a node out; it stays alive.
    ///
    /// # Panics
    /// If the tree does not hold it.
    pub(in super::super) fn remove(&mut self, node: NodeRef<'_>) {
        let path = self.path_of(node);
        self.remove_run(&path, 1);
    }

    /// Gives a node of this tree a new score and moves it to its new place.
    ///
    /// # Panics
    /// If the tree does not hold it.
    pub(in super::super) fn rescore(&mut self, node: NodeRef<'_>, score: f64) {
        let path = self.path_of(node);
        let pointer = node.pointer();
        let key = key_of(score);
        let stays = self.fits_between_neighbours(&path, key, node.member());
        if !stays {
            self.remove_run(&path, 1);
        }
        // SAFETY: `path_of` found the node in the tree, so it is alive; nodes are reached through
        // this tree and its index alone, and the caller holds both exclusively.
        unsafe { pointer.set_score(score) };
        if stays {
            self.leaf_mut(path.leaf).rehint(path.index, key);
            if path.index == 0 {
                self.renew_first(&path);
            }
        } else {
            // SAFETY: the node was in the tree until a moment ago, under the same promises.
            unsafe { self.insert(pointer) };
        }
    }

    /// Takes out some of the nodes from rank `start` on, at least one and at most `count`, and
    /// hands over their pointers in order.
    pub(in super::super) fn remove_some(
        &mut self,
        start: usize,
        count: usize,
    ) -> SmallVec<[NodePtr; LEAF_CAPACITY]> {
        let path = self.path_of_rank(start);
        let leaf = self.leaf(path.leaf);
        let count = count.min(leaf.len() - path.index);
        let nodes = leaf.pointers().skip(path.index).take(count).collect();
        self.remove_run(&path, count);
        nodes
    }

    /// The way to the cut of the probe.
    fn path_to<P: Probe>(&self, probe: P) -> Option<Path> {
        let mut steps = SmallVec::new();
        let leaf = self.walk_down(|inner, page| {
            let index = page.child_at(probe);
            steps.push(Step { inner, index });
            index
        })?;
        Some(Path {
            steps,
            leaf,
            index: self.leaf(leaf).count_before(probe),
        })
    }

    /// The way to a node of this tree, which panics if it is not one.
    fn path_of(&self, node: NodeRef<'_>) -> Path {
        let target = Target {
            key: node.key(),
            member: node.member(),
        };
        let mut steps = SmallVec::new();
        let leaf = self.walk_down(|inner, page| {
            let index = page.child_at(target);
            steps.push(Step { inner, index });
            index
        });
        let leaf = leaf.expect("the tree holds the node");
        Path {
            steps,
            leaf,
            index: self.index_in(leaf, target.key, node.pointer()),
        }
    }

    fn path_of_rank(&self, mut rank: usize) -> Path {
        assert!(rank < self.len);
        let mut steps = SmallVec::new();
        let leaf = self.walk_down(|inner, page| {
            let (index, inside) = page.child_of_rank(rank);
            steps.push(Step { inner, index });
            rank = inside;
            index
        });
        Path {
            steps,
            leaf: leaf.expect("a tree with nodes has a root"),
            index: rank,
        }
    }

    /// Whether the node at the end of the path could have that key and stay where it is.
    fn fits_between_neighbours(&self, path: &Path, key: u64, member: &[u8]) -> bool {
        let leaf = self.leaf(path.leaf);
        let follows = match path.index.checked_sub(1) {
            Some(index) => leaf.compare(index, key, member).is_lt(),
            None => leaf
                .prev
                .is_none_or(|prev| self.leaf(prev).last().compare(key, member).is_lt()),
        };
        follows
            && if path.index + 1 < leaf.len() {
                leaf.compare(path.index + 1, key, member).is_gt()
            } else {
                leaf.next
                    .is_none_or(|next| self.leaf(next).first().compare(key, member).is_gt())
            }
    }

    /// Repairs the separators above a leaf whose first node changed.
    fn renew_first(&mut self, path: &Path) {
        let first = self.leaf(path.leaf).first();
        let (key, first) = (first.key(), first.pointer());
        for step in path.steps.iter().rev() {
            self.inner_mut(step.inner).set_first(step.index, key, first);
            if step.index != 0 {
                break;
            }
        }
    }

    /// Repairs what the pages above `level` know about the way down to it.
    fn renew_above(&mut self, steps: &[Step], level: usize) {
        for level in (0..level).rev() {
            let below = steps[level + 1].inner;
            let summary = self.inner(below).summary(below.into());
            self.inner_mut(steps[level].inner)
                .set(steps[level].index, summary);
        }
    }

    pub(super) fn leaf_summary(&self, leaf: LeafPtr) -> Child {
        let page = self.leaf(leaf);
        let first = page.first();
        Child {
            key: first.key(),
            first: first.pointer(),
            page: leaf.into(),
            count: page.len(),
        }
    }

    fn plant(&mut self, key: u64, node: NodePtr) {
        let leaf = self.new_leaf();
        self.leaf_mut(leaf).insert(0, key, node);
        self.root = Some(leaf.into());
        self.first = Some(leaf);
        self.last = Some(leaf);
        self.len = 1;
    }

    /// Puts the node into a leaf of its own behind the last one, which is full and stays full.
    fn extend_right(&mut self, path: &Path, key: u64, node: NodePtr) {
        let leaf = self.new_leaf();
        let (old, new) = self.two_leaves_mut(path.leaf, leaf);
        new.adopt_scale(old, key);
        new.insert(0, key, node);
        new.prev = Some(path.leaf);
        old.next = Some(leaf);
        self.last = Some(leaf);
        self.len += 1;
        let summary = self.leaf_summary(leaf);
        self.insert_leaf_child(path, 1, summary);
    }

    /// The mirror image of `extend_right`.
    fn extend_left(&mut self, path: &Path, key: u64, node: NodePtr) {
        let leaf = self.new_leaf();
        let (old, new) = self.two_leaves_mut(path.leaf, leaf);
        new.adopt_scale(old, key);
        new.insert(0, key, node);
        new.next = Some(path.leaf);
        old.prev = Some(leaf);
        self.first = Some(leaf);
        self.len += 1;
        let summary = self.leaf_summary(leaf);
        self.insert_leaf_child(path, 0, summary);
    }

    /// Makes the full leaf at the end of the path less full, without changing the order.
    fn make_room(&mut self, path: &Path) {
        if self.share(path) {
            return;
        }
        let right = self.new_leaf();
        let next = self.leaf(path.leaf).next;
        let (left, new) = self.two_leaves_mut(path.leaf, right);
        left.split_off(LEAF_CAPACITY / 2, new);
        new.prev = Some(path.leaf);
        new.next = next;
        left.next = Some(right);
        match next {
            Some(next) => self.leaf_mut(next).prev = Some(right),
            None => self.last = Some(right),
        }
        if let Some(step) = path.steps.last() {
            let summary = self.leaf_summary(path.leaf);
            self.inner_mut(step.inner).set(step.index, summary);
        }
        let summary = self.leaf_summary(right);
        self.insert_leaf_child(path, 1, summary);
    }

    /// Moves nodes of the full leaf to a sibling under the same parent, if one has room.
    fn share(&mut self, path: &Path) -> bool {
        let Some(step) = path.steps.last() else {
            return false;
        };
        let parent = self.inner(step.inner);
        let room = |tree: &Tree, leaf: LeafPtr| LEAF_CAPACITY - tree.leaf(leaf).len();
        if step.index + 1 < parent.len() {
            let right = parent.page(step.index + 1).as_leaf();
            let room = room(self, right);
            if room >= SHARE_ROOM {
                let (full, right) = self.two_leaves_mut(path.leaf, right);
                full.give_right(room / 2, right);
                self.renew_children(step, step.index);
                return true;
            }
        }
        if step.index > 0 {
            let left = parent.page(step.index - 1).as_leaf();
            let room = room(self, left);
            if room >= SHARE_ROOM {
                let (full, left) = self.two_leaves_mut(path.leaf, left);
                full.give_left(room / 2, left);
                self.renew_children(step, step.index - 1);
                return true;
            }
        }
        false
    }

    /// Repairs what a parent knows about the two leaves at `index` and after it.
    fn renew_children(&mut self, step: &Step, index: usize) {
        for index in [index, index + 1] {
            let leaf = self.inner(step.inner).page(index).as_leaf();
            let summary = self.leaf_summary(leaf);
            self.inner_mut(step.inner).set(index, summary);
        }
    }

    /// Names a new leaf in the parents, `offset` places after the leaf at the end of the path.
    fn insert_leaf_child(&mut self, path: &Path, offset: usize, child: Child) {
        let Some(step) = path.steps.last() else {
            let old = self.leaf_summary(path.leaf);
            return self.grow(if offset == 0 {
                [child, old]
            } else {
                [old, child]
            });
        };
        self.insert_child(&path.steps, step.index + offset, child);
    }

    /// Puts a new root over two pages.
    fn grow(&mut self, children: [Child; 2]) {
        let root = self.new_inner();
        let page = self.inner_mut(root);
        page.insert(0, children[0]);
        page.insert(1, children[1]);
        self.root = Some(root.into());
        self.height += 1;
    }

    /// Inserts a child into the last page of the way, and splits upwards as far as needed.
    fn insert_child(&mut self, steps: &[Step], mut at: usize, mut child: Child) {
        let mut level = steps.len() - 1;
        loop {
            let left = steps[level].inner;
            if !self.inner(left).is_full() {
                self.inner_mut(left).insert(at, child);
                return self.renew_above(steps, level);
            }
            let above = &steps[..level];
            let at_left_edge = at == 0 && above.iter().all(|step| step.index == 0);
            let at_right_edge = at == INNER_CAPACITY
                && above
                    .iter()
                    .all(|step| step.index + 1 == self.inner(step.inner).len());
            let cut = match (at_left_edge, at_right_edge) {
                (true, _) => 0,
                (_, true) => INNER_CAPACITY,
                _ => INNER_CAPACITY / 2,
            };
            let right = self.new_inner();
            let (left_page, right_page) = self.two_inners_mut(left, right);
            left_page.move_tail(cut, right_page);
            if at_right_edge || at > cut {
                right_page.insert(at - cut, child);
            } else {
                left_page.insert(at, child);
            }
            let halves = [
                left_page.summary(left.into()),
                right_page.summary(right.into()),
            ];
            if level == 0 {
                return self.grow(halves);
            }
            level -= 1;
            self.inner_mut(steps[level].inner)
                .set(steps[level].index, halves[0]);
            at = steps[level].index + 1;
            child = halves[1];
        }
    }

    /// Takes out `count` nodes at the end of the path, all of one leaf.
    fn remove_run(&mut self, path: &Path, count: usize) {
        self.leaf_mut(path.leaf).remove(path.index, count);
        self.len -= count;
        for step in &path.steps {
            self.inner_mut(step.inner).subtract(step.index, count);
        }
        match self.leaf(path.leaf).len() {
            0 => {
                self.unlink(path.leaf);
                self.free_leaf(path.leaf);
                self.remove_page(&path.steps);
            }
            len => {
                if path.index == 0 {
                    self.renew_first(path);
                }
                if len < LEAF_LOW {
                    self.join_leaf(path);
                }
            }
        }
    }

    fn unlink(&mut self, leaf: LeafPtr) {
        let (prev, next) = (self.leaf(leaf).prev, self.leaf(leaf).next);
        match prev {
            Some(prev) => self.leaf_mut(prev).next = next,
            None => self.first = next,
        }
        match next {
            Some(next) => self.leaf_mut(next).prev = prev,
            None => self.last = prev,
        }
    }

    /// Takes the page the steps lead to, which is freed already, out of its parent; parents that
    /// become empty go with it.
    fn remove_page(&mut self, steps: &[Step]) {
        for (level, step) in steps.iter().enumerate().rev() {
            self.inner_mut(step.inner).remove(step.index);
            if self.inner(step.inner).len() > 0 {
                self.renew_above(steps, level);
                return self.join_inner(steps, level);
            }
            self.free_inner(step.inner);
        }
        self.root = None;
        self.height = 0;
    }

    /// Joins a leaf that became small with a sibling, if the two fit comfortably.
    fn join_leaf(&mut self, path: &Path) {
        let Some(step) = path.steps.last() else {
            return;
        };
        let Some(left_at) = self.joinable(step, LEAF_JOINED, |tree, page| {
            tree.leaf(page.as_leaf()).len()
        }) else {
            return;
        };
        let left = self.inner(step.inner).page(left_at).as_leaf();
        let right = self.inner(step.inner).page(left_at + 1).as_leaf();
        let (left_page, right_page) = self.two_leaves_mut(left, right);
        right_page.give_left(right_page.len(), left_page);
        self.unlink(right);
        self.free_leaf(right);
        let summary = self.leaf_summary(left);
        let parent = self.inner_mut(step.inner);
        parent.remove(left_at + 1);
        parent.set(left_at, summary);
        self.join_inner(&path.steps, path.steps.len() - 1);
    }

    /// Joins the inner page at `level` with a sibling if it became small, and so on upwards; takes
    /// a root with a single child away.
    fn join_inner(&mut self, steps: &[Step], mut level: usize) {
        while level > 0 && self.inner(steps[level].inner).len() < INNER_LOW {
            let step = &steps[level - 1];
            let Some(left_at) = self.joinable(step, INNER_JOINED, |tree, page| {
                tree.inner(page.as_inner()).len()
            }) else {
                return;
            };
            let left = self.inner(step.inner).page(left_at).as_inner();
            let right = self.inner(step.inner).page(left_at + 1).as_inner();
            let (left_page, right_page) = self.two_inners_mut(left, right);
            right_page.move_tail(0, left_page);
            let summary = left_page.summary(left.into());
            self.free_inner(right);
            let parent = self.inner_mut(step.inner);
            parent.remove(left_at + 1);
            parent.set(left_at, summary);
            level -= 1;
        }
        while self.height > 0 {
            let root = self
                .root
                .expect("a tree of some height has a root")
                .as_inner();
            if self.inner(root).len() > 1 {
                return;
            }
            self.root = Some(self.inner(root).page(0));
            self.height -= 1;
            self.free_inner(root);
        }
    }

    /// The left one of two neighbours, the child at the step among them, that may become one page.
    fn joinable(
        &self,
        step: &Step,
        at_most: usize,
        len: impl Fn(&Tree, Page) -> usize,
    ) -> Option<usize> {
        let parent = self.inner(step.inner);
        let fits = |left: usize| {
            len(self, parent.page(left)) + len(self, parent.page(left + 1)) <= at_most
        };
        if step.index + 1 < parent.len() && fits(step.index) {
            return Some(step.index);
        }
        step.index.checked_sub(1).filter(|left| fits(*left))
    }
}
