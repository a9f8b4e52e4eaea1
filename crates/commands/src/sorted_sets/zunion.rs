//! ZUNION numkeys key [key ...] [WEIGHTS weight ...] [AGGREGATE SUM | MIN | MAX] [WITHSCORES], and ZINTER
//! and ZDIFF; with a destination first and no WITHSCORES: ZUNIONSTORE, ZINTERSTORE and ZDIFFSTORE

use std::ops::ControlFlow;

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use resp::ReplyWriter;
use resp::number::parse_f64;

use super::algebra::{self, Aggregate, Weighted};
use super::inputs::{self, Input, Scored};
use super::{limits, reply_pairs, store};

pub(super) const ZUNION: Command = Command::new(&ZUNION_SPEC, |ctx, args| {
    read(ctx, args, Operation::Union, "zunion")
});
pub(super) const ZINTER: Command = Command::new(&ZINTER_SPEC, |ctx, args| {
    read(ctx, args, Operation::Inter, "zinter")
});
pub(super) const ZDIFF: Command = Command::new(&ZDIFF_SPEC, |ctx, args| {
    read(ctx, args, Operation::Diff, "zdiff")
});
pub(super) const ZUNIONSTORE: Command = Command::new(&ZUNIONSTORE_SPEC, |ctx, args| {
    write(ctx, args, Operation::Union, "zunionstore")
});
pub(super) const ZINTERSTORE: Command = Command::new(&ZINTERSTORE_SPEC, |ctx, args| {
    write(ctx, args, Operation::Inter, "zinterstore")
});
pub(super) const ZDIFFSTORE: Command = Command::new(&ZDIFFSTORE_SPEC, |ctx, args| {
    write(ctx, args, Operation::Diff, "zdiffstore")
});

const READ: CommandSpec = CommandSpec::new("")
    .group(Group::SortedSet)
    .at_least(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::counted(1, access::RO | access::ACCESS)])
    .since("6.2.0");

const STORE: CommandSpec = CommandSpec::new("")
    .group(Group::SortedSet)
    .at_least(4)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[
        KeySpec::at(1, access::OW | access::UPDATE),
        KeySpec::counted(2, access::RO | access::ACCESS),
    ])
    .since("2.0.0");

const INTER_COST: &str = "O(N*K)+O(M*log(M)) worst case with N being the smallest input sorted set, K being the number of input sorted sets and M being the number of elements in the resulting sorted set.";
const DIFF_COST: &str = "O(L + (N-K)log(N)) worst case where L is the total number of elements in all the sets, N is the size of the first set, and K is the size of the result set.";

const ZUNION_SPEC: CommandSpec = CommandSpec { name: "ZUNION", ..READ }
    .syntax("numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>] [WITHSCORES]")
    .summary("Returns the union of multiple sorted sets.")
    .complexity("O(N)+O(M*log(M)) with N being the sum of the sizes of the input sorted sets, and M being the number of elements in the resulting sorted set.");

const ZINTER_SPEC: CommandSpec = CommandSpec { name: "ZINTER", ..READ }
    .syntax("numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>] [WITHSCORES]")
    .summary("Returns the intersect of multiple sorted sets.")
    .complexity(INTER_COST);

const ZDIFF_SPEC: CommandSpec = CommandSpec {
    name: "ZDIFF",
    ..READ
}
.syntax("numkeys key [key ...] [WITHSCORES]")
.summary("Returns the difference between multiple sorted sets.")
.complexity(DIFF_COST);

const ZUNIONSTORE_SPEC: CommandSpec = CommandSpec { name: "ZUNIONSTORE", ..STORE }
    .syntax("destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>]")
    .summary("Stores the union of multiple sorted sets in a key.")
    .complexity("O(N)+O(M log(M)) with N being the sum of the sizes of the input sorted sets, and M being the number of elements in the resulting sorted set.");

