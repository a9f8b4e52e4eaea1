//! One node of a list: a buffer whose items lie together, with free room on both sides.
//!
//! Free room at both ends makes a push or a pop at either of them a write or a step, never a move
//! of the node; a buffer with its items flush at the front would move up to 8 KB for each push on
//! the left. The items are framed so that they can be read from both sides (`frame.rs`).
//!
//! ```text
//!  buffer          start                                      end        capacity
//!    |   free room   | item | item | item | ... | item | item |  free room  |
//! ```
//!
//! When the room on one side is used up: if there is free room of at least a quarter of the
//! content, the items slide, and that side gets three quarters of the room (so at least a sixteenth
//! of what a slide moves has been pushed since the one before); otherwise the buffer grows by half,
//! to the byte limit and, for a queue that stays just below the limit, to a quarter beyond it.
//!
//! A node may be compressed (`compress.rs`): then the buffer holds something else, `start` is 0 and
//! `end` what the items take when they are plain. The functions that read or change items are for
//! plain nodes only.
//!
//! Invariants: `start <= end <= capacity`; `count` items lie between the first two; no items, then
//! `start == end`; the capacity is 0 (no buffer) or a size class.
#![allow(unsafe_code)]

use super::Limits;
use super::frame::{backward, forward, framed, write_item};
use crate::block;
use std::ptr::NonNull;

/// Below this a buffer is not worth making smaller.
const SMALL: u32 = 64;

/// One of the two ends of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The head, where index 0 is.
    Front,
    /// The tail.
    Back,
}

/// What the buffer of a node holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The items.
    Plain,
    /// The items, which were found not to be worth compressing as they are.
    Incompressible,
    /// A compressed block.
    Compressed,
}

pub(super) struct Node {
    pub(super) buffer: NonNull<u8>,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) capacity: u32,
    pub(super) count: u16,
    pub(super) state: State,
}

// SAFETY: a node owns its buffer alone.
unsafe impl Send for Node {}
// SAFETY: nothing is changed through a shared reference.
unsafe impl Sync for Node {}

impl Node {
    pub(super) const fn new() -> Node {
        Node {
            buffer: NonNull::dangling(),
            start: 0,
            end: 0,
            capacity: 0,
            count: 0,
            state: State::Plain,
        }
    }

    /// An empty node with room behind its end for `bytes` of framed items.
    pub(super) fn with_room(bytes: u32) -> Node {
        let mut node = Node::new();
        node.move_to(bytes, 0);
        node
    }

