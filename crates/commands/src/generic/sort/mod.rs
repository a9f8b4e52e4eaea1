//! SORT key [BY pattern] [LIMIT offset count] [GET pattern ...] [ASC | DESC] [ALPHA] [STORE
//! destination], and SORT_RO, which cannot store
//!
//! The elements are weighed once: each gets a number, or a text in the case of ALPHA, and what is
//! sorted is an array of weights and positions. With a LIMIT only the part that it names is put in
//! order. Elements of equal weight are ordered by their bytes, as in Redis; elements with equal texts
//! from elsewhere keep their order, except for those of a set, which have none.
//!
//! BY and GET lead to keys that the words do not name: such a command runs alone and reaches for
//! them (`pattern.rs`). All others hold the sorted key and the destination only.

mod order;
mod pattern;

use std::ops::Range;

use config::parameter;
use engine::spec::{Command, CommandSpec, KeySpec, access, flags};
use engine::{Args, CommandError, CommandResult, Ctx, DONE};
use keyspace::{Db, Event, Expiry, Value};
use resp::ReplyWriter;
use smallvec::SmallVec;
use structures::item::Item;
use structures::list::{Limits, List};

use order::{Direction, Weights};
use pattern::Pattern;

pub(super) const SORT: Command = Command::new(&SORT_SPEC, |ctx, args| {
    let sort = Sort::parse(args, Store::Allowed)?;
    run(ctx, &sort)
});
pub(super) const SORT_RO: Command = Command::new(&SORT_RO_SPEC, |ctx, args| {
    let sort = Sort::parse(args, Store::Refused)?;
    run(ctx, &sort)
});

const SOURCE: KeySpec = KeySpec::first(access::RO | access::ACCESS);
const BY_PATTERN: KeySpec = KeySpec::unknown(None, access::RO | access::ACCESS).notes(
    "For the optional BY/GET keyword. It is marked 'unknown' because the key names derive from the content of the key we sort",
);
const DESTINATION: KeySpec =
    KeySpec::unknown(Some(destination_position), access::OW | access::UPDATE).notes(
        "For the optional STORE keyword. It is marked 'unknown' because the keyword can appear anywhere in the argument array",
    );

const BASE: CommandSpec = CommandSpec::new("")
    .at_least(2)
    .categories(&["@set", "@sortedset", "@list"])
    .complexity("O(N+M*log(M)) where N is the number of elements in the list or set to sort, and M the number of returned elements. When the elements are not sorted, complexity is O(N).");

const SORT_SPEC: CommandSpec = CommandSpec { name: "SORT", ..BASE }
    .flags(flags::WRITE | flags::DENY_OOM | flags::DANGEROUS)
    .keys(&[SOURCE, BY_PATTERN, DESTINATION])
    .alone_if(|words| {
        Sort::parse(Args::new(words), Store::Allowed).is_ok_and(|sort| sort.follows_patterns())
    })
    .syntax("key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA] [STORE destination]")
    .summary("Sorts the elements in a list, a set, or a sorted set, optionally storing the result.");

const SORT_RO_SPEC: CommandSpec = CommandSpec {
    name: "SORT_RO",
    ..BASE
}
.flags(flags::READONLY | flags::DANGEROUS)
.keys(&[SOURCE, BY_PATTERN])
.alone_if(|words| {
    Sort::parse(Args::new(words), Store::Refused).is_ok_and(|sort| sort.follows_patterns())
})
.since("7.0.0")
.syntax(
    "key [BY pattern] [LIMIT offset count] [GET pattern [GET pattern ...]] [ASC | DESC] [ALPHA]",
)
.summary("Returns the sorted elements of a list, a set, or a sorted set.");

