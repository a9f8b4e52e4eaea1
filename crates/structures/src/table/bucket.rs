//! The bucket: one cache line with nine elements, or with eight and the address of its overflow.
//!
//! | bytes  | a bucket (64, aligned)                                    |
//! |--------|-----------------------------------------------------------|
//! | 0      | meta: bit 0 `OVERFLOW`, bit 1 `PARITY`, bits 2..8 `HINTS` |
//! | 1..10  | nine fingerprints, 8 bits of the hash, 0 for a vacant lane |
//! | 10..64 | nine lanes, little-endian addresses of 48 bits            |
//!
//! | bytes    | an overflow of `n` elements (rounded up to 8, at least 16) |
//! |----------|-----------------------------------------------------------|
//! | 0..2     | `n`, little-endian                                        |
//! | 2..2+n   | fingerprints                                              |
//! | 2+n..2+7n | addresses of 48 bits                                     |
//!
//! With an overflow the last lane holds its address and the fingerprint of that lane is 0, so that
//! the probe, one 16-byte compare, passes it by without a special case. The overflow is exactly as
//! long as it must be, which is why there is no second bucket instead: with that, the tenth
//! element costs 64 bytes and not 16, and a table that is to need the same memory must be loaded
//! more, so that more lookups read a second line.
//!
//! A hint is set for each fingerprint in the overflow, one of six for all of them: more than half
//! of the lookups that find nothing need not read it. The parity is the walk's.
//!
//! Addresses are read as the 8 bytes that end with them, shifted right by 16; there are always two
//! bytes in front.
//!
//! Lanes 0..9 are the bucket's own, those from 9 on the overflow's. Removing fills the hole from
//! the end of the overflow, so that an overflow implies eight own elements. It is given up when it
//! is empty: it comes with the tenth element and goes with the ninth, and a bucket that swings
//! around its size does not allocate each time.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error, realloc};
use std::ptr::NonNull;

/// Elements in a bucket without an overflow.
const OWN: u32 = 9;
/// The lane that gives way to the address of the overflow.
const LINK: u32 = OWN - 1;
const ALL: u32 = (1 << OWN) - 1;

const OVERFLOW: u8 = 1;
/// The bit of the meta byte that says whether the running walk has been here.
pub(super) const PARITY: u8 = 2;
const HINTS: u8 = !(OVERFLOW | PARITY);

/// See the module's page for the layout. A bucket owns its overflow, but not the elements.
#[repr(C, align(64))]
pub(super) struct Bucket {
    meta: u8,
    fingerprints: [u8; OWN as usize],
    lanes: [[u8; 6]; OWN as usize],
}

const _: () = assert!(size_of::<Bucket>() == 64);

/// The fingerprint of a hash: never 0, which means vacant.
#[inline(always)]
pub(super) fn fingerprint(hash: u64) -> u8 {
    let bits = (hash >> 40) as u8;
    bits | u8::from(bits == 0)
}

/// The bit of the meta byte that is set when this fingerprint may be in the overflow.
#[inline(always)]
fn hint(fingerprint: u8) -> u8 {
    4 << ((u16::from(fingerprint) * 6) >> 8)
}

impl Bucket {
    /// A bucket without elements that counts as visited by the walk of this parity.
    #[inline]
    pub(super) const fn new(parity: u8) -> Self {
        Self {
            meta: parity,
            fingerprints: [0; OWN as usize],
            lanes: [[0; 6]; OWN as usize],
        }
    }

    /// The bucket's own lanes with this fingerprint, as a bit set.
    #[inline(always)]
    pub(super) fn matches(&self, fingerprint: u8) -> u32 {
        // SAFETY: a bucket is 64 bytes long and aligned to them.
        (unsafe { equal_bytes((&raw const *self).cast(), fingerprint) } >> 1) & ALL
    }

    /// The bucket's own lanes that hold an element, as a bit set.
    #[inline(always)]
    fn occupied(&self) -> u32 {
        !self.matches(0) & ALL
    }

