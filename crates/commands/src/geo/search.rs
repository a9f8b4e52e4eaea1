//! Finding the members of a sorted set whose positions lie in a shape.
//!
//! Cells are intervals of scores, and so of ranks. A cell that is not wholly inside the bounds of the
//! shape and has many members is divided into quarters, and those beyond the bounds are passed over. So
//! hardly more is looked at than what lies in the bounds, however badly the cells fit the shape.
//! Dividing keeps the order of the scores, in which the members of a cell are found.

use std::cmp::Ordering;
use std::ops::{Bound, ControlFlow, Range};

use structures::sorted_set::{ScoreRange, SortedSet};

use super::cell::{Cell, Point, STEP_MAX};
use super::shape::{Filter, Shape};

/// Cells of fewer members are not divided: three more searches in the tree cost about as much.
const DIVIDED_FROM: usize = 64;

/// A member that was found.
pub(super) struct Hit<'a> {
    /// From the center, in metres.
    pub(super) metres: f64,
    pub(super) score: f64,
    pub(super) member: &'a [u8],
}

/// The order of hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// As they are found.
    None,
    Nearest,
    Farthest,
}

/// The members in the shape around the center, up to `enough`, in the order in which they are found.
pub(super) fn search<'a>(
    set: &'a SortedSet,
    shape: &Shape,
    center: Point,
    unit: f64,
    enough: usize,
) -> Vec<Hit<'a>> {
    let mut search = Search {
        set,
        filter: Filter::new(shape, center, unit),
        hits: Vec::new(),
        enough,
    };
    match shape.cover(center, unit) {
        Some(cells) => {
            let _ = cells.into_iter().try_for_each(|cell| {
                let (min, max) = cell.scores();
                search.cell(cell, search.rank(min)..search.rank(max))
            });
        }
        None => {
            let _ = search.ranks(0..set.len());
        }
    }
    search.hits
}

struct Search<'s, 'a> {
    set: &'a SortedSet,
    filter: Filter<'s>,
    hits: Vec<Hit<'a>>,
    enough: usize,
}

impl Search<'_, '_> {
    /// How many members have a smaller score.
    fn rank(&self, score: f64) -> usize {
        let below = ScoreRange {
            min: Bound::Unbounded,
            max: Bound::Excluded(score),
        };
        self.set.ranks_by_score(&below).end
    }

    /// Looks at the members of a cell, which have these ranks. Recursion is as deep as there are steps.
    fn cell(&mut self, cell: Cell, ranks: Range<usize>) -> ControlFlow<()> {
        if ranks.is_empty() {
            return ControlFlow::Continue(());
        }
        let area = cell.area();
        if !self.filter.bounds.meet(&area) {
            return ControlFlow::Continue(());
        }
        if ranks.len() < DIVIDED_FROM || cell.step == STEP_MAX || self.filter.bounds.cover(&area) {
            return self.ranks(ranks);
        }
        let quarters = cell.quarters();
        let mut start = ranks.start;
        for quarter in 0..4 {
            let end = match quarters.get(quarter + 1) {
                Some(next) => self.rank(next.scores().0),
                None => ranks.end,
            };
            self.cell(quarters[quarter], start..end)?;
            start = end;
        }
        ControlFlow::Continue(())
    }

