//! LPOS key element [RANK rank] [COUNT num-matches] [MAXLEN len]
//!
//! A negative rank searches from the tail; indexes are counted from the head in any case.

use std::ops::ControlFlow;

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use structures::list::List;

use super::End;

pub(super) const LPOS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LPOS")
    .group(Group::List)
    .at_least(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("6.0.6")
    .syntax("key element [RANK rank] [COUNT num-matches] [MAXLEN len]")
    .summary("Returns the index of matching elements in a list.")
    .complexity("O(N) where N is the number of elements in the list, for the average case. When searching for elements near the head or the tail of the list, or when the MAXLEN option is provided, the command may run in constant time.");

const ZERO_RANK: CommandError = CommandError::Fixed(
    "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
);
const NEGATIVE_COUNT: CommandError = CommandError::Fixed("ERR COUNT can't be negative");
const NEGATIVE_MAXLEN: CommandError = CommandError::Fixed("ERR MAXLEN can't be negative");

struct Lpos<'a> {
    key: &'a [u8],
    element: &'a [u8],
    rank: i64,
    /// `None` asks for one index instead of an array of them.
    count: Option<usize>,
    compared_max: usize,
}

fn parse<'a>(mut args: Args<'a>) -> Result<Lpos<'a>, CommandError> {
    let mut lpos = Lpos {
        key: args.required()?,
        element: args.required()?,
        rank: 1,
        count: None,
        compared_max: usize::MAX,
    };
    // None at all means all.
    let unlimited = |count| if count == 0 { usize::MAX } else { count };
    while !args.is_done() {
        let is_last = args.rest().len() == 1;
        if is_last {
            return Err(CommandError::Syntax);
        }
        if args.eat("RANK") {
            lpos.rank = args.negatable()?;
            if lpos.rank == 0 {
                return Err(ZERO_RANK);
            }
        } else if args.eat("COUNT") {
            lpos.count = Some(unlimited(args.count().map_err(|_| NEGATIVE_COUNT)?));
        } else if args.eat("MAXLEN") {
            lpos.compared_max = unlimited(args.count().map_err(|_| NEGATIVE_MAXLEN)?);
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok(lpos)
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let lpos = parse(args)?;
    let list = ctx.db.collection::<List>(lpos.key)?;
    let from = if lpos.rank < 0 { End::Back } else { End::Front };
    let mut to_skip = lpos.rank.unsigned_abs() - 1;
    let wanted = lpos.count.unwrap_or(1);
    let (begin, mut found) = (ctx.reply.begin(), 0);
    if let Some(list) = list {
        list.positions(lpos.element, from, lpos.compared_max, |index| {
            if to_skip > 0 {
                to_skip -= 1;
                return ControlFlow::Continue(());
            }
            ctx.reply.count(index);
            found += 1;
            if found < wanted {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
    }
    match lpos.count {
        Some(_) => ctx.reply.end_array(begin, found),
        None if found == 0 => ctx.reply.null(),
        None => {}
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn one_index() {
        check(
            "RPUSH l a b c a b ; LPOS l b ; LPOS l b RANK 2 ; LPOS l b RANK -1 ; LPOS l b RANK -2 ; LPOS l b RANK 3 ; LPOS l z ; LPOS none a",
            ":5 ; :1 ; :4 ; :4 ; :1 ; _ ; _ ; _",
        );
        check3("LPOS none a ; LPOS none a COUNT 0", "_ ; []");
    }

    #[test]
    fn many_indexes() {
        check(
            "RPUSH l a b c a b a ; LPOS l a COUNT 0 ; LPOS l a COUNT 2 ; LPOS l a COUNT 2 RANK -1 ; LPOS l a COUNT 0 RANK 2 ; LPOS l z COUNT 1",
            ":6 ; [:0 :3 :5] ; [:0 :3] ; [:5 :3] ; [:3 :5] ; []",
        );
        check(
            "RPUSH l a b c a b a ; LPOS l a COUNT 0 MAXLEN 4 ; LPOS l a COUNT 0 MAXLEN 1 RANK -1 ; LPOS l c MAXLEN 2 ; LPOS l c MAXLEN 0",
            ":6 ; [:0 :3] ; [:5] ; _ ; :2",
        );
    }

    #[test]
    fn bad_options() {
        check(
            "LPOS l a RANK 0",
            "-ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or use negative to start from the end of the list",
        );
        check(
            "LPOS l a RANK -9223372036854775808 ; LPOS l a RANK -9223372036854775807",
            "-ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807 ; _",
        );
        check(
            "LPOS l a COUNT -1 ; LPOS l a MAXLEN x ; LPOS l a RANK x",
            "-ERR COUNT can't be negative ; -ERR MAXLEN can't be negative ; -ERR value is not an integer or out of range",
        );
        check(
            "LPOS l a RANK ; LPOS l a FOO ; LPOS l a FOO 1",
            "-ERR syntax error ; -ERR syntax error ; -ERR syntax error",
        );
    }
}
