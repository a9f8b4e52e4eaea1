//! Typed handles: a parameter's position, known at compile time, and the type its value reads as.
//!
//! Reading a number through one is a load at a constant offset, since the numbers are an array of
//! known length and the position is a constant. A lookup by name is for people only.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::RwLock;

use crate::choices::Choices;
use crate::composite::FromText;
use crate::definition::Id;
use crate::keyspace_events::KeyspaceEvents;
use crate::parameters::COUNT;

/// The raw values a handle reads from. Only this crate makes one.
#[derive(Debug)]
pub struct Values {
    pub(crate) numbers: [AtomicI64; COUNT],
    pub(crate) texts: RwLock<Box<[Arc<[u8]>]>>,
}

impl Values {
    #[inline(always)]
    pub(crate) fn number(&self, id: Id) -> i64 {
        self.numbers[id.index()].load(Ordering::Relaxed)
    }

    pub(crate) fn text(&self, id: Id) -> Arc<[u8]> {
        self.texts.read()[id.index()].clone()
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A typed handle on a parameter, such as [`crate::parameter::PORT`]; see [`crate::Config::read`].
pub trait Handle: Copy + sealed::Sealed {
    /// What reading gives.
    type Value;
    /// The parameter's position.
    fn id(self) -> Id;
    #[doc(hidden)]
    fn read(self, values: &Values) -> Self::Value;
}

/// Declares a handle type whose value is made by an expression over the raw values.
macro_rules! handle {
    ($(#[doc = $doc:literal])+ $name:ident -> $value:ty, |$values:ident, $id:ident| $read:expr) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub struct $name(Id);
        impl $name {
            pub(crate) const fn at(id: Id) -> Self {
                Self(id)
            }
        }
        impl sealed::Sealed for $name {}
        impl Handle for $name {
            type Value = $value;
            fn id(self) -> Id {
                self.0
            }
            #[inline(always)]
            fn read(self, $values: &Values) -> $value {
                let $id = self.0;
                $read
            }
        }
    };
}

handle! {
    /// A switch; reads as `bool`.
    Boolean -> bool, |values, id| values.number(id) != 0
}
handle! {
    /// An integer, a size in bytes or a mode; reads as `i64`.
    Integer -> i64, |values, id| values.number(id)
}
handle! {
    /// A set of bits; reads as `i64`.
    Flags -> i64, |values, id| values.number(id)
}
handle! {
    /// Classes of keyspace events.
    Events -> KeyspaceEvents, |values, id| KeyspaceEvents::from_bits(values.number(id) as u32)
}
handle! {
    /// A text; reads as shared bytes, since file names and passwords need not be UTF-8.
    Text -> Arc<[u8]>, |values, id| values.text(id)
}

/// Declares a generic handle type.
macro_rules! generic_handle {
    (
        $(#[doc = $doc:literal])+
        $name:ident<$T:ident: $bound:ident>, |$values:ident, $id:ident| $read:expr
    ) => {
        $(#[doc = $doc])+
        #[derive(Debug)]
        pub struct $name<$T>(Id, PhantomData<fn() -> $T>);
        impl<$T> Clone for $name<$T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$T> Copy for $name<$T> {}
        impl<$T> $name<$T> {
            pub(crate) const fn at(id: Id) -> Self {
                Self(id, PhantomData)
            }
        }
        impl<$T> sealed::Sealed for $name<$T> {}
        impl<$T: $bound> Handle for $name<$T> {
            type Value = $T;
            fn id(self) -> Id {
                self.0
            }
            #[inline(always)]
            fn read(self, $values: &Values) -> $T {
                let $id = self.0;
                $read
            }
        }
    };
}

generic_handle! {
    /// One of several names; reads as the enum `T`.
    Choice<T: Choices>, |values, id| T::from_number(values.number(id))
}
generic_handle! {
    /// Words with a grammar of their own; each read parses them anew, so keep the result.
    Parsed<T: FromText>, |values, id| T::from_text(&values.text(id))
}
