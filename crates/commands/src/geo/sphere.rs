//! Distances on the earth as a sphere, and rectangles of degrees around what is near a point.
//!
//! The radius and the order of the operations are those of the servers this follows, so that distances
//! are equal to the last bit.

use std::f64::consts::{FRAC_PI_2, PI};

use super::cell::{Area, Point, Span};

/// In metres.
pub(super) const EARTH_RADIUS: f64 = 6372797.560856;

const RADIAN: f64 = PI / 180.0;

/// Degrees as radians.
#[inline]
pub(super) fn radians(degrees: f64) -> f64 {
    degrees * RADIAN
}

/// Radians as degrees.
pub(super) fn degrees(radians: f64) -> f64 {
    radians / RADIAN
}

/// A point from which many distances are measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    longitude: f64,
    latitude: f64,
    cos_latitude: f64,
}

/// A sine of half a difference of longitudes that is as good as none: 6 nanometres.
const NO_DIFFERENCE: f64 = 1e-15;

impl Origin {
    #[inline]
    pub(super) fn new(point: Point) -> Self {
        let latitude = radians(point.latitude);
        Origin {
            longitude: radians(point.longitude),
            latitude,
            cos_latitude: latitude.cos(),
        }
    }

    /// How far a point is along a great circle, in metres. What is farther than `enough` may come out
    /// as `None`, and mostly does, cheaper.
    #[inline]
    pub(super) fn distance_within(&self, to: Point, enough: &Reach) -> Option<f64> {
        let (longitude, latitude) = (radians(to.longitude), radians(to.latitude));
        let v = ((longitude - self.longitude) / 2.0).sin();
        if v.abs() <= NO_DIFFERENCE {
            return Some(latitude_distance(latitude, self.latitude));
        }
        let u = ((latitude - self.latitude) / 2.0).sin();
        let a = u * u + self.cos_latitude * latitude.cos() * v * v;
        // Between antipodes rounding can take the root beyond 1, whose arc sine is no number.
        (a <= enough.haversine).then(|| 2.0 * EARTH_RADIUS * a.sqrt().min(1.0).asin())
    }
}

/// A distance, also as the haversine that is not less than that of anything so near: comparing
/// that saves an arc sine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    haversine: f64,
}

impl Reach {
    pub(super) const UNLIMITED: Reach = Reach {
        haversine: f64::INFINITY,
    };

    /// What is not farther than `metres`.
    pub(super) fn of(metres: f64) -> Reach {
        let half_angle = metres / (2.0 * EARTH_RADIUS);
        // Close to the antipodes the arc sine is too steep to compare before it.
        if half_angle > 1.5 {
            return Reach::UNLIMITED;
        }
        Reach {
            haversine: half_angle.sin().powi(2) * (1.0 + 1e-9),
        }
    }
}

/// The distance between two points, in metres.
pub(super) fn distance(from: Point, to: Point) -> f64 {
    Origin::new(from)
        .distance_within(to, &Reach::UNLIMITED)
        .unwrap_or(f64::INFINITY)
}

/// The distance between two latitudes, in radians, along a meridian.
#[inline]
pub(super) fn latitude_distance(a: f64, b: f64) -> f64 {
    EARTH_RADIUS * (a - b).abs()
}

/// The distance between two longitudes along a parallel's great circles, in metres; all in degrees.
#[inline]
pub(super) fn longitude_distance(from: f64, to: f64, latitude: f64) -> f64 {
    let v = ((radians(to) - radians(from)) / 2.0).sin();
    if v.abs() <= NO_DIFFERENCE {
        return 0.0;
    }
    let cos = radians(latitude).cos();
    let a = cos * cos * v * v;
    2.0 * EARTH_RADIUS * a.sqrt().min(1.0).asin()
}

/// A rectangle of degrees, which may go around the date line: a cheap look at what cannot be inside
/// a shape. It is a little greater than it has to be, for all that is rounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    latitude: Span,
    /// The middle of the longitudes, and how far they reach from there. From 180 on that is all of
    /// them.
    longitude: f64,
    reach: f64,
}

impl Bounds {
    /// Around everything not farther than `metres` from `center`.
    pub(super) fn of_circle(center: Point, metres: f64) -> Bounds {
        let angle = metres / EARTH_RADIUS;
        let latitude = radians(center.latitude).abs();
        // With a pole inside, all longitudes are.
        let reach = if latitude + angle < FRAC_PI_2 {
            (angle.sin() / latitude.cos()).min(1.0).asin()
        } else {
            PI
        };
        Bounds::new(center, degrees(angle), degrees(reach))
    }

    /// Around everything not farther to the north or south than half of `height`, and on its own
    /// parallel not farther to the east or west than half of `width`, both in metres.
    pub(super) fn of_box(center: Point, width: f64, height: f64) -> Bounds {
        let angle = height / 2.0 / EARTH_RADIUS;
        let widest = (radians(center.latitude).abs() + angle).min(FRAC_PI_2);
        let quarter = width / 4.0 / EARTH_RADIUS;
        let sine = quarter.min(FRAC_PI_2).sin() / widest.cos();
        let reach = if sine < 1.0 { 2.0 * sine.asin() } else { PI };
        Bounds::new(center, degrees(angle), degrees(reach))
    }

    /// Around all of an area.
    pub(super) fn of_area(area: Area) -> Bounds {
        let half = |span: Span| (span.max - span.min) / 2.0;
        let center = Point {
            longitude: area.longitude.min + half(area.longitude),
            latitude: area.latitude.min + half(area.latitude),
        };
        Bounds::new(center, half(area.latitude), half(area.longitude))
    }

