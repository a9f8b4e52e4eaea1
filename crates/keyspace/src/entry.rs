//! One key with its value: a single allocation behind an eight-byte pointer.
//!
//! ```text
//! offset  0      1        4           6            8
//!        +------+--------+-----------+------------+--------+----------+------------+-----+--------+
//!        | kind | access | key bytes | text bytes | word?  | expiry?  | long key?  | key | text?  |
//!        | u8   | u24    | u16       | u16        | u64    | u64      | u64        |     |        |
//!        +------+--------+-----------+------------+--------+----------+------------+-----+--------+
//! ```
//!
//! The low four bits of `kind` say what the value is, three more which of the optional words are
//! there. `word` is an integer or the pointer to a boxed value; a short string needs none and stands
//! behind the key. `expiry` is in Unix milliseconds. `long key` holds the length of a key that does
//! not fit in 16 bits. `access` says when or how often the key was used; see `usage.rs`.
//!
//! A key of 16 bytes with an integer or three bytes takes 32 bytes, where a table of separate keys
//! and boxed values takes two or three allocations and a struct. The price is `unsafe`, all of it in
//! this file.
//!
//! Invariants: allocations have the size that [`size_class`] gives for their content, so a value may
//! be rewritten in place exactly when the class stays; a boxed value is owned by its entry.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::marker::PhantomData;
use std::ptr::NonNull;

use resp::number::parse_i64;
use structures::hash_map::HashMap;
use structures::list::List;
use structures::set::Set;
use structures::sorted_set::SortedSet;
use structures::table::Element;

/// The longest string kept behind its key; longer ones have an allocation of their own.
pub const INLINE_MAX: usize = 4096;

const HEADER: usize = 8;
const HAS_WORD: u8 = 1 << 4;
const HAS_EXPIRY: u8 = 1 << 5;
const HAS_LONG_KEY: u8 = 1 << 6;
const KIND: u8 = 0x0f;
const LONG: usize = u16::MAX as usize;

/// What a value is, as its entry stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A string behind the key.
    Inline = 0,
    /// A string that is a canonical 64-bit integer.
    Int = 1,
    /// A string in an allocation of its own, with room to grow.
    Raw = 2,
    /// A [`List`].
    List = 3,
    /// A [`Set`].
    Set = 4,
    /// A [`HashMap`].
    Hash = 5,
    /// A [`SortedSet`].
    SortedSet = 6,
}

impl Kind {
    fn of(tag: u8) -> Kind {
        match tag & KIND {
            0 => Kind::Inline,
            1 => Kind::Int,
            2 => Kind::Raw,
            3 => Kind::List,
            4 => Kind::Set,
            5 => Kind::Hash,
            _ => Kind::SortedSet,
        }
    }
}

/// A value borrowed from its entry.
#[derive(Clone, Copy)]
#[allow(missing_docs)]
pub enum Value<'a> {
    Text(Text<'a>),
    List(&'a List),
    Set(&'a Set),
    Hash(&'a HashMap),
    SortedSet(&'a SortedSet),
}

/// A string value as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// The string is the decimal text of this integer.
    Int(i64),
    /// The bytes themselves.
    Bytes(&'a [u8]),
}

impl Text<'_> {
    /// The integer that the string spells, if it does so canonically.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Text::Int(value) => Some(*value),
            Text::Bytes(bytes) => parse_i64(bytes),
        }
    }

    /// The bytes of the string, lent to `f`.
    #[inline]
    pub fn with_bytes<R>(self, f: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Text::Int(value) => f(itoa::Buffer::new().format(value).as_bytes()),
            Text::Bytes(bytes) => f(bytes),
        }
    }

    /// The bytes of the string, in a vector of their own.
    pub fn to_vec(&self) -> Vec<u8> {
        match self {
            Text::Int(value) => value.to_string().into_bytes(),
            Text::Bytes(bytes) => bytes.to_vec(),
        }
    }
}

