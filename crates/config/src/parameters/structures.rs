//! Until what size values are kept in their compact form.

use super::bounds::*;
use super::reasons::*;
use crate::definition::*;
use crate::handle::*;

super::section! { Structures, from super::memory::END;
    /// Fields of a hash that is compact.
    HASH_MAX_LISTPACK_ENTRIES: Integer = integer("hash-max-listpack-entries", 0..=MAX, 512)
        .aliases(&["hash-max-ziplist-entries"]);
    /// Longest field or value in a compact hash.
    HASH_MAX_LISTPACK_VALUE: Integer =
        memory("hash-max-listpack-value", 0..=MAX, 64).aliases(&["hash-max-ziplist-value"]);
    /// Elements of a node of a list if positive; -1 to -5 are 4, 8, 16, 32 and 64 KiB.
    LIST_MAX_LISTPACK_SIZE: Integer = integer("list-max-listpack-size", INT_MIN..=INT_MAX, -2)
        .aliases(&["list-max-ziplist-size"]);
    /// Nodes at each end of a list that are not compressed; 0 compresses none.
    LIST_COMPRESS_DEPTH: Integer = integer("list-compress-depth", 0..=INT_MAX, 0);
    /// Once the number of elements of a compact list.
    LIST_MAX_ZIPLIST_ENTRIES: Text =
        text("list-max-ziplist-entries", "512").file_only().accepted_only(REMOVED);
    /// Once the longest element of a compact list.
    LIST_MAX_ZIPLIST_VALUE: Text =
        text("list-max-ziplist-value", "64").file_only().accepted_only(REMOVED);
    /// Members of a set that is compact because all are integers.
    SET_MAX_INTSET_ENTRIES: Integer = integer("set-max-intset-entries", 0..=MAX, 512);
    /// Members of a set that is compact.
    SET_MAX_LISTPACK_ENTRIES: Integer = integer("set-max-listpack-entries", 0..=MAX, 128);
    /// Longest member of a compact set.
    SET_MAX_LISTPACK_VALUE: Integer = integer("set-max-listpack-value", 0..=MAX, 64);
    /// Members of a sorted set that is compact.
    ZSET_MAX_LISTPACK_ENTRIES: Integer = integer("zset-max-listpack-entries", 0..=MAX, 128)
        .aliases(&["zset-max-ziplist-entries"]);
    /// Longest member of a compact sorted set.
    ZSET_MAX_LISTPACK_VALUE: Integer =
        memory("zset-max-listpack-value", 0..=MAX, 64).aliases(&["zset-max-ziplist-value"]);
    /// Bytes of a node of a stream; 0 is no limit.
    STREAM_NODE_MAX_BYTES: Integer = memory("stream-node-max-bytes", 0..=MAX, 4096).accepted_only(NOT_YET);
    /// Entries of a node of a stream; 0 is no limit.
    STREAM_NODE_MAX_ENTRIES: Integer = integer("stream-node-max-entries", 0..=MAX, 100).accepted_only(NOT_YET);
    /// Bytes of a HyperLogLog in its sparse form.
    HLL_SPARSE_MAX_BYTES: Integer = memory("hll-sparse-max-bytes", 0..=MAX, 3000);
    /// Seed of the hash of elements, for equal orders of iteration on several servers.
    HASH_SEED: Text = optional("hash-seed").immutable().accepted_only(NOT_YET);
    /// Search vector sets on one thread.
    VSET_FORCE_SINGLE_THREADED_EXECUTION: Boolean =
        boolean("vset-force-single-threaded-execution", false).accepted_only(NOT_YET);
}
