//! Primaries and replicas.

use super::bounds::*;
use super::reasons::*;
use crate::choices::*;
use crate::composite::ReplicaOf;
use crate::definition::*;
use crate::handle::*;

super::section! { Replication, from super::persistence::END;
    /// Host and port of the primary to follow.
    REPLICAOF: Parsed<ReplicaOf> =
        composite("replicaof", "").aliases(&["slaveof"]).immutable().accepted_only(NOT_YET);
    /// Password for the primary.
    MASTERAUTH: Text =
        optional("masterauth").aliases(&["primaryauth"]).secret().accepted_only(NOT_YET);
    /// User name for the primary.
    MASTERUSER: Text =
        optional("masteruser").aliases(&["primaryuser"]).secret().accepted_only(NOT_YET);
    /// Answer from old data while the primary is out of reach.
    REPLICA_SERVE_STALE_DATA: Boolean = boolean("replica-serve-stale-data", true)
        .aliases(&["slave-serve-stale-data"])
        .accepted_only(NOT_YET);
    /// Refuse writes on a replica.
    REPLICA_READ_ONLY: Boolean = boolean("replica-read-only", true)
        .aliases(&["slave-read-only"])
        .accepted_only(NOT_YET);
    /// Send a full synchronisation without a file.
    REPL_DISKLESS_SYNC: Boolean = boolean("repl-diskless-sync", true).accepted_only(NOT_YET);
    /// Seconds to wait for more replicas before it is sent.
    REPL_DISKLESS_SYNC_DELAY: Integer =
        integer("repl-diskless-sync-delay", 0..=INT_MAX, 5).accepted_only(NOT_YET);
    /// Replicas at which it is sent without waiting longer; 0 waits the whole time.
    REPL_DISKLESS_SYNC_MAX_REPLICAS: Integer =
        integer("repl-diskless-sync-max-replicas", 0..=INT_MAX, 0).accepted_only(NOT_YET);
    /// How a replica takes a full synchronisation that comes without a file.
    REPL_DISKLESS_LOAD: Choice<ReplDisklessLoad> = choice("repl-diskless-load", "disabled")
        .denied_while_loading()
        .accepted_only(NOT_YET);
    /// Take the snapshot and the writes after it over two connections.
    DUAL_CHANNEL_REPLICATION_ENABLED: Boolean =
        boolean("dual-channel-replication-enabled", false).accepted_only(NOT_YET);
    /// The same under another server's name.
    REPL_RDB_CHANNEL: Boolean =
        boolean("repl-rdb-channel", false).hidden().accepted_only(NOT_YET);
    /// Writes that a replica keeps while it loads a full synchronisation; 0 takes the output limit.
    REPLICA_FULL_SYNC_BUFFER_LIMIT: Integer =
        memory("replica-full-sync-buffer-limit", 0..=MAX, 0).accepted_only(NOT_YET);
    /// Seconds between pings to replicas.
    REPL_PING_REPLICA_PERIOD: Integer = integer("repl-ping-replica-period", 1..=INT_MAX, 10)
        .aliases(&["repl-ping-slave-period"])
        .accepted_only(NOT_YET);
    /// Seconds of silence after which a replication link is given up.
    REPL_TIMEOUT: Integer = integer("repl-timeout", 1..=INT_MAX, 60).accepted_only(NOT_YET);
    /// Let the kernel gather writes to replicas.
    REPL_DISABLE_TCP_NODELAY: Boolean =
        boolean("repl-disable-tcp-nodelay", false).accepted_only(NOT_YET);
    /// Replicate over Multipath TCP.
    REPL_MPTCP: Boolean = boolean("repl-mptcp", false).immutable().accepted_only(NOT_YET);
    /// Bytes of past writes kept for replicas that come back.
    REPL_BACKLOG_SIZE: Integer =
        memory("repl-backlog-size", 1..=MAX, MB).clamped(16 * KB..=MAX).accepted_only(NOT_YET);
    /// Seconds without a replica after which they are dropped; 0 is never.
    REPL_BACKLOG_TTL: Integer =
        integer("repl-backlog-ttl", 0..=MAX, 3600).accepted_only(NOT_YET);
    /// Rank by which Sentinel promotes a replica, the lowest first; 0 is never.
    REPLICA_PRIORITY: Integer = integer("replica-priority", 0..=INT_MAX, 100)
        .aliases(&["slave-priority"])
        .accepted_only(NOT_YET);
    /// Show this replica in Sentinel's answers.
    REPLICA_ANNOUNCED: Boolean = boolean("replica-announced", true).accepted_only(NOT_YET);
    /// Address that a replica gives as its own.
    REPLICA_ANNOUNCE_IP: Text =
        optional("replica-announce-ip").aliases(&["slave-announce-ip"]).accepted_only(NOT_YET);
    /// Port that a replica gives as its own; 0 is the real one.
    REPLICA_ANNOUNCE_PORT: Integer = integer("replica-announce-port", 0..=MAX_PORT, 0)
        .aliases(&["slave-announce-port"])
        .accepted_only(NOT_YET);
    /// Do not evict on a replica: the primary's deletions come anyway.
    REPLICA_IGNORE_MAXMEMORY: Boolean = boolean("replica-ignore-maxmemory", true)
        .aliases(&["slave-ignore-maxmemory"])
        .accepted_only(NOT_YET);
    /// Free the old data in the background on a full synchronisation.
    REPLICA_LAZY_FLUSH: Boolean = boolean("replica-lazy-flush", false)
        .aliases(&["slave-lazy-flush"])
        .accepted_only(ALWAYS_LAZY);
    /// Go on when a replica cannot write its append-only file.
    REPLICA_IGNORE_DISK_WRITE_ERRORS: Boolean =
        boolean("replica-ignore-disk-write-errors", false).accepted_only(NOT_YET);
    /// What an error in a replicated command does.
    PROPAGATION_ERROR_BEHAVIOR: Choice<PropagationErrorBehavior> =
        choice("propagation-error-behavior", "ignore").accepted_only(NOT_YET);
    /// Replicas that must be there for a write to be taken; 0 is none.
    MIN_REPLICAS_TO_WRITE: Integer = integer("min-replicas-to-write", 0..=INT_MAX, 0)
        .aliases(&["min-slaves-to-write"])
        .accepted_only(NOT_YET);
    /// Seconds of silence after which a replica does not count for that.
    MIN_REPLICAS_MAX_LAG: Integer = integer("min-replicas-max-lag", 0..=INT_MAX, 10)
        .aliases(&["min-slaves-max-lag"])
        .accepted_only(NOT_YET);
    /// Zone that the server is in, for clients that prefer near ones.
    AVAILABILITY_ZONE: Text = text("availability-zone", "").accepted_only(NOT_YET);
    /// Take data from an import that decides about expiry itself.
    IMPORT_MODE: Boolean = boolean("import-mode", false).accepted_only(NOT_YET);
}