    /// Looks at the members of these ranks.
    fn ranks(&mut self, ranks: Range<usize>) -> ControlFlow<()> {
        let Search {
            set,
            filter,
            hits,
            enough,
        } = self;
        set.range_by_rank(ranks).try_for_each(|(member, score)| {
            if let Some(metres) = filter.distance_inside(Point::of_score(score)) {
                hits.push(Hit {
                    metres,
                    score,
                    member,
                });
                if hits.len() >= *enough {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })
    }
}

/// Brings hits into order and drops all but the first `count`. Equally far ones stay in the order in
/// which they were found.
pub(super) fn arrange(hits: &mut Vec<Hit<'_>>, order: Order, count: usize) {
    let compare = |a: &Hit<'_>, b: &Hit<'_>| match order {
        Order::None => Ordering::Equal,
        Order::Nearest => a.metres.total_cmp(&b.metres),
        Order::Farthest => b.metres.total_cmp(&a.metres),
    };
    if order != Order::None && count < hits.len() / 4 {
        // Selecting and sorting by place as well gives the same as a stable sort of all.
        let mut indexed: Vec<(usize, Hit<'_>)> = hits.drain(..).enumerate().collect();
        let both =
            |a: &(usize, Hit<'_>), b: &(usize, Hit<'_>)| compare(&a.1, &b.1).then(a.0.cmp(&b.0));
        if count > 0 {
            indexed.select_nth_unstable_by(count - 1, both);
        }
        indexed.truncate(count);
        indexed.sort_unstable_by(both);
        hits.extend(indexed.into_iter().map(|(_, hit)| hit));
        return;
    }
    if order != Order::None {
        hits.sort_by(compare);
    }
    hits.truncate(count);
}

#[cfg(test)]
mod tests {
    use structures::sorted_set::Limits;

    use super::*;

    struct Numbers(u64);

    impl Numbers {
        /// From 0 to 1.
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }

        fn point(&mut self, west: f64, width: f64, south: f64, height: f64) -> Point {
            let longitude = west + self.next() * width;
            Point {
                longitude: if longitude > 180.0 {
                    longitude - 360.0
                } else {
                    longitude
                },
                latitude: south + self.next() * height,
            }
        }
    }

    /// Every shape on sets in several places: dividing finds what looking at all members finds.
    #[test]
    fn finds_what_a_look_at_every_member_finds() {
        let mut numbers = Numbers(5);
        let places = [
            (-180.0, 360.0, -85.0, 170.0),
            (13.0, 1.0, 38.0, 1.0),
            (179.5, 1.0, -10.0, 20.0),
            (-20.0, 40.0, 80.0, 5.0),
        ];
        let mut found = 0;
        for (west, width, south, height) in places {
            let points: Vec<Point> = (0..3000)
                .map(|_| numbers.point(west, width, south, height))
                .collect();
            let members = points.iter().enumerate();
            let set = SortedSet::from_items(
                members.map(|(n, point)| (n.to_string(), point.score())),
                &Limits::default(),
            );
            for round in 0..60 {
                let size = height * 111_000.0 * numbers.next().powi(2);
                let shape = match round % 3 {
                    0 => Shape::Circle { radius: size },
                    1 => Shape::Box {
                        width: size * numbers.next(),
                        height: size,
                    },
                    _ => Shape::Polygon(
                        (0..5)
                            .map(|_| numbers.point(west.max(-170.0), width.min(1.0), south, height))
                            .collect(),
                    ),
                };
                let center = match &shape {
                    Shape::Polygon(corners) => super::super::shape::centroid(corners),
                    _ => points[round * 7],
                };
                let cells = shape.cover(center, 1.0).unwrap();
                let filter = Filter::new(&shape, center, 1.0);
                let mut want = Vec::new();
                for cell in cells {
                    let (min, max) = cell.scores();
                    let members = set.range_by_score(&ScoreRange {
                        min: Bound::Included(min),
                        max: Bound::Excluded(max),
                    });
                    want.extend(members.filter_map(|(member, score)| {
                        filter.distance_inside(Point::of_score(score))?;
                        Some(member)
                    }));
                }
                let hits = search(&set, &shape, center, 1.0, usize::MAX);
                let got: Vec<&[u8]> = hits.iter().map(|hit| hit.member).collect();
                assert_eq!(got, want);
                let some = search(&set, &shape, center, 1.0, 7);
                assert_eq!(some.len(), want.len().min(7));
                assert!(
                    some.iter()
                        .zip(&want)
                        .all(|(hit, want)| hit.member == *want)
                );
                found += got.len();
            }
        }
        assert!(found > 10_000, "{found}");
    }

    #[test]
    fn arranging_some_is_the_beginning_of_arranging_all() {
        let mut numbers = Numbers(9);
        let members: Vec<String> = (0..200).map(|n| n.to_string()).collect();
        let metres: Vec<f64> = members
            .iter()
            .map(|_| (numbers.next() * 20.0).floor())
            .collect();
        let hits = || -> Vec<Hit<'_>> {
            let pairs = members.iter().zip(&metres);
            pairs
                .map(|(member, &metres)| Hit {
                    metres,
                    score: 0.0,
                    member: member.as_bytes(),
                })
                .collect()
        };
        for order in [Order::None, Order::Nearest, Order::Farthest] {
            let mut all = hits();
            arrange(&mut all, order, usize::MAX);
            for count in [0, 1, 2, 30, 49, 50, 51, 199, 200] {
                let mut some = hits();
                arrange(&mut some, order, count);
                let names = |hits: &[Hit<'_>]| -> Vec<Vec<u8>> {
                    hits.iter().map(|hit| hit.member.to_vec()).collect()
                };
                assert_eq!(names(&some), names(&all[..count]));
            }
        }
    }
}
