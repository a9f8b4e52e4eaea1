//! Several random fields at once.

use super::{Form, HashMap, Pair};
use crate::item::below;
use crate::sample;

impl HashMap {
    /// Visits `count` different fields, each subset of that size with the same probability; all
    /// fields if there are not more. `random` gives 64 random bits a call.
    pub fn sample<'a>(
        &'a self,
        count: usize,
        mut random: impl FnMut() -> u64,
        visit: impl FnMut(Pair<'a>),
    ) {
        let len = self.len();
        match &self.0 {
            _ if count >= len => self.iter().for_each(visit),
            Form::Table(fields) if sample::is_sparse(count, len) => sample::reject(
                count,
                || fields.table.random(random()),
                // Fields are the same if they lie at the same place.
                |(name, _): Pair<'a>| name.as_ptr() as u64,
                visit,
            ),
            _ => sample::select(self.iter(), len, count, random, visit),
        }
    }

    /// Visits `count` fields, each drawn from all.
    pub fn sample_repeating<'a>(
        &'a self,
        count: usize,
        mut random: impl FnMut() -> u64,
        mut visit: impl FnMut(Pair<'a>),
    ) {
        let len = self.len();
        if len == 0 {
            return;
        }
        match &self.0 {
            Form::Table(_) if count < len => {
                (0..count)
                    .filter_map(|_| self.random(random()))
                    .for_each(visit);
            }
            // One pass to know where the fields are, then each draw is a step.
            _ => {
                let fields: Vec<Pair<'a>> = self.iter().collect();
                (0..count).for_each(|_| visit(fields[below(random(), len)]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash_map::{Encoding, Limits};
    use crate::sample::tests::{assert_uniform, numbers};

    fn hashes() -> impl Iterator<Item = (HashMap, usize)> {
        let forms = [(40, Encoding::Listpack), (600, Encoding::Hashtable)];
        forms.into_iter().map(|(len, encoding)| {
            let mut hash = HashMap::new();
            for i in 0..len {
                let text = i.to_string();
                hash.set(text.as_bytes(), text.as_bytes(), &Limits::default());
            }
            assert_eq!(hash.encoding(), encoding);
            (hash, len)
        })
    }

    fn index((name, value): Pair<'_>) -> usize {
        assert_eq!(name, value);
        std::str::from_utf8(name).unwrap().parse().unwrap()
    }

    #[test]
    fn samples_are_uniform_and_without_repetition() {
        let mut random = numbers(6);
        for (hash, len) in hashes() {
            for count in [1, len / 4, len / 2, len - 1, len, len + 5] {
                let mut counts = vec![0u64; len];
                for _ in 0..40 * len / count.min(len) + 10 {
                    let mut seen = std::collections::HashSet::new();
                    hash.sample(count, &mut random, |pair| {
                        assert!(seen.insert(index(pair)));
                        counts[index(pair)] += 1;
                    });
                    assert_eq!(seen.len(), count.min(len));
                }
                assert_uniform(&counts);
            }
        }
    }

    #[test]
    fn draws_with_repetition_are_uniform() {
        let mut random = numbers(7);
        for (hash, len) in hashes() {
            for count in [1, len / 2, 3 * len] {
                let mut counts = vec![0u64; len];
                for _ in 0..100 * len / count {
                    hash.sample_repeating(count, &mut random, |pair| counts[index(pair)] += 1);
                }
                assert_uniform(&counts);
            }
        }
        HashMap::new().sample_repeating(5, random, |_| panic!("there is none"));
    }
}
