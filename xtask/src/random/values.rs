//! The small words of the grammar: keys, numbers, members and bounds, drawn so that they meet each other often, and so
//! that each kind of number or text that a parser can get wrong comes up.

use anyhow::{Result, bail};
use fastrand::Rng;

/// A small word of the grammar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// A key of the pool with this index in [`POOLS`].
    Key(usize),
    AnyKey,
    /// A word that `draw` knows.
    Plain(&'static str),
}

/// A kind of key, and how many of them there are: `z1`, `z2` ...
struct Pool {
    name: &'static str,
    prefix: &'static str,
    size: u32,
    /// Keys that other commands leave alone, because they would make an order undefined: `lex` holds sorted sets of one
    /// score, `olist` and `ozset` are sorted BY nosort, which of a set is any order, and `place` has no two members in
    /// one place, which are in any order by their distance.
    apart: bool,
}

const fn pool(name: &'static str, prefix: &'static str, size: u32) -> Pool {
    Pool {
        name,
        prefix,
        size,
        apart: false,
    }
}

const POOLS: &[Pool] = &[
    pool("str", "s", 5),
    pool("num", "n", 4),
    pool("float", "f", 3),
    pool("bit", "b", 4),
    pool("hll", "p", 4),
    pool("list", "l", 5),
    pool("nlist", "nl", 2),
    pool("set", "e", 5),
    pool("nset", "ns", 2),
    pool("hash", "h", 4),
    pool("zset", "z", 5),
    pool("geo", "g", 3),
    pool("weight", "w_", 9),
    pool("whash", "wh_", 9),
    Pool {
        apart: true,
        ..pool("lex", "x", 3)
    },
    Pool {
        apart: true,
        ..pool("olist", "ol", 2)
    },
    Pool {
        apart: true,
        ..pool("ozset", "oz", 2)
    },
    Pool {
        apart: true,
        ..pool("place", "gp", 2)
    },
];

const ODD_KEYS: [&[u8]; 3] = [b"", b"\x00\r\n\xff", b"missing"];

const PLAIN: &[&str] = &[
    "aggregate",
    "at",
    "badcursor",
    "bit",
    "bitoffset",
    "bitpos",
    "bittype",
    "bypat",
    "count",
    "db",
    "element",
    "field",
    "float",
    "getpat",
    "index",
    "int",
    "keypattern",
    "lat",
    "lexbound",
    "lon",
    "member",
    "num",
    "offset",
    "overflow",
    "pat",
    "pattern",
    "pttl",
    "radius",
    "rcount",
    "score",
    "scorebound",
    "ttl",
    "type",
    "unit",
    "value",
    "weight",
    "whfield",
];

/// Words that numbers are replaced by, from valid extremes to what no parser may accept.
pub(super) const ODD_NUMBERS: &[&str] = &[
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "-9223372036854775809",
    "9223372036854775806",
    "-9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "4294967295",
    "4294967296",
    "2147483647",
    "2147483648",
    "-2147483648",
    "-2147483649",
    "-0",
    "00",
    "007",
    "+1",
    " 1",
    "1 ",
    "1.0",
    "1e3",
    "0x10",
    "--1",
    "-",
    "+",
    "1_000",
    "99999999999999999999999",
    "1.5",
    "inf",
    "nan",
];

/// Words that are no numbers, or such that no time and no count is accepted.
pub(super) const TAME: &[&str] = &[
    "-9223372036854775808",
    "9223372036854775808",
    "99999999999999999999999",
    "abc",
    "1.5",
    "+1000",
    " 1000",
    "1000 ",
    "0x10",
    "",
    "NX",
    "--1",
    "1e3",
    "nan",
];

