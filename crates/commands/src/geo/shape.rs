//! Shapes to search in, the cells that cover them, and whether a point is inside.

use super::cell::{Area, Cell, Point, STEP_MAX, Span};
use super::sphere::{
    Bounds, EARTH_RADIUS, Origin, Reach, degrees, distance, latitude_distance, longitude_distance,
    radians,
};

/// A shape around a center; lengths in a unit of so many metres.
pub(super) enum Shape {
    Circle {
        radius: f64,
    },
    Box {
        width: f64,
        height: f64,
    },
    /// Its corners in degrees, three or more. The center follows from them.
    Polygon(Vec<Point>),
}

/// Half of the map's width at the equator, in metres.
const MAP_REACH: f64 = 20037726.37;

/// The middle of the corners, as directions from the middle of the earth.
pub(super) fn centroid(corners: &[Point]) -> Point {
    let (mut x, mut y, mut z) = (0.0, 0.0, 0.0);
    for corner in corners {
        let (longitude, latitude) = (radians(corner.longitude), radians(corner.latitude));
        x += latitude.cos() * longitude.cos();
        y += latitude.cos() * longitude.sin();
        z += latitude.sin();
    }
    Point {
        longitude: degrees(f64::atan2(y, x)),
        latitude: degrees(f64::atan2(z, (x * x + y * y).sqrt())),
    }
}

/// The rectangle of degrees that the corners span.
fn extent(corners: &[Point]) -> Area {
    let span = |of: fn(&Point) -> f64| Span {
        min: corners.iter().map(of).fold(f64::INFINITY, f64::min),
        max: corners.iter().map(of).fold(f64::NEG_INFINITY, f64::max),
    };
    Area {
        longitude: span(|corner| corner.longitude),
        latitude: span(|corner| corner.latitude),
    }
}

impl Shape {
    /// The cells in which everything in the shape lies, in the order in which they are searched:
    /// replies without an order are in this one. `None`: the center is beyond the map, and what
    /// covers the shape is unknown.
    ///
    /// They are the cell of the center and those of the eight around it that are of use. How fine they
    /// are is estimated from the reach of the shape, and they are made coarser if that is not enough.
    pub(super) fn cover(&self, center: Point, unit: f64) -> Option<Vec<Cell>> {
        if !center.is_on_map() {
            return None;
        }
        let extent = self.rough_extent(center, unit);
        let (longitude, latitude) = (extent.longitude, extent.latitude);
        let mut step = step_for(self.reach(center, unit), center.latitude);
        let is_too_fine = {
            let cell = Cell::of(center, step);
            let beside = |columns, rows| cell.neighbour(columns, rows).area();
            beside(0, 1).latitude.max < latitude.max
                || beside(0, -1).latitude.min > latitude.min
                || beside(1, 0).longitude.max < longitude.max
                || beside(-1, 0).longitude.min > longitude.min
        };
        if is_too_fine && step > 1 {
            step -= 1;
        }
        let cell = Cell::of(center, step);
        let area = cell.area();
        // Where the shape ends inside of the middle cell, the neighbour is of no use. (With two cells to
        // a side, a neighbour is at the same time the one on the other side.)
        let is_useful = |columns: i64, rows: i64| {
            step < 2
                || !(rows < 0 && area.latitude.min < latitude.min
                    || rows > 0 && area.latitude.max > latitude.max
                    || columns < 0 && area.longitude.min < longitude.min
                    || columns > 0 && area.longitude.max > longitude.max)
        };
        const AROUND: [(i64, i64); 8] = [
            (0, 1),
            (0, -1),
            (1, 0),
            (-1, 0),
            (1, 1),
            (-1, 1),
            (1, -1),
            (-1, -1),
        ];
        let mut cells = vec![cell];
        for (columns, rows) in AROUND {
            let neighbour = cell.neighbour(columns, rows);
            if is_useful(columns, rows) && !cells[1..].contains(&neighbour) {
                cells.push(neighbour);
            }
        }
        Some(cells)
    }

