//! The one hash function of the process: foldhash (its quality variant) under a random seed.
//!
//! Keys and members come from outside, so an attacker must not be able to choose them into one
//! bucket: the seed is drawn once a process from the operating system's randomness (through the
//! standard library's `RandomState`) and is never shown. SipHash, what Redis uses, was rejected for
//! its price: about 15 ns for a 16-byte key where foldhash takes 2.
//!
//! How the 64 bits are shared out (every consumer relies on these being independent):
//!
//! | bits   | used for                                            |
//! |--------|-----------------------------------------------------|
//! | 0..32  | the bucket of a [`Table`](crate::table::Table)      |
//! | 40..48 | the fingerprint inside the bucket                   |
//! | 54..64 | the shard, chosen by the owner of several tables    |

use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

use foldhash::SharedSeed;
use foldhash::quality::FoldHasher;

struct Seed {
    own: u64,
    shared: SharedSeed,
}

static SEED: OnceLock<Seed> = OnceLock::new();

/// Hashes a key or member under the seed of this process.
#[inline]
pub fn hash(bytes: &[u8]) -> u64 {
    let seed = seed();
    let mut hasher = FoldHasher::with_seed(seed.own, &seed.shared);
    hasher.write(bytes);
    hasher.finish()
}

/// Fixes the seed, so that a test or a simulation replays the same order of buckets. Answers
/// whether it took effect: it does only as long as nothing has been hashed, for elements that lie
/// in a table must keep their hash.
pub fn fix_seed(seed: u64) -> bool {
    let mut fixed = false;
    SEED.get_or_init(|| {
        fixed = true;
        Seed::from_u64(seed)
    });
    fixed
}

#[inline(always)]
fn seed() -> &'static Seed {
    match SEED.get() {
        Some(seed) => seed,
        None => draw(),
    }
}

#[cold]
#[inline(never)]
fn draw() -> &'static Seed {
    SEED.get_or_init(|| Seed::from_u64(std::hash::RandomState::new().hash_one(0u8)))
}

impl Seed {
    fn from_u64(seed: u64) -> Self {
        // Two unrelated numbers out of one: the multiplier is the golden ratio's.
        Self {
            own: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            shared: SharedSeed::from_u64(seed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_hash_alike_and_lengths_matter() {
        assert_eq!(hash(b"caracal"), hash(String::from("caracal").as_bytes()));
        assert_ne!(hash(b""), hash(b"\0"));
        assert_ne!(hash(b"a"), hash(b"aa"));
    }

    #[test]
    fn the_seed_cannot_change_once_used() {
        let before = hash(b"key");
        assert!(!fix_seed(7));
        assert_eq!(hash(b"key"), before);
    }

    #[test]
    fn bits_of_bucket_fingerprint_and_shard_are_spread() {
        for shift in [0, 8, 24, 40, 54, 56] {
            let mut seen = [0u32; 256];
            for i in 0u32..25_600 {
                seen[(hash(&i.to_le_bytes()) >> shift) as usize & 0xff] += 1;
            }
            // A mean of 100 with a standard deviation of 10.
            assert!(
                seen.iter().all(|&n| (40..180).contains(&n)),
                "bits from {shift}: {seen:?}"
            );
        }
    }
}
