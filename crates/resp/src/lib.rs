//! RESP2 and RESP3: request parser, reply writer and reply reader, without I/O.

pub mod client;
