//! A random element.
//!
//! Elements must come out equally often although buckets hold from none to two dozen of them. So a
//! bucket is drawn, and then refused in proportion to what it lacks. It is drawn by a random hash
//! and not by its index, for one that has not been split yet has twice the elements and must be
//! drawn twice as often. Then one of its places is drawn, of which a bucket that has been split has
//! `places` and the others have twice as many, and the draw counts when there is an element in the
//! place. That is exact as long as no bucket holds more than its places. Their number is 4.5
//! standard deviations above the mean of the elements, which leaves a few buckets in a thousand
//! whose elements come a few percent less often.
//!
//! About three draws are needed. Four buckets are asked for at a time, so that in a great table
//! their lines of memory come together.
//!
//! Rejected: the next element after a random position, as it prefers what follows upon a gap.

use super::{Element, Occupied, Place, Table};

/// Buckets asked for at a time.
const BATCH: usize = 4;
/// Rounds of draws before giving up on fairness. With a third of the draws accepted no one will see
/// that; a table made for many elements and holding a few may come to it.
const ROUNDS_MAX: u32 = 25;

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
        let places = self.places();
        let depth_max = self.segments.depth_of(self.segments.count() - 1);
        for _ in 0..ROUNDS_MAX {
            let buckets: [u32; BATCH] = std::array::from_fn(|_| {
                let hash = numbers.next();
                self.prefetch_bucket(hash);
                self.segments.index_of(hash)
            });
            for index in buckets {
                let places = places << (depth_max - self.segments.depth_of(index));
                // The multiplication takes the whole range of numbers to 0..places.
                let nth = ((u128::from(numbers.next()) * u128::from(places)) >> 64) as u32;
                if let Some(place) = self.nth(index, nth) {
                    return Some(place);
                }
            }
        }
        // The first element from a random bucket on.
        let start = self.segments.index_of(numbers.next());
        let count = self.segments.count();
        (0..count).find_map(|step| self.nth((start + step) % count, 0))
    }

    /// The places of a bucket that has been split; see the module's page.
    fn places(&self) -> u64 {
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
