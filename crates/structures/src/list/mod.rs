//! Lists: a deque of packed nodes.
//!
//! A list of few items is one node, a buffer of items (`node.rs`); past a node's limits it is a
//! deque of them (`chain.rs`). Items are kept as the bytes that came, two bytes of overhead for a
//! short one. A deque of buffers costs a fraction of what a linked list or a deque of strings
//! would, keeps both ends O(1), and reads at the speed of memory. Finding an index walks the nodes'
//! counts from the nearer end; a tree of counts would make every push dearer for the sake of a rare
//! command.
//!
//! The forms bear Redis's names: one node within the limits is a listpack, else it is a quicklist,
//! and a quicklist becomes a listpack again when it is down to half a node.
//!
//! The nodes in the middle of a deque may be kept compressed (`compress.rs`); reading them leaves
//! them so, which is why items are lent rather than borrowed from the list.

mod chain;
mod compress;
mod frame;
mod iter;
mod node;

pub use iter::{Arena, Iter, Rev};
pub use node::End;

use chain::Chain;
use iter::Runs;
use node::Node;
use std::ops::ControlFlow;
use std::slice;

/// How much one node may hold, the meaning of `list-max-listpack-size`, and which nodes are to be
/// compressed, that of `list-compress-depth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub(crate) node_bytes: u32,
    pub(crate) node_items: u16,
    pub(crate) compress_depth: u16,
}

impl Limits {
    /// A limit of items that is none: no node has room for as many.
    pub(crate) const ANY_ITEMS: u16 = u16::MAX;

    /// From the directive's value: -1 to -5 stand for 4, 8, 16, 32 and 64 KB a node (and lesser
    /// values for the last); a positive value is the number of items a node, which then is held to
    /// 8 KB as well; 0 is taken as 1. No node is compressed.
    pub const fn new(list_max_listpack_size: i64) -> Limits {
        let (node_bytes, node_items) = match list_max_listpack_size {
            0 => (8192, 1),
            value @ 1.. if value < Limits::ANY_ITEMS as i64 => (8192, value as u16),
            1.. => (8192, Limits::ANY_ITEMS),
            -1 => (4096, Limits::ANY_ITEMS),
            -2 => (8192, Limits::ANY_ITEMS),
            -3 => (16384, Limits::ANY_ITEMS),
            -4 => (32768, Limits::ANY_ITEMS),
            _ => (65536, Limits::ANY_ITEMS),
        };
        Limits {
            node_bytes,
            node_items,
            compress_depth: 0,
        }
    }

    /// The same with the nodes compressed that are at least `list_compress_depth` nodes away from
    /// both ends; 0 compresses none. A list that exists follows with the next node that it gets or
    /// loses, and then for what comes to lie that deep.
    pub const fn compress_depth(self, list_compress_depth: i64) -> Limits {
        let compress_depth = match list_compress_depth {
            ..0 => 0,
            depth if depth > u16::MAX as i64 => u16::MAX,
            depth => depth as u16,
        };
        Limits {
            compress_depth,
            ..self
        }
    }
}

impl Default for Limits {
    /// 8 KB a node.
    fn default() -> Limits {
        Limits::new(-2)
    }
}

/// The form of a list, under the name that Redis has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// One node.
    Listpack,
    /// A deque of nodes.
    Quicklist,
}

impl Encoding {
    /// What `OBJECT ENCODING` answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Encoding::Listpack => "listpack",
            Encoding::Quicklist => "quicklist",
        }
    }
}

/// A list of byte strings.
#[derive(Clone)]
pub struct List(Form);

#[derive(Clone)]
enum Form {
    One(Node),
    Many(Box<Chain>),
}

impl List {
    /// A list without items; it allocates nothing.
    #[inline]
    pub const fn new() -> List {
        List(Form::One(Node::new()))
    }

