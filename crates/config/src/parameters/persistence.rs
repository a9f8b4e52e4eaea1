//! Snapshots and the append-only file.

use super::bounds::*;
use super::reasons::*;
use crate::choices::*;
use crate::composite::SavePoints;
use crate::definition::*;
use crate::handle::*;
use crate::value::*;

super::section! { Persistence, from super::structures::END;
    /// When to write a snapshot: pairs of seconds and writes, or `""` for never.
    SAVE: Parsed<SavePoints> =
        composite("save", "3600 1 300 100 60 10000").accepted_only(NOT_YET);
    /// File name of the snapshot.
    DBFILENAME: Text = text("dbfilename", "dump.rdb")
        .checked(check_db_filename)
        .protected()
        .accepted_only(NOT_YET);
    /// Refuse writes after a snapshot has failed.
    STOP_WRITES_ON_BGSAVE_ERROR: Boolean =
        boolean("stop-writes-on-bgsave-error", true).accepted_only(NOT_YET);
    /// Compress strings in snapshots.
    RDBCOMPRESSION: Boolean = boolean("rdbcompression", true).accepted_only(NOT_YET);
    /// End snapshots with a checksum.
    RDBCHECKSUM: Boolean = boolean("rdbchecksum", true).immutable().accepted_only(NOT_YET);
    /// Check payloads in depth before they are loaded.
    SANITIZE_DUMP_PAYLOAD: Choice<SanitizeDumpPayload> = choice("sanitize-dump-payload", "no")
        .accepted_only(Meaning::AcceptedOnly("every payload is checked in depth as it is decoded"));
    /// Whether snapshots of newer or foreign versions are loaded.
    RDB_VERSION_CHECK: Choice<RdbVersionCheck> =
        choice("rdb-version-check", "strict").accepted_only(NOT_YET);
    /// Delete the files of full synchronisations if nothing else is persisted.
    RDB_DEL_SYNC_FILES: Boolean = boolean("rdb-del-sync-files", false).accepted_only(NOT_YET);
    /// Flush a snapshot to disk as it grows.
    RDB_SAVE_INCREMENTAL_FSYNC: Boolean =
        boolean("rdb-save-incremental-fsync", true).accepted_only(NOT_YET);
    /// Microseconds to wait after each key of a snapshot, for tests.
    RDB_KEY_SAVE_DELAY: Integer =
        integer("rdb-key-save-delay", INT_MIN..=INT_MAX, 0).hidden().accepted_only(NOT_YET);
    /// Microseconds to wait after each loaded key, for tests.
    KEY_LOAD_DELAY: Integer =
        integer("key-load-delay", INT_MIN..=INT_MAX, 0).hidden().accepted_only(NOT_YET);
    /// Bytes loaded between looks at the clients.
    LOADING_PROCESS_EVENTS_INTERVAL_BYTES: Integer =
        integer("loading-process-events-interval-bytes", 1024..=INT_MAX, 2 * MB)
            .hidden()
            .accepted_only(NOT_YET);
    /// Keep a log of writes.
    APPENDONLY: Boolean =
        boolean("appendonly", false).denied_while_loading().accepted_only(NOT_YET);
    /// Base of the names of the append-only files.
    APPENDFILENAME: Text = text("appendfilename", "appendonly.aof")
        .checked(check_append_filename)
        .immutable()
        .accepted_only(NOT_YET);
    /// Directory of the append-only files, within `dir`.
    APPENDDIRNAME: Text = text("appenddirname", "appendonlydir")
        .checked(check_append_dirname)
        .immutable()
        .accepted_only(NOT_YET);
    /// When the append-only file is flushed to disk.
    APPENDFSYNC: Choice<AppendFsync> = choice("appendfsync", "everysec").accepted_only(NOT_YET);
    /// Do not flush while a rewrite or snapshot is written.
    NO_APPENDFSYNC_ON_REWRITE: Boolean =
        boolean("no-appendfsync-on-rewrite", false).accepted_only(NOT_YET);
    /// Growth in percent at which the append-only file is rewritten; 0 is never.
    AUTO_AOF_REWRITE_PERCENTAGE: Integer =
        integer("auto-aof-rewrite-percentage", 0..=INT_MAX, 100).accepted_only(NOT_YET);
    /// Size below which it is not rewritten.
    AUTO_AOF_REWRITE_MIN_SIZE: Integer =
        memory("auto-aof-rewrite-min-size", 0..=MAX, 64 * MB).accepted_only(NOT_YET);
    /// Load an append-only file whose end is cut off.
    AOF_LOAD_TRUNCATED: Boolean = boolean("aof-load-truncated", true).accepted_only(NOT_YET);
    /// Load an append-only file whose end is garbage, up to this many bytes.
    AOF_LOAD_CORRUPT_TAIL_MAX_SIZE: Integer =
        memory("aof-load-corrupt-tail-max-size", 0..=MAX, 0).hidden().accepted_only(NOT_YET);
    /// Start the append-only file with a snapshot.
    AOF_USE_RDB_PREAMBLE: Boolean = boolean("aof-use-rdb-preamble", true).accepted_only(NOT_YET);
    /// Write the time of writes into the append-only file.
    AOF_TIMESTAMP_ENABLED: Boolean =
        boolean("aof-timestamp-enabled", false).accepted_only(NOT_YET);
    /// Flush a rewritten append-only file to disk as it grows.
    AOF_REWRITE_INCREMENTAL_FSYNC: Boolean =
        boolean("aof-rewrite-incremental-fsync", true).accepted_only(NOT_YET);
    /// Keep append-only files that are no longer needed.
    AOF_DISABLE_AUTO_GC: Boolean =
        boolean("aof-disable-auto-gc", false).hidden().accepted_only(NOT_YET);
}