const ODD_FLOATS: &[&str] = &[
    "inf",
    "-inf",
    "+inf",
    "Infinity",
    "-infinity",
    "INF",
    "nan",
    "NaN",
    "-nan",
    "1e308",
    "-1e308",
    "1.7976931348623157e308",
    "1e309",
    "1e400",
    "5e-324",
    "1e-400",
    "2.2250738585072014e-308",
    "0x10",
    "0x1p3",
    "1e",
    "e1",
    ".5",
    "5.",
    ".",
    "-0",
    "-0.0",
    "+1.5",
    " 1.5",
    "1.5 ",
    "1,5",
    "",
    "abc",
    "1.5abc",
    "0.1",
    "0.30000000000000004",
    "3.141592653589793238",
    "9007199254740993",
    "1e17",
    "123456789012345678",
    "1e21",
    "1e-7",
    "0.000001",
    "1_0",
    "١",
];

impl Kind {
    /// The small word of this name, `None` if it is a word that stands for itself.
    pub(super) fn named(word: &str) -> Result<Option<Self>> {
        if let Some(pool) = word.strip_prefix("key:") {
            if pool == "any" {
                return Ok(Some(Self::AnyKey));
            }
            return match POOLS.iter().position(|known| known.name == pool) {
                Some(index) => Ok(Some(Self::Key(index))),
                None => bail!("there are no keys {pool}"),
            };
        }
        Ok(PLAIN
            .iter()
            .find(|plain| **plain == word)
            .map(|plain| Self::Plain(plain)))
    }
}

/// All keys of all pools.
pub(super) fn all_keys() -> Vec<Vec<u8>> {
    let named = POOLS.iter().flat_map(|pool| {
        (1..=pool.size).map(|number| format!("{}{number}", pool.prefix).into_bytes())
    });
    named.chain(ODD_KEYS.map(<[u8]>::to_vec)).collect()
}

/// Whether a word is a key of a pool that is left alone.
pub(super) fn is_apart(word: &[u8]) -> bool {
    POOLS.iter().filter(|pool| pool.apart).any(|pool| {
        word.strip_prefix(pool.prefix.as_bytes())
            .is_some_and(|rest| rest.len() == 1 && rest[0].is_ascii_digit())
    })
}

/// Makes values; `wide` while many are made for one command, so that not all of them are the same few.
pub(super) struct Values<'a> {
    pub(super) rng: &'a mut Rng,
    pub(super) wide: bool,
}

