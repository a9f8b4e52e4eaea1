//! ZMSCORE key member [member ...]

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use smallvec::SmallVec;
use structures::hash::hash;
use structures::sorted_set::SortedSet;

pub(super) const ZMSCORE: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("ZMSCORE")
    .group(Group::SortedSet)
    .at_least(3)
    .flags(flags::READONLY | flags::FAST)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .since("6.2.0")
    .syntax("key member [member ...]")
    .summary("Returns the score of one or more members in a sorted set.")
    .complexity("O(N) where N is the number of members being requested.");

/// How many members are looked for at a time, so that their misses of the cache overlap.
const BATCH: usize = 16;

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let members = &args.words()[2..];
    let set = ctx.db.collection::<SortedSet>(args.at(1))?;
    ctx.reply.array(members.len());
    for batch in members.chunks(BATCH) {
        let hashes: SmallVec<[u64; BATCH]> = batch.iter().map(|member| hash(member)).collect();
        if let Some(set) = set {
            hashes.iter().for_each(|&hash| set.prefetch_hashed(hash));
            hashes.iter().for_each(|&hash| set.prefetch_member(hash));
        }
        for (member, &hash) in batch.iter().zip(&hashes) {
            match set.and_then(|set| set.score_hashed(hash, member)) {
                Some(score) => ctx.reply.double(score),
                None => ctx.reply.null(),
            }
        }
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    #[test]
    fn zmscore() {
        check(
            "ZMSCORE z a ; ZADD z 1 a 2.5 b ; ZMSCORE z b x a",
            "[_] ; :2 ; [$2.5 _ $1]",
        );
        check3("ZADD z 1 a ; ZMSCORE z x a", ":1 ; [_ ,1]");
        check(
            "SET z v ; ZMSCORE z a",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value",
        );
    }

    #[test]
    fn more_than_a_batch() {
        let mut fixture = fixture();
        let members: Vec<String> = (0..200).map(|i| format!("m{i}")).collect();
        for (score, member) in members.iter().enumerate() {
            fixture.run(&format!("ZADD z {score} {member}"));
        }
        let want: Vec<String> = (0..200).map(|i| format!("${i}")).collect();
        fixture.check(
            &format!("ZMSCORE z {}", members.join(" ")),
            &format!("[{}]", want.join(" ")),
        );
    }
}
