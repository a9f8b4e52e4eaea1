//! The form of a set past the compact encodings: a table of members, and the sum of their blocks.

use super::member::{Member, block_size};
use crate::hash::hash;
use crate::table::{Slot, Table};

pub(super) struct Members {
    table: Table<Member>,
    member_bytes: usize,
}

impl Members {
    pub(super) fn with_capacity(len: usize) -> Members {
        Members {
            table: Table::with_capacity(len),
            member_bytes: 0,
        }
    }

    /// Makes room for `more` members.
    pub(super) fn reserve(&mut self, more: usize) {
        self.table.reserve(more);
    }

    #[inline]
    pub(super) fn table(&self) -> &Table<Member> {
        &self.table
    }

    #[inline]
    pub(super) fn heap_bytes(&self) -> usize {
        self.member_bytes + self.table.heap_bytes() + size_of::<Members>()
    }

    #[inline]
    pub(super) fn contains(&self, hash: u64, member: &[u8]) -> bool {
        self.table.find(hash, |other| other == member).is_some()
    }

    #[inline]
    pub(super) fn insert(&mut self, member: &[u8]) -> bool {
        self.insert_hashed(hash(member), member)
    }

    /// As [`Members::insert`], for a member whose hash is known.
    #[inline]
    pub(super) fn insert_hashed(&mut self, hash: u64, member: &[u8]) -> bool {
        match self.table.entry(hash, |other| other == member) {
            Slot::Occupied(_) => false,
            Slot::Vacant(vacant) => {
                self.member_bytes += block_size(member.len());
                vacant.insert(Member::new(member));
                true
            }
        }
    }

    /// Adds a member that is known to be new.
    #[inline]
    pub(super) fn insert_new(&mut self, member: &[u8]) {
        self.member_bytes += block_size(member.len());
        self.table.insert_unique(Member::new(member));
    }

    #[inline]
    pub(super) fn remove(&mut self, member: &[u8]) -> bool {
        let Some(found) = self.table.find_mut(hash(member), |other| other == member) else {
            return false;
        };
        self.member_bytes -= block_size(member.len());
        found.remove();
        true
    }

    #[inline]
    pub(super) fn pop_random<R>(
        &mut self,
        random: u64,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Option<R> {
        let member = self.table.random_mut(random)?.remove();
        self.member_bytes -= block_size(member.bytes().len());
        Some(read(member.bytes()))
    }
}

impl Clone for Members {
    fn clone(&self) -> Members {
        let mut copy = Members::with_capacity(self.table.len());
        self.table.iter().for_each(|member| copy.insert_new(member));
        copy
    }
}
