//! Positions on the earth, as sorted sets whose scores stand for them.

use engine::spec::Command;
use engine::{CommandResult, Ctx, DONE};
use resp::ReplyWriter;
use structures::hash::hash;
use structures::sorted_set::{Limits, SortedSet};

use self::cell::Point;
use self::query::{Query, StoredScore};
use self::search::Hit;

mod cell;
mod geoadd;
mod geodist;
mod geohash;
mod geopos;
mod georadius;
mod geosearch;
mod query;
mod search;
mod shape;
mod sphere;
mod text;

pub(crate) const COMMANDS: &[Command] = &[
    geoadd::GEOADD,
    geodist::GEODIST,
    geohash::GEOHASH,
    geopos::GEOPOS,
    georadius::GEORADIUS,
    georadius::GEORADIUSBYMEMBER,
    georadius::GEORADIUSBYMEMBER_RO,
    georadius::GEORADIUS_RO,
    geosearch::GEOSEARCH,
    geosearch::GEOSEARCHSTORE,
];

/// Writes longitude and latitude.
fn reply_point(reply: &mut ReplyWriter<'_>, point: Point) {
    reply.array(2);
    for degrees in [point.longitude, point.latitude] {
        reply.double_text(text::coordinate(degrees, &mut text::Buffer::default()));
    }
}

/// Writes a distance, in its unit; a text in both protocols.
fn reply_distance(reply: &mut ReplyWriter<'_>, distance: f64) {
    reply.bulk(text::distance(distance, &mut text::Buffer::default()));
}

/// Answers a search in the set at `source`. `parse` makes it of the words, knowing the set.
fn answer<'a>(
    ctx: &mut Ctx<'_>,
    source: &[u8],
    event: &'static str,
    parse: impl FnOnce(Option<&SortedSet>) -> Result<Query<'a>, engine::CommandError>,
) -> CommandResult {
    let limits = crate::sorted_sets::limits(ctx);
    let set = ctx.db.collection::<SortedSet>(source)?;
    let query = parse(set)?;
    let mut hits = Vec::new();
    if let (Some(set), Some(center)) = (set, query.center) {
        let count = query.count.unwrap_or(usize::MAX);
        let enough = if query.is_any { count } else { usize::MAX };
        hits = search::search(set, &query.shape, center, query.unit, enough);
        search::arrange(&mut hits, query.order, count);
    }
    match query.store {
        None => reply_hits(&mut ctx.reply, &query, &hits),
        Some((destination, score)) => {
            let result = stored(&hits, score, query.unit, &limits);
            crate::sorted_sets::store(ctx, destination, result, event);
        }
    }
    DONE
}

fn reply_hits(reply: &mut ReplyWriter<'_>, query: &Query<'_>, hits: &[Hit<'_>]) {
    reply.array(hits.len());
    let more = [query.with_distance, query.with_hash, query.with_coordinates];
    let more = more.into_iter().filter(|&is_shown| is_shown).count();
    for hit in hits {
        if more > 0 {
            reply.array(1 + more);
        }
        reply.bulk(hit.member);
        if query.with_distance {
            reply_distance(reply, hit.metres / query.unit);
        }
        if query.with_hash {
            reply.integer(hit.score as i64);
        }
        if query.with_coordinates {
            reply_point(reply, Point::of_score(hit.score));
        }
    }
}

/// The set of the hits.
fn stored(hits: &[Hit<'_>], score: StoredScore, unit: f64, limits: &Limits) -> SortedSet {
    let mut members: Vec<(f64, &[u8])> = hits
        .iter()
        .map(|hit| match score {
            StoredScore::Position => (hit.score, hit.member),
            StoredScore::Distance => (hit.metres / unit, hit.member),
        })
        .collect();
    members.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    let items = members
        .iter()
        .map(|(score, member)| (hash(member), *member, *score));
    SortedSet::from_ordered(items, limits)
}
