//! The tree's invariants, as a function the tests call.

use super::inner::Child;
use super::leaf::LEAF_CAPACITY;
use super::{LeafPtr, Page, Tree};

impl Tree {
    /// Panics when an invariant does not hold.
    pub(in super::super) fn check(&self) {
        let mut leaves = Vec::new();
        let mut inners = 0;
        match self.root {
            None => assert_eq!((self.height, self.len), (0, 0)),
            Some(root) => {
                let summary = self.check_page(root, self.height, &mut leaves, &mut inners);
                assert_eq!(summary.count, self.len);
                if self.height > 0 {
                    assert!(
                        self.inner(root.as_inner()).len() > 1,
                        "a root with one child"
                    );
                }
            }
        }
        assert_eq!((leaves.len(), inners), (self.leaves, self.inners));
        assert_eq!(
            self.first.map(Page::from),
            leaves.first().copied().map(Page::from)
        );
        assert_eq!(
            self.last.map(Page::from),
            leaves.last().copied().map(Page::from)
        );
        for (index, leaf) in leaves.iter().enumerate() {
            let leaf = self.leaf(*leaf);
            assert!(leaf.prev == index.checked_sub(1).map(|index| leaves[index]));
            assert!(leaf.next == leaves.get(index + 1).copied());
            if let Some(next) = leaf.next {
                let next = self.leaf(next).first();
                assert!(
                    leaf.last().compare(next.key(), next.member()).is_lt(),
                    "out of order"
                );
            }
        }
    }

    fn check_page(
        &self,
        page: Page,
        height: usize,
        leaves: &mut Vec<LeafPtr>,
        inners: &mut usize,
    ) -> Child {
        if height == 0 {
            let leaf = page.as_leaf();
            self.leaf(leaf).check();
            leaves.push(leaf);
            return self.leaf_summary(leaf);
        }
        *inners += 1;
        let inner = self.inner(page.as_inner());
        assert!(inner.len() > 0, "an empty inner page");
        for index in 0..inner.len() {
            let known = inner.child(index);
            let actual = self.check_page(known.page, height - 1, leaves, inners);
            assert_eq!(known.count, actual.count);
            assert_eq!(known.key, actual.key);
            assert!(known.first == actual.first);
        }
        inner.summary(page)
    }

    /// The share of entries that are in use, over all leaves.
    pub(in super::super) fn fill(&self) -> f64 {
        self.len as f64 / (self.leaves * LEAF_CAPACITY) as f64
    }
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