/// A type that lives boxed in an entry's word. Sealed: the kinds are closed.
pub trait Collection: Default + sealed::Sealed + Send + 'static {
    /// The kind that marks an entry of this type.
    const KIND: Kind;
    /// Whether the key has to go.
    fn is_empty(&self) -> bool;
    /// The number of elements.
    fn len(&self) -> usize;
    /// The bytes allocated beneath.
    fn heap_bytes(&self) -> usize;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! collections {
    ($($type:ident => $kind:ident),*) => {$(
        impl sealed::Sealed for $type {}
        impl Collection for $type {
            const KIND: Kind = Kind::$kind;
            fn is_empty(&self) -> bool {
                $type::is_empty(self)
            }
            fn len(&self) -> usize {
                $type::len(self)
            }
            fn heap_bytes(&self) -> usize {
                $type::heap_bytes(self)
            }
        }
    )*};
}
collections!(List => List, Set => Set, HashMap => Hash, SortedSet => SortedSet);

/// An owned entry. `Table<Entry>` holds them by their thin pointer.
#[derive(Debug)]
pub struct Entry {
    raw: NonNull<u8>,
}

// SAFETY: an entry owns everything that it points to, and every collection is Send.
unsafe impl Send for Entry {}

/// An entry borrowed from the table.
#[derive(Clone, Copy, Debug)]
pub struct EntryRef<'a> {
    raw: NonNull<u8>,
    table: PhantomData<&'a Entry>,
}

/// An entry borrowed from the table to change its value in place.
#[derive(Debug)]
pub struct EntryAccess<'a> {
    raw: NonNull<u8>,
    table: PhantomData<&'a mut Entry>,
}

impl<'a> EntryAccess<'a> {
    /// A view of the entry.
    #[inline]
    pub fn view(&self) -> EntryRef<'_> {
        EntryRef {
            raw: self.raw,
            table: PhantomData,
        }
    }

    /// Writes the integer of an [`Kind::Int`] entry.
    #[inline]
    pub fn set_int(&mut self, value: i64) {
        assert_eq!(self.view().kind(), Kind::Int);
        // SAFETY: an integer entry has a word behind its header.
        unsafe {
            self.raw
                .as_ptr()
                .add(HEADER)
                .cast::<u64>()
                .write(value as u64)
        }
    }

    /// The bytes of a [`Kind::Raw`] entry.
    pub fn into_raw_text(self) -> Option<&'a mut Vec<u8>> {
        (self.view().kind() == Kind::Raw)
            // SAFETY: the word of a raw entry is the pointer of the Vec that it owns, and the entry
            // is borrowed exclusively for 'a.
            .then(|| unsafe { &mut *(self.view().word() as usize as *mut Vec<u8>) })
    }

    /// The bytes of an [`Kind::Inline`] or [`Kind::Raw`] entry.
    pub fn into_bytes(self) -> Option<&'a mut [u8]> {
        let view = self.view();
        if view.kind() == Kind::Inline {
            let (offset, len) = (view.key_offset() + view.key_len(), view.text_len());
            // SAFETY: the text of an inline entry stands behind the key, and the entry is borrowed
            // exclusively for 'a.
            return Some(unsafe {
                std::slice::from_raw_parts_mut(self.raw.as_ptr().add(offset), len)
            });
        }
        self.into_raw_text().map(Vec::as_mut_slice)
    }

    /// The collection, if the entry is of that type.
    #[inline]
    pub fn into_collection<T: Collection>(self) -> Option<&'a mut T> {
        (self.view().kind() == T::KIND)
            // SAFETY: the word of a collection entry is the pointer of the `T` that it owns, `T`
            // being the one type of that kind, and the entry is borrowed exclusively for 'a.
            .then(|| unsafe { &mut *(self.view().word() as usize as *mut T) })
    }
}

/// What is put into a new entry.
enum Content<'a> {
    Inline(&'a [u8]),
    Word(Kind, u64),
}

impl Content<'_> {
    fn of_text(text: &[u8]) -> Content<'_> {
        if let Some(value) = integer(text) {
            Content::Word(Kind::Int, value as u64)
        } else if text.len() <= INLINE_MAX {
            Content::Inline(text)
        } else {
            Content::Word(Kind::Raw, boxed(text.to_vec()))
        }
    }
}

/// [`parse_i64`], with the common case of a text that is no number decided by its first byte.
#[inline]
fn integer(text: &[u8]) -> Option<i64> {
    match text.first()? {
        b'0'..=b'9' | b'-' if text.len() <= 20 => parse_i64(text),
        _ => None,
    }
}

