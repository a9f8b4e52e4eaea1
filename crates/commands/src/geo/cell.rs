//! Cells of the earth, and the scores that stand for positions.
//!
//! The map (longitudes of ±180 degrees, latitudes of ±85.05112878, as web maps have them) is halved
//! `step` times in both directions. A cell's bits are the bits of its row and its column, interleaved,
//! so every cell is an interval of the cells of any finer step:
//!
//! ```text
//!   step 1          step 2, the cell 11 of step 1      bit  5 4 3 2 1 0
//!   +----+----+     +------+------+                         | | | | | latitude
//!   | 01 | 11 |     | 1101 | 1111 |                         | | | | longitude
//!   +----+----+     +------+------+                         | | | latitude ...
//!   | 00 | 10 |     | 1100 | 1110 |
//!   +----+----+     +------+------+
//! ```
//!
//! A position is stored as the score whose value is the bits of its cell of step 26: 52 of them, which a
//! double holds exactly. A member of a cell therefore has a score in an interval.
//!
//! The arithmetic, rounding included, is that of the servers this follows, for scores are compared
//! and copied between them. One oddity comes along: the greatest longitude and latitude fall into a column
//! and a row of their own, beyond the last, with one bit more.

/// The finest division.
pub(super) const STEP_MAX: u8 = 26;

pub(super) const LONGITUDE_MAX: f64 = 180.0;
pub(super) const LATITUDE_MAX: f64 = 85.05112878;

/// A position, in degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) longitude: f64,
    pub(super) latitude: f64,
}

/// An interval of degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) min: f64,
    pub(super) max: f64,
}

/// What a cell covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) longitude: Span,
    pub(super) latitude: Span,
}

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) bits: u64,
    pub(super) step: u8,
}

const LONGITUDES: Span = Span {
    min: -LONGITUDE_MAX,
    max: LONGITUDE_MAX,
};
const LATITUDES: Span = Span {
    min: -LATITUDE_MAX,
    max: LATITUDE_MAX,
};

impl Point {
    /// Whether it lies on the map.
    pub(super) fn is_on_map(self) -> bool {
        self.longitude.abs() <= LONGITUDE_MAX && self.latitude.abs() <= LATITUDE_MAX
    }

    /// The score that stands for it.
    pub(super) fn score(self) -> f64 {
        Cell::of(self, STEP_MAX).bits as f64
    }

    /// The middle of the cell that a score stands for; of a score that none does, something on the map.
    #[inline]
    pub(super) fn of_score(score: f64) -> Point {
        // Below zero the bits of an integer, and nothing of what is too great: as C on common
        // processors converts it.
        let bits = if score < 0.0 {
            score as i64 as u64
        } else if score >= 2f64.powi(64) {
            0
        } else {
            // Beyond 64 bits it is the 0 that the processors' conversion leaves, not the greatest number.
            if score < 18_446_744_073_709_551_616.0 {
                score as u64
            } else {
                0
            }
        };
        let area = Cell {
            bits,
            step: STEP_MAX,
        }
        .area();
        let middle = |span: Span| (span.min + span.max) / 2.0;
        Point {
            longitude: middle(area.longitude).clamp(-LONGITUDE_MAX, LONGITUDE_MAX),
            latitude: middle(area.latitude).clamp(-LATITUDE_MAX, LATITUDE_MAX),
        }
    }
}

impl Cell {
    /// The cell of a point of the map.
    pub(super) fn of(point: Point, step: u8) -> Cell {
        Cell {
            bits: interleaved(
                index(point.latitude, LATITUDES, step),
                index(point.longitude, LONGITUDES, step),
            ),
            step,
        }
    }

    /// What it covers.
    #[inline]
    pub(super) fn area(self) -> Area {
        let (row, column) = (every_second(self.bits), every_second(self.bits >> 1));
        let cells = (1u64 << self.step) as f64;
        let span = |index: u32, whole: Span| {
            let scale = whole.max - whole.min;
            Span {
                min: whole.min + (f64::from(index) / cells) * scale,
                max: whole.min + (f64::from(index.wrapping_add(1)) / cells) * scale,
            }
        };
        Area {
            longitude: span(column, LONGITUDES),
            latitude: span(row, LATITUDES),
        }
    }

