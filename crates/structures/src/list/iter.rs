//! The items of a list in either direction, from any index.
//!
//! An iterator keeps a position within one node and the nodes that are still to come, so that a
//! step within a node is a read of a length. Internal iteration (`for_each` and its like) also drops
//! the question of whether the node has ended to one per node.
//!
//! A compressed node is read from a plain copy that the iterator owns and overwrites at the next
//! such node. An item is therefore lent until the next step, which is more than `Iterator` could
//! promise; whoever needs the items for longer passes an [`Arena`], where the copies stay. All that
//! this costs a list without compressed nodes is a question per node. The rejected alternative,
//! copies that stay in the list until it changes, would make reading it grow it, by as much as
//! compression saves.
#![allow(unsafe_code)]

use super::frame::{backward, forward};
use super::node::Node;
use crate::block::prefetch;
use std::cell::RefCell;
use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::ptr;
use std::slice;

/// The nodes of a list in two runs, as its deque keeps them.
pub(super) type Runs<'a> = (&'a [Node], &'a [Node]);

/// The node that holds item `index` of `len`, and the item's index in it.
pub(super) fn locate((first, second): Runs<'_>, len: usize, index: usize) -> (usize, usize) {
    debug_assert!(index < len);
    let nodes = first.len() + second.len();
    if index < len / 2 {
        let mut left = index;
        for (n, node) in first.iter().chain(second).enumerate() {
            if left < node.count() {
                return (n, left);
            }
            left -= node.count();
        }
    } else {
        let mut left = len - index;
        for (n, node) in second.iter().rev().chain(first.iter().rev()).enumerate() {
            if left <= node.count() {
                return (nodes - 1 - n, node.count() - left);
            }
            left -= node.count();
        }
    }
    unreachable!("the counts of the nodes add up to the length")
}

/// Plain copies of compressed nodes, which keep the items in them alive for `for_each_in`.
#[derive(Default)]
pub struct Arena(RefCell<Vec<Node>>);

impl Arena {
    /// An arena without copies; it allocates nothing.
    pub fn new() -> Arena {
        Arena::default()
    }

    /// Takes over the buffer of `scratch`, if it has one; it stays as and where it is.
    fn keep(&self, scratch: &mut Node) {
        if scratch.heap_bytes() > 0 {
            let node = std::mem::replace(scratch, Node::new());
            self.0.borrow_mut().push(node);
        }
    }
}

/// Items of a list from one index on, towards the back.
pub struct Iter<'a> {
    at: *const u8,
    /// The end of the present node's items.
    end: *const u8,
    left: usize,
    nodes: slice::Iter<'a, Node>,
    second: slice::Iter<'a, Node>,
    /// The present node, if the list has it compressed.
    scratch: Node,
    items: PhantomData<&'a [u8]>,
}

/// Items of a list from one index on, towards the front.
pub struct Rev<'a> {
    /// The start of the present node's items.
    start: *const u8,
    at: *const u8,
    left: usize,
    nodes: slice::Iter<'a, Node>,
    first: slice::Iter<'a, Node>,
    /// As in [`Iter`].
    scratch: Node,
    items: PhantomData<&'a [u8]>,
}

// SAFETY: both are shared borrows of the list, and own what else they point to.
unsafe impl Send for Iter<'_> {}
// SAFETY: as above.
unsafe impl Sync for Iter<'_> {}
// SAFETY: as above.
unsafe impl Send for Rev<'_> {}
// SAFETY: as above.
unsafe impl Sync for Rev<'_> {}

