//! One member of a big sorted set: its score and its bytes in a single thin allocation.
//!
//! The member index owns the node ([`Node`]), the tree points at it ([`NodePtr`]), and everybody
//! else sees a borrowed view ([`NodeRef`]). Storing the member once, and the score next to it, is
//! what keeps a 17-byte member at 32 bytes; a leaf of the tree then needs eight bytes for it.
//!
//! | offset | bytes | what |
//! |-------:|------:|------|
//! | 0 | 8 | score, a native-endian `f64`, never NaN |
//! | 8 | 1 | length of the member, or 255 when a wide length follows |
//! | 9 | 0 or 8 | the wide length, a native-endian `u64` |
//! | 9 or 17 | length | the member |
//!
//! Invariant: only the score ever changes after creation, and only through the exclusive borrow
//! of the set; a view therefore reads the score on demand and borrows nothing but the member.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::hash::hash;
use crate::table::Element;

const LENGTH_AT: usize = 8;
const NARROW_MEMBER_AT: usize = 9;
const WIDE_MEMBER_AT: usize = 17;
const WIDE: u8 = 255;

/// A score as an integer that sorts the same way, with -0.0 equal to 0.0.
///
/// Comparing integers needs no thought about NaN, and their differences say how densely the
/// scores of a leaf lie.
#[inline]
pub(super) fn key_of(score: f64) -> u64 {
    debug_assert!(!score.is_nan(), "a score is never NaN");
    // Adding zero turns -0.0 into 0.0 and leaves every other number alone.
    let bits = (score + 0.0).to_bits();
    bits ^ ((((bits as i64) >> 63) as u64) | (1 << 63))
}

/// An owned node: dropping it frees the allocation.
pub(super) struct Node(NonNull<u8>);

// SAFETY: a node owns its allocation and has no thread-bound state.
unsafe impl Send for Node {}
// SAFETY: shared access only reads; the score changes under an exclusive borrow of the set alone.
unsafe impl Sync for Node {}

impl Node {
    pub(super) fn new(score: f64, member: &[u8]) -> Self {
        let layout = layout_for(member.len());
        // SAFETY: the layout is never empty, and every write below stays inside it: the header is
        // 9 or 17 bytes as the length demands, followed by exactly the member.
        unsafe {
            let Some(raw) = NonNull::new(alloc(layout)) else {
                handle_alloc_error(layout)
            };
            raw.cast::<f64>().write(score);
            let at = if member.len() < usize::from(WIDE) {
                raw.add(LENGTH_AT).write(member.len() as u8);
                NARROW_MEMBER_AT
            } else {
                raw.add(LENGTH_AT).write(WIDE);
                raw.add(NARROW_MEMBER_AT)
                    .cast::<u64>()
                    .write_unaligned(member.len() as u64);
                WIDE_MEMBER_AT
            };
            raw.add(at)
                .copy_from_nonoverlapping(NonNull::from(member).cast(), member.len());
            Node(raw)
        }
    }

    #[inline]
    pub(super) fn pointer(&self) -> NodePtr {
        NodePtr(self.0)
    }

    #[inline]
    pub(super) fn view(&self) -> NodeRef<'_> {
        NodeRef {
            raw: self.0,
            lifetime: PhantomData,
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let layout = layout_for(self.view().member().len());
        // SAFETY: the node owns this allocation and was made with the layout of this length.
        unsafe { dealloc(self.0.as_ptr(), layout) }
    }
}

// SAFETY: the raw pointer comes from the global allocator, so it is not null and, on the supported
// targets, an address of user space below 2^48; `from_raw` undoes `into_raw`.
unsafe impl Element for Node {
    type Ref<'a> = NodeRef<'a>;
    // Only the set knows when a score may change, so the index gives out nothing more.
    type Mut<'a> = NodeRef<'a>;

    #[inline]
    fn into_raw(self) -> NonNull<u8> {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }

    #[inline]
    unsafe fn from_raw(raw: NonNull<u8>) -> Self {
        Node(raw)
    }

    #[inline]
    unsafe fn borrow<'a>(raw: NonNull<u8>) -> NodeRef<'a> {
        NodeRef {
            raw,
            lifetime: PhantomData,
        }
    }

    #[inline]
    unsafe fn borrow_mut<'a>(raw: NonNull<u8>) -> NodeRef<'a> {
        NodeRef {
            raw,
            lifetime: PhantomData,
        }
    }

    #[inline]
    fn hash_of(view: NodeRef<'_>) -> u64 {
        hash(view.member())
    }
}

/// Where a node lives, without a claim that it still does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct NodePtr(NonNull<u8>);

impl NodePtr {
    /// A value for slots that hold no node yet; it is never followed.
    pub(super) const DANGLING: NodePtr = NodePtr(NonNull::dangling());

    /// The low 48 bits of a word in a leaf.
    #[inline]
    pub(super) fn to_address(self) -> u64 {
        self.0.as_ptr().expose_provenance() as u64
    }

    #[inline]
    pub(super) fn from_address(address: u64) -> Self {
        let raw: *mut u8 = std::ptr::with_exposed_provenance_mut(address as usize);
        debug_assert!(!raw.is_null());
        // SAFETY: only addresses of nodes are turned back, and those are not null.
        NodePtr(unsafe { NonNull::new_unchecked(raw) })
    }

    /// # Safety
    /// The node is alive, and stays so for `'a`.
    #[inline]
    pub(super) unsafe fn view<'a>(self) -> NodeRef<'a> {
        NodeRef {
            raw: self.0,
            lifetime: PhantomData,
        }
    }