const ZINTERSTORE_SPEC: CommandSpec = CommandSpec {
    name: "ZINTERSTORE",
    ..STORE
}
.syntax(
    "destination numkeys key [key ...] [WEIGHTS weight [weight ...]] [AGGREGATE <SUM | MIN | MAX>]",
)
.summary("Stores the intersect of multiple sorted sets in a key.")
.complexity(INTER_COST);

const ZDIFFSTORE_SPEC: CommandSpec = CommandSpec {
    name: "ZDIFFSTORE",
    ..STORE
}
.since("6.2.0")
.syntax("destination numkeys key [key ...]")
.summary("Stores the difference of multiple sorted sets in a key.")
.complexity(DIFF_COST);

const NOT_A_WEIGHT: CommandError = CommandError::Fixed("ERR weight value is not a float");

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Union,
    Inter,
    Diff,
}

/// Whether the result is a reply, which may have scores, or a set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Reply,
    Set,
}

struct Options {
    weights: Option<Vec<f64>>,
    aggregate: Aggregate,
    with_scores: bool,
}

fn parse(
    mut args: Args<'_>,
    operation: Operation,
    target: Target,
    inputs: usize,
) -> Result<Options, CommandError> {
    let mut options = Options {
        weights: None,
        aggregate: Aggregate::Sum,
        with_scores: false,
    };
    let has_weights = operation != Operation::Diff;
    while !args.is_done() {
        if has_weights && args.rest().len() > inputs && args.eat("WEIGHTS") {
            let words = &args.rest()[..inputs];
            let weights: Option<Vec<f64>> = words.iter().map(|word| parse_f64(word)).collect();
            options.weights = Some(weights.ok_or(NOT_A_WEIGHT)?);
            args.skip(inputs);
        } else if has_weights && args.eat("AGGREGATE") {
            options.aggregate = if args.eat("SUM") {
                Aggregate::Sum
            } else if args.eat("MIN") {
                Aggregate::Min
            } else if args.eat("MAX") {
                Aggregate::Max
            } else {
                return Err(CommandError::Syntax);
            };
        } else if target == Target::Reply && args.eat("WITHSCORES") {
            options.with_scores = true;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok(options)
}

/// The inputs with their weights.
fn weighted<'a>(inputs: &[Input<'a>], options: &Options) -> Vec<Weighted<'a>> {
    let weight = |index: usize| {
        options
            .weights
            .as_ref()
            .map_or(1.0, |weights| weights[index])
    };
    inputs
        .iter()
        .enumerate()
        .map(|(index, &input)| Weighted {
            input,
            weight: weight(index),
        })
        .collect()
}

/// The members of an intersection or a difference, in no order.
fn survivors<'a>(inputs: &[Input<'a>], options: &Options, operation: Operation) -> Vec<Scored<'a>> {
    if operation == Operation::Diff {
        return algebra::difference(inputs);
    }
    let mut members = Vec::new();
    algebra::intersection(weighted(inputs, options), options.aggregate, |member| {
        members.push(member);
        ControlFlow::Continue(())
    });
    members
}

fn read(
    ctx: &mut Ctx<'_>,
    mut args: Args<'_>,
    operation: Operation,
    name: &'static str,
) -> CommandResult {
    let limits = limits(ctx);
    let inputs = inputs::read(&ctx.db, &mut args, name)?;
    let options = parse(args, operation, Target::Reply, inputs.len())?;
    if operation == Operation::Union {
        let union = algebra::union(weighted(&inputs, &options), options.aggregate);
        let union = union.finish(&limits);
        reply(&mut ctx.reply, &options, union.len(), union.iter());
    } else {
        let mut members = survivors(&inputs, &options, operation);
        algebra::sort(&mut members);
        let pairs = members.iter().map(|m| (m.member.as_ref(), m.score));
        reply(&mut ctx.reply, &options, members.len(), pairs);
    }
    DONE
}