/// Where the destination stands: behind the last STORE that is one.
fn destination_position(words: &[&[u8]]) -> Option<usize> {
    let (mut at, mut found) = (2, None);
    while at < words.len() {
        let is = |keyword: &[u8]| words[at].eq_ignore_ascii_case(keyword);
        if is(b"LIMIT") {
            at += 2;
        } else if is(b"GET") || is(b"BY") {
            at += 1;
        } else if is(b"STORE") && at + 1 < words.len() {
            at += 1;
            found = Some(at);
        }
        at += 1;
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Store {
    Allowed,
    Refused,
}

struct Sort<'a> {
    key: &'a [u8],
    by: Option<Pattern<'a>>,
    gets: SmallVec<[Pattern<'a>; 4]>,
    offset: i64,
    /// Negative for all.
    count: i64,
    direction: Direction,
    is_alpha: bool,
    destination: Option<&'a [u8]>,
}

impl<'a> Sort<'a> {
    fn parse(mut args: Args<'a>, store: Store) -> Result<Sort<'a>, CommandError> {
        let mut sort = Sort {
            key: args.required()?,
            by: None,
            gets: SmallVec::new(),
            offset: 0,
            count: -1,
            direction: Direction::Ascending,
            is_alpha: false,
            destination: None,
        };
        while !args.is_done() {
            let behind = args.rest().len() - 1;
            if args.eat("ASC") {
                sort.direction = Direction::Ascending;
            } else if args.eat("DESC") {
                sort.direction = Direction::Descending;
            } else if args.eat("ALPHA") {
                sort.is_alpha = true;
            } else if behind >= 2 && args.eat("LIMIT") {
                (sort.offset, sort.count) = (args.integer()?, args.integer()?);
            } else if store == Store::Allowed && args.eat("STORE") {
                sort.destination = Some(args.required()?);
            } else if args.eat("BY") {
                sort.by = Some(Pattern::new(args.required()?));
            } else if args.eat("GET") {
                sort.gets.push(Pattern::new(args.required()?));
            } else {
                return Err(CommandError::Syntax);
            }
        }
        Ok(sort)
    }

    /// Whether keys are looked at that the words do not name.
    fn follows_patterns(&self) -> bool {
        let gets = self.gets.iter();
        gets.chain(&self.by).any(Pattern::leads_to_keys)
    }

    /// The positions of the result among `len` elements in their order.
    fn range(&self, len: usize) -> Range<usize> {
        let start = (self.offset.max(0) as usize).min(len);
        let end = match usize::try_from(self.count) {
            Ok(count) => start.saturating_add(count).min(len),
            Err(_) => len,
        };
        start..end
    }
}

/// What is sorted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Sequence,
    Set,
}

/// The elements of a key, and what is to be done with them.
struct Elements<'d> {
    items: Vec<Item<'d>>,
    source: Source,
    is_sorted_by_nothing: bool,
    is_alpha: bool,
    /// What of `items`, once they are in order, is the result.
    range: Range<usize>,
}

impl<'d> Elements<'d> {
    /// Loads the elements. If they are to stay in their order, and have one, only those of the result
    /// are loaded, in its direction.
    fn of(db: &'d Db<'_>, sort: &Sort<'_>) -> Result<Elements<'d>, CommandError> {
        let mut elements = Elements {
            items: Vec::new(),
            source: Source::Sequence,
            is_sorted_by_nothing: sort.by.as_ref().is_some_and(|by| !by.leads_to_keys()),
            is_alpha: sort.is_alpha,
            range: 0..0,
        };
        let is_reversed = sort.direction == Direction::Descending;
        let len = match db.find(sort.key).map(|entry| entry.value()) {
            None => 0,
            Some(Value::List(list)) => {
                let loaded = elements.loaded(sort, list.len());
                let bytes = |item: &'d [u8]| elements.items.push(Item::Bytes(item));
                if elements.is_sorted_by_nothing && is_reversed {
                    let (start, end) = (list.len() - loaded.end, list.len() - loaded.start);
                    list.range_rev(start, end).for_each(bytes);
                } else {
                    list.range(loaded.start, loaded.end).for_each(bytes);
                }
                list.len()
            }
            Some(Value::SortedSet(set)) => {
                let loaded = elements.loaded(sort, set.len());
                let bytes = |(item, _): (&'d [u8], f64)| elements.items.push(Item::Bytes(item));
                if elements.is_sorted_by_nothing && is_reversed {
                    let ranks = set.len() - loaded.end..set.len() - loaded.start;
                    set.range_by_rank(ranks).rev().for_each(bytes);
                } else {
                    set.range_by_rank(loaded).for_each(bytes);
                }
                set.len()
            }
            Some(Value::Set(set)) => {
                elements.source = Source::Set;
                if elements.is_sorted_by_nothing && sort.destination.is_some() {
                    // The order of a set is not the same everywhere, but what is stored has to be.
                    elements.is_sorted_by_nothing = false;
                    elements.is_alpha = true;
                }
                elements.items.extend(set.iter());
                set.len()
            }
            Some(_) => return Err(CommandError::WrongType),
        };
        elements.range = match elements.source {
            Source::Sequence if elements.is_sorted_by_nothing => 0..elements.items.len(),
            _ => sort.range(len),
        };
        Ok(elements)
    }

    /// The part of a sequence that has to be loaded.
    fn loaded(&self, sort: &Sort<'_>, len: usize) -> Range<usize> {
        if self.is_sorted_by_nothing {
            sort.range(len)
        } else {
            0..len
        }
    }

    /// The positions of the result's elements. `look_up` gives what a pattern leads to.
    fn positions(
        &self,
        sort: &Sort<'_>,
        mut look_up: impl FnMut(&Pattern<'_>, &[u8], &mut dyn FnMut(Option<&[u8]>)),
    ) -> Result<Vec<usize>, CommandError> {
        if self.is_sorted_by_nothing {
            return Ok(self.range.clone().collect());
        }
        let by = sort.by.as_ref().filter(|by| by.leads_to_keys());
        let weights = match (by, self.is_alpha) {
            (None, true) => Weights::Elements,
            (None, false) => {
                let scores = self.items.iter().map(|item| match item {
                    Item::Int(value) => Ok(*value as f64),
                    Item::Bytes(text) => order::score(text),
                });
                Weights::Numbers(scores.collect::<Result<_, _>>()?)
            }
            (Some(by), true) => {
                let mut texts: Vec<Option<Box<[u8]>>> = Vec::with_capacity(self.items.len());
                for item in &self.items {
                    item.with_bytes(|item| {
                        look_up(by, item, &mut |text| texts.push(text.map(Box::from)));
                    });
                }
                match self.source {
                    Source::Sequence => Weights::Texts(texts),
                    Source::Set => Weights::TextsOfSet(texts),
                }
            }
            (Some(by), false) => {
                let mut scores = Vec::with_capacity(self.items.len());
                for item in &self.items {
                    item.with_bytes(|item| {
                        look_up(by, item, &mut |text| {
                            scores.push(text.map_or(Ok(0.0), order::score));
                        });
                    });
                }
                let scores: Result<_, _> = scores.into_iter().collect();
                Weights::Numbers(scores?)
            }
        };
        let range = self.range.clone();
        Ok(order::ordered(&self.items, &weights, sort.direction, range))
    }
}

/// Where the values of the result go, one after the other.
enum Sink<'r, 'o> {
    Reply(&'r mut ReplyWriter<'o>),
    List(List, Limits),
}

impl Sink<'_, '_> {
    fn add(&mut self, value: Option<&[u8]>) {
        match (self, value) {
            (Sink::Reply(reply), Some(value)) => reply.bulk(value),
            (Sink::Reply(reply), None) => reply.null(),
            (Sink::List(list, limits), value) => {
                list.push_back(value.unwrap_or_default(), limits);
            }
        }
    }
}

fn run(ctx: &mut Ctx<'_>, sort: &Sort<'_>) -> CommandResult {
    let limits = Limits::new(ctx.setting(parameter::LIST_MAX_LISTPACK_SIZE));
    let (db, reply) = (&mut ctx.db, &mut ctx.reply);
    let values_each = sort.gets.len().max(1);
    let sink = |reply, count: usize| match sort.destination {
        Some(_) => Sink::List(List::new(), limits),
        None => {
            let reply: &mut ReplyWriter<'_> = reply;
            reply.array(count * values_each);
            Sink::Reply(reply)
        }
    };
    let stored = if sort.follows_patterns() {
        // The elements are copied, as the database is about to change what it holds.
        let elements = Elements::of(db, sort)?;
        let copies: Vec<Vec<u8>> = elements.items.iter().map(|item| item.to_vec()).collect();
        let elements = Elements {
            items: copies.iter().map(|copy| Item::Bytes(copy)).collect(),
            ..elements
        };
        let mut name = Vec::new();
        let positions = elements.positions(sort, |by, item, read| {
            by.look_up(db, item, &mut name, read);
        })?;
        let mut sink = sink(reply, positions.len());
        for at in positions {
            if sort.gets.is_empty() {
                sink.add(Some(&copies[at]));
            }
            for get in &sort.gets {
                get.look_up(db, &copies[at], &mut name, |value| sink.add(value));
            }
        }
        sink
    } else {
        let elements = Elements::of(db, sort)?;
        let positions = elements.positions(sort, |_, _, read| read(None))?;
        let mut sink = sink(reply, positions.len());
        for at in positions {
            elements.items[at].with_bytes(|item| {
                if sort.gets.is_empty() {
                    sink.add(Some(item));
                }
                for get in &sort.gets {
                    sink.add(get.is_element().then_some(item));
                }
            });
        }
        sink
    };
    if let (Sink::List(list, _), Some(destination)) = (stored, sort.destination) {
        ctx.reply.count(list.len());
        ctx.db
            .set_collection(destination, list, Expiry::Never, Event::list("sortstore"));
    }
    DONE
}

#[cfg(test)]
mod tests {
    use crate::{check, check3, fixture};

    #[test]
    fn numbers() {
        check(
            "RPUSH l 3 10 2 -1 1.5 ; SORT l ; SORT l DESC ; SORT l ALPHA ; SORT_RO l LIMIT 1 2 ; SORT l DESC LIMIT 1 2",
            ":5 ; [$-1 $1.5 $2 $3 $10] ; [$10 $3 $2 $1.5 $-1] ; [$-1 $1.5 $10 $2 $3] ; [$1.5 $2] ; [$3 $2]",
        );
        check(
            "RPUSH l 1.0 1 01 1.00 ; SORT l ; SORT l DESC ; SORT l LIMIT 1 2 ; SORT l DESC LIMIT 1 2",
            ":4 ; [$01 $1 $1.0 $1.00] ; [$1.00 $1.0 $1 $01] ; [$1 $1.0] ; [$1.0 $1]",
        );
        check("RPUSH l \"2\\x00a\" 1 ; SORT l", ":2 ; [$1 $\"2\\x00a\"]");
        check(
            "RPUSH l 1 a ; SORT l ; SORT l STORE d ; EXISTS d",
            ":2 ; -ERR One or more scores can't be converted into double ; -ERR One or more scores can't be converted into double ; :0",
        );
        check(
            "SADD s 3 1 2 ; SORT s DESC ; ZADD z 1 9 2 8 ; SORT z",
            ":3 ; [$3 $2 $1] ; :2 ; [$8 $9]",
        );
    }

    #[test]
    fn limits() {
        let script = |limit: &str| format!("RPUSH l 3 1 2 ; SORT l LIMIT {limit}");
        check(&script("-5 2"), ":3 ; [$1 $2]");
        check(&script("1 -1"), ":3 ; [$2 $3]");
        check(&script("9 1"), ":3 ; []");
        check(&script("0 0"), ":3 ; []");
        check(
            &script("9223372036854775807 9223372036854775807"),
            ":3 ; []",
        );
        check(&script("1 9223372036854775807"), ":3 ; [$2 $3]");
        check(
            &script("-9223372036854775808 -9223372036854775808"),
            ":3 ; [$1 $2 $3]",
        );
        check(
            &script("a 1"),
            ":3 ; -ERR value is not an integer or out of range",
        );
        check(&script("1"), ":3 ; -ERR syntax error");
    }

    #[test]
    fn sorted_by_nothing() {
        check(
            "RPUSH l c a b ; SORT l BY nosort ; SORT l BY nosort DESC ; SORT l BY nosort LIMIT 1 1 ; SORT l BY nosort DESC LIMIT 0 2",
            ":3 ; [$c $a $b] ; [$b $a $c] ; [$a] ; [$b $a]",
        );
        check(
            "ZADD z 3 a 2 b 1 c ; SORT z BY nosort ; SORT z BY nosort DESC LIMIT 0 2 ; SORT z BY x LIMIT 1 5",
            ":3 ; [$c $b $a] ; [$a $b] ; [$b $a]",
        );
        check(
            "SADD s b a c ; SORT s BY nosort STORE d ; LRANGE d 0 -1 ; SORT s BY nosort DESC STORE d ; LRANGE d 0 -1",
            ":3 ; :3 ; [$a $b $c] ; :3 ; [$c $b $a]",
        );
    }

    #[test]
    fn weights_elsewhere() {
        let weights = "RPUSH l 1 2 3 4 ; MSET w_1 30 w_2 20 w_3 10";
        check(
            &format!("{weights} ; SORT l BY w_* ; SORT l BY w_* DESC LIMIT 0 2 GET # GET w_*"),
            ":4 ; +OK ; [$4 $3 $2 $1] ; [$1 $30 $2 $20]",
        );
        check(
            "RPUSH l a b c ; MSET w_a x w_b x ; SORT l BY w_* ALPHA ; SORT l BY w_* ALPHA DESC ; SORT l BY w_*",
            ":3 ; +OK ; [$c $a $b] ; [$a $b $c] ; -ERR One or more scores can't be converted into double",
        );
        check(
            "RPUSH l 1 2 ; HSET h_1 f 9 g x ; HSET h_2 f 8 ; SORT l BY h_*->f GET # GET h_*->g GET h_* GET none GET h_*->",
            ":2 ; :2 ; :1 ; [$2 _ _ _ _ $1 $x _ _ _]",
        );
        check3("RPUSH l 1 ; SORT l GET none GET #", ":1 ; [_ $1]");
    }

    #[test]
    fn storing() {
        check(
            "RPUSH l 2 1 ; SET d x EX 9 ; SORT l STORE d ; LRANGE d 0 -1 ; TTL d ; SORT l GET x_* STORE d ; LRANGE d 0 -1 ; SORT none STORE d ; EXISTS d",
            ":2 ; +OK ; :2 ; [$1 $2] ; :-1 ; :2 ; [$\"\" $\"\"] ; :0 ; :0",
        );
        check(
            "RPUSH l 2 1 ; SORT l STORE l ; LRANGE l 0 -1 ; SORT_RO l STORE d",
            ":2 ; :2 ; [$1 $2] ; -ERR syntax error",
        );
        let mut fixture = fixture();
        fixture.run("RPUSH l 2 1 ; SORT none STORE d ; SORT l ; SORT l BY x_* STORE d");
        assert_eq!(fixture.effects(), ["RPUSH l 2 1", "SORT l BY x_* STORE d"]);
    }

    #[test]
    fn keys_of_patterns_live_and_die_as_others() {
        let mut fixture = fixture();
        fixture.run("RPUSH l 1 2 ; SET w_1 5 PX 100 ; SET w_2 1");
        fixture.check("SORT l BY w_* ; SET k v ; GET k", "[$2 $1] ; +OK ; $v");
        fixture.advance_ms(100);
        fixture.check("SORT l BY w_* GET w_* ; GET w_1", "[_ $1] ; _");
    }

    #[test]
    fn many_elements() {
        let mut fixture = fixture();
        let numbers: Vec<String> = (0..1000).map(|i| (i * 617 % 1000).to_string()).collect();
        fixture.run(&format!("RPUSH l {}", numbers.join(" ")));
        let sorted: Vec<String> = (0..1000).map(|i| format!("${i}")).collect();
        fixture.check("SORT l", &format!("[{}]", sorted.join(" ")));
        fixture.check("SORT l LIMIT 500 3", "[$500 $501 $502]");
        fixture.check(
            "SORT l DESC LIMIT 500 3 GET # GET w_*",
            "[$499 _ $498 _ $497 _]",
        );
    }

    #[test]
    fn bad_words() {
        for words in ["BY", "GET", "STORE", "FOO", "LIMIT 1", "LIMIT"] {
            check(&format!("SORT l {words}"), "-ERR syntax error");
        }
        check(
            "SET k v ; SORT k ; SORT k BY w_* ; SORT none FOO ; SORT none",
            "+OK ; -WRONGTYPE Operation against a key holding the wrong kind of value ; -WRONGTYPE Operation against a key holding the wrong kind of value ; -ERR syntax error ; []",
        );
        check(
            "COMMAND GETKEYS SORT a BY store GET x STORE d STORE e ; COMMAND GETKEYS SORT a STORE d LIMIT STORE z ; COMMAND GETKEYS SORT a STORE",
            "[$a $e] ; [$a $d] ; [$a]",
        );
    }
}