    fn new(center: Point, latitude_reach: f64, longitude_reach: f64) -> Bounds {
        let widened = |degrees: f64| degrees * (1.0 + 1e-9) + 1e-7;
        Bounds {
            latitude: Span {
                min: center.latitude - widened(latitude_reach),
                max: center.latitude + widened(latitude_reach),
            },
            longitude: center.longitude,
            reach: widened(longitude_reach),
        }
    }

    /// Whether a point lies inside.
    #[inline]
    pub(super) fn contain(&self, point: Point) -> bool {
        let apart = (point.longitude - self.longitude).abs();
        // The shorter way around the earth.
        let apart = apart.min(360.0 - apart);
        self.latitude.min <= point.latitude
            && point.latitude <= self.latitude.max
            && apart <= self.reach
    }

    /// Whether they have anything in common with an area.
    pub(super) fn meet(&self, area: &Area) -> bool {
        let (west, east) = (self.longitude - self.reach, self.longitude + self.reach);
        self.latitude.min <= area.latitude.max
            && area.latitude.min <= self.latitude.max
            && [-360.0, 0.0, 360.0]
                .into_iter()
                .any(|turn| west + turn <= area.longitude.max && area.longitude.min <= east + turn)
    }

    /// Whether all of an area lies inside.
    pub(super) fn cover(&self, area: &Area) -> bool {
        let (west, east) = (self.longitude - self.reach, self.longitude + self.reach);
        self.latitude.min <= area.latitude.min
            && area.latitude.max <= self.latitude.max
            && [-360.0, 0.0, 360.0]
                .into_iter()
                .any(|turn| west + turn <= area.longitude.min && area.longitude.max <= east + turn)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::{Cell, LATITUDE_MAX, LONGITUDE_MAX};
    use super::*;

    fn point(longitude: f64, latitude: f64) -> Point {
        Point {
            longitude,
            latitude,
        }
    }

    struct Numbers(u64);

    impl Numbers {
        /// From -1 to 1.
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        }

        fn point(&mut self) -> Point {
            point(self.next() * LONGITUDE_MAX, self.next() * LATITUDE_MAX)
        }

        fn near(&mut self, center: Point, degrees: f64) -> Point {
            let longitude = center.longitude + self.next() * degrees;
            let latitude = center.latitude + self.next() * degrees;
            point(
                longitude - 360.0 * ((longitude + 180.0) / 360.0).floor(),
                latitude.clamp(-LATITUDE_MAX, LATITUDE_MAX),
            )
        }
    }

    #[test]
    fn known_distances() {
        let palermo = Point::of_score(3479099956230698.0);
        let catania = Point::of_score(3479447370796909.0);
        assert_eq!((distance(palermo, catania) * 1e4).round(), 1662741516.0);
        assert_eq!(distance(palermo, palermo), 0.0);
        let quarter = distance(point(0.0, 0.0), point(90.0, 0.0));
        assert!((quarter - EARTH_RADIUS * FRAC_PI_2).abs() < 1e-6);
        let half = distance(point(0.0, 30.0), point(180.0, -30.0));
        assert!((half - EARTH_RADIUS * PI).abs() < 1.0);
    }

    #[test]
    fn a_limited_distance_is_the_same_or_none() {
        let mut numbers = Numbers(1);
        for _ in 0..20_000 {
            let from = numbers.point();
            let degrees = numbers.next().powi(4) * 180.0;
            let to = numbers.near(from, degrees);
            let far = distance(from, to);
            for limit in [0.0, 1.0, far * 0.999, far, far * 1.001, 1e7, 2.1e7] {
                match Origin::new(from).distance_within(to, &Reach::of(limit)) {
                    Some(got) => assert_eq!(got, far),
                    None => assert!(far > limit, "{far} and {limit}"),
                }
            }
        }
    }

    #[test]
    fn bounds_contain_all_of_their_shape() {
        let mut numbers = Numbers(2);
        let mut inside = 0;
        for _ in 0..40_000 {
            let center = numbers.point();
            let degrees = numbers.next().powi(6) * 180.0;
            let to = numbers.near(center, degrees);
            let far = distance(center, to);
            for metres in [far, far * 1.0001, far * 2.0] {
                assert!(
                    Bounds::of_circle(center, metres).contain(to),
                    "{center:?} {to:?}"
                );
            }
            let tall = 2.0 * latitude_distance(radians(to.latitude), radians(center.latitude));
            let wide = 2.0 * longitude_distance(center.longitude, to.longitude, to.latitude);
            for by in [1.0, 1.0001, 2.0] {
                let bounds = Bounds::of_box(center, wide * by, tall * by);
                assert!(bounds.contain(to), "{center:?} {to:?} {bounds:?}");
            }
            let bounds = Bounds::of_circle(center, far);
            let area = Cell::of(to, 1 + (degrees as u8 % 25)).area();
            assert!(bounds.meet(&area));
            if bounds.cover(&area) {
                inside += 1;
                assert!(bounds.contain(point(area.longitude.min, area.latitude.max)));
            }
        }
        assert!(inside > 100, "{inside}");
    }

    #[test]
    fn bounds_leave_out_what_is_far() {
        let bounds = Bounds::of_circle(point(13.0, 38.0), 10_000.0);
        assert!(!bounds.contain(point(13.2, 38.0)));
        assert!(!bounds.contain(point(13.0, 38.1)));
        assert!(!bounds.meet(&Cell::of(point(20.0, 38.0), 12).area()));
        let around = Bounds::of_circle(point(179.99, 0.0), 10_000.0);
        assert!(around.contain(point(-179.99, 0.0)));
        assert!(around.meet(&Cell::of(point(-179.99, 0.0), 12).area()));
    }
}