    #[inline(always)]
    pub(super) fn overflow(&self) -> Option<&Overflow> {
        if self.meta & OVERFLOW == 0 {
            return None;
        }
        // SAFETY: with this bit the lane holds the address of a valid overflow, which the bucket
        // owns.
        Some(unsafe { &*Overflow::at(self.address(LINK)) })
    }

    /// Whether an element with this fingerprint may be in the overflow.
    #[inline(always)]
    pub(super) fn may_overflow(&self, fingerprint: u8) -> bool {
        self.meta & hint(fingerprint) != 0
    }

    /// The number of elements, the overflow's among them.
    #[inline]
    pub(super) fn len(&self) -> u32 {
        self.occupied().count_ones() + self.overflow().map_or(0, Overflow::len)
    }

    /// The lane of the element number `nth`.
    pub(super) fn nth(&self, nth: u32) -> Option<u32> {
        let occupied = self.occupied();
        let own = occupied.count_ones();
        if nth < own {
            return Lanes(occupied).nth(nth as usize);
        }
        (nth - own < self.overflow()?.len()).then_some(OWN + nth - own)
    }

    #[inline(always)]
    pub(super) fn parity(&self) -> u8 {
        self.meta & PARITY
    }

    #[inline(always)]
    pub(super) fn set_parity(&mut self, parity: u8) {
        self.meta = (self.meta & !PARITY) | parity;
    }

    /// The element in an occupied lane.
    #[inline(always)]
    pub(super) fn element(&self, lane: u32) -> NonNull<u8> {
        if lane < OWN {
            debug_assert!(self.fingerprints[lane as usize] != 0);
            return pointer(self.address(lane));
        }
        self.overflow()
            .expect("the lane of an overflow")
            .element(lane - OWN)
    }

    /// Puts another element with the same hash into an occupied lane.
    #[inline]
    pub(super) fn replace(&mut self, lane: u32, element: NonNull<u8>) {
        let address = element.as_ptr().expose_provenance();
        if lane < OWN {
            debug_assert!(self.fingerprints[lane as usize] != 0);
            self.set_address(lane, address);
        } else {
            debug_assert!(lane - OWN < self.overflow().map_or(0, Overflow::len));
            let overflow = Overflow::at(self.address(LINK));
            // SAFETY: a lane of the overflow's means that there is one, and the bucket owns it.
            unsafe { Overflow::set_address(overflow, lane - OWN, address) };
        }
    }

    /// Puts an element into a vacant lane and says which. The words of memory that an overflow
    /// takes are added to `overflow_words`.
    #[inline]
    pub(super) fn insert(
        &mut self,
        fingerprint: u8,
        element: NonNull<u8>,
        overflow_words: &mut u32,
    ) -> u32 {
        let vacant = self.matches(0);
        if vacant != 0 && self.meta & OVERFLOW == 0 {
            let lane = vacant.trailing_zeros();
            self.put(lane, fingerprint, element);
            return lane;
        }
        self.insert_overflowing(fingerprint, element, overflow_words)
    }

    #[cold]
    #[inline(never)]
    fn insert_overflowing(
        &mut self,
        fingerprint: u8,
        element: NonNull<u8>,
        overflow_words: &mut u32,
    ) -> u32 {
        let old = if self.meta & OVERFLOW == 0 {
            let moved = (self.fingerprints[LINK as usize], self.element(LINK));
            let overflow = Overflow::new(moved.0, moved.1);
            *overflow_words += Overflow::words(1);
            self.fingerprints[LINK as usize] = 0;
            self.meta |= OVERFLOW | hint(moved.0);
            overflow
        } else {
            Overflow::at(self.address(LINK))
        };
        // SAFETY: the overflow is this bucket's, which forgets the old address.
        let (overflow, index) = unsafe { Overflow::push(old, fingerprint, element) };
        *overflow_words += Overflow::words(index + 1) - Overflow::words(index);
        self.set_address(LINK, overflow.expose_provenance());
        self.meta |= hint(fingerprint);
        OWN + index
    }

    /// Takes the element out of an occupied lane.
    #[inline]
    pub(super) fn remove(&mut self, lane: u32, overflow_words: &mut u32) -> NonNull<u8> {
        let element = self.element(lane);
        if self.meta & OVERFLOW == 0 {
            self.fingerprints[lane as usize] = 0;
        } else {
            self.fill_from_overflow(lane, overflow_words);
        }
        element
    }

