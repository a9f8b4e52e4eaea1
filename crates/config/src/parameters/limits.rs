//! What clients may take.

use super::bounds::*;
use super::reasons::*;
use crate::composite::{BufferLimits, DEFAULT_BUFFER_LIMITS};
use crate::definition::*;
use crate::handle::*;

super::section! { Limits, from super::security::END;
    /// Clients connected at one time.
    MAXCLIENTS: Integer = integer("maxclients", 1..=UINT_MAX, 10_000);
    /// Memory that all clients' buffers may take together, in bytes or as a share of `maxmemory`; 0
    /// is no limit.
    MAXMEMORY_CLIENTS: Integer = memory_or_percent("maxmemory-clients", 0);
    /// Longest string in a request.
    PROTO_MAX_BULK_LEN: Integer = memory("proto-max-bulk-len", MB..=MAX, 512 * MB);
    /// Longest request that is read before it is complete.
    CLIENT_QUERY_BUFFER_LIMIT: Integer = memory("client-query-buffer-limit", MB..=MAX, GB);
    /// How much output may wait for a client before it is closed, by class: a hard limit that
    /// closes it at once, and a soft one that it may exceed for some seconds.
    CLIENT_OUTPUT_BUFFER_LIMIT: Parsed<BufferLimits> =
        composite("client-output-buffer-limit", DEFAULT_BUFFER_LIMITS);
    /// Keys remembered for client-side caching; 0 is no limit.
    TRACKING_TABLE_MAX_KEYS: Integer = integer("tracking-table-max-keys", 0..=MAX, 1_000_000).accepted_only(NOT_YET);
}