impl<'a> Iter<'a> {
    /// `count` items from `start` on; they have to be there.
    #[inline]
    pub(super) fn new(runs: Runs<'a>, len: usize, start: usize, count: usize) -> Iter<'a> {
        let mut iter = Iter {
            at: ptr::null(),
            end: ptr::null(),
            left: count,
            nodes: [].iter(),
            second: runs.1.iter(),
            scratch: Node::new(),
            items: PhantomData,
        };
        if count > 0 {
            let (n, within) = locate(runs, len, start);
            let (first, second) = runs;
            let node = match n.checked_sub(first.len()) {
                None => {
                    iter.nodes = first[n + 1..].iter();
                    &first[n]
                }
                Some(n) => {
                    iter.nodes = second[n + 1..].iter();
                    iter.second = [].iter();
                    &second[n]
                }
            };
            (iter.at, iter.end) = node.plain(&mut iter.scratch).span_from(within);
        }
        iter
    }

    #[cold]
    #[inline(never)]
    fn next_node(&mut self) {
        if self.nodes.len() == 0 {
            self.nodes = std::mem::replace(&mut self.second, [].iter());
        }
        let node = self
            .nodes
            .next()
            .expect("a list has as many items as it says");
        (self.at, self.end) = node.plain(&mut self.scratch).span();
        if let Some(next) = self.nodes.as_slice().first() {
            prefetch(next.first_byte());
        }
    }

    /// The next item, lent until the next step.
    #[inline]
    pub fn next_item(&mut self) -> Option<&[u8]> {
        if self.left == 0 {
            return None;
        }
        if self.at == self.end {
            self.next_node();
        }
        self.left -= 1;
        // SAFETY: before the end of a node there is an item, and a node in a list is not empty. The
        // node, or its copy, stays as it is for as long as this borrow.
        let (item, next) = unsafe { forward(self.at) };
        self.at = next;
        Some(item)
    }

    /// Calls `f` with one item after the other until it breaks. `each_node` sees the copy of each
    /// node, or a scratch node without a buffer, before the items that are in it.
    ///
    /// # Safety
    /// The items are not used after the call of `f` that got them, unless `each_node` takes the
    /// copies and keeps them during `'a`.
    #[inline]
    unsafe fn walk<B>(
        mut self,
        each_node: impl Fn(&mut Node),
        mut f: impl FnMut(&'a [u8]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        each_node(&mut self.scratch);
        while self.left > 0 {
            if self.at == self.end {
                self.next_node();
                each_node(&mut self.scratch);
            }
            let (mut at, end, mut left) = (self.at, self.end, self.left);
            while at != end && left > 0 {
                // SAFETY: as in `next_item`; the caller answers for the copies.
                let (item, next) = unsafe { forward(at) };
                f(item)?;
                at = next;
                left -= 1;
            }
            (self.at, self.left) = (at, left);
        }
        ControlFlow::Continue(())
    }
}

impl<'a> Rev<'a> {
    /// `count` items that end before index `end`, the last first; they have to be there.
    pub(super) fn new(runs: Runs<'a>, len: usize, end: usize, count: usize) -> Rev<'a> {
        let mut iter = Rev {
            start: ptr::null(),
            at: ptr::null(),
            left: count,
            nodes: [].iter(),
            first: runs.0.iter(),
            scratch: Node::new(),
            items: PhantomData,
        };
        if count > 0 {
            let (n, within) = locate(runs, len, end - 1);
            let (first, second) = runs;
            let node = match n.checked_sub(first.len()) {
                None => {
                    iter.nodes = first[..n].iter();
                    iter.first = [].iter();
                    &first[n]
                }
                Some(n) => {
                    iter.nodes = second[..n].iter();
                    &second[n]
                }
            };
            (iter.start, iter.at) = node.plain(&mut iter.scratch).span_to(within + 1);
        }
        iter
    }

    #[cold]
    #[inline(never)]
    fn next_node(&mut self) {
        if self.nodes.len() == 0 {
            self.nodes = std::mem::replace(&mut self.first, [].iter());
        }
        let node = self
            .nodes
            .next_back()
            .expect("a list has as many items as it says");
        (self.start, self.at) = node.plain(&mut self.scratch).span();
    }

    /// The next item, lent until the next step.
    #[inline]
    pub fn next_item(&mut self) -> Option<&[u8]> {
        if self.left == 0 {
            return None;
        }
        if self.at == self.start {
            self.next_node();
        }
        self.left -= 1;
        // SAFETY: behind the start of a node an item ends, and a node in a list is not empty. The
        // node, or its copy, stays as it is for as long as this borrow.
        let (item, before) = unsafe { backward(self.at) };
        self.at = before;
        Some(item)
    }

    /// As `walk` of [`Iter`].
    ///
    /// # Safety
    /// As there.
    #[inline]
    unsafe fn walk<B>(
        mut self,
        each_node: impl Fn(&mut Node),
        mut f: impl FnMut(&'a [u8]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        each_node(&mut self.scratch);
        while self.left > 0 {
            if self.at == self.start {
                self.next_node();
                each_node(&mut self.scratch);
            }
            let (start, mut at, mut left) = (self.start, self.at, self.left);
            while at != start && left > 0 {
                // SAFETY: as in `next_item`; the caller answers for the copies.
                let (item, before) = unsafe { backward(at) };
                f(item)?;
                at = before;
                left -= 1;
            }
            (self.at, self.left) = (at, left);
        }
        ControlFlow::Continue(())
    }
}

/// The interface that both directions have, on top of their `walk`.
macro_rules! walks {
    ($direction:ident) => {
        impl<'a> $direction<'a> {
            /// How many items are left.
            #[inline]
            pub fn len(&self) -> usize {
                self.left
            }

            /// Whether no item is left.
            #[inline]
            pub fn is_empty(&self) -> bool {
                self.left == 0
            }

            /// Calls `f` with one item after the other; the fastest way to read them.
            #[inline]
            pub fn for_each(self, mut f: impl FnMut(&[u8])) {
                // SAFETY: the closure takes items of any lifetime, so it keeps none.
                let _: ControlFlow<Infallible> = unsafe {
                    self.walk(
                        |_| {},
                        |item| {
                            f(item);
                            ControlFlow::Continue(())
                        },
                    )
                };
            }

            /// As `for_each`, until `f` breaks.
            #[inline]
            pub fn try_for_each<B>(
                self,
                mut f: impl FnMut(&[u8]) -> ControlFlow<B>,
            ) -> ControlFlow<B> {
                // SAFETY: the closure takes items of any lifetime, so it keeps none.
                unsafe { self.walk(|_| {}, |item| f(item)) }
            }

            /// As `for_each`, with items that live as long as the list and the arena.
            pub fn for_each_in(self, arena: &'a Arena, mut f: impl FnMut(&'a [u8])) {
                // SAFETY: items are in the list or in a copy that the arena takes, which drops none
                // while it is borrowed.
                let _: ControlFlow<Infallible> = unsafe {
                    self.walk(
                        |scratch| arena.keep(scratch),
                        |item| {
                            f(item);
                            ControlFlow::Continue(())
                        },
                    )
                };
            }
        }
    };
}

walks!(Iter);
walks!(Rev);
