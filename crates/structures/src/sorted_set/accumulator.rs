//! Gathering members in any order, from several sets, into one sorted set.
//!
//! A union sees most members once or twice and needs their order only at the end. So members go
//! into the index that the finished set will have, scores are changed in place, and the nodes are
//! sorted once and the tree built over them. Inserting into a set right away would search the
//! tree for every member and move it for every change of its score.
//!
//! Invariant: `nodes` names every node of the index once, in the order of their coming.

use super::indexed::Indexed;
use super::node::{Node, NodePtr, NodeRef};
use super::{Limits, SortedSet, Store};
use crate::table::{Slot, Table};

/// Members with their scores, in no order yet.
pub struct Accumulator {
    index: Table<Node>,
    nodes: Vec<NodePtr>,
    node_bytes: usize,
}

impl Accumulator {
    /// An empty one with room for about `count` members.
    pub fn with_capacity(count: usize) -> Self {
        Accumulator {
            index: Table::with_capacity(count),
            nodes: Vec::with_capacity(count),
            node_bytes: 0,
        }
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Begins to bring what [`Accumulator::add`] looks at first into the cache.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        self.index.prefetch_bucket(hash);
    }

    /// Asks for the member itself, once what [`Accumulator::prefetch`] asked for is there.
    #[inline]
    pub fn prefetch_member(&self, hash: u64) {
        self.index.prefetch_element(hash);
    }

    /// Gives a member, whose hash is [`hash`](crate::hash::hash)'s, the score that `combine` makes of
    /// the one it has, if it has one. The score must not be NaN.
    #[inline]
    pub fn add(&mut self, hash: u64, member: &[u8], combine: impl FnOnce(Option<f64>) -> f64) {
        match self.index.entry(hash, |node| node.member() == member) {
            Slot::Occupied(occupied) => {
                let node = occupied.into_ref();
                let score = combine(Some(node.score()));
                // SAFETY: the node is alive in the index, which is borrowed exclusively, and no
                // tree orders it yet.
                unsafe { node.pointer().set_score(score) };
            }
            Slot::Vacant(vacant) => {
                let node = Node::new(combine(None), member);
                self.node_bytes += node.view().heap_bytes();
                self.nodes.push(node.pointer());
                vacant.insert(node);
            }
        }
    }

    /// Gives every member the score that `f` makes of the one it has, and that must not be NaN.
    pub fn rescore(&mut self, f: impl Fn(f64) -> f64) {
        for node in &self.nodes {
            let score = f(view(&self.index, *node).score());
            // SAFETY: as in `add`.
            unsafe { node.set_score(score) };
        }
    }

    /// The set of all members; in the small encoding if it is within the limits.
    pub fn finish(self, limits: &Limits) -> SortedSet {
        let Accumulator {
            index,
            nodes,
            node_bytes,
        } = self;
        let mut order: Vec<(u64, NodePtr)> = nodes
            .into_iter()
            .map(|node| (view(&index, node).key(), node))
            .collect();
        // Sets come in order, one after the other, which is what the stable sort makes use of.
        order.sort_by(|a, b| {
            a.0.cmp(&b.0)
                .then_with(|| view(&index, a.1).member().cmp(view(&index, b.1).member()))
        });
        if order.len() <= limits.entries_max {
            let mut set = SortedSet::new();
            for &(_, node) in &order {
                let node = view(&index, node);
                set.append(node.score(), node.member(), limits);
            }
            return set;
        }
        let order = order.into_iter().map(|(_, node)| node);
        // SAFETY: every node of the index came once, and they have just been sorted; members differ,
        // so the order is strict.
        let indexed = unsafe { Indexed::from_index(index, order, node_bytes) };
        SortedSet {
            store: Store::Indexed(Box::new(indexed)),
        }
    }
}

fn view(_: &Table<Node>, node: NodePtr) -> NodeRef<'_> {
    // SAFETY: only nodes of the index are asked for, and it lives as long as the view.
    unsafe { node.view() }
}

// SAFETY: the pointers are to nodes that the index owns.
unsafe impl Send for Accumulator {}
// SAFETY: `&Accumulator` only reads.
unsafe impl Sync for Accumulator {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::hash::hash;

    fn limits() -> impl Strategy<Value = Limits> {
        prop::sample::select(vec![
            Limits::default(),
            Limits {
                entries_max: 8,
                member_bytes_max: 3,
            },
        ])
    }

    fn member() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            8 => (0u32..400).prop_map(|n| n.to_string().into_bytes()),
            1 => prop::collection::vec(any::<u8>(), 0..5),
        ]
    }

    fn sorted(model: &BTreeMap<Vec<u8>, f64>) -> Vec<(Vec<u8>, f64)> {
        let mut items: Vec<_> = model.clone().into_iter().collect();
        items.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
        items
    }

    fn agree(set: &SortedSet, items: &[(Vec<u8>, f64)], limits: &Limits) {
        set.check();
        let got: Vec<_> = set.iter().map(|(m, s)| (m.to_vec(), s)).collect();
        assert_eq!(got, items);
        let is_small = items.len() <= limits.entries_max
            && items
                .iter()
                .all(|(m, _)| m.len() <= limits.member_bytes_max);
        assert_eq!(matches!(set.store, Store::Packed(_)), is_small);
        for (member, score) in items {
            assert_eq!(set.score_hashed(hash(member), member), Some(*score));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 64 },
            ..ProptestConfig::default()
        })]

        #[test]
        fn gathers_what_a_map_would(
            items in prop::collection::vec((member(), -50i32..50), 0..500),
            limits in limits(),
        ) {
            let mut model = BTreeMap::new();
            let mut gathered = Accumulator::with_capacity(items.len() / 3);
            for (member, score) in &items {
                let score = f64::from(*score);
                let hash = hash(member);
                gathered.prefetch(hash);
                gathered.prefetch_member(hash);
                gathered.add(hash, member, |old| old.map_or(score, |old| old + score));
                *model.entry(member.clone()).or_insert(0.0) += score;
            }
            prop_assert_eq!(gathered.len(), model.len());
            agree(&gathered.finish(&limits), &sorted(&model), &limits);
        }

        #[test]
        fn ordered_members_make_the_set_of_insertions(
            model in prop::collection::btree_map(member(), (-50i32..50).prop_map(f64::from), 0..400),
            limits in limits(),
        ) {
            let items = sorted(&model);
            let ordered = items.iter().map(|(member, score)| (hash(member), member, *score));
            let mut set = SortedSet::from_ordered(ordered, &limits);
            agree(&set, &items, &limits);
            // What was built at once changes like any other set.
            for (member, score) in items.iter().step_by(2) {
                prop_assert_eq!(set.remove(member), Some(*score));
            }
            set.insert(0.5, b"new member", &limits);
            set.check();
        }
    }

    #[test]
    #[should_panic(expected = "ascending order")]
    fn another_order_is_refused() {
        let limits = Limits {
            entries_max: 0,
            member_bytes_max: 0,
        };
        let items = [(hash(b"b"), "b", 1.0), (hash(b"a"), "a", 1.0)];
        SortedSet::from_ordered(items.into_iter(), &limits);
    }
}
