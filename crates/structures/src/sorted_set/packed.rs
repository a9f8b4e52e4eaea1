//! A small sorted set in one allocation, sorted by score and then member.
//!
//! A listpack, one entry after the other, has to be walked entry by entry for every question. The
//! columns here are searched each in the way that suits it: scores by halving, members eight at a
//! time by a mark of one byte, ranks by indexing. The entries may start behind a gap (`head`), so that
//! taking the smallest moves nothing.
//!
//! | offset | bytes | what |
//! |-------:|------:|------|
//! | 0 | 16 | `slots`, `head`, `len`, `capacity` of the bytes: four `u32` |
//! | 16 | 8 x slots | scores, native-endian `f64` |
//! | then | 4 x slots | where each member ends in the bytes, `u32` |
//! | then | slots | marks |
//! | then | capacity | the members, one after the other |
//!
//! Entries are the slots `head..head + len`. A member begins where the slot before ends, or at 0 in
//! slot 0. Everything outside the entries is initialised and means nothing.
//!
//! Invariants: entries are in strictly ascending order; `head + len <= slots`; the ends ascend and
//! stay within the capacity; an empty set has `head` 0.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::Range;
use std::ptr::NonNull;

use super::node::allocated;
use super::range::{LexRange, ScoreCut};

/// Beyond this many bytes in all, a set is too big for this encoding whatever the limits say.
pub(super) const BYTES_MAX: usize = 1 << 30;
/// Allocations up to this size are not worth shrinking.
const SHRINK_ABOVE: usize = 256;

#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    slots: u32,
    head: u32,
    len: u32,
    capacity: u32,
}

/// Bytes a slot takes in the columns.
const SLOT: usize = size_of::<f64>() + size_of::<u32>() + 1;

impl Header {
    fn size(&self) -> usize {
        size_of::<Header>() + self.slots as usize * SLOT + self.capacity as usize
    }

    fn layout(&self) -> Layout {
        Layout::from_size_align(self.size(), align_of::<f64>()).expect("BYTES_MAX bounds the size")
    }
}

/// The columns of the entries alone.
struct Columns<'a> {
    scores: &'a [f64],
    ends: &'a [u32],
    marks: &'a [u8],
    /// All of the byte area, for the ends count from its start.
    bytes: &'a [u8],
    /// Where the first member begins.
    start: usize,
}

/// All slots, used or not.
struct ColumnsMut<'a> {
    header: &'a mut Header,
    scores: &'a mut [f64],
    ends: &'a mut [u32],
    marks: &'a mut [u8],
    bytes: &'a mut [u8],
}

pub(super) struct Packed(Option<NonNull<Header>>);

// SAFETY: the allocation is owned and holds plain data.
unsafe impl Send for Packed {}
// SAFETY: `&Packed` only reads.
unsafe impl Sync for Packed {}