    /// Moves the last element of the overflow into a lane whose own element is leaving.
    #[cold]
    #[inline(never)]
    fn fill_from_overflow(&mut self, lane: u32, overflow_words: &mut u32) {
        let old = Overflow::at(self.address(LINK));
        // SAFETY: the overflow is this bucket's.
        let last = unsafe { &*old }.len() - 1;
        if lane != OWN + last {
            // SAFETY: as above.
            let (fingerprint, element) =
                unsafe { ((*old).fingerprint(last), (*old).element(last)) };
            if lane < OWN {
                self.put(lane, fingerprint, element);
            } else {
                // SAFETY: as above, and there is no reference to it now.
                unsafe { Overflow::put(old, lane - OWN, fingerprint, element) };
            }
        }
        *overflow_words -= Overflow::words(last + 1);
        if last == 0 {
            // SAFETY: the bucket forgets it, and it has no element any more.
            unsafe { Overflow::free(old) };
            self.meta &= !(OVERFLOW | HINTS);
            return;
        }
        *overflow_words += Overflow::words(last);
        // SAFETY: the overflow is this bucket's, which forgets the old address.
        let overflow = unsafe { Overflow::pop(old) };
        self.set_address(LINK, overflow.expose_provenance());
        // SAFETY: this is where the overflow is now.
        let overflow = unsafe { &*overflow };
        let hints = (0..last).fold(0, |hints, index| hints | hint(overflow.fingerprint(index)));
        self.meta = (self.meta & !HINTS) | hints;
    }

    /// Takes everything out, and keeps the parity. The overflow's memory now belongs to the answer.
    pub(super) fn take(&mut self, overflow_words: &mut u32) -> Bucket {
        *overflow_words -= self
            .overflow()
            .map_or(0, |overflow| Overflow::words(overflow.len()));
        let parity = self.parity();
        std::mem::replace(self, Bucket::new(parity))
    }

    /// All elements, with their fingerprints.
    #[inline]
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u8, NonNull<u8>)> {
        let own = Lanes(self.occupied())
            .map(|lane| (self.fingerprints[lane as usize], self.element(lane)));
        let overflow = self.overflow().into_iter().flat_map(|overflow| {
            (0..overflow.len()).map(|index| (overflow.fingerprint(index), overflow.element(index)))
        });
        own.chain(overflow)
    }

    /// All elements.
    #[inline]
    pub(super) fn elements(&self) -> Elements<'_> {
        Elements {
            bucket: self,
            own: Lanes(self.occupied()),
            overflow_next: 0,
        }
    }

    /// The lanes with this fingerprint in the overflow.
    #[inline]
    pub(super) fn overflow_matches(&self, fingerprint: u8) -> impl Iterator<Item = u32> {
        self.overflow().into_iter().flat_map(move |overflow| {
            let tail = overflow.len().saturating_sub(Overflow::VECTOR);
            let tail = (0..tail)
                .map(|index| index + Overflow::VECTOR)
                .filter(move |&index| overflow.fingerprint(index) == fingerprint);
            Lanes(overflow.matches(fingerprint))
                .chain(tail)
                .map(|index| index + OWN)
        })
    }

    #[inline(always)]
    fn put(&mut self, lane: u32, fingerprint: u8, element: NonNull<u8>) {
        debug_assert!(fingerprint != 0);
        self.fingerprints[lane as usize] = fingerprint;
        self.set_address(lane, element.as_ptr().expose_provenance());
    }

    #[inline(always)]
    fn address(&self, lane: u32) -> usize {
        debug_assert!(lane < OWN);
        // SAFETY: 8 + 6 * 8 + 8 = 64, so the read stays inside the bucket for every lane.
        unsafe { read_address((&raw const *self).cast::<u8>().add(8 + 6 * lane as usize)) }
    }

    #[inline(always)]
    fn set_address(&mut self, lane: u32, address: usize) {
        debug_assert!(lane < OWN);
        // SAFETY: as in `address`.
        unsafe {
            write_address(
                (&raw mut *self).cast::<u8>().add(8 + 6 * lane as usize),
                address,
            )
        };
    }
}

