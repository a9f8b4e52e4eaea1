//! The grammar of searches, shared by GEOSEARCH and GEORADIUS with their forms that store:
//! `[WITHCOORD] [WITHDIST] [WITHHASH] [COUNT count [ANY]] [ASC | DESC]`, a center and a shape.
//!
//! A member that is the center is looked up where it is named, for an error of it comes before one
//! in what follows. Of a source that is missing there is no such error, and nothing to be found.

use engine::{Args, CommandError};
use resp::number::{parse_f64, parse_i64};
use structures::sorted_set::SortedSet;

use super::cell::Point;
use super::search::Order;
use super::shape::{Shape, centroid};

const NO_SUCH_MEMBER: CommandError =
    CommandError::Fixed("ERR could not decode requested zset member");
const NOT_A_RADIUS: CommandError = CommandError::Fixed("ERR need numeric radius");
const NEGATIVE_RADIUS: CommandError = CommandError::Fixed("ERR radius cannot be negative");
const NOT_A_WIDTH: CommandError = CommandError::Fixed("ERR need numeric width");
const NOT_A_HEIGHT: CommandError = CommandError::Fixed("ERR need numeric height");
const NEGATIVE_BOX: CommandError = CommandError::Fixed("ERR height or width cannot be negative");
const NOT_A_UNIT: CommandError =
    CommandError::Fixed("ERR unsupported unit provided. please use M, KM, FT, MI");
const NOT_A_COUNT: CommandError = CommandError::Fixed("ERR COUNT must be > 0");
const ANY_NEEDS_COUNT: CommandError =
    CommandError::Fixed("ERR the ANY argument requires COUNT argument");
const NOT_A_NUMBER_OF_CORNERS: CommandError = CommandError::Fixed("ERR invalid number of vertices");
const TOO_FEW_CORNERS: CommandError =
    CommandError::Fixed("ERR GEOSEARCH BYPOLYGON must have at least 3 vertices");
const RADIUS_STORES_NO_MORE: CommandError = CommandError::Fixed(
    "ERR STORE option in GEORADIUS is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
);
const SEARCH_STORES_NO_MORE: CommandError = CommandError::Fixed(
    "ERR GEOSEARCHSTORE is not compatible with WITHDIST, WITHHASH and WITHCOORD options",
);

/// What the score of a stored member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoredScore {
    Position,
    Distance,
}

/// A search.
pub(super) struct Query<'a> {
    /// `None` only if the source is missing.
    pub(super) center: Option<Point>,
    pub(super) shape: Shape,
    /// The unit of distances, in metres.
    pub(super) unit: f64,
    pub(super) with_distance: bool,
    pub(super) with_hash: bool,
    pub(super) with_coordinates: bool,
    pub(super) order: Order,
    pub(super) count: Option<usize>,
    /// Whether any so many will do.
    pub(super) is_any: bool,
    /// Where the result goes, if it is not replied.
    pub(super) store: Option<(&'a [u8], StoredScore)>,
}

/// How the center of GEORADIUS is named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Center {
    Coordinates,
    Member,
}

/// Whether GEORADIUS takes STORE and STOREDIST.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Storing {
    Refused,
    Allowed,
}

/// Longitude and latitude.
pub(super) fn point(args: &mut Args<'_>) -> Result<Point, CommandError> {
    let point = Point {
        longitude: args.float()?,
        latitude: args.float()?,
    };
    if !point.is_on_map() {
        return Err(CommandError::new(format!(
            "ERR invalid longitude,latitude pair {:.6},{:.6}",
            point.longitude, point.latitude
        )));
    }
    Ok(point)
}

/// A unit, in metres.
pub(super) fn unit(word: &[u8]) -> Result<f64, CommandError> {
    const UNITS: [(&[u8], f64); 4] = [
        (b"m", 1.0),
        (b"km", 1000.0),
        (b"ft", 0.3048),
        (b"mi", 1609.34),
    ];
    UNITS
        .into_iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name))
        .map(|(_, metres)| metres)
        .ok_or(NOT_A_UNIT)
}

fn position(set: &SortedSet, member: &[u8]) -> Result<Point, CommandError> {
    set.score(member).map(Point::of_score).ok_or(NO_SUCH_MEMBER)
}

/// The words of GEORADIUS and GEORADIUSBYMEMBER behind the key.
pub(super) fn parse_radius<'a>(
    mut args: Args<'a>,
    center: Center,
    storing: Storing,
    source: Option<&SortedSet>,
) -> Result<Query<'a>, CommandError> {
    let mut query = Query::new();
    match (center, source) {
        (Center::Coordinates, _) => {
            query.center = Some(point(&mut args)?);
            query.circle(&mut args)?;
        }
        (Center::Member, Some(set)) => {
            query.center = Some(position(set, args.required()?)?);
            query.circle(&mut args)?;
        }
        // Without a source, nobody looks at the radius.
        (Center::Member, None) => args.skip(3),
    }
    while !args.is_done() {
        if query.common(&mut args)? {
            continue;
        }
        let may_store = storing == Storing::Allowed;
        let score = if may_store && args.rest().len() > 1 && args.eat("STORE") {
            StoredScore::Position
        } else if may_store && args.rest().len() > 1 && args.eat("STOREDIST") {
            StoredScore::Distance
        } else {
            return Err(CommandError::Syntax);
        };
        query.store = Some((args.required()?, score));
    }
    if query.store.is_some() && query.shows_more() {
        return Err(RADIUS_STORES_NO_MORE);
    }
    query.checked()
}

