//! The classes of keyspace events: a bit each, and a letter each in `notify-keyspace-events`.

use std::fmt;

/// Classes of keyspace events, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KeyspaceEvents(u32);

macro_rules! event_classes {
    ($($(#[doc = $doc:literal])+ $name:ident = $letter:literal, $bit:literal;)+) => {
        impl KeyspaceEvents {
            $($(#[doc = $doc])+ pub const $name: Self = Self(1 << $bit);)+
            const LETTERS: &'static [(u8, Self)] = &[$(($letter, Self::$name)),+];
        }
    };
}

// In the order in which CONFIG GET lists the letters.
event_classes! {
    /// `g`: commands that know no type, such as DEL.
    GENERIC = b'g', 2;
    /// `$`: strings.
    STRING = b'$', 3;
    /// `l`: lists.
    LIST = b'l', 4;
    /// `s`: sets.
    SET = b's', 5;
    /// `h`: hashes.
    HASH = b'h', 6;
    /// `z`: sorted sets.
    SORTED_SET = b'z', 7;
    /// `x`: a key expired.
    EXPIRED = b'x', 8;
    /// `e`: a key was evicted.
    EVICTED = b'e', 9;
    /// `t`: streams.
    STREAM = b't', 10;
    /// `d`: types of modules.
    MODULE = b'd', 13;
    /// `n`: a key is new.
    NEW = b'n', 14;
    /// `K`: publish to `__keyspace@<db>__:<key>`.
    KEYSPACE = b'K', 0;
    /// `E`: publish to `__keyevent@<db>__:<event>`.
    KEYEVENT = b'E', 1;
    /// `m`: a read missed.
    KEY_MISS = b'm', 11;
}

impl KeyspaceEvents {
    /// `A`: every class but `n` and `m`.
    pub const ALL: Self = Self(0b10_0111_1111_1100);

    /// The classes of these bits.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether no event is published at all, the common case.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one of the classes of `other` is in it.
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The classes that the letters name; nothing if one is unknown.
    pub fn parse(letters: &[u8]) -> Option<Self> {
        let mut bits = 0;
        for letter in letters {
            let known = Self::LETTERS.iter().find(|(known, _)| known == letter);
            bits |= match known {
                Some((_, class)) => class.0,
                None if *letter == b'A' => Self::ALL.0,
                None => return None,
            };
        }
        Some(Self(bits))
    }
}

impl fmt::Display for KeyspaceEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_all = self.0 & Self::ALL.0 == Self::ALL.0;
        if has_all {
            f.write_str("A")?;
        }
        for (letter, class) in Self::LETTERS {
            // Redis leaves out `n` after an `A` too, and so loses it in CONFIG REWRITE.
            let is_covered = has_all && Self::ALL.intersects(*class);
            if self.intersects(*class) && !is_covered {
                write!(f, "{}", char::from(*letter))?;
            }
        }
        Ok(())
    }
}
