//! HELLO [protover [AUTH username password] [SETNAME clientname]]
//!
//! Everything is checked before anything changes, so a refused HELLO leaves the connection as it was
//! but for the authentication, which stands.

use engine::spec::{Command, CommandSpec, Group, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE, REDIS_VERSION};
use resp::Protocol;

use super::{authenticate, check_name, set_name};

pub(super) const HELLO: Command = Command::new(&SPEC, run);

const SPEC: CommandSpec = CommandSpec::new("HELLO")
    .group(Group::Connection)
    .at_least(1)
    .flags(
        flags::NO_SCRIPT
            | flags::LOADING
            | flags::STALE
            | flags::FAST
            | flags::NO_AUTH
            | flags::ALLOW_BUSY
            | flags::CONNECTION,
    )
    .since("6.0.0")
    .syntax("[protover [AUTH username password] [SETNAME clientname]]")
    .summary("Shakes hands with the server: protocol, user and name of the connection.")
    .complexity("O(1)")
    .history(&[("6.2.0", "Without arguments it only tells.")]);

#[derive(Default)]
struct Hello<'a> {
    protocol: Option<Protocol>,
    login: Option<(&'a [u8], &'a [u8])>,
    name: Option<&'a [u8]>,
}

fn parse<'a>(mut args: Args<'a>) -> Result<Hello<'a>, CommandError> {
    let mut hello = Hello::default();
    let Some(version) = args.next() else {
        return Ok(hello);
    };
    hello.protocol = Some(match resp::number::parse_i64(version) {
        Some(2) => Protocol::Resp2,
        Some(3) => Protocol::Resp3,
        Some(_) => return Err(CommandError::Fixed("NOPROTO unsupported protocol version")),
        None => {
            return Err(CommandError::Fixed(
                "ERR Protocol version is not an integer or out of range",
            ));
        }
    });
    while let Some(option) = args.peek() {
        if args.rest().len() >= 3 && args.eat("AUTH") {
            hello.login = Some((args.required()?, args.required()?));
        } else if args.rest().len() >= 2 && args.eat("SETNAME") {
            let name = args.required()?;
            check_name(name)?;
            hello.name = Some(name);
        } else {
            let before = "ERR Syntax error in HELLO option '";
            return Err(CommandError::quoting(before, option, "'"));
        }
    }
    Ok(hello)
}

fn run(ctx: &mut Ctx<'_>, args: Args<'_>) -> CommandResult {
    let hello = parse(args)?;
    if let Some((user, password)) = hello.login {
        authenticate(ctx, user, password)?;
    }
    if !ctx.session.is_authenticated {
        return Err(NOT_AUTHENTICATED);
    }
    if let Some(name) = hello.name {
        set_name(ctx, name)?;
    }
    if let Some(protocol) = hello.protocol {
        ctx.session.set_protocol(protocol);
        ctx.reply.set_protocol(protocol);
    }
    greet(ctx);
    DONE
}

const NOT_AUTHENTICATED: CommandError = CommandError::Fixed(
    "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> \
     AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol \
     version at the same time",
);

fn greet(ctx: &mut Ctx<'_>) {
    let version = match ctx.session.protocol() {
        Protocol::Resp2 => 2,
        Protocol::Resp3 => 3,
    };
    let reply = &mut ctx.reply;
    reply.map(7);
    reply.bulk(b"server");
    reply.bulk(b"redis");
    reply.bulk(b"version");
    reply.bulk(REDIS_VERSION.as_bytes());
    reply.bulk(b"proto");
    reply.integer(version);
    reply.bulk(b"id");
    reply.integer(ctx.session.client.id as i64);
    reply.bulk(b"mode");
    reply.bulk(b"standalone");
    reply.bulk(b"role");
    reply.bulk(b"master");
    reply.bulk(b"modules");
    reply.array(0);
}

#[cfg(test)]
mod tests {
    use crate::{check, fixture};

    #[test]
    fn greeting() {
        check(
            "HELLO",
            "[$server $redis $version $7.4.0 $proto :2 $id :1 $mode $standalone $role $master \
             $modules []]",
        );
        check(
            "HELLO 3 ; GET k ; HELLO 2 ; GET k",
            "{$server: $redis, $version: $7.4.0, $proto: :3, $id: :1, $mode: $standalone, \
             $role: $master, $modules: []} ; _ ; [$server $redis $version $7.4.0 $proto :2 $id :1 \
             $mode $standalone $role $master $modules []] ; _",
        );
    }

    #[test]
    fn refusals() {
        check(
            "HELLO 1 ; HELLO 4",
            "-NOPROTO unsupported protocol version ; -NOPROTO unsupported protocol version",
        );
        check(
            "HELLO x",
            "-ERR Protocol version is not an integer or out of range",
        );
        check("HELLO 3 FOO", "-ERR Syntax error in HELLO option 'FOO'");
        check("HELLO 3 AUTH a", "-ERR Syntax error in HELLO option 'AUTH'");
        check(
            "HELLO 3 SETNAME",
            "-ERR Syntax error in HELLO option 'SETNAME'",
        );
        check(
            "HELLO 3 SETNAME \"a b\"",
            "-ERR Client names cannot contain spaces, newlines or special characters.",
        );
        check(
            "HELLO 3 AUTH somebody b SETNAME x ; CLIENT GETNAME ; CONFIG GET port",
            "-WRONGPASS invalid username-password pair or user is disabled. ; _ ; [$port $6379]",
        );
    }

    #[test]
    fn authentication() {
        let mut fixture = fixture();
        fixture.run("CONFIG SET requirepass secret ; RESET");
        assert!(
            fixture
                .run("HELLO 3")
                .starts_with("-NOAUTH HELLO must be called")
        );
        let reply = fixture.run("HELLO 3 AUTH default secret SETNAME me ; CLIENT GETNAME");
        assert!(
            reply.starts_with("{$server: $redis") && reply.ends_with("; $me"),
            "{reply}"
        );
    }
}
