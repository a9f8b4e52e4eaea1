//! OBJECT ENCODING key, OBJECT REFCOUNT key

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandResult, Ctx, DONE};
use keyspace::{Kind, Text, Value};

pub(super) const OBJECT: Command = Command::container(
    &SPEC,
    &[
        Command::new(&ENCODING_SPEC, run_encoding),
        Command::new(&REFCOUNT_SPEC, run_refcount),
    ],
);

const SPEC: CommandSpec = CommandSpec::new("OBJECT")
    .at_least(2)
    .since("2.2.3")
    .summary("A container for object introspection commands.")
    .complexity("Depends on subcommand.");

const ENCODING_SPEC: CommandSpec = CommandSpec::new("ENCODING")
    .exactly(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::at(2, access::RO)])
    .since("2.2.3")
    .syntax("key")
    .summary("Returns the internal encoding of a value.")
    .complexity("O(1)")
    .tips(&["nondeterministic_output"]);

const REFCOUNT_SPEC: CommandSpec = CommandSpec::new("REFCOUNT")
    .exactly(3)
    .flags(flags::READONLY)
    .keys(&[KeySpec::at(2, access::RO)])
    .since("2.2.3")
    .syntax("key")
    .summary("Returns the reference count of a value of a key.")
    .complexity("O(1)")
    .tips(&["nondeterministic_output"]);

/// A string up to this long is called `embstr`, a longer one `raw`, as Redis users know it.
const EMBSTR_MAX: usize = 44;

fn run_encoding(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let Some(entry) = ctx.db.peek(args.at(2)) else {
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

/// Values are never shared: a key that is there is the one reference to its value.
fn run_refcount(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    match ctx.db.peek(args.at(2)) {
        Some(_) => ctx.reply.integer(1),
        None => ctx.reply.null(),
    }
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

    #[test]
    fn reference_counts() {
        check(
            "SET k 12 ; OBJECT REFCOUNT k ; OBJECT REFCOUNT none",
            "+OK ; :1 ; _",
        );
    }
}
