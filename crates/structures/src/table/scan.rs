//! SCAN: a cursor that survives growth and shrinking.
//!
//! Read the low 48 bits of a hash backwards, its lowest bit as the highest. In that order each
//! bucket covers one interval, `[reversed(index), + 2^(48 - depth))`, and a split divides an
//! interval into two that touch. The cursor is a position in that order: one step visits the bucket
//! whose interval holds it, and goes to the interval's end.
//!
//! Positions only grow, so a scan ends whatever happens between its steps. Whatever the table looks
//! like when the cursor passes the position of an element, the step that passes it visits the
//! bucket that holds it. After a merge the cursor may lie inside an interval; its first part is
//! then visited twice, which the guarantee allows.

use super::{Element, Table, each};

const BITS: u32 = 48;

impl<E: Element> Table<E> {
    /// Visits the elements of one bucket, and answers the cursor for the next step. A scan starts
    /// with 0 and is over when 0 is answered. Every element that is in the table from the first
    /// step to the last is visited at least once, some twice. A cursor has at most 48 bits; any
    /// other number is cut to them.
    pub fn scan<'a>(&'a self, cursor: u64, f: impl FnMut(E::Ref<'a>)) -> u64 {
        if self.segments.count() == 0 {
            return 0;
        }
        let cursor = cursor & ((1 << BITS) - 1);
        let hash = reversed(cursor);
        let index = self.segments.index_of(hash);
        each::<E>(self.segments.bucket(index), f);
        let start = reversed(u64::from(index));
        let end = start + (1 << (BITS - self.segments.depth_of(index)));
        debug_assert!(start <= cursor && cursor < end);
        end & ((1 << BITS) - 1)
    }
}

fn reversed(bits: u64) -> u64 {
    bits.reverse_bits() >> (u64::BITS - BITS)
}