/// One byte out of a member: mostly its end, for members that share a set tend to share a prefix.
#[inline]
fn mark_of(member: &[u8]) -> u8 {
    let tail = match member.last_chunk::<8>() {
        Some(tail) => u64::from_le_bytes(*tail),
        None => member
            .iter()
            .fold(0, |tail, byte| tail << 8 | u64::from(*byte)),
    };
    ((tail ^ member.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

impl Packed {
    pub(super) const fn new() -> Self {
        Packed(None)
    }

    #[inline]
    fn header(&self) -> Header {
        match self.0 {
            // SAFETY: the pointer is to the allocation of this set, which begins with the header.
            Some(raw) => unsafe { raw.read() },
            None => Header {
                slots: 0,
                head: 0,
                len: 0,
                capacity: 0,
            },
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.header().len as usize
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.0.map_or(0, |_| allocated(self.header().size()))
    }

    /// The bytes of all members together.
    pub(super) fn member_bytes(&self) -> usize {
        let columns = self.columns();
        columns
            .ends
            .last()
            .map_or(0, |end| *end as usize - columns.start)
    }

    #[inline]
    fn columns(&self) -> Columns<'_> {
        let Some(raw) = self.0 else {
            return Columns {
                scores: &[],
                ends: &[],
                marks: &[],
                bytes: &[],
                start: 0,
            };
        };
        let header = self.header();
        let (slots, head, len) = (
            header.slots as usize,
            header.head as usize,
            header.len as usize,
        );
        // SAFETY: the columns lie in the allocation in this order and with these lengths, the
        // first two aligned since 8 is a multiple of 4; all of it was initialised with zeroes.
        // `head + len <= slots` is an invariant.
        unsafe {
            let scores = raw.add(1).cast::<f64>();
            let ends = scores.add(slots).cast::<u32>();
            let marks = ends.add(slots).cast::<u8>();
            let bytes = marks.add(slots);
            Columns {
                scores: NonNull::slice_from_raw_parts(scores.add(head), len).as_ref(),
                ends: NonNull::slice_from_raw_parts(ends.add(head), len).as_ref(),
                marks: NonNull::slice_from_raw_parts(marks.add(head), len).as_ref(),
                bytes: NonNull::slice_from_raw_parts(bytes, header.capacity as usize).as_ref(),
                start: if head == 0 {
                    0
                } else {
                    ends.add(head - 1).read() as usize
                },
            }
        }
    }

    #[inline]
    fn columns_mut(&mut self) -> Option<ColumnsMut<'_>> {
        let mut raw = self.0?;
        // SAFETY: as for `columns`, with the whole allocation borrowed exclusively through `self`
        // and cut into parts that do not overlap.
        unsafe {
            let slots = raw.as_ref().slots as usize;
            let capacity = raw.as_ref().capacity as usize;
            let scores = raw.add(1).cast::<f64>();
            let ends = scores.add(slots).cast::<u32>();
            let marks = ends.add(slots).cast::<u8>();
            let bytes = marks.add(slots);
            Some(ColumnsMut {
                header: raw.as_mut(),
                scores: NonNull::slice_from_raw_parts(scores, slots).as_mut(),
                ends: NonNull::slice_from_raw_parts(ends, slots).as_mut(),
                marks: NonNull::slice_from_raw_parts(marks, slots).as_mut(),
                bytes: NonNull::slice_from_raw_parts(bytes, capacity).as_mut(),
            })
        }
    }

    /// The entry of that rank.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<(&[u8], f64)> {
        let columns = self.columns();
        let score = *columns.scores.get(index)?;
        Some((columns.member(index), score))
    }

    /// The rank of a member.
    #[inline]
    pub(super) fn find(&self, member: &[u8]) -> Option<usize> {
        const LANES: usize = size_of::<u64>();
        const LOW: u64 = u64::from_le_bytes([0x01; LANES]);
        const HIGH: u64 = u64::from_le_bytes([0x80; LANES]);
        let columns = self.columns();
        let mark = mark_of(member);
        let (groups, rest) = columns.marks.as_chunks::<LANES>();
        for (group, marks) in groups.iter().enumerate() {
            // A lane becomes zero where the mark is equal. Borrows can raise a false alarm in the
            // lane after a true one, and a comparison of members settles it.
            let lanes = u64::from_le_bytes(*marks) ^ (LOW * u64::from(mark));
            let mut hits = lanes.wrapping_sub(LOW) & !lanes & HIGH;
            while hits != 0 {
                let index = group * LANES + hits.trailing_zeros() as usize / 8;
                if columns.member(index) == member {
                    return Some(index);
                }
                hits &= hits - 1;
            }
        }
        let done = groups.len() * LANES;
        (0..rest.len())
            .find(|at| rest[*at] == mark && columns.member(done + at) == member)
            .map(|at| done + at)
    }

    /// Where an entry stands or would stand: how many are smaller.
    fn position(&self, score: f64, member: &[u8]) -> usize {
        let columns = self.columns();
        let start = columns.scores.partition_point(|other| *other < score);
        let ties = columns.scores[start..].partition_point(|other| *other == score);
        columns.partition_members(start..start + ties, |other| other < member)
    }

    /// How many entries lie before the cut.
    pub(super) fn count_before(&self, cut: ScoreCut) -> usize {
        self.columns()
            .scores
            .partition_point(|score| cut.is_after_score(*score))
    }

    /// The ranks of a range of members, if the scores are all the same.
    pub(super) fn ranks_by_lex(&self, range: &LexRange<'_>) -> Range<usize> {
        let columns = self.columns();
        let all = 0..columns.scores.len();
        let start = columns.partition_members(all.clone(), |member| range.starts_after(member));
        start..columns.partition_members(all, |member| range.reaches(member))
    }

    /// Adds a member that is not there yet.
    pub(super) fn insert(&mut self, score: f64, member: &[u8]) {
        let index = self.position(score, member);
        self.reserve(member.len());
        let columns = self.columns_mut().expect("reserve has allocated");
        let (head, len) = (columns.header.head as usize, columns.header.len as usize);
        let (at, end) = (head + index, head + len);
        let begin = columns.begin(at);
        let used = columns.begin(end);
        columns.bytes.copy_within(begin..used, begin + member.len());
        columns.bytes[begin..begin + member.len()].copy_from_slice(member);
        columns.scores.copy_within(at..end, at + 1);
        columns.scores[at] = score;
        columns.marks.copy_within(at..end, at + 1);
        columns.marks[at] = mark_of(member);
        columns.ends.copy_within(at..end, at + 1);
        columns.ends[at] = begin as u32;
        for end in &mut columns.ends[at..=end] {
            *end += member.len() as u32;
        }
        columns.header.len += 1;
    }

    /// Gives the entry at `index`, which is this member's, a new score and moves it to its new place.
    pub(super) fn rescore(&mut self, index: usize, score: f64, member: &[u8]) {
        // Without the entry itself, everything after its place counts one less.
        let smaller = self.position(score, member);
        let target = if smaller > index {
            smaller - 1
        } else {
            smaller
        };
        let Some(columns) = self.columns_mut() else {
            return;
        };
        let head = columns.header.head as usize;
        let (from, to) = (head + index, head + target);
        let length = member.len();
        if from < to {
            let (begin, end) = (columns.begin(from), columns.ends[to] as usize);
            columns.bytes.copy_within(begin + length..end, begin);
            columns.bytes[end - length..end].copy_from_slice(member);
            columns.scores.copy_within(from + 1..=to, from);
            columns.marks.copy_within(from + 1..=to, from);
            for slot in from..to {
                columns.ends[slot] = columns.ends[slot + 1] - length as u32;
            }
        } else if to < from {
            let (begin, end) = (columns.begin(to), columns.ends[from] as usize);
            columns
                .bytes
                .copy_within(begin..end - length, begin + length);
            columns.bytes[begin..begin + length].copy_from_slice(member);
            columns.scores.copy_within(to..from, to + 1);
            columns.marks.copy_within(to..from, to + 1);
            for slot in (to + 1..=from).rev() {
                columns.ends[slot] = columns.ends[slot - 1] + length as u32;
            }
            columns.ends[to] = (begin + length) as u32;
        }
        columns.scores[to] = score;
        columns.marks[to] = mark_of(member);
    }

    /// Removes the entries of those ranks.
    pub(super) fn remove(&mut self, ranks: Range<usize>) {
        let Some(columns) = self.columns_mut() else {
            return;
        };
        let (head, len) = (columns.header.head as usize, columns.header.len as usize);
        let count = ranks.len();
        if count == len {
            columns.header.head = 0;
        } else if ranks.start == 0 {
            columns.header.head += count as u32;
        } else {
            let (from, to, end) = (head + ranks.start, head + ranks.end, head + len);
            let (begin, resume) = (columns.begin(from), columns.begin(to));
            let used = columns.begin(end);
            columns.bytes.copy_within(resume..used, begin);
            columns.scores.copy_within(to..end, from);
            columns.marks.copy_within(to..end, from);
            columns.ends.copy_within(to..end, from);
            for end in &mut columns.ends[from..end - count] {
                *end -= (resume - begin) as u32;
            }
        }
        columns.header.len -= count as u32;
        self.shrink_if_sparse();
    }

    /// The entries of those ranks, which must exist.
    pub(super) fn iter(&self, ranks: Range<usize>) -> Iter<'_> {
        let columns = self.columns();
        debug_assert!(ranks.end <= columns.scores.len());
        Iter {
            columns,
            front: ranks.start,
            back: ranks.end,
        }
    }

    /// Makes room behind the entries for one more of that length.
    fn reserve(&mut self, length: usize) {
        let header = self.header();
        let len = header.len as usize;
        let used = self.member_bytes();
        let start = self.columns().start;
        if header.head as usize + len < header.slots as usize
            && start + used + length <= header.capacity as usize
        {
            return;
        }
        if len < header.slots as usize && used + length <= header.capacity as usize {
            return self.close_gap();
        }
        // A quarter more than needed keeps the copying amortised; what the size class leaves over goes
        // to the members.
        self.reallocate((len + 1) + (len + 1) / 4, (used + length) + used / 4);
    }

    /// Moves the entries to the front.
    fn close_gap(&mut self) {
        let Some(columns) = self.columns_mut() else {
            return;
        };
        let (head, len) = (columns.header.head as usize, columns.header.len as usize);
        let (begin, used) = (columns.begin(head), columns.begin(head + len));
        columns.bytes.copy_within(begin..used, 0);
        columns.scores.copy_within(head..head + len, 0);
        columns.marks.copy_within(head..head + len, 0);
        columns.ends.copy_within(head..head + len, 0);
        for end in &mut columns.ends[..len] {
            *end -= begin as u32;
        }
        columns.header.head = 0;
    }

    fn shrink_if_sparse(&mut self) {
        let header = self.header();
        if header.size() <= SHRINK_ABOVE {
            return;
        }
        let (len, used) = (self.len(), self.member_bytes());
        if (size_of::<Header>() + len * SLOT + used) * 4 < header.size() {
            self.reallocate(len + len / 4, used + used / 4);
        }
    }

    /// Moves the entries to an allocation of at least this many slots and bytes.
    fn reallocate(&mut self, slots: usize, capacity: usize) {
        assert!(slots * SLOT + capacity < 2 * BYTES_MAX);
        let mut header = Header {
            slots: slots as u32,
            head: 0,
            len: 0,
            capacity: capacity as u32,
        };
        header.capacity += (allocated(header.size()) - header.size()) as u32;
        // SAFETY: the layout is not empty, for it holds the header, and the block is aligned for
        // it; zeroes are a valid value of every column.
        let raw = unsafe {
            let Some(raw) = NonNull::new(alloc_zeroed(header.layout())) else {
                handle_alloc_error(header.layout())
            };
            let raw = raw.cast::<Header>();
            raw.write(header);
            raw
        };
        let old = std::mem::replace(self, Packed(Some(raw)));
        let from = old.columns();
        let len = from.scores.len();
        let Some(to) = self.columns_mut() else { return };
        to.scores[..len].copy_from_slice(from.scores);
        to.marks[..len].copy_from_slice(from.marks);
        for (to, from_end) in to.ends.iter_mut().zip(from.ends) {
            *to = from_end - from.start as u32;
        }
        if let Some(end) = from.ends.last() {
            let members = &from.bytes[from.start..*end as usize];
            to.bytes[..members.len()].copy_from_slice(members);
        }
        to.header.len = len as u32;
    }

    /// Panics when an invariant does not hold.
    #[cfg(test)]
    pub(super) fn check(&self) {
        let header = self.header();
        assert!(header.head + header.len <= header.slots);
        assert!(header.len > 0 || header.head == 0);
        for index in 0..self.len() {
            let (member, score) = self.get(index).expect("below the length");
            assert_eq!(self.columns().marks[index], mark_of(member));
            assert_eq!(self.find(member), Some(index));
            if let Some((next, next_score)) = self.get(index + 1) {
                assert!(score < next_score || (score == next_score && member < next));
            }
        }
    }
}

