//! OBJECT ENCODING key

use engine::spec::{Command, CommandSpec};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::{Kind, Text, Value};

pub(super) const ENCODING: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec {
    name: "ENCODING",
    summary: "Returns the internal encoding of a value.",
    ..super::BASE
};

/// A string up to this long is called `embstr`, a longer one `raw`, as Redis users know it.
const EMBSTR_MAX: usize = 44;

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let Some(entry) = ctx.db.inspect(args.at(2)) else {
        ctx.reply.null();
        return DONE;
    };
    let name = match entry.value() {
        Value::Text(Text::Int(_)) => "int",
        Value::Text(Text::Bytes(_)) if entry.kind() == Kind::Raw => "raw",
        Value::Text(Text::Bytes(bytes)) if bytes.len() > EMBSTR_MAX => "raw",
        Value::Text(Text::Bytes(_)) => "embstr",
        Value::List(list) => list.encoding().as_str(),
        Value::Set(set) => set.encoding().as_str(),
        Value::Hash(hash) => hash.encoding().as_str(),
        Value::SortedSet(set) => set.encoding().as_str(),
    };
    ctx.reply.bulk(name.as_bytes());
    DONE
}

#[cfg(test)]
mod tests {
    use crate::check;

    #[test]
    fn encodings() {
        check(
            "SET k 12 ; OBJECT ENCODING k ; SET k ab ; OBJECT ENCODING k",
            "+OK ; $int ; +OK ; $embstr",
        );
        check(
            "SET k ab ; APPEND k c ; OBJECT ENCODING k",
            "+OK ; :3 ; $raw",
        );
        check(
            "SADD s 1 ; OBJECT ENCODING s ; SADD s a ; OBJECT ENCODING s",
            ":1 ; $intset ; :1 ; $listpack",
        );
        check(
            "LPUSH l 1 ; OBJECT ENCODING l ; HSET h a b ; OBJECT ENCODING h",
            ":1 ; $listpack ; :1 ; $listpack",
        );
        check(
            "ZADD z 1 a ; OBJECT ENCODING z ; OBJECT ENCODING none",
            ":1 ; $listpack ; _",
        );
    }
}
