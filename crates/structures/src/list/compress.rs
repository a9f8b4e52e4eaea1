//! The compressed state of a node, for the middle of long lists (`list-compress-depth`).
//!
//! | compressed node | bytes |
//! |---|---|
//! | length of the block, little endian | 4 |
//! | an LZ4 block of the framed items | |
//!
//! `count` and `used` stay what they were, so that finding an index and asking whether items fit
//! need no look into the block.
//!
//! LZ4 by the crate `lz4_flex`: it is maintained, under the MIT licence, builds in a moment without
//! dependencies, and forbids itself `unsafe` with the features that are chosen here. Redis compresses
//! nodes with LZF, but the block never leaves the process, so its format is free; LZ4 is made for
//! fast unpacking, and that is what each read in the middle of a list waits for.
//!
//! A node stays plain when it is small or its buffer would not be a size class smaller (8 bytes at
//! the least). It remembers that until it changes, and is not tried again.
#![allow(unsafe_code)]

use super::node::{Node, State};
use crate::block;
use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};
use std::slice;

/// Fewer bytes of items are not compressed.
const LEAST: u32 = 48;

/// Nor are more, which can only be one item: it would need as much room again while it is read.
const MOST: u32 = 64 << 20;

/// The bytes of the length before the block.
const HEADER: usize = 4;

impl Node {
    /// Whether the buffer holds the items as they are.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.state != State::Compressed
    }

    /// Compresses the node if that is worth it.
    pub(super) fn compress(&mut self) {
        if self.state != State::Plain {
            return;
        }
        self.state = State::Incompressible;
        let used = self.used();
        if !(LEAST..=MOST).contains(&used) {
            return;
        }
        // SAFETY: the items of a plain node lie behind its start.
        let items = unsafe { slice::from_raw_parts(self.at(self.start), used as usize) };
        let mut output = vec![0; HEADER + get_maximum_output_size(items.len())];
        let length = compress_into(items, &mut output[HEADER..])
            .expect("the output has room for the worst case");
        let capacity = block::rounded(HEADER + length);
        if capacity >= block::rounded(items.len()) {
            return;
        }
        output[..HEADER].copy_from_slice(&(length as u32).to_le_bytes());
        *self = self.with_block(&output[..HEADER + length], capacity);
    }

    /// A compressed node of the same items with the block, and its header, in a buffer of `capacity`
    /// bytes.
    fn with_block(&self, block: &[u8], capacity: usize) -> Node {
        debug_assert!(block.len() <= capacity);
        let node = Node {
            buffer: block::allocate(capacity),
            start: 0,
            end: self.used(),
            capacity: capacity as u32,
            count: self.count,
            state: State::Compressed,
        };
        // SAFETY: the buffer is new and has the room.
        unsafe {
            node.at(0)
                .copy_from_nonoverlapping(block.as_ptr(), block.len())
        };
        node
    }

    /// The header and the block of a compressed node.
    fn block(&self) -> &[u8] {
        debug_assert!(!self.is_plain());
        // SAFETY: the buffer of a compressed node begins with the header, which says how many bytes
        // follow it.
        unsafe {
            let header = self.at(0).cast::<[u8; HEADER]>().read();
            let length = u32::from_le_bytes(header) as usize;
            slice::from_raw_parts(self.at(0), HEADER + length)
        }
    }

    /// What `clone` answers for a compressed node.
    #[cold]
    pub(super) fn copy_compressed(&self) -> Node {
        self.with_block(self.block(), self.heap_bytes())
    }

    /// Makes the node plain, and forgets whether it could be compressed.
    pub(super) fn decompress(&mut self) {
        if !self.is_plain() {
            let mut node = Node::new();
            self.decompress_into(&mut node);
            *self = node;
        }
        self.state = State::Plain;
    }

    /// The node itself if it is plain, else `scratch`, which becomes a plain copy of it.
    #[inline]
    pub(super) fn plain<'n>(&'n self, scratch: &'n mut Node) -> &'n Node {
        if !self.is_plain() {
            self.decompress_into(scratch);
            return scratch;
        }
        self
    }

    #[cold]
    fn decompress_into(&self, scratch: &mut Node) {
        let used = self.used();
        if scratch.heap_bytes() < used as usize {
            *scratch = Node::with_room(used);
        }
        scratch.start = 0;
        scratch.end = used;
        scratch.count = self.count;
        // SAFETY: the buffer has room for the items; a slice may only be made of bytes that have
        // been written.
        let items = unsafe {
            scratch.at(0).write_bytes(0, used as usize);
            slice::from_raw_parts_mut(scratch.at(0), used as usize)
        };
        let written = decompress_into(&self.block()[HEADER..], items)
            .expect("a node's block is as it was made");
        assert_eq!(written, items.len());
    }
}
