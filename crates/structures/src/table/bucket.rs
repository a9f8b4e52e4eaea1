//! The bucket: one cache line that holds nine elements, or eight and the address of the next bucket
//! of its chain.
//!
//! | bytes  | what                                                                                     |
//! |--------|------------------------------------------------------------------------------------------|
//! | 0      | meta: bit 0 `CHAINED`, bit 1 `PARITY` (see the walk)                                     |
//! | 1..10  | nine fingerprints, 8 bits of the hash each, 0 for an empty lane                          |
//! | 10..64 | nine lanes of 48 bits, little-endian: addresses of elements                              |
//!
//! In a chained bucket the last lane is the address of the next bucket and its fingerprint is 0, so
//! that the probe, one 16-byte compare, passes it by without a special case.
//!
//! A lane is read as the 8 bytes that end with it, shifted right by 16: the first lane begins at
//! byte 10, so there are always two bytes before it, and the last one ends with the bucket.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Elements in a bucket without a chain.
pub(super) const LANES: u32 = 9;
/// The lane that a chained bucket gives up for the address of the next.
const LINK: u32 = LANES - 1;
const ALL: u32 = (1 << LANES) - 1;

const CHAINED: u8 = 1;
/// The bit of the meta byte that says whether the running walk has been here.
pub(super) const PARITY: u8 = 2;

/// See the module's page for the layout.
#[repr(C, align(64))]
pub(super) struct Bucket {
    meta: u8,
    fingerprints: [u8; LANES as usize],
    lanes: [[u8; 6]; LANES as usize],
}

const _: () = assert!(size_of::<Bucket>() == 64 && align_of::<Bucket>() == 64);

/// The fingerprint of a hash: never 0, which means empty.
#[inline(always)]
pub(super) fn fingerprint(hash: u64) -> u8 {
    let bits = (hash >> 40) as u8;
    bits | u8::from(bits == 0)
}

impl Bucket {
    /// An empty bucket that counts as visited by the walk of this parity.
    #[inline]
    pub(super) const fn empty(parity: u8) -> Self {
        Self {
            meta: parity,
            fingerprints: [0; LANES as usize],
            lanes: [[0; 6]; LANES as usize],
        }
    }

    /// Allocates an empty bucket for the end of a chain.
    pub(super) fn allocate() -> NonNull<Bucket> {
        let layout = Layout::new::<Bucket>();
        // SAFETY: the layout is not empty.
        let Some(bucket) = NonNull::new(unsafe { alloc(layout) }.cast::<Bucket>()) else {
            handle_alloc_error(layout)
        };
        // SAFETY: freshly allocated for this type.
        unsafe { bucket.write(Bucket::empty(0)) };
        bucket
    }

    /// Frees a bucket that came from [`Bucket::allocate`].
    ///
    /// # Safety
    /// It came from there, and nobody uses it any more.
    pub(super) unsafe fn free(bucket: NonNull<Bucket>) {
        // SAFETY: the caller's promise; the layout is the one of `allocate`.
        unsafe { dealloc(bucket.as_ptr().cast(), Layout::new::<Bucket>()) }
    }

