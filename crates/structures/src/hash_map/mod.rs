//! Hashes: fields with a name and a value each.
//!
//! A small hash is a compact sequence of names and values in turn (`packed/`), past the limits it
//! is a table of fields (`field.rs`). The forms bear Redis's names and change by its thresholds,
//! and only towards the table.
//!
//! Invariants: a name is present once; a compact sequence has an even number of items.

mod field;
mod random;

use crate::hash::hash;
use crate::item::below;
use crate::packed::{self, Packed, length};
use crate::table::{Slot, Table};
use field::{Field, Pair, block_size};

/// Up to where the compact form is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most fields: `hash-max-listpack-entries`.
    pub max_entries: usize,
    /// The longest name or value, in bytes: `hash-max-listpack-value`.
    pub max_value: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_entries: 512,
            max_value: 64,
        }
    }
}

/// The form of a hash, under the name that Redis has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// A compact sequence.
    Listpack,
    /// A table.
    Hashtable,
}

impl Encoding {
    /// What `OBJECT ENCODING` answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Encoding::Listpack => "listpack",
            Encoding::Hashtable => "hashtable",
        }
    }
}

/// A hash: fields with a name and a value each.
#[derive(Clone)]
pub struct HashMap(Form);

#[derive(Clone)]
enum Form {
    Packed(Packed),
    Table(Box<Fields>),
}

/// A table of fields, and the sum of their blocks.
struct Fields {
    table: Table<Field>,
    field_bytes: usize,
}

impl HashMap {
    /// A hash without fields; it allocates nothing.
    #[inline]
    pub const fn new() -> HashMap {
        HashMap(Form::Packed(Packed::new()))
    }

    /// Goes over to a table at once if `count` fields, which are about to be set, are too many for
    /// the compact form.
    pub fn expect(&mut self, count: usize, limits: &Limits) {
        if count > limits.max_entries && matches!(self.0, Form::Packed(_)) {
            self.table(count);
        }
    }

    /// The number of fields.
    #[inline]
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Packed(packed) => packed.len() / 2,
            Form::Table(fields) => fields.table.len(),
        }
    }

    /// Whether there is no field.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The allocated bytes.
    #[inline]
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Form::Packed(packed) => packed.heap_bytes(),
            Form::Table(fields) => {
                fields.field_bytes + fields.table.heap_bytes() + size_of::<Fields>()
            }
        }
    }

    /// The form it has at present.
    pub fn encoding(&self) -> Encoding {
        match &self.0 {
            Form::Packed(_) => Encoding::Listpack,
            Form::Table(_) => Encoding::Hashtable,
        }
    }

    /// Asks for the memory that [`HashMap::get`] looks at first; `hash` is the name's.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        match &self.0 {
            Form::Packed(packed) => packed.prefetch(),
            Form::Table(fields) => fields.table.prefetch_bucket(hash),
        }
    }

    /// Asks for the field itself, once what [`HashMap::prefetch`] asked for is there.
    #[inline]
    pub fn prefetch_field(&self, hash: u64) {
        if let Form::Table(fields) = &self.0 {
            fields.table.prefetch_element(hash);
        }
    }

    /// The value of a field.
    #[inline]
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        match &self.0 {
            Form::Packed(packed) => {
                let (_, value) = packed.item(packed.find::<2>(name)?);
                Some(packed.item(value).0)
            }
            Form::Table(fields) => fields.get(hash(name), name),
        }
    }

    /// As [`HashMap::get`], for a name whose hash is known.
    #[inline]
    pub fn get_hashed(&self, hash: u64, name: &[u8]) -> Option<&[u8]> {
        match &self.0 {
            Form::Table(fields) => fields.get(hash, name),
            Form::Packed(_) => self.get(name),
        }
    }

    /// Whether there is a field of that name.
    #[inline]
    pub fn contains(&self, name: &[u8]) -> bool {
        self.get(name).is_some()
    }

    /// Sets a field and says whether it is new.
    ///
    /// # Panics
    /// When the name or the value is longer than [`MAX_ITEM_BYTES`](crate::block::MAX_ITEM_BYTES).
    #[inline]
    pub fn set(&mut self, name: &[u8], value: &[u8], limits: &Limits) -> bool {
        match &mut self.0 {
            Form::Table(fields) => fields.set(name, value),
            Form::Packed(packed) => {
                let added = name.len() + value.len() + 2 * length::size(u32::MAX as usize);
                if name.len().max(value.len()) > limits.max_value || !packed.has_room(added) {
                    return self.table(1).set(name, value);
                }
                if let Some(offset) = packed.find::<2>(name) {
                    let (_, old) = packed.item(offset);
                    packed.replace(old, value);
                    return false;
                }
                if packed.len() / 2 < limits.max_entries {
                    packed.push([name, value]);
                } else {
                    self.table(1).insert_new((name, value));
                }
                true
            }
        }
    }

    /// Removes a field and says whether there was one of that name.
    #[inline]
    pub fn remove(&mut self, name: &[u8]) -> bool {
        match &mut self.0 {
            Form::Packed(packed) => match packed.find::<2>(name) {
                Some(offset) => {
                    packed.remove::<2>(offset);
                    true
                }
                None => false,
            },
            Form::Table(fields) => fields.remove(name),
        }
    }

    /// The name and the value of a field chosen by 64 random bits, each with the same probability.
    #[inline]
    pub fn random(&self, random: u64) -> Option<(&[u8], &[u8])> {
        match &self.0 {
            Form::Packed(packed) if packed.is_empty() => None,
            Form::Packed(packed) => {
                let (name, next) = packed.item(packed.nth(2 * below(random, packed.len() / 2)));
                Some((name, packed.item(next).0))
            }
            Form::Table(fields) => fields.table.random(random),
        }
    }

    /// The names and values of all fields, each once; in the compact form in the order in which
    /// they were first set, else in no order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        match &self.0 {
            Form::Packed(packed) => Iter::Packed(packed.iter()),
            Form::Table(fields) => Iter::Table(fields.table.iter()),
        }
    }

    /// Visits the names and values of some fields and answers the cursor for the next call. 0
    /// begins and ends a scan; every field that is present throughout is visited at least once. The
    /// compact form is visited as a whole.
    pub fn scan<'a>(&'a self, cursor: u64, mut visit: impl FnMut(&'a [u8], &'a [u8])) -> u64 {
        match &self.0 {
            Form::Table(fields) => fields
                .table
                .scan(cursor, |(name, value)| visit(name, value)),
            Form::Packed(_) => {
                self.iter().for_each(|(name, value)| visit(name, value));
                0
            }
        }
    }

    /// The table, which the fields move to, with room for `more`, if there is none yet.
    fn table(&mut self, more: usize) -> &mut Fields {
        if let Form::Packed(_) = &self.0 {
            let mut fields = Box::new(Fields::with_capacity(self.len() + more));
            self.iter().for_each(|pair| fields.insert_new(pair));
            self.0 = Form::Table(fields);
        }
        let Form::Table(fields) = &mut self.0 else {
            unreachable!("it was made one above")
        };
        fields
    }
}

