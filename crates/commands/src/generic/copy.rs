//! COPY source destination [DB destination-db] [REPLACE]

use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};

use super::{SAME_OBJECT, parse_database};

pub(super) const COPY: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("COPY")
    .at_least(3)
    .flags(flags::WRITE | flags::DENY_OOM)
    .keys(&[
        KeySpec::first(access::RO | access::ACCESS),
        KeySpec::at(2, access::OW | access::UPDATE),
    ])
    .also_in(|words| {
        let number = |number: i64| usize::try_from(number).map_err(|_| CommandError::Syntax);
        parse(Args::new(words), number).ok()?.database
    })
    .since("6.2.0")
    .syntax("source destination [DB destination-db] [REPLACE]")
    .summary("Copies the value of a key to a new key.")
    .complexity("O(N) worst case for collections, where N is the number of nested items. O(1) for string values.");

struct Copy<'a> {
    source: &'a [u8],
    destination: &'a [u8],
    database: Option<usize>,
    replaces: bool,
}

/// `database` tells which database has a number: what is wrong with the number is said before what is
/// wrong with the words behind it.
fn parse<'a>(
    mut args: Args<'a>,
    database: impl Fn(i64) -> Result<usize, CommandError>,
) -> Result<Copy<'a>, CommandError> {
    let mut copy = Copy {
        source: args.required()?,
        destination: args.required()?,
        database: None,
        replaces: false,
    };
    while !args.is_done() {
        if args.eat("REPLACE") {
            copy.replaces = true;
        } else if args.eat("DB") {
            copy.database = Some(database(args.integer()?)?);
        } else {
            return Err(CommandError::Syntax);
        }
    }
    Ok(copy)
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let copy = parse(args, |number| parse_database(ctx, number))?;
    let database = copy.database.unwrap_or(ctx.db.database());
    if database == ctx.db.database() && copy.source == copy.destination {
        return Err(SAME_OBJECT);
    }
    let is_free = copy.replaces || !ctx.db.contains_in(database, copy.destination);
    let is_copied = is_free && ctx.db.copy(copy.source, database, copy.destination);
    ctx.reply.integer(is_copied as i64);
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn values_of_every_type() {
        check(
            "SET s v EX 10 ; COPY s c ; GET c ; TTL c ; APPEND c w ; GET s ; SET n 12 ; COPY n c REPLACE ; INCR c ; GET n ; TTL c",
            "+OK ; :1 ; $v ; :10 ; :2 ; $v ; +OK ; :1 ; :13 ; $12 ; :-1",
        );
        check(
            "RPUSH l a b ; COPY l c ; RPUSH c x ; LLEN l ; SADD s 1 ; COPY s t ; SADD t 2 ; SCARD s",
            ":2 ; :1 ; :3 ; :2 ; :1 ; :1 ; :1 ; :1",
        );
        check(
            "HSET h a 1 ; COPY h c ; HSET c b 2 ; HLEN h ; ZADD z 1 a ; COPY z y ; ZADD y 2 b ; ZCARD z ; ZRANGE y 0 -1",
            ":1 ; :1 ; :1 ; :1 ; :1 ; :1 ; :1 ; :1 ; [$a $b]",
        );
    }

    #[test]
    fn conditions() {
        check(
            "MSET a 1 b 2 ; COPY a b ; COPY a b REPLACE ; GET b ; COPY none c ; COPY none b REPLACE ; GET b",
            "+OK ; :0 ; :1 ; $1 ; :0 ; :0 ; $1",
        );
        check(
            "COPY a a ; COPY a a DB 0 ; COPY a b FOO ; COPY a b DB ; COPY a b DB x ; COPY a b DB 99 ; COPY a b DB -1",
            "-ERR source and destination objects are the same ; -ERR source and destination objects are the same ; -ERR syntax error ; -ERR syntax error ; -ERR value is not an integer or out of range ; -ERR DB index is out of range ; -ERR DB index is out of range",
        );
        check(
            "COPY a b DB 4294967296 x ; COPY a b DB 99 x",
            "-ERR value is out of range, value must between -2147483648 and 2147483647 ; -ERR DB index is out of range",
        );
    }

    #[test]
    fn other_databases() {
        check(
            "SET a 1 ; COPY a a DB 3 ; COPY a b DB 3 ; COPY a b DB 3 ; SELECT 3 ; MGET a b ; SET b 7 ; COPY b a DB 0 REPLACE DB 0 ; SELECT 0 ; MGET a b",
            "+OK ; :1 ; :1 ; :0 ; +OK ; [$1 $1] ; +OK ; :1 ; +OK ; [$7 _]",
        );
    }

    #[test]
    fn what_is_not_copied_is_no_effect() {
        let mut fixture = fixture();
        fixture.run("SET a 1 PX 100 ; SET b 2 ; COPY a b ; COPY a c DB 2");
        assert_eq!(fixture.effects()[2..], ["COPY a c DB 2"]);
        fixture.advance_ms(100);
        fixture.check(
            "COPY a d ; SELECT 2 ; COPY b c ; DBSIZE",
            ":0 ; +OK ; :0 ; :0",
        );
    }
}
