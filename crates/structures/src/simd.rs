//! Loops over bytes, compiled twice: for every processor of the target, and for those with AVX2.
//!
//! Which one runs is decided at each call, by a load. The loops are ordinary Rust that the compiler
//! vectorises; what AVX2 brings is wider registers and a table lookup in them, by which bits are
//! counted. Intrinsics were rejected: they would be a second version of each loop to keep right.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static IS_DISABLED: AtomicBool = AtomicBool::new(false);

/// Lets loops be the wide ones or not, in the whole process. For tests and measurements: results are
/// the same.
pub fn set_enabled(enabled: Enabled) {
    IS_DISABLED.store(enabled == Enabled::No, Relaxed);
}

/// Whether wide loops are used where the processor has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Enabled {
    Yes,
    No,
}

/// Whether the wide loops can and may run.
#[inline]
pub(crate) fn is_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has_features = std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    let has_features = false;
    has_features && !IS_DISABLED.load(Relaxed)
}

/// Defines a function whose body is compiled twice, and chosen by [`is_wide`].
macro_rules! wide {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)? $body:block) => {
        $(#[$meta])*
        #[inline]
        $vis fn $name($($arg: $type),*) $(-> $result)? {
            #[inline(always)]
            fn plain($($arg: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,popcnt")]
                fn wide($($arg: $type),*) $(-> $result)? {
                    plain($($arg),*)
                }
                if $crate::simd::is_wide() {
                    // SAFETY: the processor has the features.
                    return unsafe { wide($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    };
}
pub(crate) use wide;
