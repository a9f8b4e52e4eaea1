//! Intervals of scores and of members, as the range commands name them.
//!
//! The types say what is inside and nothing about direction: a range is turned into ranks once,
//! and offsets, limits and reversal are arithmetic on those.

use std::ops::Bound;

use super::node::{NodeRef, key_of};

/// An interval of scores. An unbounded side includes the infinity on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreRange {
    /// The lower end.
    pub min: Bound<f64>,
    /// The upper end.
    pub max: Bound<f64>,
}

impl ScoreRange {
    /// Whether `score` lies inside.
    pub fn contains(&self, score: f64) -> bool {
        (match self.min {
            Bound::Included(min) => score >= min,
            Bound::Excluded(min) => score > min,
            Bound::Unbounded => true,
        }) && (match self.max {
            Bound::Included(max) => score <= max,
            Bound::Excluded(max) => score < max,
            Bound::Unbounded => true,
        })
    }
}

/// One end of an interval of members, compared byte by byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexBound<'a> {
    /// Before every member (`-`).
    Min,
    /// After every member (`+`).
    Max,
    /// This member and what lies inside of it (`[member`).
    Included(&'a [u8]),
    /// Only what lies inside of this member (`(member`).
    Excluded(&'a [u8]),
}

/// An interval of members, of use in a set whose scores are all the same. With other sets the
/// answer is some interval of the order, as with the servers this follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexRange<'a> {
    /// The lower end.
    pub min: LexBound<'a>,
    /// The upper end.
    pub max: LexBound<'a>,
}

impl LexRange<'_> {
    /// Whether `member` lies inside.
    pub fn contains(&self, member: &[u8]) -> bool {
        !self.starts_after(member) && self.reaches(member)
    }

    /// Whether the range begins only after `member`.
    pub(super) fn starts_after(&self, member: &[u8]) -> bool {
        match self.min {
            LexBound::Min => false,
            LexBound::Max => true,
            LexBound::Included(min) => member < min,
            LexBound::Excluded(min) => member <= min,
        }
    }

    /// Whether the range does not end before `member`.
    pub(super) fn reaches(&self, member: &[u8]) -> bool {
        match self.max {
            LexBound::Min => false,
            LexBound::Max => true,
            LexBound::Included(max) => member <= max,
            LexBound::Excluded(max) => member < max,
        }
    }
}

/// A cut through the order of the set: everything is before it or after it.
///
/// Almost always the key decides; the methods are asked only about nodes whose key is the probe's.
pub(super) trait Probe: Copy {
    fn key(self) -> u64;

    /// Whether a node of the same key lies before the cut.
    fn is_after(self, node: NodeRef<'_>) -> bool;

    /// Whether a subtree that begins with this node of the same key is the one to look into,
    /// rather than its left neighbour.
    #[inline]
    fn enters(self, node: NodeRef<'_>) -> bool {
        self.is_after(node)
    }
}

/// The cut just before one member with one score.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub(super) key: u64,
    pub(super) member: &'a [u8],
}

impl Probe for Target<'_> {
    #[inline]
    fn key(self) -> u64 {
        self.key
    }

    #[inline]
    fn is_after(self, node: NodeRef<'_>) -> bool {
        node.member() < self.member
    }

    // The target itself lives in the subtree that begins with it.
    #[inline]
    fn enters(self, node: NodeRef<'_>) -> bool {
        node.member() <= self.member
    }
}

/// The cut before or after every member with one score.
#[derive(Clone, Copy)]
pub(super) struct ScoreCut {
    key: u64,
    past_equal: bool,
}

impl ScoreCut {
    pub(super) fn before(score: f64) -> Self {
        ScoreCut {
            key: key_of(score),
            past_equal: false,
        }
    }

    pub(super) fn after(score: f64) -> Self {
        ScoreCut {
            key: key_of(score),
            past_equal: true,
        }
    }

    /// The cut where a range begins, if it is bounded there.
    pub(super) fn at_min(range: &ScoreRange) -> Option<Self> {
        match range.min {
            Bound::Included(min) => Some(Self::before(min)),
            Bound::Excluded(min) => Some(Self::after(min)),
            Bound::Unbounded => None,
        }
    }

    /// The cut where a range ends, if it is bounded there.
    pub(super) fn at_max(range: &ScoreRange) -> Option<Self> {
        match range.max {
            Bound::Included(max) => Some(Self::after(max)),
            Bound::Excluded(max) => Some(Self::before(max)),
            Bound::Unbounded => None,
        }
    }

    /// Whether a score lies before the cut.
    #[inline]
    pub(super) fn is_after_score(self, score: f64) -> bool {
        let key = key_of(score);
        key < self.key || (key == self.key && self.past_equal)
    }
}

impl Probe for ScoreCut {
    #[inline]
    fn key(self) -> u64 {
        self.key
    }

    #[inline]
    fn is_after(self, _: NodeRef<'_>) -> bool {
        self.past_equal
    }
}
