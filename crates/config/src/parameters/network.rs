//! Where clients connect, and how their connections behave.

use super::bounds::*;
use super::reasons::*;
use crate::composite::{Address, DEFAULT_BIND};
use crate::definition::*;
use crate::handle::*;

super::section! { Network, from 0;
    /// TCP port for clients that speak the Redis protocol; 0 opens none.
    PORT: Integer = integer("port", 0..=MAX_PORT, 6379);
    /// Addresses to listen on; `*` is every IPv4 address, `::*` every IPv6 address, and a leading
    /// `-` makes one optional.
    BIND: Parsed<Vec<Address>> = composite("bind", DEFAULT_BIND);
    /// Refuse clients from other machines as long as no password is set and no address was chosen.
    PROTECTED_MODE: Boolean = boolean("protected-mode", true);
    /// Connections that may wait to be accepted.
    TCP_BACKLOG: Integer = integer("tcp-backlog", 0..=INT_MAX, 511).immutable();
    /// Path of a Unix socket to listen on.
    UNIXSOCKET: Text = optional("unixsocket").immutable();
    /// Mode of the Unix socket, in octal.
    UNIXSOCKETPERM: Integer = octal("unixsocketperm", 0o777, 0).immutable();
    /// Group of the Unix socket.
    UNIXSOCKETGROUP: Text = optional("unixsocketgroup").immutable().accepted_only(NOT_YET);
    /// Seconds after which an idle client is closed; 0 is never.
    TIMEOUT: Integer = integer("timeout", 0..=INT_MAX, 0);
    /// Seconds between TCP keep-alive probes; 0 sends none.
    TCP_KEEPALIVE: Integer = integer("tcp-keepalive", 0..=INT_MAX, 300);
    /// Local address of outgoing connections, to a primary for example.
    BIND_SOURCE_ADDR: Text = optional("bind-source-addr").accepted_only(NOT_YET);
    /// Mark on listening sockets, for the firewall.
    SOCKET_MARK_ID: Integer =
        integer("socket-mark-id", 0..=UINT_MAX, 0).immutable().accepted_only(NOT_YET);
    /// Worker threads, each with its own connections; 0 is one for each core.
    WORKERS: Integer = integer("workers", 0..=1024, 0).aliases(&["io-threads"]).immutable();
    /// Whether I/O threads also read.
    IO_THREADS_DO_READS: Boolean =
        boolean("io-threads-do-reads", false).immutable().accepted_only(THREADS);
    /// Events that justify one more I/O thread.
    EVENTS_PER_IO_THREAD: Integer =
        integer("events-per-io-thread", 0..=INT_MAX, 2).hidden().accepted_only(THREADS);
    /// Whether I/O threads run under low load too.
    IO_THREADS_ALWAYS_ACTIVE: Boolean =
        boolean("io-threads-always-active", false).hidden().accepted_only(THREADS);
    /// I/O threads from which on values are sent without a copy.
    MIN_IO_THREADS_AVOID_COPY_REPLY: Integer =
        integer("min-io-threads-avoid-copy-reply", 0..=INT_MAX, 7).hidden().accepted_only(THREADS);
    /// Length from which on a string is sent without a copy.
    MIN_STRING_SIZE_AVOID_COPY_REPLY: Integer =
        integer("min-string-size-avoid-copy-reply", 0..=INT_MAX, 16_384)
            .hidden()
            .accepted_only(THREADS);
    /// The same with I/O threads.
    MIN_STRING_SIZE_AVOID_COPY_REPLY_THREADED: Integer =
        integer("min-string-size-avoid-copy-reply-threaded", 0..=INT_MAX, 65_536)
            .hidden()
            .accepted_only(THREADS);
    /// Connections accepted in one turn of the event loop.
    MAX_NEW_CONNECTIONS_PER_CYCLE: Integer =
        integer("max-new-connections-per-cycle", 1..=1000, 10).accepted_only(THREADS);
    /// TLS connections accepted in one turn of the event loop.
    MAX_NEW_TLS_CONNECTIONS_PER_CYCLE: Integer =
        integer("max-new-tls-connections-per-cycle", 1..=1000, 1).accepted_only(THREADS);
    /// Commands whose keys are prefetched together.
    PREFETCH_BATCH_MAX_SIZE: Integer =
        integer("prefetch-batch-max-size", 0..=128, 16).accepted_only(THREADS);
    /// Listen with Multipath TCP.
    MPTCP: Boolean = boolean("mptcp", false).immutable().accepted_only(NOT_YET);
    /// TCP port for clients that speak JSON, an object or array a line; 0 opens none.
    JSON_LINES_PORT: Integer = integer("json-lines-port", 0..=MAX_PORT, 0).immutable().accepted_only(NOT_YET);
    /// Database that JSON clients work on.
    JSON_LINES_DB: Integer = integer("json-lines-db", 0..=INT_MAX, 0).immutable().accepted_only(NOT_YET);
    /// Longest line that a JSON client may send.
    JSON_LINES_MAX_LENGTH: Integer = memory("json-lines-max-length", KB..=GB, 16 * MB).accepted_only(NOT_YET);
    /// Addresses to listen on with RDMA.
    RDMA_BIND: Text = optional("rdma-bind").accepted_only(NO_RDMA);
    /// RDMA port.
    RDMA_PORT: Integer = integer("rdma-port", 0..=MAX_PORT, 0).accepted_only(NO_RDMA);
    /// RDMA receive buffer.
    RDMA_RX_SIZE: Integer =
        memory("rdma-rx-size", 64 * KB..=16 * MB, MB).immutable().accepted_only(NO_RDMA);
    /// RDMA completion vector.
    RDMA_COMPLETION_VECTOR: Integer =
        integer("rdma-completion-vector", -1..=1024, -1).immutable().accepted_only(NO_RDMA);
}
