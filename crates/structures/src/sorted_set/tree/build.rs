//! Building a tree from nodes that come in order: full leaves first, then the pages above them.

use super::inner::{Child, INNER_CAPACITY, Inner};
use super::{LeafPtr, Tree};
use crate::sorted_set::node::NodePtr;

/// A tree that grows at its right edge only, without looking at anything but the last leaf.
pub(in super::super) struct Builder {
    /// Has its leaves and their links, and no inner pages yet.
    tree: Tree,
    /// Every leaf but the last.
    full: Vec<LeafPtr>,
}

impl Builder {
    pub(in super::super) fn new() -> Self {
        Builder {
            tree: Tree::new(),
            full: Vec::new(),
        }
    }

    /// # Safety
    /// The node is alive, stays so as long as it is in the tree, and is greater than the one
    /// pushed before; its score changes only through [`Tree::rescore`].
    pub(in super::super) unsafe fn push(&mut self, node: NodePtr) {
        let tree = &mut self.tree;
        let leaf = match tree.last {
            Some(last) if !tree.leaf(last).is_full() => last,
            last => {
                let leaf = tree.new_leaf();
                match last {
                    Some(last) => {
                        tree.leaf_mut(last).calibrate();
                        tree.leaf_mut(last).next = Some(leaf);
                        self.full.push(last);
                    }
                    None => tree.first = Some(leaf),
                }
                tree.leaf_mut(leaf).prev = last;
                tree.last = Some(leaf);
                leaf
            }
        };
        tree.leaf_mut(leaf).push_unhinted(node);
        tree.len += 1;
    }

    pub(in super::super) fn finish(mut self) -> Tree {
        let mut tree = std::mem::replace(&mut self.tree, Tree::new());
        let full = std::mem::take(&mut self.full);
        let Some(last) = tree.last else { return tree };
        tree.leaf_mut(last).calibrate();
        let mut level: Vec<Child> = full
            .into_iter()
            .chain([last])
            .map(|leaf| tree.leaf_summary(leaf))
            .collect();
        while level.len() > 1 {
            level = level
                .chunks(INNER_CAPACITY)
                .map(|children| {
                    let inner = tree.new_inner();
                    let page: &mut Inner = tree.inner_mut(inner);
                    for (index, child) in children.iter().enumerate() {
                        page.insert(index, *child);
                    }
                    page.summary(inner.into())
                })
                .collect();
            tree.height += 1;
        }
        tree.root = level.first().map(|child| child.page);
        tree
    }
}

impl Drop for Builder {
    /// An unfinished tree has no root to find its leaves from.
    fn drop(&mut self) {
        let last = self.tree.last.take();
        for leaf in self.full.drain(..).chain(last) {
            self.tree.free_leaf(leaf);
        }
    }
}