    /// How far the shape reaches from its center, in metres.
    fn reach(&self, center: Point, unit: f64) -> f64 {
        match self {
            Shape::Circle { radius } => radius * unit,
            Shape::Box { width, height } => {
                let (width, height) = (width / 2.0, height / 2.0);
                (width * width + height * height).sqrt() * unit
            }
            Shape::Polygon(corners) => {
                let Area {
                    longitude,
                    latitude,
                } = extent(corners);
                let corner = |longitude, latitude| Point {
                    longitude,
                    latitude,
                };
                [
                    corner(longitude.min, latitude.max),
                    corner(longitude.max, latitude.max),
                    corner(longitude.min, latitude.min),
                    corner(longitude.max, latitude.min),
                ]
                .into_iter()
                .map(|corner| distance(center, corner))
                .fold(0.0, f64::max)
            }
        }
    }

    /// The rectangle by which cells are chosen. It is that of the servers this follows, and with it
    /// the order of replies; [`Bounds`] are the ones to rely on.
    fn rough_extent(&self, center: Point, unit: f64) -> Area {
        let (width, height) = match self {
            Shape::Circle { radius } => (unit * radius, unit * radius),
            Shape::Box { width, height } => (unit * width / 2.0, unit * height / 2.0),
            Shape::Polygon(corners) => return extent(corners),
        };
        let latitude = degrees(height / EARTH_RADIUS);
        // The side that is nearer to its pole has more degrees to the metre; the other one is taken.
        let parallel = if center.latitude < 0.0 {
            center.latitude - latitude
        } else {
            center.latitude + latitude
        };
        let longitude = degrees(width / EARTH_RADIUS / radians(parallel).cos());
        Area {
            longitude: Span {
                min: center.longitude - longitude,
                max: center.longitude + longitude,
            },
            latitude: Span {
                min: center.latitude - latitude,
                max: center.latitude + latitude,
            },
        }
    }
}

/// The step at which a cell and its neighbours are expected to hold a circle around its points.
fn step_for(metres: f64, latitude: f64) -> u8 {
    if metres == 0.0 {
        return STEP_MAX;
    }
    let mut step = -1;
    let mut reach = metres;
    while reach < MAP_REACH {
        reach *= 2.0;
        step += 1;
    }
    // Towards the poles a cell is narrower.
    step -= i32::from(latitude.abs() > 66.0) + i32::from(latitude.abs() > 80.0);
    step.clamp(1, i32::from(STEP_MAX)) as u8
}

/// A shape made ready for many points.
pub(super) struct Filter<'a> {
    shape: &'a Shape,
    center: Point,
    origin: Origin,
    /// Around all of the shape.
    pub(super) bounds: Bounds,
    /// Radius, or width and height, in metres.
    lengths: (f64, f64),
    reach: Reach,
}

impl<'a> Filter<'a> {
    pub(super) fn new(shape: &'a Shape, center: Point, unit: f64) -> Self {
        let (bounds, lengths, reach) = match shape {
            Shape::Circle { radius } => {
                let metres = radius * unit;
                let bounds = Bounds::of_circle(center, metres);
                (bounds, (metres, metres), Reach::of(metres))
            }
            Shape::Box { width, height } => {
                let lengths = (width * unit, height * unit);
                let bounds = Bounds::of_box(center, lengths.0, lengths.1);
                (bounds, lengths, Reach::UNLIMITED)
            }
            Shape::Polygon(corners) => {
                let bounds = Bounds::of_area(extent(corners));
                (bounds, (0.0, 0.0), Reach::UNLIMITED)
            }
        };
        Filter {
            shape,
            center,
            origin: Origin::new(center),
            bounds,
            lengths,
            reach,
        }
    }

