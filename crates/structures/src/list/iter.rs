//! The items of a list in either direction, from any index.
//!
//! An iterator keeps a position within one node and the nodes that are still to come, so that a
//! step within a node is a read of a length. Internal iteration (`for_each` and whatever else ends
//! in `fold`) also drops the question of whether the node has ended to one per node.
#![allow(unsafe_code)]

use super::frame::{backward, forward};
use super::node::Node;
use crate::block::prefetch;
use std::marker::PhantomData;
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

/// Items of a list from one index on, towards the back.
#[derive(Clone)]
pub struct Iter<'a> {
    at: *const u8,
    /// The end of the present node's items.
    end: *const u8,
    left: usize,
    nodes: slice::Iter<'a, Node>,
    second: slice::Iter<'a, Node>,
    items: PhantomData<&'a [u8]>,
}

/// Items of a list from one index on, towards the front.
#[derive(Clone)]
pub struct Rev<'a> {
    /// The start of the present node's items.
    start: *const u8,
    at: *const u8,
    left: usize,
    nodes: slice::Iter<'a, Node>,
    first: slice::Iter<'a, Node>,
    items: PhantomData<&'a [u8]>,
}

// SAFETY: both are shared borrows of the list.
unsafe impl Send for Iter<'_> {}
// SAFETY: as above.
unsafe impl Sync for Iter<'_> {}
// SAFETY: as above.
unsafe impl Send for Rev<'_> {}
// SAFETY: as above.
unsafe impl Sync for Rev<'_> {}

impl<'a> Iter<'a> {
    /// `count` items from `start` on; they have to be there.
    pub(super) fn new(runs: Runs<'a>, len: usize, start: usize, count: usize) -> Iter<'a> {
        let mut iter = Iter {
            at: ptr::null(),
            end: ptr::null(),
            left: count,
            nodes: [].iter(),
            second: runs.1.iter(),
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
            (iter.at, iter.end) = node.span_from(within);
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
        (self.at, self.end) = node.span();
        if let Some(next) = self.nodes.as_slice().first() {
            prefetch(next.span().0);
        }
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.left == 0 {
            return None;
        }
        if self.at == self.end {
            self.next_node();
        }
        self.left -= 1;
        // SAFETY: before the end of a node there is an item, and a node in a list is not empty.
        let (item, next) = unsafe { forward(self.at) };
        self.at = next;
        Some(item)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a [u8]) -> B>(mut self, init: B, mut f: F) -> B {
        let mut result = init;
        while self.left > 0 {
            if self.at == self.end {
                self.next_node();
            }
            let (mut at, end, mut left) = (self.at, self.end, self.left);
            while at != end && left > 0 {
                // SAFETY: as in `next`.
                let (item, next) = unsafe { forward(at) };
                result = f(result, item);
                at = next;
                left -= 1;
            }
            (self.at, self.left) = (at, left);
        }
        result
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> Rev<'a> {
    /// `count` items that end before index `end`, the last first; they have to be there.
    pub(super) fn new(runs: Runs<'a>, len: usize, end: usize, count: usize) -> Rev<'a> {
        let mut iter = Rev {
            start: ptr::null(),
            at: ptr::null(),
            left: count,
            nodes: [].iter(),
            first: runs.0.iter(),
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
            (iter.start, iter.at) = node.span_to(within + 1);
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
        (self.start, self.at) = node.span();
    }
}

impl<'a> Iterator for Rev<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.left == 0 {
            return None;
        }
        if self.at == self.start {
            self.next_node();
        }
        self.left -= 1;
        // SAFETY: behind the start of a node an item ends, and a node in a list is not empty.
        let (item, before) = unsafe { backward(self.at) };
        self.at = before;
        Some(item)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Rev<'_> {}