    /// The number of items.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::One(node) => node.count(),
            Form::Many(chain) => chain.len(),
        }
    }

    /// Whether there is no item.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The allocated bytes.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Form::One(node) => node.heap_bytes(),
            Form::Many(chain) => chain.heap_bytes(),
        }
    }

    /// The form it has at present.
    pub fn encoding(&self) -> Encoding {
        match &self.0 {
            Form::One(_) => Encoding::Listpack,
            Form::Many(_) => Encoding::Quicklist,
        }
    }

    /// Adds an item before the first.
    #[inline]
    pub fn push_front(&mut self, item: &[u8], limits: &Limits) {
        self.push(End::Front, item, limits);
    }

    /// Adds an item behind the last.
    #[inline]
    pub fn push_back(&mut self, item: &[u8], limits: &Limits) {
        self.push(End::Back, item, limits);
    }

    /// Adds an item at one end.
    ///
    /// # Panics
    /// When the item is longer than [`MAX_ITEM_BYTES`](crate::block::MAX_ITEM_BYTES), as with every
    /// call that takes one.
    #[inline]
    pub fn push(&mut self, end: End, item: &[u8], limits: &Limits) {
        match &mut self.0 {
            Form::One(node) if node.fits(item.len(), limits) => node.push(end, item, limits),
            _ => self.chain(limits).push(end, item, limits),
        }
    }

    /// The first item.
    #[inline]
    pub fn front(&self) -> Option<&[u8]> {
        self.peek(End::Front)
    }

    /// The last item.
    #[inline]
    pub fn back(&self) -> Option<&[u8]> {
        self.peek(End::Back)
    }

    /// The item at one end.
    #[inline]
    pub fn peek(&self, end: End) -> Option<&[u8]> {
        match &self.0 {
            Form::One(node) => node.peek(end),
            Form::Many(chain) => chain.peek(end),
        }
    }

    /// Removes the first item after `read` has seen it.
    #[inline]
    pub fn pop_front<R>(&mut self, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        self.pop(End::Front, read)
    }

    /// Removes the last item after `read` has seen it.
    #[inline]
    pub fn pop_back<R>(&mut self, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        self.pop(End::Back, read)
    }

    /// Removes the item at one end after `read` has seen it.
    #[inline]
    pub fn pop<R>(&mut self, end: End, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let result = read(self.peek(end)?);
        match &mut self.0 {
            Form::One(node) => {
                node.drop_one(end);
                node.tighten();
            }
            Form::Many(chain) => {
                chain.drop_one(end);
                self.settle();
            }
        }
        Some(result)
    }

    /// Drops up to `count` items at one end.
    pub fn drop_items(&mut self, end: End, count: usize) {
        let count = count.min(self.len());
        match &mut self.0 {
            Form::One(node) => {
                node.drop_many(end, count);
                node.tighten();
            }
            Form::Many(chain) => {
                chain.drop_many(end, count);
                self.settle();
            }
        }
    }

    /// Keeps the items from `start` up to, not including, `end`. Indices past the end are taken as
    /// the end.
    pub fn trim(&mut self, start: usize, end: usize) {
        let len = self.len();
        let (start, end) = clamp(start, end, len);
        if start == end {
            *self = List::new();
            return;
        }
        self.drop_items(End::Back, len - end);
        self.drop_items(End::Front, start);
    }

    /// What `read` makes of the item at `index`.
    #[inline]
    pub fn get<R>(&self, index: usize, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        if index >= self.len() {
            return None;
        }
        Some(match &self.0 {
            Form::One(node) => read(node.get(index)),
            Form::Many(chain) => chain.get(index, read),
        })
    }

    /// Puts other bytes in the place of the item at `index` and says whether there is one.
    pub fn set(&mut self, index: usize, item: &[u8], limits: &Limits) -> bool {
        if index >= self.len() {
            return false;
        }
        match &mut self.0 {
            Form::One(node) if node.fits_instead(index, item.len(), limits) => {
                node.replace(index, item, limits);
                node.tighten();
            }
            _ => self.chain(limits).set(index, item, limits),
        }
        true
    }

    /// Puts an item before the one at `index`; an index past the end stands for the end.
    pub fn insert(&mut self, index: usize, item: &[u8], limits: &Limits) {
        let index = index.min(self.len());
        match &mut self.0 {
            Form::One(node) if node.fits(item.len(), limits) => node.insert(index, item, limits),
            _ => self.chain(limits).insert(index, item, limits),
        }
    }

    /// Puts an item before the first one equal to `pivot` and says whether there is one.
    pub fn insert_before(&mut self, pivot: &[u8], item: &[u8], limits: &Limits) -> bool {
        let found = self.index_of(pivot);
        if let Some(index) = found {
            self.insert(index, item, limits);
        }
        found.is_some()
    }

    /// Puts an item behind the first one equal to `pivot` and says whether there is one.
    pub fn insert_after(&mut self, pivot: &[u8], item: &[u8], limits: &Limits) -> bool {
        let found = self.index_of(pivot);
        if let Some(index) = found {
            self.insert(index + 1, item, limits);
        }
        found.is_some()
    }

    /// Removes up to `max` items equal to `value`, beginning at one end, and answers how many it
    /// removed.
    pub fn remove(&mut self, value: &[u8], from: End, max: usize) -> usize {
        match &mut self.0 {
            Form::One(node) => {
                let skip = match from {
                    End::Front => 0,
                    End::Back => node.count_equal(value).saturating_sub(max),
                };
                let removed = node.remove_equal(value, skip, max);
                node.tighten();
                removed
            }
            Form::Many(chain) => {
                let removed = chain.remove(value, from, max);
                self.settle();
                removed
            }
        }
    }

    /// Calls `found` with the index of each item equal to `value`, in the order that begins at one
    /// end, until it breaks or `compared_max` items have been looked at.
    pub fn positions(
        &self,
        value: &[u8],
        from: End,
        compared_max: usize,
        mut found: impl FnMut(usize) -> ControlFlow<()>,
    ) {
        let len = self.len();
        let compared = compared_max.min(len);
        let mut look = |index: usize, item: &[u8]| {
            if item == value {
                found(index)
            } else {
                ControlFlow::Continue(())
            }
        };
        // The answer only says whether `found` broke off, which it knows itself.
        let _ = match from {
            End::Front => {
                let mut index = 0;
                self.range(0, compared).try_for_each(|item| {
                    index += 1;
                    look(index - 1, item)
                })
            }
            End::Back => {
                let mut index = len;
                self.range_rev(len - compared, len).try_for_each(|item| {
                    index -= 1;
                    look(index, item)
                })
            }
        };
    }

    /// The index of the first item equal to `value`.
    fn index_of(&self, value: &[u8]) -> Option<usize> {
        let mut place = None;
        self.positions(value, End::Front, usize::MAX, |index| {
            place = Some(index);
            ControlFlow::Break(())
        });
        place
    }

    /// All items from the first on.
    #[inline]
    pub fn iter(&self) -> Iter<'_> {
        self.range(0, self.len())
    }

    /// All items from the last on.
    #[inline]
    pub fn iter_rev(&self) -> Rev<'_> {
        self.range_rev(0, self.len())
    }

    /// The items from `start` up to, not including, `end`. Indices past the end are taken as the
    /// end.
    #[inline]
    pub fn range(&self, start: usize, end: usize) -> Iter<'_> {
        let len = self.len();
        let (start, end) = clamp(start, end, len);
        Iter::new(self.runs(), len, start, end - start)
    }

    /// The items of [`List::range`], the last first.
    #[inline]
    pub fn range_rev(&self, start: usize, end: usize) -> Rev<'_> {
        let len = self.len();
        let (start, end) = clamp(start, end, len);
        Rev::new(self.runs(), len, end, end - start)
    }

    #[inline]
    fn runs(&self) -> Runs<'_> {
        match &self.0 {
            Form::One(node) => (slice::from_ref(node), &[]),
            Form::Many(chain) => chain.runs(),
        }
    }

    /// The deque, which the one node becomes the first of if there is none yet.
    #[inline]
    fn chain(&mut self, limits: &Limits) -> &mut Chain {
        if let Form::One(node) = &mut self.0 {
            let node = std::mem::replace(node, Node::new());
            self.0 = Form::Many(Box::new(Chain::new(node, limits)));
        }
        let Form::Many(chain) = &mut self.0 else {
            unreachable!("it was made one above")
        };
        chain
    }

    /// Goes back to one node if the deque has become that small.
    #[inline]
    fn settle(&mut self) {
        if let Form::Many(chain) = &mut self.0
            && let Some(mut node) = chain.take_small()
        {
            node.tighten();
            self.0 = Form::One(node);
        }
    }
}

impl Default for List {
    fn default() -> List {
        List::new()
    }
}

#[inline]
fn clamp(start: usize, end: usize, len: usize) -> (usize, usize) {
    let end = end.min(len);
    (start.min(end), end)
}

#[cfg(test)]
mod tests;