    /// How far from the center a point is, in metres, if it is in the shape.
    #[inline]
    pub(super) fn distance_inside(&self, point: Point) -> Option<f64> {
        if !self.bounds.contain(point) {
            return None;
        }
        match self.shape {
            Shape::Circle { .. } => self
                .origin
                .distance_within(point, &self.reach)
                .filter(|&metres| metres <= self.lengths.0),
            Shape::Box { .. } => {
                let (width, height) = self.lengths;
                let (latitude, center) = (radians(point.latitude), radians(self.center.latitude));
                let is_inside = latitude_distance(latitude, center) <= height / 2.0
                    && longitude_distance(point.longitude, self.center.longitude, point.latitude)
                        <= width / 2.0;
                is_inside.then(|| self.origin.distance_within(point, &self.reach))?
            }
            Shape::Polygon(corners) => is_in_polygon(corners, point)
                .then(|| self.origin.distance_within(point, &self.reach))?,
        }
    }
}

/// Whether a ray from the point to the east crosses an odd number of edges.
fn is_in_polygon(corners: &[Point], point: Point) -> bool {
    let before = corners.iter().cycle().skip(corners.len().saturating_sub(1));
    let crossings = corners.iter().zip(before).filter(|(a, b)| {
        (a.latitude > point.latitude) != (b.latitude > point.latitude)
            && point.longitude
                < (b.longitude - a.longitude) * (point.latitude - a.latitude)
                    / (b.latitude - a.latitude)
                    + a.longitude
    });
    crossings.count() % 2 == 1
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

    #[test]
    fn steps() {
        for (metres, latitude, step) in [
            (0.0, 0.0, 26),
            (0.1, 0.0, 26),
            (1.0, 0.0, 24),
            (200_000.0, 38.0, 6),
            (200_000.0, 70.0, 5),
            (200_000.0, -81.0, 4),
            (3e7, 0.0, 1),
            (f64::INFINITY, 0.0, 1),
            (f64::MIN_POSITIVE, 0.0, 26),
        ] {
            assert_eq!(step_for(metres, latitude), step, "{metres} {latitude}");
        }
    }

    #[test]
    fn a_small_circle_needs_few_cells_and_a_huge_one_all() {
        let circle = |radius| Shape::Circle { radius };
        let cells = circle(1.0).cover(point(13.0, 38.0), 1.0).unwrap();
        assert!(cells.len() < 9, "{cells:?}");
        let cells = circle(1.0).cover(point(13.0, 38.0), f64::INFINITY).unwrap();
        assert_eq!(cells.len(), 4);
        // Each only once, although neighbours of a coarse cell are its neighbours on both sides.
        for (index, cell) in cells.iter().enumerate() {
            assert!(!cells[..index].contains(cell));
        }
    }

    #[test]
    fn polygons() {
        let triangle = [point(0.0, 0.0), point(10.0, 50.0), point(20.0, 0.0)];
        assert!(is_in_polygon(&triangle, point(10.0, 10.0)));
        assert!(!is_in_polygon(&triangle, point(1.0, 30.0)));
        assert!(!is_in_polygon(&triangle, point(10.0, -1.0)));
        let center = centroid(&triangle);
        assert!(is_in_polygon(&triangle, center));
        assert!((center.longitude - 10.0).abs() < 1e-9);
    }

    #[test]
    fn edges_are_inside() {
        let (center, to) = (point(0.0, 0.0), point(1.0, 0.5));
        let far = distance(center, to);
        let circle = Shape::Circle { radius: far };
        let inside = Filter::new(&circle, center, 1.0).distance_inside(to);
        assert_eq!(inside, Some(far));
        let tall = 2.0 * latitude_distance(radians(0.5), 0.0);
        let wide = 2.0 * longitude_distance(1.0, 0.0, 0.5);
        for (by, is_inside) in [(1.0, true), (0.9999, false), (1.0001, true)] {
            let shape = Shape::Box {
                width: wide * by,
                height: tall,
            };
            let inside = Filter::new(&shape, center, 1.0).distance_inside(to);
            assert_eq!(inside.is_some(), is_inside);
        }
    }
}
