//! Several random members at once.

use super::{Form, Set};
use crate::item::{Item, below};
use crate::sample;

impl Set {
    /// Visits `count` different members, each subset of that size with the same probability; all
    /// members if there are not more. `random` gives 64 random bits a call.
    pub fn sample<'a>(
        &'a self,
        count: usize,
        mut random: impl FnMut() -> u64,
        visit: impl FnMut(Item<'a>),
    ) {
        let len = self.len();
        if count >= len {
            return self.iter().for_each(visit);
        }
        match &self.0 {
            Form::Ints(ints) if sample::is_sparse(count, len) => sample::reject(
                count,
                || Some(Item::Int(ints.get(below(random(), len)))),
                identity,
                visit,
            ),
            Form::Table(members) if sample::is_sparse(count, len) => sample::reject(
                count,
                || members.table().random(random()).map(Item::Bytes),
                identity,
                visit,
            ),
            _ => sample::select(self.iter(), len, count, random, visit),
        }
    }

    /// Visits `count` members, each drawn from all.
    pub fn sample_repeating<'a>(
        &'a self,
        count: usize,
        mut random: impl FnMut() -> u64,
        mut visit: impl FnMut(Item<'a>),
    ) {
        let len = self.len();
        if len == 0 {
            return;
        }
        match &self.0 {
            Form::Ints(ints) => {
                (0..count).for_each(|_| visit(Item::Int(ints.get(below(random(), len)))));
            }
            Form::Table(_) if count < len => {
                (0..count)
                    .filter_map(|_| self.random(random()))
                    .for_each(visit);
            }
            // One pass to know where the members are, then each draw is a step.
            _ => {
                let members: Vec<Item<'a>> = self.iter().collect();
                (0..count).for_each(|_| visit(members[below(random(), len)]));
            }
        }
    }
}

/// Members of a set are the same if they lie at the same place.
fn identity(item: Item<'_>) -> u64 {
    match item {
        Item::Int(value) => value as u64,
        Item::Bytes(bytes) => bytes.as_ptr() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::{assert_uniform, numbers};
    use crate::set::{Encoding, Limits};

    /// Sets in each form, with the members `0..len`, behind a letter if they are not to be integers.
    fn sets() -> impl Iterator<Item = (Set, usize)> {
        let forms = [
            ("", 40, Encoding::Intset),
            ("m", 40, Encoding::Listpack),
            ("m", 400, Encoding::Hashtable),
        ];
        forms.into_iter().map(|(letter, len, encoding)| {
            let mut set = Set::new();
            for i in 0..len {
                set.insert(format!("{letter}{i}").as_bytes(), &Limits::default());
            }
            assert_eq!(set.encoding(), encoding);
            (set, len)
        })
    }

    fn index(item: Item<'_>) -> usize {
        item.with_bytes(|text| {
            let text = text.strip_prefix(b"m").unwrap_or(text);
            std::str::from_utf8(text).unwrap().parse().unwrap()
        })
    }

    #[test]
    fn samples_are_uniform_and_without_repetition() {
        let mut random = numbers(3);
        for (set, len) in sets() {
            // Sparse, dense, all but one, all.
            for count in [1, len / 4, len / 2, len - 1, len, len + 5] {
                let mut counts = vec![0u64; len];
                for _ in 0..40 * len / count.min(len) + 10 {
                    let mut seen = std::collections::HashSet::new();
                    set.sample(count, &mut random, |item| {
                        assert!(seen.insert(index(item)));
                        counts[index(item)] += 1;
                    });
                    assert_eq!(seen.len(), count.min(len));
                }
                assert_uniform(&counts);
            }
        }
    }

    #[test]
    fn draws_with_repetition_are_uniform() {
        let mut random = numbers(4);
        for (set, len) in sets() {
            for count in [1, len / 2, 3 * len] {
                let mut counts = vec![0u64; len];
                for _ in 0..100 * len / count {
                    set.sample_repeating(count, &mut random, |item| counts[index(item)] += 1);
                }
                assert_uniform(&counts);
            }
        }
        Set::new().sample_repeating(5, random, |_| panic!("there is none"));
    }

    #[test]
    fn what_is_popped_is_uniform() {
        let mut random = numbers(5);
        for (set, len) in sets() {
            let mut counts = vec![0u64; len];
            for _ in 0..60 {
                let mut set = set.clone();
                for _ in 0..len / 2 {
                    set.pop_random(random(), |item| counts[index(item)] += 1);
                }
            }
            assert_uniform(&counts);
        }
    }
}
