//! LCS key1 key2 [LEN] [IDX] [MINMATCHLEN length] [WITHMATCHLEN]

use config::parameter;
use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{Text, WrongType};
use resp::ReplyWriter;
use structures::lcs;

pub(super) const LCS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("LCS")
    .group(Group::String)
    .at_least(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::range(1, 1, 1, access::RO | access::ACCESS)])
    .since("7.0.0")
    .syntax("key1 key2 [LEN] [IDX] [MINMATCHLEN min-match-len] [WITHMATCHLEN]")
    .summary("Finds the longest common substring.")
    .complexity("O(N*M) where N and M are the lengths of the two strings");

const NOT_STRINGS: CommandError =
    CommandError::Fixed("ERR The specified keys must contain string values");
const LEN_AND_IDX: CommandError =
    CommandError::Fixed("ERR If you want both the length and indexes, please just use IDX.");
const TOO_LONG: CommandError = CommandError::Fixed(
    "ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len",
);

#[derive(Default)]
struct Options {
    only_len: bool,
    only_indexes: bool,
    len_min: i64,
    with_len: bool,
}

fn parse(mut args: Args<'_>) -> Result<Options, CommandError> {
    let mut options = Options::default();
    args.skip(2);
    while !args.is_done() {
        if args.eat("IDX") {
            options.only_indexes = true;
        } else if args.eat("LEN") {
            options.only_len = true;
        } else if args.eat("WITHMATCHLEN") {
            options.with_len = true;
        } else if args.eat("MINMATCHLEN") {
            options.len_min = args.integer()?;
        } else {
            return Err(CommandError::Syntax);
        }
    }
    if options.only_len && options.only_indexes {
        return Err(LEN_AND_IDX);
    }
    Ok(options)
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let text = |key: &[u8]| match ctx.db.text(key) {
        Ok(text) => Ok(text.unwrap_or(Text::Bytes(b""))),
        Err(WrongType) => Err(NOT_STRINGS),
    };
    let (first, second) = (text(args.at(1))?, text(args.at(2))?);
    let options = parse(args)?;
    let table_max = ctx.setting(parameter::PROTO_MAX_BULK_LEN) as u128;
    let reply = &mut ctx.reply;
    first.with_bytes(|first| {
        second.with_bytes(|second| {
            // The length needs no table, but the same time.
            if lcs::table_bytes(first.len(), second.len()) > table_max {
                return Err(TOO_LONG);
            }
            if options.only_len {
                reply.count(lcs::length(first, second));
            } else if options.only_indexes {
                reply_indexes(reply, &lcs::runs(first, second), &options);
            } else {
                let runs = lcs::runs(first, second).into_iter().rev();
                let parts = runs.map(|run| &first[run.first..run.first + run.len]);
                reply.bulk(&parts.collect::<Vec<_>>().concat());
            }
            DONE
        })
    })
}

fn reply_indexes(reply: &mut ReplyWriter<'_>, runs: &[lcs::Run], options: &Options) {
    let is_shown = |run: &&lcs::Run| run.len as i64 >= options.len_min;
    reply.map(2);
    reply.bulk(b"matches");
    reply.array(runs.iter().filter(is_shown).count());
    for run in runs.iter().filter(is_shown) {
        reply.array(2 + options.with_len as usize);
        for start in [run.first, run.second] {
            reply.array(2);
            reply.count(start);
            reply.count(start + run.len - 1);
        }
        if options.with_len {
            reply.count(run.len);
        }
    }
    reply.bulk(b"len");
    reply.count(runs.iter().map(|run| run.len).sum());
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn lcs() {
        check(
            "MSET a ohmytext b mynewtext ; LCS a b ; LCS a b LEN",
            "+OK ; $mytext ; :6",
        );
        check(
            "MSET a ohmytext b mynewtext ; LCS a b IDX ; LCS a b IDX MINMATCHLEN 4 WITHMATCHLEN",
            "+OK ; [$matches [[[:4 :7] [:5 :8]] [[:2 :3] [:0 :1]]] $len :6] ; \
             [$matches [[[:4 :7] [:5 :8] :4]] $len :6]",
        );
        check3(
            "SET a 123 ; LCS a a IDX",
            "+OK ; {$matches: [[[:0 :2] [:0 :2]]], $len: :3}",
        );
        check(
            "LCS a b ; LCS a b LEN ; LCS a b IDX",
            "$\"\" ; :0 ; [$matches [] $len :0]",
        );
    }

    #[test]
    fn errors() {
        check(
            "LPUSH a x ; LCS a b FOO",
            ":1 ; -ERR The specified keys must contain string values",
        );
        check("LCS a b FOO", "-ERR syntax error");
        check("LCS a b MINMATCHLEN", "-ERR syntax error");
        check(
            "LCS a b MINMATCHLEN x",
            "-ERR value is not an integer or out of range",
        );
        check(
            "LCS a b LEN IDX",
            "-ERR If you want both the length and indexes, please just use IDX.",
        );
        check(
            "SETRANGE a 67108863 x ; LCS a a LEN",
            ":67108864 ; \
             -ERR Insufficient memory, transient memory for LCS exceeds proto-max-bulk-len",
        );
    }
}