impl Values<'_> {
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(0..100) < percent
    }

    pub(super) fn one_of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.rng.usize(0..list.len())]
    }

    pub(super) fn draw(&mut self, kind: Kind) -> Vec<u8> {
        match kind {
            Kind::Key(index) if POOLS[index].apart => self.key_of(index),
            Kind::Key(index) => match self.rng.u32(0..100) {
                0..90 => self.key_of(index),
                90..97 => self.any_key(),
                _ => ODD_KEYS[self.rng.usize(0..ODD_KEYS.len())].to_vec(),
            },
            Kind::AnyKey => self.any_key(),
            Kind::Plain(word) => self.plain(word),
        }
    }

    fn any_key(&mut self) -> Vec<u8> {
        loop {
            let index = self.rng.usize(0..POOLS.len());
            if !POOLS[index].apart {
                return self.key_of(index);
            }
        }
    }

    fn key_of(&mut self, index: usize) -> Vec<u8> {
        let pool = &POOLS[index];
        format!("{}{}", pool.prefix, self.rng.u32(1..=pool.size)).into_bytes()
    }

    fn plain(&mut self, word: &str) -> Vec<u8> {
        match word {
            "member" | "element" | "field" => return self.member(),
            "value" => return self.value(),
            "lexbound" => return self.lex_bound(),
            _ => {}
        }
        let text = match word {
            "num" => self.num(),
            "whfield" => format!("f{}", self.rng.u32(1..=3)),
            "int" => self.int(),
            "index" => self.index(),
            "count" => self.count(),
            // No large count below zero: it is obeyed.
            "rcount" => match self.rng.u32(0..20) {
                0 => self.one_of(TAME).to_owned(),
                1 => "9223372036854775807".to_owned(),
                2 => "0".to_owned(),
                _ => self.rng.i32(-12..40).to_string(),
            },
            "offset" => match self.rng.u32(0..40) {
                0 => "1048575".to_owned(),
                1 => "1048576".to_owned(),
                2..5 => self.one_of(ODD_NUMBERS).to_owned(),
                _ => self.rng.u32(0..30).to_string(),
            },
            "bitoffset" => match self.rng.u32(0..60) {
                0 => "8388607".to_owned(),
                1 => "8388608".to_owned(),
                2..6 => self.one_of(ODD_NUMBERS).to_owned(),
                6..10 => self.rng.u32(0..3000).to_string(),
                _ => self.rng.u32(0..70).to_string(),
            },
            "bit" => match self.rng.u32(0..30) {
                0 => "2".to_owned(),
                1 => self.one_of(ODD_NUMBERS).to_owned(),
                _ => self.rng.u32(0..2).to_string(),
            },
            "bittype" => self.bit_type(),
            "bitpos" => match self.rng.u32(0..30) {
                0 => self.one_of(ODD_NUMBERS).to_owned(),
                1 => self
                    .one_of(&[
                        "#",
                        "##1",
                        "#-1",
                        "#abc",
                        "#9223372036854775807",
                        "#9223372036854775808",
                    ])
                    .to_owned(),
                2..12 => format!("#{}", self.rng.u32(0..12)),
                _ => self.rng.u32(0..70).to_string(),
            },
            "overflow" => self
                .one_of(&["WRAP", "SAT", "FAIL", "WRAP", "SAT", "FAIL", "fail", "NONE"])
                .to_owned(),
            "float" => self.float(),
            "score" => match self.rng.u32(0..20) {
                0..2 => self.one_of(ODD_FLOATS).to_owned(),
                2..6 => self.float(),
                _ => self.rng.i32(-3..12).to_string(),
            },
            "weight" => match self.rng.u32(0..10) {
                0 => self.one_of(ODD_FLOATS).to_owned(),
                1..4 => self.float(),
                _ => self.rng.i32(-3..5).to_string(),
            },
            "scorebound" => {
                let open = if self.chance(25) { "(" } else { "" };
                let bound = match self.rng.u32(0..12) {
                    0..3 => self.one_of(&["-inf", "+inf", "inf"]).to_owned(),
                    3 => self.one_of(ODD_FLOATS).to_owned(),
                    4 => self.float(),
                    _ => self.rng.i32(-4..13).to_string(),
                };
                format!("{open}{bound}")
            }
            "aggregate" => self
                .one_of(&["SUM", "MIN", "MAX", "SUM", "MIN", "MAX", "sum", "AVG"])
                .to_owned(),
            // Far enough in the future not to come up, and so many that two are never a moment apart.
            "ttl" => self.time(
                1_000,
                9_000_000,
                &["-1", "0", "-100", "9223372036854775", "9223372036854775807"],
            ),
            "pttl" => self.time(
                1_000_000,
                9_000_000_000,
                &["-1", "0", "9223372036854775807", "9223372036854775000"],
            ),
            "at" => self.time(
                32_503_680_000,
                32_513_680_000,
                &["1", "-1", "0", "1000000", "9223372036854775807"],
            ),
            "pat" => self.time(
                32_503_680_000_000,
                32_513_680_000_000,
                &["1", "-1", "0", "9223372036854775807"],
            ),
            "db" => match self.rng.u32(0..30) {
                0 => self
                    .one_of(&[
                        "16",
                        "-1",
                        "abc",
                        "",
                        "99999999999999999999",
                        "1.0",
                        "4294967296",
                    ])
                    .to_owned(),
                _ => self.rng.u32(0..2).to_string(),
            },
            "type" => self
                .one_of(&[
                    "string", "list", "set", "zset", "hash", "STRING", "stream", "none", "nosuch",
                ])
                .to_owned(),
            "badcursor" => self
                .one_of(&["abc", "-1", "1.5", "", " 0", "18446744073709551616", "0x10"])
                .to_owned(),
            "pattern" => self
                .one_of(&[
                    "*", "m*", "?", "[a-m]*", "[^m]*", "m1?", "\\m1", "", "1*", "*1", "[m-",
                    "m[0-3]", "*é*",
                ])
                .to_owned(),
            "keypattern" => self
                .one_of(&[
                    "*", "s*", "?1", "[lz]?", "[^a-m]*", "\\s1", "", "w_*", "n*1",
                ])
                .to_owned(),
            "bypat" => self
                .one_of(&[
                    "w_*", "w_*", "wh_*->f1", "wh_*->f2", "*", "w_*->f1", "wh_*->", "s*", "w_*_*",
                ])
                .to_owned(),
            "getpat" => self
                .one_of(&[
                    "#", "#", "w_*", "wh_*->f1", "wh_*->f3", "*", "nosuch_*", "w_1", "##", "wh_*",
                    "w_*->", "",
                ])
                .to_owned(),
            "lon" => self.coordinate(180.0),
            "lat" => self.coordinate(85.05112878),
            "radius" => match self.rng.u32(0..20) {
                0 => self.one_of(ODD_FLOATS).to_owned(),
                1 => "0".to_owned(),
                2 => "-1".to_owned(),
                3..6 => self.rng.u32(1..100_000_000).to_string(),
                _ => format!("{:.3}", self.rng.f64() * 6000.0),
            },
            "unit" => self
                .one_of(&["m", "km", "km", "km", "km", "ft", "mi", "KM", "yd"])
                .to_owned(),
            other => unreachable!("{other} is in PLAIN"),
        };
        text.into_bytes()
    }

    fn num(&mut self) -> String {
        match self.rng.u32(0..60) {
            0 => self
                .one_of(&[
                    "32767",
                    "32768",
                    "-32768",
                    "-32769",
                    "2147483647",
                    "2147483648",
                    "-2147483649",
                ])
                .to_owned(),
            1 => self.one_of(ODD_NUMBERS).to_owned(),
            2..6 => self.rng.i32(-1000..100_000).to_string(),
            _ if self.wide => self.rng.u32(0..700).to_string(),
            _ => self.rng.u32(1..12).to_string(),
        }
    }

    fn int(&mut self) -> String {
        match self.rng.u32(0..8) {
            0 => self.one_of(ODD_NUMBERS).to_owned(),
            1 => self.rng.i64(..).to_string(),
            2 => (1i64 << self.rng.u32(0..63)).to_string(),
            _ => self.rng.i32(-20..100).to_string(),
        }
    }

    fn index(&mut self) -> String {
        match self.rng.u32(0..24) {
            0 => self.one_of(ODD_NUMBERS).to_owned(),
            1..4 => self.rng.i32(-300..300).to_string(),
            4..8 => "0".to_owned(),
            8..11 => "-1".to_owned(),
            _ => self.rng.i32(-8..20).to_string(),
        }
    }

    fn count(&mut self) -> String {
        match self.rng.u32(0..24) {
            0 => self.one_of(ODD_NUMBERS).to_owned(),
            1 => "-1".to_owned(),
            2 => "0".to_owned(),
            3 => self.rng.u32(20..300).to_string(),
            _ => self.rng.u32(1..8).to_string(),
        }
    }

    fn float(&mut self) -> String {
        match self.rng.u32(0..12) {
            0..2 => self.one_of(ODD_FLOATS).to_owned(),
            2..5 => self.rng.i32(-100..100).to_string(),
            5..9 => format!("{}", f64::from(self.rng.i32(-4000..4000)) / 8.0),
            9 => format!("{:e}", self.rng.f64() * 1e10),
            _ => format!("{:.3}", self.rng.f64() * 20.0 - 10.0),
        }
    }

    fn coordinate(&mut self, most: f64) -> String {
        match self.rng.u32(0..40) {
            0 => self.one_of(ODD_FLOATS).to_owned(),
            1 => most.to_string(),
            2 => (-most).to_string(),
            3 => (most + 1e-8).to_string(),
            4..25 => format!("{:.6}", self.rng.f64() * 20.0 + 5.0),
            _ => format!("{}", (self.rng.f64() * 2.0 - 1.0) * most),
        }
    }

    fn time(&mut self, least: u64, most: u64, odd: &[&str]) -> String {
        match self.rng.u32(0..12) {
            0 => self.one_of(odd).to_owned(),
            1 => self.one_of(TAME).to_owned(),
            _ => self.rng.u64(least..most).to_string(),
        }
    }

    fn bit_type(&mut self) -> String {
        match self.rng.u32(0..20) {
            0 => self
                .one_of(&[
                    "u64", "i65", "u0", "i0", "8", "f8", "u", "", "u-1", "U8", "i 8", "u08", "i64x",
                ])
                .to_owned(),
            1..4 => "i64".to_owned(),
            4..6 => "u63".to_owned(),
            6..12 => self
                .one_of(&["u8", "i8", "u4", "i5", "u1", "i1", "i16", "u32"])
                .to_owned(),
            even if even % 2 == 0 => format!("i{}", self.rng.u32(1..=64)),
            _ => format!("u{}", self.rng.u32(1..=63)),
        }
    }

    fn member(&mut self) -> Vec<u8> {
        let narrow = if self.wide { 20 } else { 65 };
        match self.rng.u32(0..100) {
            few if few < narrow => format!("m{}", self.rng.u32(0..14)).into_bytes(),
            90..93 => self.odd_text(),
            93..95 => self.one_of(ODD_NUMBERS).into(),
            95..97 => self.one_of(ODD_FLOATS).into(),
            80..90 => self.num().into_bytes(),
            _ if self.wide => format!("m{}", self.rng.u32(0..700)).into_bytes(),
            _ => {
                let letter = b'a' + self.rng.u8(0..6);
                vec![letter; self.rng.usize(1..3)]
            }
        }
    }

    fn value(&mut self) -> Vec<u8> {
        match self.rng.u32(0..24) {
            0..2 => self.odd_text(),
            2 => self.one_of(ODD_NUMBERS).into(),
            3 => self.one_of(ODD_FLOATS).into(),
            4..8 => self.num().into_bytes(),
            8 => (0..self.rng.usize(1..20))
                .map(|_| self.rng.u8(..))
                .collect(),
            _ => (0..self.rng.usize(1..12))
                .map(|_| b'a' + self.rng.u8(0..4))
                .collect(),
        }
    }

    fn odd_text(&mut self) -> Vec<u8> {
        match self.rng.u32(0..6) {
            0 => Vec::new(),
            1 => b"\r\n\0$3\r\nabc".to_vec(),
            2 => vec![0xff, 0xfe, self.rng.u8(..)],
            3 => b" ".to_vec(),
            _ => {
                let sizes = [
                    4, 5, 16, 17, 43, 44, 45, 63, 64, 65, 100, 255, 256, 4095, 4096, 4097, 9000,
                    20_000,
                ];
                vec![b'a' + self.rng.u8(0..3); sizes[self.rng.usize(0..sizes.len())]]
            }
        }
    }

    fn lex_bound(&mut self) -> Vec<u8> {
        match self.rng.u32(0..20) {
            0..3 => b"-".to_vec(),
            3..6 => b"+".to_vec(),
            6 => self
                .one_of(&["", "a", "(", "[", "-inf", "++", "--", "+a", " [a", "{a"])
                .into(),
            _ => {
                let mut bound = if self.chance(50) {
                    b"[".to_vec()
                } else {
                    b"(".to_vec()
                };
                bound.extend(self.member());
                bound
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_word_can_be_drawn() {
        let mut rng = Rng::with_seed(1);
        let mut values = Values {
            rng: &mut rng,
            wide: false,
        };
        for word in PLAIN {
            for _ in 0..300 {
                values.draw(Kind::Plain(word));
            }
        }
    }

    #[test]
    fn keys_that_are_apart_are_only_drawn_by_name() {
        let mut rng = Rng::with_seed(1);
        let mut values = Values {
            rng: &mut rng,
            wide: false,
        };
        for _ in 0..1000 {
            assert!(!is_apart(&values.draw(Kind::AnyKey)));
        }
        let Ok(Some(lex)) = Kind::named("key:lex") else {
            panic!("no key:lex")
        };
        assert!(is_apart(&values.draw(lex)));
    }
}