    /// The cell `columns` to the east and `rows` to the north, around the edges of the map.
    pub(super) fn neighbour(self, columns: i64, rows: i64) -> Cell {
        let moved = |index: u32, by: i64| {
            if by == 0 {
                return index;
            }
            (i64::from(index) + by) as u32 & ((1 << self.step) - 1)
        };
        Cell {
            bits: interleaved(
                moved(every_second(self.bits), rows),
                moved(every_second(self.bits >> 1), columns),
            ),
            step: self.step,
        }
    }

    /// The least score of its members, and the one behind their greatest.
    #[inline]
    pub(super) fn scores(self) -> (f64, f64) {
        let shift = 2 * (STEP_MAX - self.step);
        (
            (self.bits << shift) as f64,
            ((self.bits + 1) << shift) as f64,
        )
    }

    /// Its quarters, in the order of their scores.
    #[inline]
    pub(super) fn quarters(self) -> [Cell; 4] {
        std::array::from_fn(|quarter| Cell {
            bits: self.bits << 2 | quarter as u64,
            step: self.step + 1,
        })
    }
}

/// The eleven characters of a point's geohash as the world writes it: with latitudes of ±90 degrees.
/// The 52 bits are those of ten characters; the eleventh is always 0.
pub(super) fn geohash_text(point: Point) -> [u8; 11] {
    const ALPHABET: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
    const ALL_LATITUDES: Span = Span {
        min: -90.0,
        max: 90.0,
    };
    let bits = interleaved(
        index(point.latitude, ALL_LATITUDES, STEP_MAX),
        index(point.longitude, LONGITUDES, STEP_MAX),
    );
    let mut text = [b'0'; 11];
    for (at, character) in text[..10].iter_mut().enumerate() {
        *character = ALPHABET[(bits >> (47 - 5 * at)) as usize & 31];
    }
    text
}

/// The row or column of a coordinate.
fn index(coordinate: f64, whole: Span, step: u8) -> u32 {
    let share = (coordinate - whole.min) / (whole.max - whole.min);
    (share * (1u64 << step) as f64) as u32
}

/// The bits of `even` in the even places and those of `odd` in the odd ones.
fn interleaved(even: u32, odd: u32) -> u64 {
    fn spread(bits: u32) -> u64 {
        let mut x = u64::from(bits);
        x = (x | x << 16) & 0x0000_ffff_0000_ffff;
        x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
        x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
        x = (x | x << 2) & 0x3333_3333_3333_3333;
        (x | x << 1) & 0x5555_5555_5555_5555
    }
    spread(even) | spread(odd) << 1
}

