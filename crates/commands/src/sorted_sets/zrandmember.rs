//! ZRANDMEMBER key [count [WITHSCORES]]
//!
//! Members are drawn by rank, so each is equally likely in both encodings. A positive count draws
//! ranks until it has that many different ones (or those to leave out, if they are fewer), a negative
//! one draws that often.

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE, random};
use structures::sorted_set::SortedSet;

use super::reply_pairs;
use crate::drawing::Count;

pub(super) const ZRANDMEMBER: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZRANDMEMBER")
    .group(Group::SortedSet)
    .at_least(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("6.2.0")
    .syntax("key [count [WITHSCORES]]")
    .summary("Returns one or more random members from a sorted set.")
    .complexity("O(N) where N is the number of members returned")
    .tips(&["nondeterministic_output"]);

fn parse(mut args: Args<'_>) -> Result<(Count, bool), CommandError> {
    let count = Count::parse(&mut args)?;
    let with_scores = args.eat("WITHSCORES");
    if !args.is_done() {
        return Err(CommandError::Syntax);
    }
    count.check(if with_scores { 2 } else { 1 })?;
    Ok((count, with_scores))
}

/// A random number below `bound`, which is not 0.
fn below(bound: usize) -> usize {
    // The multiplication takes the whole range of numbers to 0..bound.
    ((u128::from(random::next()) * bound as u128) >> 64) as usize
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let key = args.required()?;
    if args.is_done() {
        let set = ctx.db.collection::<SortedSet>(key)?;
        match set.and_then(|set| set.get_by_rank(below(set.len()))) {
            Some((member, _)) => ctx.reply.bulk(member),
            None => ctx.reply.null(),
        }
        return DONE;
    }
    let (count, with_scores) = parse(args)?;
    let Some(set) = ctx.db.collection::<SortedSet>(key)? else {
        ctx.reply.array(0);
        return DONE;
    };
    let len = set.len();
    let mut reply = |count: usize, members: &mut dyn Iterator<Item = (_, f64)>| {
        if with_scores {
            reply_pairs(&mut ctx.reply, count, members);
        } else {
            ctx.reply.array(count);
            members.for_each(|(member, _)| ctx.reply.bulk(member));
        }
    };
    match count {
        Count::Draws(count) => {
            let mut draws = (0..count).filter_map(|_| set.get_by_rank(below(len)));
            reply(count, &mut draws);
        }
        Count::Different(count) if count >= len => reply(len, &mut set.iter()),
        Count::Different(count) if count <= len / 2 => {
            let ranks = different_ranks(count, len);
            let mut members = ranks.iter().filter_map(|&rank| set.get_by_rank(rank));
            reply(count, &mut members);
        }
        Count::Different(count) => {
            let mut left_out = different_ranks(len - count, len).into_iter().peekable();
            let mut members = set
                .iter()
                .enumerate()
                .filter(|(rank, _)| left_out.next_if_eq(rank).is_none())
                .map(|(_, member)| member);
            reply(count, &mut members);
        }
    }
    DONE
}

/// `count` different ranks below `len`, ascending; `count` is at most half of it.
///
/// To draw until there are enough different ones makes every choice of them equally likely. They are
/// drawn as many at a time as are missing, so there are never too many.
fn different_ranks(count: usize, len: usize) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(count);
    while ranks.len() < count {
        for _ in ranks.len()..count {
            ranks.push(below(len));
        }
        ranks.sort_unstable();
        ranks.dedup();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use crate::{check, check3, fixture};

    #[test]
    fn replies() {
        check(
            "ZRANDMEMBER z ; ZRANDMEMBER z 3 ; ZADD z 1 a ; ZRANDMEMBER z ; ZRANDMEMBER z 5 WITHSCORES ; ZRANDMEMBER z -2 ; ZRANDMEMBER z 0",
            "_ ; [] ; :1 ; $a ; [$a $1] ; [$a $a] ; []",
        );
        check3(
            "ZADD z 1 a ; ZRANDMEMBER z -2 WITHSCORES ; ZRANDMEMBER none 1 WITHSCORES",
            ":1 ; [[$a ,1] [$a ,1]] ; []",
        );
        check(
            "ZADD z 1 a 2 b ; ZRANDMEMBER z 9223372036854775807",
            ":2 ; [$a $b]",
        );
    }

    #[test]
    fn bad_input() {
        check(
            "ZRANDMEMBER z -9223372036854775808",
            "-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
        );
        check(
            "ZRANDMEMBER z 9223372036854775807 WITHSCORES",
            "-ERR value is out of range",
        );
        check(
            "ZRANDMEMBER z -9223372036854775807",
            "-ERR value is out of range",
        );
        check(
            "ZRANDMEMBER z a",
            "-ERR value is not an integer or out of range",
        );
        check("ZRANDMEMBER z 1 FOO", "-ERR syntax error");
        check("ZRANDMEMBER z 1 WITHSCORES 1", "-ERR syntax error");
    }

    /// The sum of squared deviations over expectation, for `members` that should come equally often.
    fn chi_square(replies: &[String], members: usize) -> f64 {
        let mut counts: HashMap<&str, f64> = HashMap::new();
        let mut total = 0.0;
        for reply in replies {
            for member in reply.trim_matches(['[', ']']).split_whitespace() {
                *counts.entry(member).or_default() += 1.0;
                total += 1.0;
            }
        }
        let expected = total / members as f64;
        let missing = (members - counts.len()) as f64 * expected;
        let deviations = counts.values().map(|n| (n - expected).powi(2) / expected);
        missing + deviations.sum::<f64>()
    }

    #[test]
    fn every_member_is_equally_likely_in_both_encodings() {
        for members in [50, 400] {
            let mut fixture = fixture();
            for i in 0..members {
                fixture.run(&format!("ZADD z {i} m{i}"));
            }
            for (command, times) in [
                ("ZRANDMEMBER z", 200 * members),
                ("ZRANDMEMBER z -100", 2 * members),
                ("ZRANDMEMBER z 10", 20 * members),
                ("ZRANDMEMBER z 35", 6 * members),
            ] {
                let replies: Vec<String> = (0..times).map(|_| fixture.run(command)).collect();
                let deviation = chi_square(&replies, members);
                // The mean is the number of members, and the variance twice that: seven standard
                // deviations are no chance. Draws without repetition deviate less.
                let limit = members as f64 + 7.0 * (2.0 * members as f64).sqrt();
                assert!(deviation < limit, "{command} of {members}: {deviation}");
            }
        }
    }

    #[test]
    fn a_positive_count_repeats_nothing() {
        let mut fixture = fixture();
        for i in 0..300 {
            fixture.run(&format!("ZADD z {i} m{i}"));
        }
        for count in [1, 2, 100, 150, 151, 299, 300, 500] {
            let reply = fixture.run(&format!("ZRANDMEMBER z {count} WITHSCORES"));
            let words: Vec<&str> = reply.trim_matches(['[', ']']).split_whitespace().collect();
            let mut members: Vec<&str> = words
                .chunks(2)
                .map(|pair| {
                    assert_eq!(pair[0].replace('m', ""), pair[1]);
                    pair[0]
                })
                .collect();
            members.sort_unstable();
            members.dedup();
            assert_eq!(members.len(), count.min(300));
        }
    }
}
