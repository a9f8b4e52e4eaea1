//! What the server tells about itself: slow log, latency, keyspace events.

use super::bounds::*;
use super::reasons::*;
use crate::composite::Percentiles;
use crate::definition::*;
use crate::handle::*;

super::section! { Observation, from super::cluster::END;
    /// Microseconds from which on a command is logged as slow; 0 logs each, -1 none.
    SLOWLOG_LOG_SLOWER_THAN: Integer = integer("slowlog-log-slower-than", -1..=MAX, 10_000)
        .aliases(&["commandlog-execution-slower-than"]).accepted_only(NOT_YET);
    /// Slow commands that are remembered.
    SLOWLOG_MAX_LEN: Integer = integer("slowlog-max-len", 0..=MAX, 128)
        .aliases(&["commandlog-slow-execution-max-len"]).accepted_only(NOT_YET);
    /// Bytes from which on a request is logged as large; -1 logs none.
    COMMANDLOG_REQUEST_LARGER_THAN: Integer =
        integer("commandlog-request-larger-than", -1..=MAX, MB).accepted_only(NOT_YET);
    /// Large requests that are remembered.
    COMMANDLOG_LARGE_REQUEST_MAX_LEN: Integer =
        integer("commandlog-large-request-max-len", 0..=MAX, 128).accepted_only(NOT_YET);
    /// Bytes from which on a reply is logged as large; -1 logs none.
    COMMANDLOG_REPLY_LARGER_THAN: Integer =
        integer("commandlog-reply-larger-than", -1..=MAX, MB).accepted_only(NOT_YET);
    /// Large replies that are remembered.
    COMMANDLOG_LARGE_REPLY_MAX_LEN: Integer =
        integer("commandlog-large-reply-max-len", 0..=MAX, 128).accepted_only(NOT_YET);
    /// Milliseconds from which on an event is a latency spike; 0 turns the monitor off.
    LATENCY_MONITOR_THRESHOLD: Integer = integer("latency-monitor-threshold", 0..=MAX, 0).accepted_only(NOT_YET);
    /// Keep a histogram of the latency of each command.
    LATENCY_TRACKING: Boolean = boolean("latency-tracking", true).accepted_only(NOT_YET);
    /// Percentiles that INFO shows of them.
    LATENCY_TRACKING_INFO_PERCENTILES: Parsed<Percentiles> =
        composite("latency-tracking-info-percentiles", "50 99 99.9").accepted_only(NOT_YET);
    /// Keyspace events that are published, a letter for each class.
    NOTIFY_KEYSPACE_EVENTS: Events = events("notify-keyspace-events").accepted_only(NOT_YET);
}