    /// # Safety
    /// The node is alive, and the caller holds the set exclusively.
    #[inline]
    pub(super) unsafe fn set_score(self, score: f64) {
        // SAFETY: the score is the aligned first field of a live node nobody else is reading.
        unsafe { self.0.cast::<f64>().write(score) }
    }

    #[inline]
    pub(super) fn prefetch(self) {
        prefetch(self.0.as_ptr());
    }
}

/// How many of the nodes lie before the first that fails `is_before`, if it holds for a prefix of
/// them.
///
/// Scattered nodes are not in the cache, and plain halving would wait for one after the other.
/// Here the nodes of three halvings are asked for together.
#[inline]
pub(super) fn partition_nodes<T>(
    items: &[T],
    view: impl Fn(&T) -> NodeRef<'_>,
    mut is_before: impl FnMut(NodeRef<'_>) -> bool,
) -> usize {
    const WAYS: usize = 8;
    let (mut low, mut high) = (0, items.len());
    while high - low >= WAYS {
        let step = (high - low) / WAYS;
        let pivots = low + step;
        for way in 0..WAYS - 1 {
            view(&items[pivots + way * step]).pointer().prefetch();
        }
        let (mut first, mut last) = (0, WAYS - 1);
        while first < last {
            let middle = (first + last) / 2;
            if is_before(view(&items[pivots + middle * step])) {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        if first < WAYS - 1 {
            high = pivots + first * step;
        }
        if first > 0 {
            low = pivots + (first - 1) * step + 1;
        }
    }
    if high - low > 1 {
        for item in &items[low..high] {
            view(item).pointer().prefetch();
        }
    }
    while low < high {
        let middle = (low + high) / 2;
        if is_before(view(&items[middle])) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// A borrowed node.
#[derive(Clone, Copy)]
pub(super) struct NodeRef<'a> {
    raw: NonNull<u8>,
    lifetime: PhantomData<&'a [u8]>,
}

impl<'a> NodeRef<'a> {
    #[inline]
    pub(super) fn score(self) -> f64 {
        // SAFETY: a view is of a live node, whose first eight bytes are the score.
        unsafe { self.raw.cast::<f64>().read() }
    }

    #[inline]
    pub(super) fn key(self) -> u64 {
        key_of(self.score())
    }

    #[inline]
    pub(super) fn member(self) -> &'a [u8] {
        // SAFETY: a view is of a live node, whose bytes follow the layout of this file and do not
        // change while it lives.
        unsafe {
            let narrow = self.raw.add(LENGTH_AT).read();
            let (at, length) = if narrow == WIDE {
                let wide = self
                    .raw
                    .add(NARROW_MEMBER_AT)
                    .cast::<u64>()
                    .read_unaligned();
                (WIDE_MEMBER_AT, wide as usize)
            } else {
                (NARROW_MEMBER_AT, usize::from(narrow))
            };
            NonNull::slice_from_raw_parts(self.raw.add(at), length).as_ref()
        }
    }

    #[inline]
    pub(super) fn pointer(self) -> NodePtr {
        NodePtr(self.raw)
    }

    /// The bytes the allocator keeps for this node.
    #[inline]
    pub(super) fn heap_bytes(self) -> usize {
        allocated(layout_for(self.member().len()).size())
    }

    /// The order of the set: score, then member.
    #[inline]
    pub(super) fn compare(self, key: u64, member: &[u8]) -> Ordering {
        self.key().cmp(&key).then_with(|| self.member().cmp(member))
    }
}

#[inline]
fn layout_for(member_length: usize) -> Layout {
    let header = if member_length < usize::from(WIDE) {
        NARROW_MEMBER_AT
    } else {
        WIDE_MEMBER_AT
    };
    Layout::from_size_align(header + member_length, align_of::<f64>())
        .expect("a member fits the address space")
}

/// What a request of `bytes` takes from an allocator with an eight-byte quantum up to 64 bytes and
/// four size classes to each doubling above: the accounting is about memory, not about requests.
#[inline]
pub(super) fn allocated(bytes: usize) -> usize {
    let step = if bytes <= 64 {
        8
    } else {
        bytes.next_power_of_two() / 8
    };
    bytes.next_multiple_of(step)
}

/// Asks for the cache line at `address`; any address is allowed.
#[inline(always)]
pub(super) fn prefetch<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch is a hint and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_scores_do() {
        let scores = [
            f64::NEG_INFINITY,
            -1e300,
            -1.5,
            -1e-300,
            0.0,
            1e-300,
            1.0,
            f64::INFINITY,
        ];
        for pair in scores.windows(2) {
            assert!(key_of(pair[0]) < key_of(pair[1]), "{pair:?}");
        }
        assert_eq!(key_of(-0.0), key_of(0.0));
    }

    #[test]
    fn a_node_returns_what_it_was_given() {
        for length in [0, 1, 17, 254, 255, 256, 70_000] {
            let member: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let node = Node::new(-2.5, &member);
            assert_eq!(node.view().score(), -2.5);
            assert_eq!(node.view().member(), member);
        }
    }

    #[test]
    fn size_classes() {
        for (bytes, class) in [
            (1, 8),
            (26, 32),
            (64, 64),
            (65, 80),
            (128, 128),
            (129, 160),
            (600, 640),
            (1025, 1280),
        ] {
            assert_eq!(allocated(bytes), class, "{bytes}");
        }
    }
}
