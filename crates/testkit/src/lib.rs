//! An in-process server with a settable clock, for one-line command tests.