fn reply<'a>(
    reply: &mut ReplyWriter<'_>,
    options: &Options,
    len: usize,
    pairs: impl Iterator<Item = (&'a [u8], f64)>,
) {
    if options.with_scores {
        reply_pairs(reply, len, pairs);
    } else {
        reply.array(len);
        pairs.for_each(|(member, _)| reply.bulk(member));
    }
}

fn write(
    ctx: &mut Ctx<'_>,
    mut args: Args<'_>,
    operation: Operation,
    name: &'static str,
) -> CommandResult {
    let destination = args.required()?;
    let limits = limits(ctx);
    let inputs = inputs::read(&ctx.db, &mut args, name)?;
    let options = parse(args, operation, Target::Set, inputs.len())?;
    let result = if operation == Operation::Union {
        let mut union = algebra::union(weighted(&inputs, &options), options.aggregate);
        union.rescore(algebra::stored);
        union.finish(&limits)
    } else {
        algebra::set_of(survivors(&inputs, &options, operation), &limits)
    };
    store(ctx, destination, result, name);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    const TWO: &str = "ZADD x 1 a 2 b 3 c ; ZADD y 10 b 20 c 30 d";

    fn on_two(command: &str, want: &str) {
        check(&format!("{TWO} ; {command}"), &format!(":3 ; :3 ; {want}"));
    }

    #[test]
    fn union() {
        on_two("ZUNION 2 x y", "[$a $b $c $d]");
        on_two("ZUNION 2 x y WITHSCORES", "[$a $1 $b $12 $c $23 $d $30]");
        on_two(
            "ZUNION 2 x y WEIGHTS 10 -1 AGGREGATE MIN WITHSCORES",
            "[$d $-30 $c $-20 $b $-10 $a $10]",
        );
        on_two(
            "ZUNIONSTORE d 3 x none y AGGREGATE MAX ; ZRANGE d 0 -1 WITHSCORES",
            ":4 ; [$a $1 $b $10 $c $20 $d $30]",
        );
        on_two("ZUNION 1 none", "[]");
        check(
            "ZADD z 0 a ; ZUNION 1 z WEIGHTS -1 WITHSCORES",
            ":1 ; [$a $-0]",
        );
        check(
            "ZADD z 0 a ; ZUNIONSTORE z 1 z WEIGHTS -1 ; ZINTERSTORE z 2 z z WEIGHTS -1 -1 AGGREGATE MAX ; ZSCORE z a",
            ":1 ; :1 ; :1 ; $0",
        );
        on_two("ZUNIONSTORE x 2 x x ; ZSCORE x c", ":3 ; $6");
    }

    #[test]
    fn intersection() {
        on_two("ZINTER 2 x y WITHSCORES", "[$b $12 $c $23]");
        on_two("ZINTER 2 x none", "[]");
        on_two(
            "ZINTER 2 y x WEIGHTS 2 1 AGGREGATE MAX WITHSCORES",
            "[$b $20 $c $40]",
        );
        on_two("ZINTERSTORE d 2 x y ; ZRANGE d 0 -1", ":2 ; [$b $c]");
        on_two("ZINTER 2 x x WITHSCORES", "[$a $2 $b $4 $c $6]");
    }

    #[test]
    fn difference() {
        on_two("ZDIFF 2 x y WITHSCORES", "[$a $1]");
        on_two("ZDIFF 1 x", "[$a $b $c]");
        on_two("ZDIFF 2 x x", "[]");
        on_two("ZDIFF 2 none x", "[]");
        on_two(
            "ZDIFFSTORE d 2 y x ; ZRANGE d 0 -1 WITHSCORES",
            ":1 ; [$d $30]",
        );
    }

    #[test]
    fn plain_sets_are_inputs() {
        check(
            "SADD s b c ; SADD i 3 20 100 ; ZADD z 5 b 6 3 ; ZUNION 3 s i z WITHSCORES",
            ":2 ; :3 ; :2 ; [$100 $1 $20 $1 $c $1 $b $6 $3 $7]",
        );
        check(
            "SADD i 3 20 100 ; ZADD z 5 b 6 3 ; ZINTER 2 i z WEIGHTS 10 1 WITHSCORES ; ZDIFF 2 i z WITHSCORES",
            ":3 ; :2 ; [$3 $16] ; [$100 $1 $20 $1]",
        );
    }

    #[test]
    fn infinities() {
        check(
            "ZADD x inf a ; ZADD y -inf a ; ZUNION 2 x y WITHSCORES ; ZINTER 2 x y WEIGHTS 0 1 WITHSCORES",
            ":1 ; :1 ; [$a $0] ; [$a $-inf]",
        );
        check(
            "ZADD x inf a ; ZUNION 1 x WEIGHTS 0 WITHSCORES",
            ":1 ; [$a $0]",
        );
    }

    #[test]
    fn resp3_nests_pairs() {
        check3(
            "ZADD x 1 a 2 b ; ZUNION 1 x WITHSCORES ; ZDIFF 1 x WITHSCORES",
            ":2 ; [[$a ,1] [$b ,2]] ; [[$a ,1] [$b ,2]]",
        );
    }

    #[test]
    fn destinations() {
        check(
            "SET d v ; ZINTERSTORE d 1 none ; EXISTS d ; ZDIFFSTORE d 1 none",
            "+OK ; :0 ; :0 ; :0",
        );
        check(
            "SET d v EX 100 ; ZADD z 1 a ; ZUNIONSTORE d 1 z ; TTL d ; TYPE d",
            "+OK ; :1 ; :1 ; :-1 ; +zset",
        );
        let mut fixture = fixture();
        fixture.run("ZADD z 1 a ; ZUNIONSTORE d 1 z ; ZINTERSTORE none 1 none");
        assert_eq!(fixture.effects(), ["ZADD z 1 a", "ZUNIONSTORE d 1 z"]);
    }

    #[test]
    fn large_inputs() {
        let mut fixture = fixture();
        for i in 0..300 {
            fixture.run(&format!(
                "ZADD x {i} m{i} ; ZADD y {i} m{} ; SADD s m{}",
                i + 150,
                i + 100
            ));
        }
        fixture.check(
            "ZUNIONSTORE d 3 x y s ; OBJECT ENCODING d ; ZSCORE d m200 ; ZRANK d m0 ; ZSCORE d m449",
            ":450 ; $skiplist ; $251 ; :0 ; $299",
        );
        fixture.check(
            "ZINTERSTORE d 3 x y s ; ZCARD d ; ZRANGE d 0 0 WITHSCORES ; ZRANGE d -1 -1",
            ":150 ; :150 ; [$m150 $151] ; [$m299]",
        );
        fixture.check(
            "ZDIFFSTORE d 2 x y ; ZRANGE d 148 -1 WITHSCORES ; ZDIFFSTORE d 3 x y s ; ZCARD d",
            ":150 ; [$m148 $148 $m149 $149] ; :100 ; :100",
        );
    }

    #[test]
    fn bad_input() {
        check(
            "ZUNION 0 x",
            "-ERR at least 1 input key is needed for 'zunion' command",
        );
        check(
            "ZDIFFSTORE d -1 x",
            "-ERR at least 1 input key is needed for 'zdiffstore' command",
        );
        check("ZINTER 2 x", "-ERR syntax error");
        check("ZINTER 9223372036854775807 x", "-ERR syntax error");
        check("ZINTER x y", "-ERR value is not an integer or out of range");
        check("ZUNION 1 x WEIGHTS a", "-ERR weight value is not a float");
        check("ZUNION 2 x y WEIGHTS 1", "-ERR syntax error");
        check("ZUNION 1 x AGGREGATE", "-ERR syntax error");
        check("ZUNION 1 x AGGREGATE AVG", "-ERR syntax error");
        check("ZDIFF 1 x WEIGHTS 1", "-ERR syntax error");
        check("ZUNIONSTORE d 1 x WITHSCORES", "-ERR syntax error");
        check(
            "SET x v ; ZUNION 1 x FOO",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }
}