    /// A node with one item, and room for `bytes` in all if that is more.
    pub(super) fn with_item(item: &[u8], bytes: u32, end: End, limits: &Limits) -> Node {
        let mut node = Node::with_room(bytes.max(framed(item.len())));
        node.push(end, item, limits);
        node
    }

    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count.into()
    }

    #[inline]
    pub(super) fn used(&self) -> u32 {
        self.end - self.start
    }

    #[inline]
    pub(super) fn heap_bytes(&self) -> usize {
        self.capacity as usize
    }

    /// Whether an item of `n` bytes may join the items that are here.
    #[inline]
    pub(super) fn fits(&self, n: usize, limits: &Limits) -> bool {
        self.used().saturating_add(framed(n)) <= limits.node_bytes && self.count < limits.node_items
    }

    /// Whether an item of `n` bytes may take the place of item `index`.
    pub(super) fn fits_instead(&self, index: usize, n: usize, limits: &Limits) -> bool {
        let (old, new) = (self.framed_at(index), framed(n));
        old == new || (self.used() - old).saturating_add(new) <= limits.node_bytes
    }

    /// Whether the items of both nodes may share one, with some room left.
    pub(super) fn fits_all(&self, other: &Node, limits: &Limits) -> bool {
        u64::from(self.used()) + u64::from(other.used()) <= u64::from(limits.node_bytes) / 4 * 3
            && u32::from(self.count) + u32::from(other.count) <= u32::from(limits.node_items)
    }

    #[inline]
    pub(super) fn push(&mut self, end: End, item: &[u8], limits: &Limits) {
        match end {
            End::Front => self.push_front(item, limits),
            End::Back => self.push_back(item, limits),
        }
    }

    /// Appends an item, whether it fits the limits or not; they only guide the growth.
    #[inline]
    pub(super) fn push_back(&mut self, item: &[u8], limits: &Limits) {
        let need = framed(item.len());
        if self.capacity - self.end < need {
            self.make_room(End::Back, need, limits);
        }
        // SAFETY: there is room for the framed item behind the end.
        unsafe { write_item(self.at(self.end), item) };
        self.end += need;
        self.count += 1;
    }

    /// As [`Node::push_back`], at the other end.
    #[inline]
    pub(super) fn push_front(&mut self, item: &[u8], limits: &Limits) {
        let need = framed(item.len());
        if self.start < need {
            self.make_room(End::Front, need, limits);
        }
        self.start -= need;
        // SAFETY: there was room for the framed item before the start.
        unsafe { write_item(self.at(self.start), item) };
        self.count += 1;
    }

    /// The item at one end.
    #[inline]
    pub(super) fn peek(&self, end: End) -> Option<&[u8]> {
        debug_assert!(self.is_plain());
        if self.count == 0 {
            return None;
        }
        // SAFETY: there is an item, which begins at the start and one that ends at the end.
        Some(unsafe {
            match end {
                End::Front => forward(self.at(self.start)).0,
                End::Back => backward(self.at(self.end)).0,
            }
        })
    }

    /// Drops the item at one end, which has to be there.
    #[inline]
    pub(super) fn drop_one(&mut self, end: End) {
        debug_assert!(self.count > 0 && self.is_plain());
        // SAFETY: there is an item at each end.
        unsafe {
            match end {
                End::Front => {
                    let at = self.at(self.start);
                    self.start += forward(at).1.offset_from_unsigned(at) as u32;
                }
                End::Back => {
                    let at = self.at(self.end);
                    self.end -= at.offset_from_unsigned(backward(at).1) as u32;
                }
            }
        }
        self.count -= 1;
    }

    /// Drops `n` items at one end, which have to be there.
    pub(super) fn drop_many(&mut self, end: End, n: usize) {
        debug_assert!(n <= self.count());
        match end {
            End::Front => self.start = self.offset(n),
            End::Back => self.end = self.offset(self.count() - n),
        }
        self.count -= n as u16;
    }

    /// Gives back memory when the items take less than a quarter of the buffer.
    #[inline]
    pub(super) fn tighten(&mut self) {
        if self.capacity > SMALL && self.used() < self.capacity / 4 {
            self.shrink();
        }
    }

    #[cold]
    fn shrink(&mut self) {
        let room = self.used() / 2;
        self.move_to(self.used() + room, room / 2);
    }

    /// Where item `index` begins, or the end of the items, in bytes of the buffer.
    fn offset(&self, index: usize) -> u32 {
        debug_assert!(index <= self.count() && self.is_plain());
        // SAFETY: as many steps are made as there are items on that side.
        unsafe {
            let buffer = self.buffer.as_ptr().cast_const();
            if index <= self.count() / 2 {
                let mut at = self.at(self.start).cast_const();
                for _ in 0..index {
                    at = forward(at).1;
                }
                at.offset_from_unsigned(buffer) as u32
            } else {
                let mut at = self.at(self.end).cast_const();
                for _ in index..self.count() {
                    at = backward(at).1;
                }
                at.offset_from_unsigned(buffer) as u32
            }
        }
    }

    pub(super) fn get(&self, index: usize) -> &[u8] {
        assert!(index < self.count());
        // SAFETY: an item begins there.
        unsafe { forward(self.at(self.offset(index))).0 }
    }

    /// From item `index` on, the framed items, for [`forward`]; and their end.
    pub(super) fn span_from(&self, index: usize) -> (*const u8, *const u8) {
        (self.at(self.offset(index)), self.at(self.end))
    }

    /// All framed items, for [`forward`] and [`backward`].
    #[inline]
    pub(super) fn span(&self) -> (*const u8, *const u8) {
        debug_assert!(self.is_plain());
        (self.at(self.start), self.at(self.end))
    }

    /// Where reading the node will begin, whatever its state.
    #[inline]
    pub(super) fn first_byte(&self) -> *const u8 {
        self.at(self.start)
    }

    /// Up to item `index`, not included, the framed items, for [`backward`]; their start comes
    /// first.
    pub(super) fn span_to(&self, index: usize) -> (*const u8, *const u8) {
        (self.at(self.start), self.at(self.offset(index)))
    }

    /// Puts an item before item `index`, whether it fits the limits or not.
    pub(super) fn insert(&mut self, index: usize, item: &[u8], limits: &Limits) {
        if index == 0 {
            return self.push_front(item, limits);
        }
        if index == self.count() {
            return self.push_back(item, limits);
        }
        let at = self.offset(index);
        self.splice(at, at, framed(item.len()), limits, |to| {
            // SAFETY: `splice` hands out as much room as was asked for.
            unsafe { write_item(to, item) }
        });
        self.count += 1;
    }

    /// Puts other bytes in the place of item `index`, whether they fit the limits or not.
    pub(super) fn replace(&mut self, index: usize, item: &[u8], limits: &Limits) {
        debug_assert!(index < self.count());
        let at = self.offset(index);
        // SAFETY: an item begins there.
        let old = unsafe { forward(self.at(at)).0.len() };
        self.splice(at, at + framed(old), framed(item.len()), limits, |to| {
            // SAFETY: `splice` hands out as much room as was asked for.
            unsafe { write_item(to, item) }
        });
    }

    /// How many bytes item `index` takes.
    pub(super) fn framed_at(&self, index: usize) -> u32 {
        framed(self.get(index).len())
    }

    /// Removes item `index`.
    pub(super) fn remove(&mut self, index: usize, limits: &Limits) {
        let at = self.offset(index);
        // SAFETY: an item begins there.
        let old = unsafe { forward(self.at(at)).0.len() };
        self.splice(at, at + framed(old), 0, limits, |_| {});
        self.count -= 1;
    }

    /// Removes items equal to `value`: from the front on, passes over `skip` of them and then
    /// removes up to `max`. Answers how many were removed.
    pub(super) fn remove_equal(&mut self, value: &[u8], mut skip: usize, max: usize) -> usize {
        debug_assert!(self.is_plain());
        let mut removed = 0;
        let buffer = self.buffer.as_ptr();
        let (mut from, mut to) = (self.start, self.start);
        while from < self.end && removed < max {
            // SAFETY: `from` is at an item, and `to` does not lie behind it, so that the items move
            // down within the buffer.
            unsafe {
                let (item, next) = forward(buffer.add(from as usize));
                let equal = item == value;
                let next = next.offset_from_unsigned(buffer) as u32;
                if equal && skip == 0 {
                    removed += 1;
                } else {
                    skip -= usize::from(equal);
                    if to != from {
                        let moved = (next - from) as usize;
                        buffer
                            .add(from as usize)
                            .copy_to(buffer.add(to as usize), moved);
                    }
                    to += next - from;
                }
                from = next;
            }
        }
        if removed > 0 {
            // SAFETY: as above, for what is left behind the last item looked at.
            unsafe {
                let rest = (self.end - from) as usize;
                buffer
                    .add(from as usize)
                    .copy_to(buffer.add(to as usize), rest);
            }
            self.end -= from - to;
            self.count -= removed as u16;
        }
        removed
    }

    /// How many items are equal to `value`.
    pub(super) fn count_equal(&self, value: &[u8]) -> usize {
        let (mut at, end) = self.span();
        let mut equal = 0;
        while at < end {
            // SAFETY: `at` is at an item until it is at the end.
            let (item, next) = unsafe { forward(at) };
            equal += usize::from(item == value);
            at = next;
        }
        equal
    }

    /// Cuts the node before item `index` and answers the second part.
    pub(super) fn split(&mut self, index: usize) -> Node {
        let at = self.offset(index);
        let mut second = Node::with_room(self.end - at);
        second.end = self.end - at;
        second.count = self.count - index as u16;
        // SAFETY: the second buffer was made for these bytes.
        unsafe {
            self.at(at)
                .copy_to_nonoverlapping(second.at(0), second.end as usize)
        };
        self.end = at;
        self.count = index as u16;
        self.tighten();
        second
    }

    /// Moves the items of `other` behind the own ones.
    pub(super) fn append(&mut self, other: &Node, limits: &Limits) {
        debug_assert!(self.is_plain() && other.is_plain());
        let need = other.used();
        if self.capacity - self.end < need {
            self.make_room(End::Back, need, limits);
        }
        // SAFETY: there is room behind the end, and the other node is not this one.
        unsafe {
            self.at(self.end)
                .copy_from_nonoverlapping(other.at(other.start), need as usize);
        }
        self.end += need;
        self.count += other.count;
    }

    #[inline]
    pub(super) fn at(&self, offset: u32) -> *mut u8 {
        debug_assert!(offset <= self.capacity);
        // SAFETY: offsets stay within the capacity; without a buffer the only one is 0.
        unsafe { self.buffer.as_ptr().add(offset as usize) }
    }

    /// Replaces the bytes from `at` to `old_end` by `new_len` bytes which `write` fills in, moving
    /// the shorter side.
    fn splice(
        &mut self,
        mut at: u32,
        mut old_end: u32,
        new_len: u32,
        limits: &Limits,
        write: impl FnOnce(*mut u8),
    ) {
        let (before, behind) = (at - self.start, self.end - old_end);
        let old_len = old_end - at;
        if new_len == old_len {
            return write(self.at(at));
        }
        // Towards which end the difference goes: the side with less to move, unless only the other
        // has the room.
        let mut end = if before < behind {
            End::Front
        } else {
            End::Back
        };
        if new_len > old_len {
            let need = new_len - old_len;
            let room = |end| match end {
                End::Front => self.start,
                End::Back => self.capacity - self.end,
            };
            if room(end) < need {
                end = if end == End::Front {
                    End::Back
                } else {
                    End::Front
                };
            }
            if room(end) < need {
                self.make_room(end, need, limits);
                at = self.start + before;
                old_end = at + old_len;
            }
        }
        // SAFETY: the side that moves has the room for the difference, and both parts stay within
        // the buffer.
        unsafe {
            let target = match end {
                End::Front => {
                    let start = self.start + old_len - new_len;
                    self.at(self.start).copy_to(self.at(start), before as usize);
                    self.start = start;
                    old_end - new_len
                }
                End::Back => {
                    self.at(old_end)
                        .copy_to(self.at(at + new_len), behind as usize);
                    self.end = self.end - old_len + new_len;
                    at
                }
            };
            write(self.at(target));
        }
    }

    /// Makes `need` bytes of room at one end, by a slide or by growth.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, end: End, need: u32, limits: &Limits) {
        debug_assert!(self.is_plain());
        let used = self.used();
        let want = used.checked_add(need).expect("a node stays below 4 GiB");
        let room_of_other = |free: u32, quarter: u32| match end {
            End::Back => quarter,
            End::Front => free - quarter + need,
        };
        if want <= self.capacity && self.capacity - want >= want / 4 {
            let free = self.capacity - want;
            let start = room_of_other(free, if used == 0 { 0 } else { free / 4 });
            // SAFETY: start and used bytes fit in the capacity, as need and a part of the free room
            // do beside them.
            unsafe { self.at(self.start).copy_to(self.at(start), used as usize) };
            self.start = start;
            self.end = start + used;
            return;
        }
        let limit = limits.node_bytes;
        let target = if self.count == 0 || want > limit {
            want
        } else if self.capacity < limit {
            (want + want / 2).min(limit)
        } else {
            limit + limit / 4
        };
        let free = block::rounded(target as usize) as u32 - want;
        // A list that only grows at one end shall not keep room at the other.
        let other = match end {
            End::Back => self.start,
            End::Front => self.capacity - self.end,
        };
        let start = room_of_other(free, other.min(free / 4));
        self.move_to(target, start);
    }

    /// Moves the items to a buffer for `target` bytes, `start` bytes from its beginning.
    fn move_to(&mut self, target: u32, start: u32) {
        let used = self.used();
        let mut node = Node::new();
        if target > 0 {
            let capacity = block::rounded(target as usize);
            node.buffer = block::allocate(capacity);
            node.capacity = u32::try_from(capacity).expect("a node stays below 4 GiB");
        }
        node.start = start;
        node.end = start + used;
        node.count = self.count;
        // SAFETY: callers leave room for the items behind the start; the buffers are not the same.
        unsafe {
            self.at(self.start)
                .copy_to_nonoverlapping(node.at(start), used as usize)
        };
        *self = node;
    }
}

impl Clone for Node {
    fn clone(&self) -> Node {
        if !self.is_plain() {
            return self.copy_compressed();
        }
        let mut copy = Node::with_room(self.used());
        copy.end = self.used();
        copy.count = self.count;
        copy.state = self.state;
        // SAFETY: the copy has room for the items.
        unsafe {
            self.at(self.start)
                .copy_to_nonoverlapping(copy.at(0), copy.end as usize)
        };
        copy
    }
}

impl Drop for Node {
    #[inline]
    fn drop(&mut self) {
        if self.capacity > 0 {
            // SAFETY: the buffer has this size, and the node is gone.
            unsafe { block::release(self.buffer, self.capacity as usize) };
        }
    }
}
