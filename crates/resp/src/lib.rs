//! RESP2 and RESP3 without I/O: the request parser and the reply writer of a server, and the reply
//! reader of a client.
//!
//! Everything here works on byte slices and buffers that the caller owns. The crate knows neither
//! sockets nor commands.

pub mod client;
pub mod number;
pub mod request;
pub mod writer;

pub use request::{Limits, Progress, ProtocolError, RequestParser};
pub use writer::{Deferred, Protocol, ReplyWriter};