fn boxed<T>(value: T) -> u64 {
    Box::into_raw(Box::new(value)) as usize as u64
}

/// The allocation size for `bytes`: steps of 8 up to 64, then four steps a doubling, which are
/// jemalloc's classes. Rewriting a value in place must neither waste more nor less than a new
/// allocation would.
#[inline]
fn size_class(bytes: usize) -> usize {
    if bytes <= 64 {
        (bytes + 7) & !7
    } else {
        let step = 1 << ((bytes - 1).ilog2() - 2);
        (bytes + step - 1) & !(step - 1)
    }
}

impl Entry {
    /// A string entry.
    pub fn text(key: &[u8], text: &[u8], expiry: Option<u64>) -> Entry {
        Entry::build(key, Content::of_text(text), expiry)
    }

    /// An integer entry.
    pub fn int(key: &[u8], value: i64, expiry: Option<u64>) -> Entry {
        Entry::build(key, Content::Word(Kind::Int, value as u64), expiry)
    }

    /// A string entry with room to grow.
    pub fn growing(key: &[u8], text: Vec<u8>, expiry: Option<u64>) -> Entry {
        Entry::build(key, Content::Word(Kind::Raw, boxed(text)), expiry)
    }

    /// A collection entry.
    pub fn collection<T: Collection>(key: &[u8], value: T, expiry: Option<u64>) -> Entry {
        Entry::build(key, Content::Word(T::KIND, boxed(value)), expiry)
    }

    fn build(key: &[u8], content: Content<'_>, expiry: Option<u64>) -> Entry {
        let (kind, word, text): (Kind, Option<u64>, &[u8]) = match content {
            Content::Inline(text) => (Kind::Inline, None, text),
            Content::Word(kind, word) => (kind, Some(word), &[]),
        };
        let long = key.len() >= LONG;
        let optional = [word, expiry, long.then_some(key.len() as u64)];
        let words = optional.iter().flatten().count();
        let size = size_class(HEADER + words * 8 + key.len() + text.len());
        // `size` is at least HEADER and far from overflow: both lengths are of live slices.
        let layout = Layout::from_size_align(size, 8).expect("an entry's size is a valid layout");
        let mut tag = kind as u8;
        tag |= if word.is_some() { HAS_WORD } else { 0 };
        tag |= if expiry.is_some() { HAS_EXPIRY } else { 0 };
        tag |= if long { HAS_LONG_KEY } else { 0 };
        let key_bytes = if long { LONG as u16 } else { key.len() as u16 };
        let header = tag as u64 | (key_bytes as u64) << 32 | (text.len() as u64) << 48;
        // SAFETY: the layout is not empty. Every write below is inside the `size` bytes: header and
        // words, then the key, then the text, exactly the sum that `size` was computed from.
        unsafe {
            let raw = alloc(layout);
            let Some(raw) = NonNull::new(raw) else {
                handle_alloc_error(layout)
            };
            let mut at = raw.as_ptr();
            at.cast::<u64>().write(header.to_le());
            at = at.add(HEADER);
            for word in optional.into_iter().flatten() {
                at.cast::<u64>().write(word);
                at = at.add(8);
            }
            at.copy_from_nonoverlapping(key.as_ptr(), key.len());
            at.add(key.len())
                .copy_from_nonoverlapping(text.as_ptr(), text.len());
            Entry { raw }
        }
    }