    /// The lanes with this fingerprint, as a bit set.
    #[inline(always)]
    pub(super) fn matches(&self, fingerprint: u8) -> u32 {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::*;
            // SAFETY: the bucket is 64 bytes long and aligned, so its first 16 bytes are one
            // aligned vector; every processor of this architecture has SSE2.
            let equal = unsafe {
                let line = _mm_load_si128((&raw const *self).cast());
                _mm_movemask_epi8(_mm_cmpeq_epi8(line, _mm_set1_epi8(fingerprint as i8)))
            };
            (equal as u32 >> 1) & ALL
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let mut set = 0;
            for (lane, &other) in self.fingerprints.iter().enumerate() {
                set |= u32::from(other == fingerprint) << lane;
            }
            set
        }
    }

    /// The lanes that hold an element, as a bit set.
    #[inline(always)]
    pub(super) fn occupied(&self) -> u32 {
        !self.matches(0) & ALL
    }

    /// The lanes that can take an element, as a bit set.
    #[inline]
    fn vacant(&self) -> u32 {
        let empty = self.matches(0);
        if self.is_chained() {
            empty & !(1 << LINK)
        } else {
            empty
        }
    }

    #[inline(always)]
    pub(super) fn is_chained(&self) -> bool {
        self.meta & CHAINED != 0
    }

    #[inline(always)]
    pub(super) fn parity(&self) -> u8 {
        self.meta & PARITY
    }

    #[inline(always)]
    pub(super) fn set_parity(&mut self, parity: u8) {
        self.meta = (self.meta & !PARITY) | parity;
    }

    #[inline(always)]
    fn address(&self, lane: u32) -> usize {
        debug_assert!(lane < LANES);
        // SAFETY: 8 + 6 * 8 + 8 = 64, so the read stays inside the bucket for every lane.
        let bytes: [u8; 8] = unsafe {
            (&raw const *self)
                .cast::<u8>()
                .add(8 + 6 * lane as usize)
                .cast::<[u8; 8]>()
                .read()
        };
        (u64::from_le_bytes(bytes) >> 16) as usize
    }

    #[inline(always)]
    fn set_address(&mut self, lane: u32, address: usize) {
        debug_assert!(lane < LANES && (address as u64) >> 48 == 0 && address != 0);
        // One store of 8 bytes, the two before the lane among them: a read that follows is
        // forwarded from it. SAFETY: as in `address`.
        unsafe {
            let at = (&raw mut *self)
                .cast::<u8>()
                .add(8 + 6 * lane as usize)
                .cast::<[u8; 8]>();
            let before = u64::from_le_bytes(at.read()) & 0xffff;
            at.write((before | ((address as u64) << 16)).to_le_bytes());
        }
    }

    /// The element in an occupied lane.
    #[inline(always)]
    pub(super) fn element(&self, lane: u32) -> NonNull<u8> {
        debug_assert!(self.fingerprints[lane as usize] != 0);
        let pointer = std::ptr::with_exposed_provenance_mut(self.address(lane));
        // SAFETY: an occupied lane holds what `put` was given, which is not null.
        unsafe { NonNull::new_unchecked(pointer) }
    }

    #[inline(always)]
    pub(super) fn fingerprint(&self, lane: u32) -> u8 {
        self.fingerprints[lane as usize]
    }

    #[inline]
    pub(super) fn put(&mut self, lane: u32, fingerprint: u8, element: NonNull<u8>) {
        debug_assert!(fingerprint != 0);
        self.fingerprints[lane as usize] = fingerprint;
        self.set_address(lane, element.as_ptr().expose_provenance());
    }

    /// Puts another element into an occupied lane; the hash is the same.
    #[inline]
    pub(super) fn replace(&mut self, lane: u32, element: NonNull<u8>) {
        debug_assert!(self.fingerprints[lane as usize] != 0);
        self.set_address(lane, element.as_ptr().expose_provenance());
    }

    #[inline]
    pub(super) fn clear(&mut self, lane: u32) {
        self.fingerprints[lane as usize] = 0;
    }

    /// The next bucket of the chain.
    #[inline(always)]
    pub(super) fn next(&self) -> Option<NonNull<Bucket>> {
        if !self.is_chained() {
            return None;
        }
        NonNull::new(std::ptr::with_exposed_provenance_mut(self.address(LINK)))
    }

    fn link(&mut self, next: NonNull<Bucket>) {
        self.fingerprints[LINK as usize] = 0;
        self.set_address(LINK, next.as_ptr().expose_provenance());
        self.meta |= CHAINED;
    }

    fn unlink(&mut self) {
        self.meta &= !CHAINED;
    }
}

/// Puts an element into the first vacant lane of a chain and says where; a full chain gets one
/// bucket more, counted in `chains`.
///
/// # Safety
/// `head` begins a valid chain to which the caller has exclusive access.
pub(super) unsafe fn append(
    head: NonNull<Bucket>,
    fingerprint: u8,
    element: NonNull<u8>,
    chains: &mut u32,
) -> (NonNull<Bucket>, u32) {
    let mut at = head;
    loop {
        // SAFETY: `at` is a bucket of the caller's chain.
        let bucket = unsafe { at.as_mut() };
        let vacant = bucket.vacant();
        if vacant != 0 {
            let lane = vacant.trailing_zeros();
            bucket.put(lane, fingerprint, element);
            return (at, lane);
        }
        at = match bucket.next() {
            Some(next) => next,
            None => extend(bucket, chains),
        };
    }
}

/// Adds a bucket to a full chain: what sat in the lane that the link takes moves into it.
#[cold]
#[inline(never)]
fn extend(last: &mut Bucket, chains: &mut u32) -> NonNull<Bucket> {
    let mut next = Bucket::allocate();
    *chains += 1;
    // SAFETY: just allocated, and nobody else knows it.
    unsafe { next.as_mut() }.put(0, last.fingerprint(LINK), last.element(LINK));
    last.link(next);
    next
}

