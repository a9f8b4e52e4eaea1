//! Random numbers for commands such as SPOP: fast, well spread, and of no use for secrets.

pub use keyspace::random::next;