    /// A view of this entry.
    #[inline]
    pub fn view(&self) -> EntryRef<'_> {
        EntryRef {
            raw: self.raw,
            table: PhantomData,
        }
    }

    /// The same key holding `text`, in the same allocation when that has the right size.
    #[inline]
    pub fn with_text(mut self, text: &[u8], expiry: Option<u64>) -> Entry {
        if self.rewrite_text(text, expiry) {
            return self;
        }
        let replacement = Entry::text(self.view().key(), text, expiry);
        replacement.keep_access_of(&self);
        replacement
    }

    /// The same key holding `text`, which stays in its allocation and has room to grow.
    pub fn with_growing(self, text: Vec<u8>, expiry: Option<u64>) -> Entry {
        let replacement = Entry::growing(self.view().key(), text, expiry);
        replacement.keep_access_of(&self);
        replacement
    }

    /// Rewrites the text in place if the layout stays as it is.
    #[inline]
    fn rewrite_text(&mut self, text: &[u8], expiry: Option<u64>) -> bool {
        let view = self.view();
        let tag = view.tag();
        if (tag & HAS_EXPIRY != 0) != expiry.is_some() {
            return false;
        }
        let done = match view.kind() {
            Kind::Int => match integer(text) {
                Some(value) => {
                    // SAFETY: an integer entry has a word behind its header.
                    unsafe { self.word_mut().write(value as u64) };
                    true
                }
                None => false,
            },
            Kind::Inline if text.len() <= INLINE_MAX && integer(text).is_none() => {
                let fixed = view.key_offset() + view.key_len();
                let old_len = view.text_len();
                if size_class(fixed + text.len()) != size_class(fixed + old_len) {
                    return false;
                }
                // SAFETY: the class, and so the allocation, has room for `fixed + text.len()` bytes.
                // The text does not overlap the entry: the caller's bytes are not borrowed from it,
                // since `self` is owned here.
                unsafe {
                    let raw = self.raw.as_ptr();
                    raw.add(6).cast::<u16>().write((text.len() as u16).to_le());
                    raw.add(fixed)
                        .copy_from_nonoverlapping(text.as_ptr(), text.len());
                }
                true
            }
            _ => false,
        };
        if done && let Some(expiry) = expiry {
            // SAFETY: the tag says that the word is there.
            unsafe { self.expiry_mut().write(expiry) };
        }
        done
    }

    /// The same key and value with another expiry.
    pub fn with_expiry(mut self, expiry: Option<u64>) -> Entry {
        let view = self.view();
        match (view.tag() & HAS_EXPIRY != 0, expiry) {
            (false, None) => return self,
            (true, Some(expiry)) => {
                // SAFETY: the tag says that the word is there.
                unsafe { self.expiry_mut().write(expiry) };
                return self;
            }
            _ => {}
        }
        let replacement = match view.kind() {
            Kind::Inline => Entry::build(view.key(), Content::Inline(view.inline_text()), expiry),
            // The boxed value moves to the new entry: the old one must not free it.
            kind => Entry::build(view.key(), Content::Word(kind, view.word()), expiry),
        };
        replacement.keep_access_of(&self);
        self.free_allocation();
        std::mem::forget(self);
        replacement
    }

    /// The same key holding an integer.
    pub fn with_int(self, value: i64) -> Entry {
        let view = self.view();
        let replacement = Entry::int(view.key(), value, view.expiry());
        replacement.keep_access_of(&self);
        replacement
    }

    /// The same value and expiry under another key. A boxed value is not copied.
    pub fn with_key(mut self, key: &[u8]) -> Entry {
        let view = self.view();
        let content = match view.kind() {
            Kind::Inline => Content::Inline(view.inline_text()),
            // The boxed value moves to the new entry: the old one must not free it.
            kind => Content::Word(kind, view.word()),
        };
        let replacement = Entry::build(key, content, view.expiry());
        replacement.keep_access_of(&self);
        self.free_allocation();
        std::mem::forget(self);
        replacement
    }

    /// A copy of a value, with its expiry, under another key.
    pub fn copy_of(view: EntryRef<'_>, key: &[u8]) -> Entry {
        let expiry = view.expiry();
        match view.value() {
            Value::Text(Text::Int(value)) => Entry::int(key, value, expiry),
            Value::Text(Text::Bytes(bytes)) if view.kind() == Kind::Raw => {
                Entry::growing(key, bytes.to_vec(), expiry)
            }
            Value::Text(Text::Bytes(bytes)) => Entry::build(key, Content::Inline(bytes), expiry),
            Value::List(list) => Entry::collection(key, list.clone(), expiry),
            Value::Set(set) => Entry::collection(key, set.clone(), expiry),
            Value::Hash(hash) => Entry::collection(key, hash.clone(), expiry),
            Value::SortedSet(set) => Entry::collection(key, set.clone(), expiry),
        }
    }

    /// Takes over the access bits of `other`, whose successor this is.
    pub(crate) fn keep_access_of(&self, other: &Entry) {
        self.view().set_access(other.view().access());
    }

    /// # Safety
    /// The entry has a word.
    #[inline]
    unsafe fn word_mut(&mut self) -> *mut u64 {
        // SAFETY: by the contract, eight bytes follow the header.
        unsafe { self.raw.as_ptr().add(HEADER).cast() }
    }

    /// # Safety
    /// The entry has an expiry.
    #[inline]
    unsafe fn expiry_mut(&mut self) -> *mut u64 {
        let offset = HEADER
            + if self.view().tag() & HAS_WORD != 0 {
                8
            } else {
                0
            };
        // SAFETY: by the contract, the expiry follows header and word.
        unsafe { self.raw.as_ptr().add(offset).cast() }
    }

    fn free_allocation(&mut self) {
        let layout = Layout::from_size_align(self.view().size(), 8).expect("as when allocated");
        // SAFETY: the allocation was made with the class of its content, and rewriting in place
        // keeps the class.
        unsafe { dealloc(self.raw.as_ptr(), layout) }
    }
}

