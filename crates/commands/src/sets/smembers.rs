//! SMEMBERS key

use engine::spec::{Command, CommandSpec, Group, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use structures::set::Set;

use super::reply_item;

pub(super) const SMEMBERS: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("SMEMBERS")
    .group(Group::Set)
    .exactly(2)
    .flags(flags::READONLY)
    .keys(&[KeySpec::first(access::RO | access::ACCESS)])
    .syntax("key")
    .summary("Returns all members of a set.")
    .complexity("O(N) where N is the set cardinality")
    .tips(&["nondeterministic_output_order"]);

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let set = ctx.db.collection::<Set>(args.at(1))?;
    ctx.reply.set(set.map_or(0, Set::len));
    if let Some(set) = set {
        set.iter()
            .for_each(|member| reply_item(&mut ctx.reply, member));
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3};

    #[test]
    fn smembers() {
        check("SMEMBERS s ; SADD s 2 1 ; SMEMBERS s", "[] ; :2 ; [$1 $2]");
        check3("SMEMBERS s ; SADD s a ; SMEMBERS s", "~[] ; :1 ; ~[$a]");
    }
}
