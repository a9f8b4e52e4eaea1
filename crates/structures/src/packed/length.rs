//! The length codec inside blocks, readable forwards and, where a list needs it, backwards.
//!
//! | first byte | meaning |
//! |---|---|
//! | `0..=0xFD` | the length itself |
//! | `0xFE` | 2 bytes follow, little endian |
//! | `0xFF` | 4 bytes follow, little endian |
//!
//! The backward form holds the same bytes with the marker last, so that it can be read from its
//! end. A longer form is never used for a length that a shorter one can hold.
#![allow(unsafe_code)]

const TWO: u8 = 0xFE;
const FOUR: u8 = 0xFF;

/// The bytes that the length `n` takes in either form.
#[inline]
pub(crate) const fn size(n: usize) -> usize {
    if n < TWO as usize {
        1
    } else if n <= u16::MAX as usize {
        3
    } else {
        5
    }
}

/// Writes the forward form and answers its size.
///
/// # Safety
/// `at` is valid for writes of `size(n)` bytes.
#[inline]
pub(crate) unsafe fn write(at: *mut u8, n: usize) -> usize {
    // SAFETY: the caller's promise covers every write below.
    unsafe {
        if n < TWO as usize {
            *at = n as u8;
            1
        } else if n <= u16::MAX as usize {
            *at = TWO;
            at.add(1).cast::<u16>().write_unaligned((n as u16).to_le());
            3
        } else {
            debug_assert!(n <= u32::MAX as usize);
            *at = FOUR;
            at.add(1).cast::<u32>().write_unaligned((n as u32).to_le());
            5
        }
    }
}

/// Reads the forward form: the length and the bytes that it took.
///
/// # Safety
/// `at` points at a length that [`write`] wrote.
#[inline(always)]
pub(crate) unsafe fn read(at: *const u8) -> (usize, usize) {
    // SAFETY: the caller's promise.
    let first = unsafe { *at };
    if first < TWO {
        return (first as usize, 1);
    }
    // SAFETY: as above; the marker says that the longer form is there.
    unsafe { read_long(at, first) }
}

/// # Safety
/// As for [`read`], with `first` the byte at `at`.
#[cold]
unsafe fn read_long(at: *const u8, first: u8) -> (usize, usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if first == TWO {
            (
                u16::from_le(at.add(1).cast::<u16>().read_unaligned()) as usize,
                3,
            )
        } else {
            (
                u32::from_le(at.add(1).cast::<u32>().read_unaligned()) as usize,
                5,
            )
        }
    }
}

/// Writes the backward form, starting at `at`.
///
/// # Safety
/// `at` is valid for writes of `size(n)` bytes.
#[inline]
pub(crate) unsafe fn write_back(at: *mut u8, n: usize) {
    // SAFETY: the caller's promise covers every write below.
    unsafe {
        if n < TWO as usize {
            *at = n as u8;
        } else if n <= u16::MAX as usize {
            at.cast::<u16>().write_unaligned((n as u16).to_le());
            *at.add(2) = TWO;
        } else {
            debug_assert!(n <= u32::MAX as usize);
            at.cast::<u32>().write_unaligned((n as u32).to_le());
            *at.add(4) = FOUR;
        }
    }
}

/// Reads the backward form that ends before `end`: the length and the bytes that it took.
///
/// # Safety
/// What lies before `end` is a length that [`write_back`] wrote.
#[inline(always)]
pub(crate) unsafe fn read_back(end: *const u8) -> (usize, usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let last = *end.sub(1);
        if last < TWO {
            (last as usize, 1)
        } else if last == TWO {
            (
                u16::from_le(end.sub(3).cast::<u16>().read_unaligned()) as usize,
                3,
            )
        } else {
            (
                u32::from_le(end.sub(5).cast::<u32>().read_unaligned()) as usize,
                5,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_round_trip_at_their_edges() {
        for n in [
            0,
            1,
            0xFD,
            0xFE,
            0xFF,
            0x100,
            0xFFFF,
            0x1_0000,
            u32::MAX as usize,
        ] {
            let mut bytes = [0u8; 5];
            // SAFETY: five bytes are enough for any form, and the reads follow the writes.
            unsafe {
                assert_eq!(write(bytes.as_mut_ptr(), n), size(n));
                assert_eq!(read(bytes.as_ptr()), (n, size(n)));
                write_back(bytes.as_mut_ptr(), n);
                assert_eq!(read_back(bytes.as_ptr().add(size(n))), (n, size(n)));
            }
        }
    }
}