impl Drop for Entry {
    #[inline]
    fn drop(&mut self) {
        let view = self.view();
        if !matches!(view.kind(), Kind::Inline | Kind::Int) {
            drop_boxed(view.kind(), view.word());
        }
        self.free_allocation();
    }
}

#[inline(never)]
fn drop_boxed(kind: Kind, word: u64) {
    let raw = word as usize;
    // SAFETY: the word of an entry of this kind is the pointer of a box of this type, owned by the
    // entry that is being dropped.
    unsafe {
        match kind {
            Kind::Inline | Kind::Int => {}
            Kind::Raw => drop(Box::from_raw(raw as *mut Vec<u8>)),
            Kind::List => drop(Box::from_raw(raw as *mut List)),
            Kind::Set => drop(Box::from_raw(raw as *mut Set)),
            Kind::Hash => drop(Box::from_raw(raw as *mut HashMap)),
            Kind::SortedSet => drop(Box::from_raw(raw as *mut SortedSet)),
        }
    }
}

// SAFETY: entries come from the global allocator, whose user-space addresses fit in 48 bits, and the
// pointer is all that an `Entry` is.
unsafe impl Element for Entry {
    type Ref<'a> = EntryRef<'a>;
    type Mut<'a> = EntryAccess<'a>;

    #[inline]
    fn into_raw(self) -> NonNull<u8> {
        let raw = self.raw;
        std::mem::forget(self);
        raw
    }

    #[inline]
    unsafe fn from_raw(raw: NonNull<u8>) -> Self {
        Entry { raw }
    }

    #[inline]
    unsafe fn borrow<'a>(raw: NonNull<u8>) -> EntryRef<'a> {
        EntryRef {
            raw,
            table: PhantomData,
        }
    }

    #[inline]
    unsafe fn borrow_mut<'a>(raw: NonNull<u8>) -> EntryAccess<'a> {
        EntryAccess {
            raw,
            table: PhantomData,
        }
    }

    #[inline]
    fn hash_of(view: EntryRef<'_>) -> u64 {
        structures::hash::hash(view.key())
    }
}

impl<'a> EntryRef<'a> {
    #[inline]
    fn header(self) -> u64 {
        // SAFETY: every entry begins with eight header bytes, aligned to eight.
        u64::from_le(unsafe { self.raw.as_ptr().cast::<u64>().read() })
    }

    #[inline]
    fn tag(self) -> u8 {
        self.header() as u8
    }

    /// What the value is.
    #[inline]
    pub fn kind(self) -> Kind {
        Kind::of(self.tag())
    }

    #[inline]
    fn key_offset(self) -> usize {
        let words = (self.tag() & (HAS_WORD | HAS_EXPIRY | HAS_LONG_KEY)).count_ones();
        HEADER + 8 * words as usize
    }

    #[inline]
    fn key_len(self) -> usize {
        if self.tag() & HAS_LONG_KEY == 0 {
            (self.header() >> 32) as u16 as usize
        } else {
            // SAFETY: the tag says that the word is there; it is the last before the key.
            unsafe {
                self.raw
                    .as_ptr()
                    .add(self.key_offset() - 8)
                    .cast::<u64>()
                    .read() as usize
            }
        }
    }

