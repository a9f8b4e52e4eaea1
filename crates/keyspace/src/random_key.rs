//! A random key of a database.
//!
//! Keys must come out equally often although shards hold different numbers of them. So a shard is
//! drawn, then one of more places than any shard has keys, and the draw counts if there is a key in
//! that place. How many keys a shard has at most is estimated from the first shard; with even hashes
//! it is about the mean and some standard deviations. In a database of a few keys nearly all draws
//! are in vain, and after [`DRAWS_MAX`] of them the shards are counted one by one: in any case the
//! cost has a bound that does not depend on the number of keys.

use crate::db::Db;
use crate::entry::EntryRef;
use crate::shard::{SHARDS, ShardData};

/// Draws before the shards are counted, a quarter of what the counting costs.
const DRAWS_MAX: usize = 256;

/// Dead keys drawn before a live one is searched for.
const DEAD_MAX: usize = 100;

impl Db<'_> {
    /// A random live key, each with about the same probability; `None` if there is none. `random`
    /// gives 64 random bits a call. Nothing may be held.
    pub fn random_key(&self, mut random: impl FnMut() -> u64) -> Option<Box<[u8]>> {
        assert!(
            self.held.is_empty(),
            "walks of the keyspace take one shard at a time"
        );
        for _ in 0..DEAD_MAX {
            let (data, number) = self.draw_shard(&mut random)?;
            // Another worker may have emptied it since it was counted.
            let Some(entry) = data.table.random(number) else {
                continue;
            };
            if !entry.is_expired(self.now_ms) {
                return Some(entry.key().into());
            }
        }
        // Most keys are dead, and the sweep is about to remove them: any live one will do.
        let is_alive = |entry: &EntryRef<'_>| !entry.is_expired(self.now_ms);
        let first = random() as usize;
        (0..SHARDS).find_map(|step| {
            let data = self.shards[(first + step) % SHARDS].lock();
            let key = data.entries().find(is_alive)?.key().into();
            Some(key)
        })
    }

    /// A shard, drawn in proportion to its keys, and a number to draw one of them with; `None` if
    /// all are empty.
    fn draw_shard(
        &self,
        random: &mut impl FnMut() -> u64,
    ) -> Option<(impl std::ops::Deref<Target = ShardData>, u64)> {
        let mut places = None;
        for _ in 0..DRAWS_MAX {
            let number = random();
            let data = self.shards[number as usize % SHARDS].lock();
            let places = *places.get_or_insert_with(|| places_for(data.len()));
            // The high bits, as the low ones have chosen the shard.
            if ((u128::from(number) * places as u128) >> 64) < data.len() as u128 {
                return Some((data, random()));
            }
        }
        let (mut chosen, mut keys) = (None, 0);
        for (index, shard) in self.shards.iter().enumerate() {
            let len = shard.lock().len() as u64;
            keys += len;
            // The last of all keys so far is in this shard with the probability len / keys.
            if len > 0 && random() % keys < len {
                chosen = Some(index);
            }
        }
        Some((self.shards[chosen?].lock(), random()))
    }
}

/// Places for the keys of any shard, given how many some shard has.
fn places_for(len: usize) -> usize {
    len + 8 * len.isqrt() + 8
}

#[cfg(test)]
mod tests {
    use crate::{Db, Event, Expiry, Keyspace};

    fn numbers(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        }
    }

    fn filled(keyspace: &Keyspace, keys: usize, expiry: impl Fn(usize) -> Expiry) -> Db<'_> {
        let mut db = Db::new(keyspace, 1000);
        for i in 0..keys {
            let key = i.to_string();
            db.hold_all(std::iter::once(key.as_bytes()));
            db.set_text(key.as_bytes(), b"v", expiry(i), Event::generic("test"));
        }
        db.release();
        db
    }

    #[test]
    fn keys_come_equally_often() {
        let mut random = numbers(1);
        for keys in [1, 3, 50, 2000] {
            let keyspace = Keyspace::new(1, 0);
            let db = filled(&keyspace, keys, |_| Expiry::Never);
            let mut counts = vec![0u64; keys];
            for _ in 0..keys * 20 {
                let key = db.random_key(&mut random).unwrap();
                let index: usize = std::str::from_utf8(&key).unwrap().parse().unwrap();
                counts[index] += 1;
            }
            let chi_square: f64 = counts
                .iter()
                .map(|&count| (count as f64 - 20.0).powi(2) / 20.0)
                .sum();
            let freedom = keys as f64 - 1.0;
            assert!(
                chi_square <= freedom + 6.0 * (2.0 * freedom).sqrt(),
                "{keys} keys: {chi_square}"
            );
        }
    }

    #[test]
    fn dead_keys_do_not_come() {
        let keyspace = Keyspace::new(1, 0);
        let mut random = numbers(2);
        let db = filled(&keyspace, 500, |i| match i {
            77 => Expiry::Never,
            _ => Expiry::At(500),
        });
        for _ in 0..20 {
            assert_eq!(db.random_key(&mut random).as_deref(), Some(&b"77"[..]));
        }
        let keyspace = Keyspace::new(1, 0);
        let db = filled(&keyspace, 20, |_| Expiry::At(500));
        assert_eq!(db.random_key(&mut random), None);
        let keyspace = Keyspace::new(1, 0);
        assert_eq!(Db::new(&keyspace, 0).random_key(&mut random), None);
    }
}
