//! A random element.
//!
//! Elements must come out equally often although buckets hold from none to two dozen of them, so a
//! bucket is drawn, and then refused in proportion to what it lacks. The bucket is drawn by a
//! random hash, not by its index: one that has not been split yet has twice the elements, and is
//! drawn twice as often. Of a bucket that covers the share `2^-depth` of the hashes one of `slots`
//! places is drawn (`2 * slots` stands for the share of an unsplit one), and the draw counts when
//! the place is taken. That is exact as long as no bucket holds more than its places; `slots` is
//! chosen 4.5 standard deviations above the mean, which leaves a few buckets in a thousand whose
//! elements come a few percent less often. About 2.5 draws are needed, each reading one line of
//! memory.

#![allow(unsafe_code)]

use super::{Element, Occupied, Place, Table};

/// Draws before giving up on fairness; with a third of the draws accepted no one will see that.
const DRAWS_MAX: u32 = 100;

impl<E: Element> Table<E> {
    /// A random element, each of them about equally likely; `random` is the seed for as many
    /// numbers as it takes.
    pub fn random(&self, random: u64) -> Option<E::Ref<'_>> {
        let place = self.draw(random)?;
        // SAFETY: the place holds a live element of this table, which is borrowed.
        Some(unsafe { E::borrow(place.bucket.as_ref().element(place.lane)) })
    }

    /// As [`Table::random`], for a change or a removal. A walk gets the element's bucket first.
    pub fn random_mut(&mut self, random: u64) -> Option<Occupied<'_, E>> {
        let place = self.draw(random)?;
        Some(self.occupied(place))
    }

    fn draw(&self, random: u64) -> Option<Place> {
        if self.len == 0 {
            return None;
        }
        let mut numbers = Numbers(random);
        // The places of a bucket of the greater depth; one of the lesser depth has twice as many.
        let slots = self.slots();
        let depth_max = self.segments.depth_of(self.segments.count() - 1);
        for _ in 0..DRAWS_MAX {
            let (hash, place) = (numbers.next(), numbers.next());
            let index = self.segments.index_of(hash);
            let slots = slots << (depth_max - self.segments.depth_of(index));
            // The multiplication takes the upper bits to 0..slots.
            let place = ((u128::from(place) * u128::from(slots)) >> 64) as u32;
            if let Some(place) = self.nth(index, place) {
                return Some(place);
            }
        }
        // Next to nothing in the table: the first element from a random bucket on.
        let start = self.segments.index_of(numbers.next());
        let count = self.segments.count();
        (0..count).find_map(|step| self.nth((start + step) % count, 0))
    }

    /// See the module's page.
    fn slots(&self) -> u64 {
        let count = self.segments.count();
        if count == 1 {
            return self.len as u64;
        }
        let mean = self.len as f64 / f64::from(count.next_power_of_two());
        (mean + 4.5 * mean.sqrt()).ceil() as u64 + 1
    }

    /// The element number `nth` of a bucket.
    fn nth(&self, index: u32, nth: u32) -> Option<Place> {
        let lane = self.segments.bucket(index).nth(nth)?;
        Some(Place {
            bucket: self.segments.at(index),
            lane,
        })
    }
}

/// SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