impl Drop for Bucket {
    #[inline]
    fn drop(&mut self) {
        if self.meta & OVERFLOW != 0 {
            // SAFETY: the overflow belongs to this bucket.
            unsafe { Overflow::free(Overflow::at(self.address(LINK))) };
        }
    }
}

/// What does not fit into a bucket; see the module's page. It is only ever seen through a pointer
/// to its first byte, for its length is in its bytes.
#[repr(C, align(8))]
pub(super) struct Overflow {
    count: [u8; 2],
    /// What every overflow has, since an allocation has at least 16 bytes.
    start: [u8; 14],
}

impl Overflow {
    /// The fingerprints that are compared at once.
    const VECTOR: u32 = 14;

    #[inline(always)]
    fn at(address: usize) -> *mut Overflow {
        std::ptr::with_exposed_provenance_mut(address)
    }

    /// The size of an overflow in words of 8 bytes.
    fn words(count: u32) -> u32 {
        (2 + 7 * count).div_ceil(8).max(2)
    }

    fn layout(count: u32) -> Layout {
        Layout::from_size_align(Self::words(count) as usize * 8, 8).expect("a small layout")
    }

    fn new(fingerprint: u8, element: NonNull<u8>) -> *mut Overflow {
        let layout = Self::layout(1);
        // SAFETY: the layout is not empty.
        let Some(new) = NonNull::new(unsafe { alloc(layout) }) else {
            handle_alloc_error(layout)
        };
        let new = new.cast::<Overflow>().as_ptr();
        // SAFETY: 16 bytes, allocated for this.
        unsafe {
            new.write(Overflow {
                count: 1u16.to_le_bytes(),
                start: [0; 14],
            });
            Self::put(new, 0, fingerprint, element);
        }
        new
    }

    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        u32::from(u16::from_le_bytes(self.count))
    }

    /// The first `VECTOR` elements with this fingerprint, as a bit set.
    #[inline(always)]
    fn matches(&self, fingerprint: u8) -> u32 {
        // SAFETY: an overflow has at least 16 bytes.
        let equal = unsafe { equal_bytes((&raw const *self).cast(), fingerprint) } >> 2;
        equal & (1u32 << self.len().min(Self::VECTOR)).wrapping_sub(1)
    }

    #[inline(always)]
    fn fingerprint(&self, index: u32) -> u8 {
        debug_assert!(index < self.len());
        // SAFETY: the fingerprints begin at byte 2, and there are `len` of them.
        unsafe {
            (&raw const *self)
                .cast::<u8>()
                .add(2 + index as usize)
                .read()
        }
    }

    #[inline(always)]
    fn element(&self, index: u32) -> NonNull<u8> {
        debug_assert!(index < self.len());
        let before = (self.len() + 6 * index) as usize;
        // SAFETY: the addresses begin behind the fingerprints, two bytes after `before`.
        pointer(unsafe { read_address((&raw const *self).cast::<u8>().add(before)) })
    }

    /// # Safety
    /// `this` is a valid overflow of more than `index` elements, with no reference to it.
    unsafe fn set_address(this: *mut Overflow, index: u32, address: usize) {
        // SAFETY: the caller's promise, and as in `element`.
        unsafe {
            let before = ((*this).len() + 6 * index) as usize;
            write_address(this.cast::<u8>().add(before), address);
        }
    }

    /// # Safety
    /// As for [`Overflow::set_address`].
    unsafe fn put(this: *mut Overflow, index: u32, fingerprint: u8, element: NonNull<u8>) {
        // SAFETY: the caller's promise, and as in `fingerprint`.
        unsafe {
            Self::set_address(this, index, element.as_ptr().expose_provenance());
            this.cast::<u8>().add(2 + index as usize).write(fingerprint);
        }
    }

    /// Adds an element at the end, and answers where the overflow is now and the element's index.
    ///
    /// # Safety
    /// `this` is a valid overflow which nobody uses any more.
    unsafe fn push(
        this: *mut Overflow,
        fingerprint: u8,
        element: NonNull<u8>,
    ) -> (*mut Overflow, u32) {
        // SAFETY: the caller's promise.
        let count = unsafe { (*this).len() };
        assert!(
            count < u32::from(u16::MAX),
            "a hash function that does not spread"
        );
        // SAFETY: the caller's promise; the new layout has room for one element more, whose
        // fingerprint moves the addresses back by one byte.
        unsafe {
            let new = Self::resize(this, count, count + 1);
            let bytes = new.cast::<u8>();
            let start = 2 + count as usize;
            std::ptr::copy(bytes.add(start), bytes.add(start + 1), 6 * count as usize);
            (*new).count = (count as u16 + 1).to_le_bytes();
            Self::put(new, count, fingerprint, element);
            (new, count)
        }
    }

    /// Takes the last element off, which is not the only one, and answers where the overflow is
    /// now.
    ///
    /// # Safety
    /// As for [`Overflow::push`].
    unsafe fn pop(this: *mut Overflow) -> *mut Overflow {
        // SAFETY: the caller's promise; the addresses move forward by one byte.
        unsafe {
            let count = (*this).len();
            let bytes = this.cast::<u8>();
            let start = 2 + count as usize;
            std::ptr::copy(
                bytes.add(start),
                bytes.add(start - 1),
                6 * (count as usize - 1),
            );
            (*this).count = (count as u16 - 1).to_le_bytes();
            Self::resize(this, count, count - 1)
        }
    }

    /// # Safety
    /// `this` was allocated for `old` elements, and its address is not used any more.
    unsafe fn resize(this: *mut Overflow, old: u32, new: u32) -> *mut Overflow {
        let (old, new) = (Self::layout(old), Self::layout(new));
        if old == new {
            return this;
        }
        // SAFETY: the caller's promise; the new size is not 0.
        let moved = unsafe { realloc(this.cast(), old, new.size()) };
        if moved.is_null() {
            handle_alloc_error(new);
        }
        moved.cast()
    }

    /// # Safety
    /// `this` is a valid overflow, and its address is not used any more.
    unsafe fn free(this: *mut Overflow) {
        // SAFETY: the caller's promise.
        unsafe { dealloc(this.cast(), Self::layout((*this).len())) }
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

/// The elements of a bucket. See [`Bucket::elements`].
pub(super) struct Elements<'a> {
    bucket: &'a Bucket,
    own: Lanes,
    overflow_next: u32,
}

