//! The filters of CLIENT LIST and CLIENT KILL: pairs of option and value, all of which a client has
//! to pass. With `NOT-` before it, an option passes whom it would not.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::Ordering::Relaxed;

use engine::clients::Client;
use engine::{Args, CommandError, Server};
use resp::number::parse_i64;

/// The filters, in the grammar of specs.
pub(super) const SYNTAX: &str = "[TYPE <NORMAL | MASTER | PRIMARY | SLAVE | REPLICA | PUBSUB>] \
     [ID client-id [client-id ...]] [USER username] [ADDR ip:port] [LADDR ip:port] \
     [SKIPME <YES | NO>] [MAXAGE maxage] [FLAGS flags] [NAME name] [IDLE idle] \
     [LIB-NAME libname] [LIB-VER libver] [DB db] [IP ip]";

/// Which command the filters are for: their errors differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    List,
    Kill,
}

/// The filters of one command.
pub(super) struct Filter<'a> {
    conditions: Vec<(Condition<'a>, bool)>,
    /// What SKIPME says, if anything.
    pub(super) skips_own: Option<bool>,
}

enum Condition<'a> {
    Ids(Vec<u64>),
    Type(Type),
    User(&'a [u8]),
    Address(&'a [u8]),
    LocalAddress(&'a [u8]),
    Ip(&'a [u8]),
    AgeMin(u64),
    IdleMin(u64),
    Flags(&'a [u8]),
    Name(&'a [u8]),
    LibraryName(&'a [u8]),
    LibraryVersion(&'a [u8]),
    Database(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Normal,
    Primary,
    Replica,
    PubSub,
}

impl<'a> Filter<'a> {
    /// Parses all words that are left.
    pub(super) fn parse(
        server: &Server,
        mut args: Args<'a>,
        verb: Verb,
    ) -> Result<Filter<'a>, CommandError> {
        let mut filter = Filter {
            conditions: Vec::new(),
            skips_own: None,
        };
        while let Some(option) = args.next() {
            let option = option.to_ascii_uppercase();
            let value = args.required()?;
            if option == b"SKIPME" {
                filter.skips_own = Some(yes_or_no(value)?);
                continue;
            }
            let (option, is_wanted) = match option.strip_prefix(b"NOT-") {
                Some(option) => (option, false),
                None => (&option[..], true),
            };
            let condition = match option {
                b"ID" => Condition::Ids(ids(value, &mut args, verb)?),
                b"TYPE" => Condition::Type(client_type(value)?),
                b"USER" if !server.has_user(value) => return Err(no_such_user(value)),
                b"USER" => Condition::User(value),
                b"ADDR" => Condition::Address(value),
                b"LADDR" => Condition::LocalAddress(value),
                b"IP" => Condition::Ip(value),
                b"FLAGS" => Condition::Flags(known_flags(value)?),
                b"NAME" => Condition::Name(value),
                b"LIB-NAME" => Condition::LibraryName(value),
                b"LIB-VER" => Condition::LibraryVersion(value),
                b"DB" => Condition::Database(database(server, value)?),
                b"MAXAGE" if is_wanted => Condition::AgeMin(maxage(value)?),
                b"IDLE" if is_wanted => Condition::IdleMin(idle(value)?),
                _ => return Err(CommandError::Syntax),
            };
            filter.conditions.push((condition, is_wanted));
        }
        Ok(filter)
    }

    /// Whether a client passes all filters.
    pub(super) fn matches(&self, client: &Client, now_ms: u64) -> bool {
        self.conditions
            .iter()
            .all(|(condition, is_wanted)| condition.holds(client, now_ms) == *is_wanted)
    }
}

impl Condition<'_> {
    fn holds(&self, client: &Client, now_ms: u64) -> bool {
        match self {
            Condition::Ids(ids) => ids.contains(&client.id),
            Condition::Type(wanted) => type_of(client) == *wanted,
            Condition::User(user) => client.identity.lock().user == *user,
            Condition::Address(address) => client.address.as_bytes() == *address,
            Condition::LocalAddress(address) => client.local_address.as_bytes() == *address,
            Condition::Ip(ip) => is_from(client, ip),
            Condition::AgeMin(age_s) => client.age_s(now_ms) >= *age_s,
            Condition::IdleMin(idle_s) => client.idle_s(now_ms) >= *idle_s,
            Condition::Flags(flags) => {
                let has = client.flags();
                flags.iter().all(|flag| has.as_bytes().contains(flag))
            }
            Condition::Name(name) => client.identity.lock().name == *name,
            Condition::LibraryName(name) => client.identity.lock().library_name == *name,
            Condition::LibraryVersion(version) => {
                client.identity.lock().library_version == *version
            }
            Condition::Database(database) => client.database.load(Relaxed) == *database,
        }
    }
}

fn type_of(client: &Client) -> Type {
    if client.is_subscribed() {
        Type::PubSub
    } else {
        Type::Normal
    }
}

fn is_from(client: &Client, ip: &[u8]) -> bool {
    let wanted: Option<IpAddr> = std::str::from_utf8(ip).ok().and_then(|ip| ip.parse().ok());
    let address = client.address.parse::<SocketAddr>();
    address.is_ok_and(|address| Some(address.ip()) == wanted)
}

/// The identifier and those that follow it.
fn ids(first: &[u8], args: &mut Args<'_>, verb: Verb) -> Result<Vec<u64>, CommandError> {
    let one = |word: &[u8]| match (parse_i64(word), verb) {
        (Some(id), _) if id > 0 => Ok(id as u64),
        // Redis looks for a client of such a number and finds none.
        (Some(_), Verb::List) => Ok(0),
        (None, Verb::List) => Err(CommandError::Fixed("ERR Invalid client ID")),
        (_, Verb::Kill) => Err(CommandError::Fixed(
            "ERR client-id should be greater than 0",
        )),
    };
    let mut ids = vec![one(first)?];
    while let Some(word) = args.peek().filter(|word| parse_i64(word).is_some()) {
        ids.push(one(word)?);
        args.skip(1);
    }
    Ok(ids)
}

fn client_type(name: &[u8]) -> Result<Type, CommandError> {
    match &name.to_ascii_lowercase()[..] {
        b"normal" => Ok(Type::Normal),
        b"master" | b"primary" => Ok(Type::Primary),
        b"slave" | b"replica" => Ok(Type::Replica),
        b"pubsub" => Ok(Type::PubSub),
        _ => Err(CommandError::quoting(
            "ERR Unknown client type '",
            name,
            "'",
        )),
    }
}

fn no_such_user(name: &[u8]) -> CommandError {
    CommandError::quoting("ERR No such user '", name, "'")
}

fn yes_or_no(word: &[u8]) -> Result<bool, CommandError> {
    if word.eq_ignore_ascii_case(b"yes") {
        Ok(true)
    } else if word.eq_ignore_ascii_case(b"no") {
        Ok(false)
    } else {
        Err(CommandError::Syntax)
    }
}

fn known_flags(flags: &[u8]) -> Result<&[u8], CommandError> {
    const KNOWN: &[u8] = b"OSMPxbtRBdcuAUrNeTI";
    if flags.iter().all(|flag| KNOWN.contains(flag)) {
        return Ok(flags);
    }
    let before = "ERR Unknown flags found in the provided filter: ";
    Err(CommandError::quoting(before, flags, ""))
}

fn database(server: &Server, word: &[u8]) -> Result<usize, CommandError> {
    let last = server.keyspace.databases() - 1;
    let index = parse_i64(word).ok_or(CommandError::Fixed(
        "ERR DB is not an integer or out of range",
    ))?;
    usize::try_from(index)
        .ok()
        .filter(|index| *index <= last)
        .ok_or_else(|| CommandError::new(format!("ERR DB number should be between 0 and {last}")))
}

fn maxage(word: &[u8]) -> Result<u64, CommandError> {
    match parse_i64(word) {
        None => Err(CommandError::Fixed(
            "ERR maxage is not an integer or out of range",
        )),
        Some(age) if age <= 0 => Err(CommandError::Fixed("ERR maxage should be greater than 0")),
        Some(age) => Ok(age as u64),
    }
}

fn idle(word: &[u8]) -> Result<u64, CommandError> {
    match parse_i64(word) {
        None => Err(CommandError::Fixed(
            "ERR idle is not an integer or out of range",
        )),
        Some(idle) if idle < 0 => Err(CommandError::Fixed("ERR idle should be greater than 0")),
        Some(idle) => Ok(idle as u64),
    }
}
