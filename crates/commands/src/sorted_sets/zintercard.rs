//! ZINTERCARD numkeys key [key ...] [LIMIT limit]

use std::ops::ControlFlow;

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use resp::number::parse_i64;

use super::algebra::{self, Aggregate, Weighted};
use super::inputs;

pub(super) const ZINTERCARD: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZINTERCARD")
    .group(Group::SortedSet)
    .at_least(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::counted(1, access::RO | access::ACCESS)])
    .since("7.0.0")
    .syntax("numkeys key [key ...] [LIMIT limit]")
    .summary("Returns the number of members of the intersect of multiple sorted sets.")
    .complexity("O(N*K) worst case with N being the smallest input sorted set, K being the number of input sorted sets.");

const NEGATIVE_LIMIT: CommandError = CommandError::Fixed("ERR LIMIT can't be negative");

/// The greatest count to find, if there is one.
fn parse(mut args: Args<'_>) -> Result<Option<usize>, CommandError> {
    let mut limit = None;
    while !args.is_done() {
        if args.rest().len() < 2 || !args.eat("LIMIT") {
            return Err(CommandError::Syntax);
        }
        let count = parse_i64(args.required()?).and_then(|count| usize::try_from(count).ok());
        limit = Some(count.ok_or(NEGATIVE_LIMIT)?).filter(|&count| count > 0);
    }
    Ok(limit)
}

fn run(ctx: &mut Ctx<'_>, mut args: Args<'_>) -> CommandResult {
    let inputs = inputs::read(&ctx.db, &mut args, "zintercard")?;
    let limit = parse(args)?;
    let inputs = inputs
        .into_iter()
        .map(|input| Weighted { input, weight: 1.0 })
        .collect();
    let mut count = 0;
    algebra::intersection(inputs, Aggregate::Sum, |_| {
        count += 1;
        if limit == Some(count) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    ctx.reply.count(count);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn zintercard() {
        check(
            "ZADD x 1 a 2 b 3 c ; SADD y c b ; ZINTERCARD 2 x y ; ZINTERCARD 2 x y LIMIT 1 ; ZINTERCARD 2 x y LIMIT 0 LIMIT 9 ; ZINTERCARD 2 x none",
            ":3 ; :2 ; :2 ; :1 ; :2 ; :0",
        );
    }

    #[test]
    fn bad_input() {
        check(
            "ZINTERCARD 0 x",
            "-ERR at least 1 input key is needed for 'zintercard' command",
        );
        check("ZINTERCARD 1 x LIMIT", "-ERR syntax error");
        check("ZINTERCARD 1 x LIMIT -1", "-ERR LIMIT can't be negative");
        check("ZINTERCARD 1 x LIMIT a", "-ERR LIMIT can't be negative");
        check("ZINTERCARD 1 x WITHSCORES", "-ERR syntax error");
    }
}