/// The words of GEOSEARCH behind the key, or of GEOSEARCHSTORE, which has a destination before it.
pub(super) fn parse_search<'a>(
    mut args: Args<'a>,
    destination: Option<&'a [u8]>,
    source: Option<&SortedSet>,
) -> Result<Query<'a>, CommandError> {
    let name = args.at(0);
    let mut query = Query::new();
    query.store = destination.map(|destination| (destination, StoredScore::Position));
    let (mut from_member, mut from_point) = (false, false);
    let (mut by_radius, mut by_box, mut by_polygon) = (false, false, false);
    while !args.is_done() {
        let more = args.rest().len() - 1;
        if query.common(&mut args)? {
            continue;
        }
        if let Some((_, score)) = &mut query.store
            && args.eat("STOREDIST")
        {
            *score = StoredScore::Distance;
        } else if !from_point && !by_polygon && more >= 1 && args.eat("FROMMEMBER") {
            let member = args.required()?;
            if let Some(set) = source {
                query.center = Some(position(set, member)?);
            }
            from_member = true;
        } else if !from_member && !by_polygon && more >= 2 && args.eat("FROMLONLAT") {
            query.center = Some(point(&mut args)?);
            from_point = true;
        } else if !by_box && !by_polygon && more >= 2 && args.eat("BYRADIUS") {
            query.circle(&mut args)?;
            by_radius = true;
        } else if !by_radius && !by_polygon && more >= 3 && args.eat("BYBOX") {
            query.rectangle(&mut args)?;
            by_box = true;
        } else if !(by_radius || by_box || from_member || from_point)
            && more >= 2
            && args.eat("BYPOLYGON")
        {
            query.polygon(&mut args)?;
            by_polygon = true;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    if destination.is_some() && query.shows_more() {
        return Err(SEARCH_STORES_NO_MORE);
    }
    if !(from_member || from_point || by_polygon) {
        return Err(exactly_one("FROMMEMBER or FROMLONLAT", name));
    }
    if !(by_radius || by_box || by_polygon) {
        return Err(exactly_one("BYRADIUS, BYBOX and BYPOLYGON", name));
    }
    query.checked()
}

fn exactly_one(of: &str, name: &[u8]) -> CommandError {
    let mut text = format!("ERR exactly one of {of} can be specified for ").into_bytes();
    text.extend_from_slice(name);
    CommandError::Text(text.into())
}

impl<'a> Query<'a> {
    fn new() -> Self {
        Query {
            center: None,
            shape: Shape::Circle { radius: 0.0 },
            unit: 1.0,
            with_distance: false,
            with_hash: false,
            with_coordinates: false,
            order: Order::None,
            count: None,
            is_any: false,
            store: None,
        }
    }

    /// Takes an option that all have; `false` if the next word is none.
    fn common(&mut self, args: &mut Args<'a>) -> Result<bool, CommandError> {
        if args.eat("WITHDIST") {
            self.with_distance = true;
        } else if args.eat("WITHHASH") {
            self.with_hash = true;
        } else if args.eat("WITHCOORD") {
            self.with_coordinates = true;
        } else if args.eat("ANY") {
            self.is_any = true;
        } else if args.eat("ASC") {
            self.order = Order::Nearest;
        } else if args.eat("DESC") {
            self.order = Order::Farthest;
        } else if args.rest().len() > 1 && args.eat("COUNT") {
            let count = args.integer()?;
            self.count = usize::try_from(count).ok().filter(|&count| count > 0);
            if self.count.is_none() {
                return Err(NOT_A_COUNT);
            }
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn circle(&mut self, args: &mut Args<'a>) -> Result<(), CommandError> {
        let radius = parse_f64(args.required()?).ok_or(NOT_A_RADIUS)?;
        if radius < 0.0 {
            return Err(NEGATIVE_RADIUS);
        }
        self.unit = unit(args.required()?)?;
        self.shape = Shape::Circle { radius };
        Ok(())
    }

    fn rectangle(&mut self, args: &mut Args<'a>) -> Result<(), CommandError> {
        let width = parse_f64(args.required()?).ok_or(NOT_A_WIDTH)?;
        let height = parse_f64(args.required()?).ok_or(NOT_A_HEIGHT)?;
        if width < 0.0 || height < 0.0 {
            return Err(NEGATIVE_BOX);
        }
        self.unit = unit(args.required()?)?;
        self.shape = Shape::Box { width, height };
        Ok(())
    }

    fn polygon(&mut self, args: &mut Args<'a>) -> Result<(), CommandError> {
        let count = parse_i64(args.required()?)
            .and_then(|count| i32::try_from(count).ok())
            .ok_or(NOT_A_NUMBER_OF_CORNERS)?;
        let count = usize::try_from(count).unwrap_or(0);
        if count < 3 || args.rest().len() / 2 < count {
            return Err(TOO_FEW_CORNERS);
        }
        let corners: Vec<Point> = (0..count).map(|_| point(args)).collect::<Result<_, _>>()?;
        self.unit = 1.0;
        self.center = Some(centroid(&corners));
        self.shape = Shape::Polygon(corners);
        Ok(())
    }

    /// Whether replies have more than members.
    pub(super) fn shows_more(&self) -> bool {
        self.with_distance || self.with_hash || self.with_coordinates
    }

    fn checked(mut self) -> Result<Self, CommandError> {
        if self.is_any && self.count.is_none() {
            return Err(ANY_NEEDS_COUNT);
        }
        // Some of the hits without an order would be any.
        if self.count.is_some() && !self.is_any && self.order == Order::None {
            self.order = Order::Nearest;
        }
        Ok(self)
    }
}