impl Iterator for Elements<'_> {
    type Item = NonNull<u8>;

    #[inline]
    fn next(&mut self) -> Option<NonNull<u8>> {
        if let Some(lane) = self.own.next() {
            return Some(self.bucket.element(lane));
        }
        let overflow = self.bucket.overflow()?;
        if self.overflow_next == overflow.len() {
            return None;
        }
        self.overflow_next += 1;
        Some(overflow.element(self.overflow_next - 1))
    }
}

/// The positions in 16 bytes that hold `byte`, as a bit set.
///
/// # Safety
/// `start` may be read for 16 bytes.
#[inline(always)]
unsafe fn equal_bytes(start: *const u8, byte: u8) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::*;
        // SAFETY: the caller's promise; every processor of this architecture has SSE2.
        unsafe {
            let bytes = _mm_loadu_si128(start.cast());
            _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8))) as u32
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        // SAFETY: the caller's promise.
        equal_bytes_portable(unsafe { start.cast::<[u8; 16]>().read() }, byte)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn equal_bytes_portable(bytes: [u8; 16], byte: u8) -> u32 {
    bytes.iter().enumerate().fold(0, |set, (at, &other)| {
        set | (u32::from(other == byte) << at)
    })
}

/// The address that ends the 8 bytes from `start` on.
///
/// # Safety
/// `start` may be read for 8 bytes.
#[inline(always)]
unsafe fn read_address(start: *const u8) -> usize {
    // SAFETY: the caller's promise.
    (u64::from_le_bytes(unsafe { start.cast::<[u8; 8]>().read() }) >> 16) as usize
}