impl Fields {
    fn with_capacity(len: usize) -> Fields {
        Fields {
            table: Table::with_capacity(len),
            field_bytes: 0,
        }
    }

    #[inline]
    fn get(&self, hash: u64, name: &[u8]) -> Option<&[u8]> {
        self.table
            .find(hash, |(other, _)| other == name)
            .map(|(_, value)| value)
    }

    #[inline]
    fn set(&mut self, name: &[u8], value: &[u8]) -> bool {
        match self.table.entry(hash(name), |(other, _)| other == name) {
            Slot::Occupied(mut field) => {
                if !field.as_mut().rewrite(value) {
                    self.field_bytes += block_size((name, value));
                    let old = field.replace(Field::new((name, value)));
                    self.field_bytes -= block_size(old.pair());
                }
                false
            }
            Slot::Vacant(vacant) => {
                self.field_bytes += block_size((name, value));
                vacant.insert(Field::new((name, value)));
                true
            }
        }
    }

    /// Adds a field whose name is known to be new.
    #[inline]
    fn insert_new(&mut self, pair: Pair<'_>) {
        self.field_bytes += block_size(pair);
        self.table.insert_unique(Field::new(pair));
    }

    #[inline]
    fn remove(&mut self, name: &[u8]) -> bool {
        let Some(found) = self.table.find_mut(hash(name), |(other, _)| other == name) else {
            return false;
        };
        self.field_bytes -= block_size(found.get());
        found.remove();
        true
    }
}

impl Clone for Fields {
    fn clone(&self) -> Fields {
        let mut copy = Fields::with_capacity(self.table.len());
        self.table.iter().for_each(|pair| copy.insert_new(pair));
        copy
    }
}

impl Default for HashMap {
    fn default() -> HashMap {
        HashMap::new()
    }
}

enum Iter<'a, T> {
    Packed(packed::Iter<'a>),
    Table(T),
}

impl<'a, T: Iterator<Item = Pair<'a>>> Iterator for Iter<'a, T> {
    type Item = Pair<'a>;

    #[inline]
    fn next(&mut self) -> Option<Pair<'a>> {
        match self {
            Iter::Packed(items) => Some((items.next()?, items.next()?)),
            Iter::Table(fields) => fields.next(),
        }
    }
}

#[cfg(test)]
mod tests;