/// Takes the element out of a lane. The hole is filled from the end of the chain, so that only the
/// last bucket of a chain has vacant lanes; when that leaves the last one empty it is freed. (The
/// chain of ten elements is 8 and 2, and goes back to one bucket at 8: a bucket that swings around
/// its size does not allocate each time.)
///
/// # Safety
/// `at` is a bucket of the valid chain that begins at `head`, `lane` is occupied, and access is
/// exclusive.
pub(super) unsafe fn remove(
    head: NonNull<Bucket>,
    mut at: NonNull<Bucket>,
    lane: u32,
    chains: &mut u32,
) -> NonNull<u8> {
    // SAFETY: the caller's promise.
    let bucket = unsafe { at.as_mut() };
    let element = bucket.element(lane);
    if !bucket.is_chained() {
        bucket.clear(lane);
        if at != head && bucket.occupied() == 0 {
            // SAFETY: as promised, and `at` is not the head but the end of its chain.
            unsafe { cut_last(head, chains) };
        }
        return element;
    }
    let mut last = bucket;
    while let Some(mut next) = last.next() {
        // SAFETY: a link leads to a bucket of the same chain.
        last = unsafe { next.as_mut() };
    }
    let occupied = last.occupied();
    debug_assert!(occupied != 0, "an empty bucket at the end of a chain");
    let moved = occupied.ilog2();
    let (fingerprint, other) = (last.fingerprint(moved), last.element(moved));
    last.clear(moved);
    let emptied = last.occupied() == 0;
    // SAFETY: the reference to `last` is not used any more; `at` is another bucket, since it is
    // chained.
    unsafe { at.as_mut() }.put(lane, fingerprint, other);
    if emptied {
        // SAFETY: as promised; the chain has at least two buckets.
        unsafe { cut_last(head, chains) };
    }
    element
}

/// Frees the last bucket, an empty one, of a chain of at least two.
///
/// # Safety
/// As for [`remove`].
#[cold]
#[inline(never)]
unsafe fn cut_last(head: NonNull<Bucket>, chains: &mut u32) {
    let mut before = head;
    loop {
        // SAFETY: a bucket of the caller's chain.
        let next = unsafe { before.as_ref() }.next();
        let Some(next) = next else {
            unreachable!("the chain has an end besides its head")
        };
        // SAFETY: as above.
        if unsafe { next.as_ref() }.is_chained() {
            before = next;
            continue;
        }
        // SAFETY: as above; after the unlinking nobody knows `next`.
        unsafe {
            before.as_mut().unlink();
            Bucket::free(next);
        }
        *chains -= 1;
        return;
    }
}

/// Gives every element of a chain to `take`, in no order, and leaves the head alone and empty.
///
/// # Safety
/// `head` begins a valid chain to which the caller has exclusive access; `take` does not touch it.
pub(super) unsafe fn dissolve(
    mut head: NonNull<Bucket>,
    chains: &mut u32,
    mut take: impl FnMut(&mut u32, u8, NonNull<u8>),
) {
    // SAFETY: the caller's promise.
    let bucket = unsafe { head.as_mut() };
    let old = std::mem::replace(bucket, Bucket::empty(bucket.parity()));
    for lane in Lanes(old.occupied()) {
        take(chains, old.fingerprint(lane), old.element(lane));
    }
    let mut next = old.next();
    while let Some(at) = next {
        // SAFETY: a bucket of the former chain, which only this function still knows.
        let bucket = unsafe { at.as_ref() };
        for lane in Lanes(bucket.occupied()) {
            take(chains, bucket.fingerprint(lane), bucket.element(lane));
        }
        next = bucket.next();
        *chains -= 1;
        // SAFETY: as above, and its elements have been handed on.
        unsafe { Bucket::free(at) };
    }
}

/// The lanes of a bit set, in order.
pub(super) struct Lanes(pub(super) u32);

impl Iterator for Lanes {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(lane)
    }
}

/// The addresses of all elements of a chain.
pub(super) struct Chain<'a> {
    bucket: &'a Bucket,
    lanes: Lanes,
}

impl<'a> Chain<'a> {
    /// # Safety
    /// `head` begins a valid chain that nobody changes during `'a`.
    #[inline]
    pub(super) unsafe fn new(head: NonNull<Bucket>) -> Self {
        // SAFETY: the caller's promise.
        let bucket: &'a Bucket = unsafe { head.as_ref() };
        Self {
            bucket,
            lanes: Lanes(bucket.occupied()),
        }
    }
}

impl Iterator for Chain<'_> {
    type Item = NonNull<u8>;

    #[inline]
    fn next(&mut self) -> Option<NonNull<u8>> {
        loop {
            if let Some(lane) = self.lanes.next() {
                return Some(self.bucket.element(lane));
            }
            // SAFETY: a link leads to a bucket of the same chain, which lives as long.
            self.bucket = unsafe { self.bucket.next()?.as_ref() };
            self.lanes = Lanes(self.bucket.occupied());
        }
    }
}