    #[inline]
    fn text_len(self) -> usize {
        (self.header() >> 48) as usize
    }

    /// The key.
    #[inline]
    pub fn key(self) -> &'a [u8] {
        // SAFETY: the key stands at its offset, and lives as long as the entry, which 'a borrows.
        unsafe {
            let at = self.raw.as_ptr().add(self.key_offset());
            std::slice::from_raw_parts(at, self.key_len())
        }
    }

    #[inline]
    fn inline_text(self) -> &'a [u8] {
        // SAFETY: the text stands behind the key, and lives as long as the entry, which 'a borrows.
        unsafe {
            let at = self.raw.as_ptr().add(self.key_offset() + self.key_len());
            std::slice::from_raw_parts(at, self.text_len())
        }
    }

    /// The word; meaningless when the kind has none.
    #[inline]
    fn word(self) -> u64 {
        debug_assert!(self.tag() & HAS_WORD != 0);
        // SAFETY: callers have seen a kind that has a word.
        unsafe { self.raw.as_ptr().add(HEADER).cast::<u64>().read() }
    }

    /// When the key expires, in Unix milliseconds.
    #[inline]
    pub fn expiry(self) -> Option<u64> {
        let tag = self.tag();
        if tag & HAS_EXPIRY == 0 {
            return None;
        }
        let offset = HEADER + if tag & HAS_WORD != 0 { 8 } else { 0 };
        // SAFETY: the tag says that the word is there.
        Some(unsafe { self.raw.as_ptr().add(offset).cast::<u64>().read() })
    }

    /// Whether the key is dead at `now_ms`.
    #[inline]
    pub fn is_expired(self, now_ms: u64) -> bool {
        self.expiry().is_some_and(|expiry| expiry <= now_ms)
    }

    /// The value.
    #[inline]
    pub fn value(self) -> Value<'a> {
        // SAFETY: the word of a boxed kind points to a live value of that kind's type, owned by the
        // entry, which 'a borrows.
        unsafe {
            match self.kind() {
                Kind::Inline => Value::Text(Text::Bytes(self.inline_text())),
                Kind::Int => Value::Text(Text::Int(self.word() as i64)),
                Kind::Raw => Value::Text(Text::Bytes(&*(self.word() as usize as *const Vec<u8>))),
                Kind::List => Value::List(&*(self.word() as usize as *const List)),
                Kind::Set => Value::Set(&*(self.word() as usize as *const Set)),
                Kind::Hash => Value::Hash(&*(self.word() as usize as *const HashMap)),
                Kind::SortedSet => Value::SortedSet(&*(self.word() as usize as *const SortedSet)),
            }
        }
    }

    /// The collection, if the entry is of that type.
    #[inline]
    pub fn collection<T: Collection>(self) -> Option<&'a T> {
        (self.kind() == T::KIND)
            // SAFETY: as in `value`.
            .then(|| unsafe { &*(self.word() as usize as *const T) })
    }

    /// The string, if the value is one.
    #[inline]
    pub fn as_text(self) -> Option<Text<'a>> {
        match self.value() {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The 24 bits that say when or how often the key was used.
    #[inline]
    pub fn access(self) -> u32 {
        (self.header() >> 8) as u32 & 0xff_ffff
    }

    /// Writes the access bits. Needs no exclusive borrow, because nothing else is derived from
    /// them; the shard's lock keeps other threads out.
    #[inline]
    pub fn set_access(self, access: u32) {
        let header = self.header() & !0xffff_ff00 | (access as u64 & 0xff_ffff) << 8;
        // SAFETY: as in `header`; no reference to the header exists, it is read by value only.
        unsafe { self.raw.as_ptr().cast::<u64>().write(header.to_le()) }
    }

    /// The bytes of the entry's own allocation.
    #[inline]
    fn size(self) -> usize {
        size_class(self.key_offset() + self.key_len() + self.text_len())
    }

    /// All bytes allocated for the entry and its value.
    #[inline]
    pub fn heap_bytes(self) -> usize {
        match self.kind() {
            Kind::Inline | Kind::Int => self.size(),
            _ => self.size() + self.boxed_bytes(),
        }
    }

    /// The bytes of a boxed value.
    fn boxed_bytes(self) -> usize {
        match self.value() {
            Value::Text(_) if self.kind() == Kind::Raw => {
                // SAFETY: as in `value`.
                let text = unsafe { &*(self.word() as usize as *const Vec<u8>) };
                size_of::<Vec<u8>>() + text.capacity()
            }
            Value::Text(_) => 0,
            Value::List(list) => size_of::<List>() + list.heap_bytes(),
            Value::Set(set) => size_of::<Set>() + set.heap_bytes(),
            Value::Hash(hash) => size_of::<HashMap>() + hash.heap_bytes(),
            Value::SortedSet(set) => size_of::<SortedSet>() + set.heap_bytes(),
        }
    }

    /// The number of allocations that freeing the value takes, roughly: what decides whether it is
    /// freed on the spot or by the reaper.
    pub fn free_effort(self) -> usize {
        match self.value() {
            Value::Text(_) => 1,
            Value::List(list) => list.len() / 128,
            Value::Set(set) => set.len(),
            Value::Hash(hash) => hash.len(),
            Value::SortedSet(set) => set.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_entries_are_small() {
        let key = b"key:000000000000";
        assert_eq!(Entry::text(key, b"abc", None).view().heap_bytes(), 32);
        assert_eq!(Entry::text(key, b"12345", None).view().heap_bytes(), 32);
        assert_eq!(Entry::text(key, &[b'x'; 32], None).view().heap_bytes(), 56);
        assert_eq!(
            Entry::text(key, &[b'x'; 32], Some(1)).view().heap_bytes(),
            64
        );
        assert_eq!(
            Entry::text(key, &[b'x'; 100], None).view().heap_bytes(),
            128
        );
    }

    #[test]
    fn classes_are_those_of_the_allocator() {
        let classes: Vec<usize> = [1, 8, 9, 63, 64, 65, 80, 81, 128, 129, 160, 161, 1025, 4097]
            .map(size_class)
            .to_vec();
        let want = [8, 8, 16, 64, 64, 80, 80, 96, 128, 160, 160, 192, 1280, 5120];
        assert_eq!(classes, want);
    }

    fn expiry() -> impl Strategy<Value = Option<u64>> {
        proptest::option::of(any::<u64>())
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            any::<i64>().prop_map(|n| n.to_string().into_bytes()),
            proptest::collection::vec(any::<u8>(), 0..80),
            (INLINE_MAX - 2..INLINE_MAX + 3).prop_map(|len| vec![b'x'; len]),
        ]
    }

    proptest! {
        /// Whatever sequence of rewrites an entry goes through, it says what was written last.
        #[test]
        fn rewrites(
            key_len in prop_oneof![0usize..40, LONG - 1..LONG + 2],
            first in (text(), expiry()),
            steps in proptest::collection::vec(
                (proptest::option::of(text()), expiry(), 0usize..3),
                0..8,
            ),
        ) {
            let mut key = vec![b'k'; key_len];
            let (mut text, mut expiry) = first;
            let mut entry = Entry::text(&key, &text, expiry);
            entry.view().set_access(0xabcdef);
            for (new_text, new_expiry, longer) in steps {
                expiry = new_expiry;
                match new_text {
                    Some(new_text) => {
                        entry = entry.with_text(&new_text, expiry);
                        text = new_text;
                    }
                    None => entry = entry.with_expiry(expiry),
                }
                key.resize(key.len() + longer, b'n');
                entry = entry.with_key(&key);
                let copy = Entry::copy_of(entry.view(), b"copy");
                prop_assert_eq!(copy.view().key(), b"copy");
                prop_assert_eq!(copy.view().expiry(), expiry);
                prop_assert_eq!(copy.view().kind(), entry.view().kind());
                prop_assert_eq!(copy.view().as_text().unwrap().to_vec(), &text[..]);
                let view = entry.view();
                prop_assert_eq!(view.key(), &key[..]);
                prop_assert_eq!(view.expiry(), expiry);
                prop_assert_eq!(view.access(), 0xabcdef);
                prop_assert_eq!(view.as_text().unwrap().to_vec(), &text[..]);
            }
        }
    }
}