/// The bits in the even places.
#[inline]
fn every_second(bits: u64) -> u32 {
    let mut x = bits & 0x5555_5555_5555_5555;
    x = (x | x >> 1) & 0x3333_3333_3333_3333;
    x = (x | x >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | x >> 4) & 0x00ff_00ff_00ff_00ff;
    x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
    (x | x >> 16) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(longitude: f64, latitude: f64) -> Point {
        Point {
            longitude,
            latitude,
        }
    }

    /// Points all over the map, some on its edges.
    fn points() -> impl Iterator<Item = Point> {
        let mut state = 7u64;
        let mut next = move || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let inside = (0..2000).map(move |_| point(next() * LONGITUDE_MAX, next() * LATITUDE_MAX));
        let edges = [-1.0, 0.0, 1.0]
            .into_iter()
            .flat_map(|x| [-1.0, 0.0, 1.0].map(|y| point(x * LONGITUDE_MAX, y * LATITUDE_MAX)));
        inside.chain(edges)
    }

    #[test]
    fn known_scores_and_texts() {
        let palermo = point(13.361389, 38.115556);
        assert_eq!(palermo.score(), 3479099956230698.0);
        assert_eq!(
            &geohash_text(Point::of_score(palermo.score())),
            b"sqc8b49rny0"
        );
        assert_eq!(point(15.087269, 37.502669).score(), 3479447370796909.0);
        assert_eq!(&geohash_text(point(180.0, LATITUDE_MAX)), b"bp05b5048p0");
    }

    #[test]
    fn interleaving_goes_both_ways() {
        for (even, odd) in [
            (0, 0),
            (1, 0),
            (0, 1),
            (u32::MAX, 0x1234_5678),
            (0xdead_beef, 7),
        ] {
            let bits = interleaved(even, odd);
            assert_eq!((every_second(bits), every_second(bits >> 1)), (even, odd));
        }
        assert_eq!(interleaved(0b11, 0b10), 0b1101);
    }

    #[test]
    fn a_score_leads_back_to_its_place() {
        for from in points() {
            let to = Point::of_score(from.score());
            assert!((from.longitude - to.longitude).abs() < 360.0 / (1 << 26) as f64);
            assert!((from.latitude - to.latitude).abs() < 171.0 / (1 << 26) as f64);
            // The place of a score has that score; on the very edges of the map it is the edge's.
            if from.longitude.abs() < LONGITUDE_MAX && from.latitude.abs() < LATITUDE_MAX {
                assert_eq!(to.score(), from.score());
            }
        }
    }

    #[test]
    fn cells_contain_their_points_and_scores() {
        for point in points() {
            for step in 1..=STEP_MAX {
                let cell = Cell::of(point, step);
                let area = cell.area();
                assert!(
                    area.longitude.min <= point.longitude && point.longitude <= area.longitude.max
                );
                assert!(area.latitude.min <= point.latitude && point.latitude <= area.latitude.max);
                // On the far edges, the finest scores have a bit more than a double holds.
                let (min, max) = cell.scores();
                let is_exact = max < (1u64 << 53) as f64;
                assert!(!is_exact || (min..max).contains(&point.score()));
                if step < STEP_MAX {
                    let finer = Cell::of(point, step + 1);
                    assert!(cell.quarters().contains(&finer));
                }
            }
        }
    }

    #[test]
    fn quarters_divide_the_scores() {
        let cell = Cell::of(point(13.0, 38.0), 9);
        let mut at = cell.scores().0;
        for quarter in cell.quarters() {
            assert_eq!(quarter.scores().0, at);
            at = quarter.scores().1;
        }
        assert_eq!(at, cell.scores().1);
    }

    #[test]
    fn neighbours_touch() {
        let cell = Cell::of(point(13.0, 38.0), 12);
        let area = cell.area();
        assert_eq!(
            cell.neighbour(1, 0).area().longitude.min,
            area.longitude.max
        );
        assert_eq!(
            cell.neighbour(-1, 0).area().longitude.max,
            area.longitude.min
        );
        assert_eq!(cell.neighbour(0, 1).area().latitude.min, area.latitude.max);
        assert_eq!(cell.neighbour(1, -1).neighbour(-1, 1), cell);
    }

    #[test]
    fn neighbours_go_around_the_edges() {
        let east = Cell::of(point(179.9, 10.0), 8);
        assert_eq!(east.neighbour(1, 0), Cell::of(point(-179.9, 10.0), 8));
        assert_eq!(Cell::of(point(-179.9, 10.0), 8).neighbour(-1, 0), east);
        let north = Cell::of(point(0.1, 85.0), 8);
        assert_eq!(north.neighbour(0, 1), Cell::of(point(0.1, -85.0), 8));
        // The column beyond the last has the second for its eastern neighbour.
        let beyond = Cell::of(point(180.0, 10.0), 8);
        assert_eq!(beyond.neighbour(1, 0), Cell::of(point(-178.0, 10.0), 8));
        assert_eq!(beyond.neighbour(-1, 0), Cell::of(point(179.0, 10.0), 8));
    }

    #[test]
    fn scores_that_are_no_positions_are_on_the_map() {
        for score in [-1.0, f64::INFINITY, f64::NEG_INFINITY, 1e18, 1e300, 0.5] {
            assert!(Point::of_score(score).is_on_map(), "{score}");
        }
        assert_eq!(Point::of_score(f64::INFINITY), Point::of_score(0.0));
    }
}