/// Writes what [`read_address`] reads, in one store: a read that follows is forwarded from it.
///
/// # Safety
/// `start` may be read and written for 8 bytes.
#[inline(always)]
unsafe fn write_address(start: *mut u8, address: usize) {
    debug_assert!((address as u64) >> 48 == 0 && address != 0);
    // SAFETY: the caller's promise.
    unsafe {
        let start = start.cast::<[u8; 8]>();
        let before = u64::from_le_bytes(start.read()) & 0xffff;
        start.write((before | ((address as u64) << 16)).to_le_bytes());
    }
}

#[inline(always)]
fn pointer(address: usize) -> NonNull<u8> {
    debug_assert!(address != 0);
    // SAFETY: occupied lanes hold the addresses of elements, which are not null.
    unsafe { NonNull::new_unchecked(std::ptr::with_exposed_provenance_mut(address)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(number: usize) -> NonNull<u8> {
        NonNull::new(std::ptr::without_provenance_mut(number)).expect("not 0")
    }

    #[test]
    fn holds_any_number_of_elements() {
        for len in 0..60usize {
            let (mut bucket, mut words) = (Bucket::new(0), 0);
            for n in 1..=len {
                let lane = bucket.insert((n % 7 + 1) as u8, element(n << 40 | n), &mut words);
                assert_eq!(
                    lane as usize,
                    if n == 10 {
                        10
                    } else {
                        n - 1 + usize::from(n > 10)
                    }
                );
            }
            assert_eq!(bucket.len() as usize, len);
            assert_eq!(words > 0, len > 9);
            let overflow = bucket
                .pairs()
                .skip(8)
                .map(|pair| hint(pair.0))
                .fold(0, |a, b| a | b);
            assert_eq!(bucket.meta & HINTS, if len > 9 { overflow } else { 0 });
            for fingerprint in 1..9 {
                let mut found: Vec<usize> = Lanes(bucket.matches(fingerprint))
                    .chain(bucket.overflow_matches(fingerprint))
                    .map(|lane| bucket.element(lane).as_ptr().addr() & 0xff)
                    .collect();
                found.sort_unstable();
                let expected: Vec<usize> = (1..=len)
                    .filter(|n| n % 7 + 1 == fingerprint as usize)
                    .collect();
                assert_eq!(found, expected);
            }
            // From the middle, the front and the back in turn.
            for left in (0..len as u32).rev() {
                let nth = [left / 2, 0, left][left as usize % 3];
                let lane = bucket.nth(nth).expect("an element");
                let element = bucket.element(lane);
                assert_eq!(bucket.remove(lane, &mut words), element);
                assert!(bucket.elements().all(|other| other != element));
                assert_eq!(bucket.len(), left);
                assert_eq!(bucket.elements().count() as u32, left);
                assert_eq!(bucket.pairs().count() as u32, left);
                assert!(bucket.overflow().into_iter().all(|overflow| {
                    (0..overflow.len()).all(|at| bucket.may_overflow(overflow.fingerprint(at)))
                }));
            }
            assert_eq!((words, bucket.meta), (0, 0));
        }
    }

    #[test]
    fn compares_alike_with_and_without_vectors() {
        for seed in 0..2000u64 {
            let bytes: [u8; 16] = std::array::from_fn(|at| {
                (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (3 * at)) as u8 & 3
            });
            for byte in 0..4 {
                // SAFETY: 16 bytes.
                let set = unsafe { equal_bytes(bytes.as_ptr(), byte) };
                assert_eq!(set, equal_bytes_portable(bytes, byte));
            }
        }
    }

    #[test]
    fn takes_and_replaces() {
        let (mut bucket, mut words) = (Bucket::new(PARITY), 0);
        for n in 1..=20 {
            bucket.insert(1, element(n), &mut words);
        }
        for nth in 0..20 {
            let lane = bucket.nth(nth).expect("an element");
            bucket.replace(lane, element(100 + nth as usize));
        }
        let taken = bucket.take(&mut words);
        assert_eq!((bucket.len(), bucket.parity(), words), (0, PARITY, 0));
        let mut addresses: Vec<usize> = taken.elements().map(|e| e.as_ptr().addr()).collect();
        addresses.sort_unstable();
        assert_eq!(addresses, (100..120).collect::<Vec<_>>());
    }
}
