//! KEYS pattern
//!
//! Shard by shard: other workers' commands go on in between, so the reply may show writes that were
//! made while it was gathered.

use config::glob::{self, Case};
use engine::spec::{Command, CommandSpec, flags};
use engine::{Args, CommandResult, Ctx, DONE};

pub(super) const KEYS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("KEYS")
    .exactly(2)
    .flags(flags::READONLY | flags::DANGEROUS | flags::KEYSPACE)
    .syntax("pattern")
    .summary("Returns all key names that match a pattern.")
    .complexity("O(N) with N being the number of keys in the database")
    .tips(&["request_policy:all_shards", "nondeterministic_output_order"]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let pattern = args.at(1);
    let begin = ctx.reply.begin();
    let mut count = 0;
    ctx.db.for_each_entry(|entry| {
        if pattern == b"*" || glob::matches(pattern, entry.key(), Case::Exact) {
            ctx.reply.bulk(entry.key());
            count += 1;
        }
    });
    ctx.reply.end_array(begin, count);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn keys() {
        check(
            "KEYS * ; SET ab 1 ; SET cd 2 ; KEYS a? ; KEYS x*",
            "[] ; +OK ; +OK ; [$ab] ; []",
        );
    }
}