impl Drop for Packed {
    fn drop(&mut self) {
        if let Some(raw) = self.0 {
            let layout = self.header().layout();
            // SAFETY: allocated with this very layout, and owned.
            unsafe { dealloc(raw.as_ptr().cast(), layout) }
        }
    }
}

impl<'a> Columns<'a> {
    #[inline]
    fn member(&self, index: usize) -> &'a [u8] {
        let begin = match index.checked_sub(1) {
            Some(before) => self.ends[before] as usize,
            None => self.start,
        };
        &self.bytes[begin..self.ends[index] as usize]
    }

    /// The first rank in `ranks` whose member fails `is_before`, if that holds for a prefix.
    fn partition_members(
        &self,
        ranks: Range<usize>,
        mut is_before: impl FnMut(&[u8]) -> bool,
    ) -> usize {
        let (mut low, mut high) = (ranks.start, ranks.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(self.member(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

impl ColumnsMut<'_> {
    /// Where the member of a slot begins, or would begin.
    #[inline]
    fn begin(&self, slot: usize) -> usize {
        slot.checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize)
    }
}

/// Entries in order, or in reverse from the back.
pub(super) struct Iter<'a> {
    columns: Columns<'a>,
    front: usize,
    back: usize,
}

impl Clone for Iter<'_> {
    fn clone(&self) -> Self {
        Iter {
            columns: Columns { ..self.columns },
            front: self.front,
            back: self.back,
        }
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a [u8], f64);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.front == self.back {
            return None;
        }
        let index = self.front;
        self.front += 1;
        Some((self.columns.member(index), self.columns.scores[index]))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.back - self.front;
        (left, Some(left))
    }

    #[inline]
    fn nth(&mut self, count: usize) -> Option<Self::Item> {
        self.front += count.min(self.back - self.front);
        self.next()
    }
}

impl DoubleEndedIterator for Iter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.front == self.back {
            return None;
        }
        self.back -= 1;
        Some((
            self.columns.member(self.back),
            self.columns.scores[self.back],
        ))
    }

    #[inline]
    fn nth_back(&mut self, count: usize) -> Option<Self::Item> {
        self.back -= count.min(self.back - self.front);
        self.next_back()
    }
}

impl ExactSizeIterator for Iter<'_> {}
