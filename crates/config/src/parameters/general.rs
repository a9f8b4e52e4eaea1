//! The process: databases, logging, supervision, files of its own.

use super::bounds::*;
use super::reasons::*;
use crate::choices::*;
use crate::definition::*;
use crate::handle::*;

super::section! { General, from super::network::END;
    /// Databases, numbered from 0.
    DATABASES: Integer = integer("databases", 1..=INT_MAX, 16).immutable();
    /// Working directory: what all other paths are relative to, and where dumps are written.
    DIR: Text = directory("dir").protected().denied_while_loading();
    /// Run in the background.
    DAEMONIZE: Boolean = boolean("daemonize", false).immutable();
    /// Supervisor to tell when the server is ready.
    SUPERVISED: Choice<Supervised> =
        choice("supervised", "no").immutable().accepted_only(NOT_YET);
    /// File that holds the process id while the server runs.
    PIDFILE: Text = optional("pidfile").immutable();
    /// Least severe message that is logged.
    LOGLEVEL: Choice<LogLevel> = choice("loglevel", "notice");
    /// File for the log; empty is standard output.
    LOGFILE: Text = text("logfile", "").immutable();
    /// Shape of log lines.
    LOG_FORMAT: Choice<LogFormat> = choice("log-format", "legacy").accepted_only(NOT_YET);
    /// How log lines say the time.
    LOG_TIMESTAMP_FORMAT: Choice<LogTimestampFormat> =
        choice("log-timestamp-format", "legacy").accepted_only(NOT_YET);
    /// Log to the system logger too.
    SYSLOG_ENABLED: Boolean = boolean("syslog-enabled", false).immutable().accepted_only(NOT_YET);
    /// Name under which the system logger knows the server.
    SYSLOG_IDENT: Text = text("syslog-ident", "redis").immutable().accepted_only(NOT_YET);
    /// Facility of messages to the system logger.
    SYSLOG_FACILITY: Choice<SyslogFacility> =
        choice("syslog-facility", "local0").immutable().accepted_only(NOT_YET);
    /// Keep keys and values out of the log.
    HIDE_USER_DATA_FROM_LOG: Boolean =
        boolean("hide-user-data-from-log", false).accepted_only(Meaning::AcceptedOnly("no key or value is ever logged"));
    /// Log what is known of a crash.
    CRASH_LOG_ENABLED: Boolean = boolean("crash-log-enabled", true).accepted_only(NOT_YET);
    /// Test the memory after a crash.
    CRASH_MEMCHECK_ENABLED: Boolean =
        boolean("crash-memcheck-enabled", true).accepted_only(NOT_YET);
    /// Exit rather than abort on a fatal error.
    USE_EXIT_ON_PANIC: Boolean =
        boolean("use-exit-on-panic", false).hidden().accepted_only(NOT_YET);
    /// Show the logo at start even if the log is no terminal.
    ALWAYS_SHOW_LOGO: Boolean =
        boolean("always-show-logo", false).immutable().accepted_only(Meaning::AcceptedOnly("there is no logo"));
    /// Show the server's state in the process list.
    SET_PROC_TITLE: Boolean = boolean("set-proc-title", true).immutable().accepted_only(NOT_YET);
    /// What the process list shows.
    PROC_TITLE_TEMPLATE: Text =
        text("proc-title-template", "{title} {listen-addr} {server-mode}")
            .checked(crate::value::check_process_title)
            .accepted_only(NOT_YET);
    /// Start-up warnings to keep silent about.
    IGNORE_WARNINGS: Text = text("ignore-warnings", "").accepted_only(NOT_YET);
    /// Locale by which SORT ALPHA compares; empty takes it from the environment.
    LOCALE_COLLATE: Text = text("locale-collate", "").accepted_only(NOT_YET);
    /// Answer as Redis does where Valkey would not.
    EXTENDED_REDIS_COMPATIBILITY: Boolean = boolean("extended-redis-compatibility", false)
        .accepted_only(Meaning::AcceptedOnly("the server always answers as Redis does"));
    /// Seconds that a shutdown waits for replicas to catch up.
    SHUTDOWN_TIMEOUT: Integer =
        integer("shutdown-timeout", 0..=INT_MAX, 10).accepted_only(NOT_YET);
    /// What SIGINT does: `default`, or some of `save`, `nosave`, `now`, `force`, `safe` and
    /// `failover`.
    SHUTDOWN_ON_SIGINT: Flags =
        flags("shutdown-on-sigint", shutdown::NAMES, "default").accepted_only(NOT_YET);
    /// What SIGTERM does, as for SIGINT.
    SHUTDOWN_ON_SIGTERM: Flags =
        flags("shutdown-on-sigterm", shutdown::NAMES, "default").accepted_only(NOT_YET);
    /// Milliseconds after which a script that still runs is answered for with BUSY; 0 is never.
    BUSY_REPLY_THRESHOLD: Integer = integer("busy-reply-threshold", 0..=MAX, 5000)
        .aliases(&["lua-time-limit"])
        .accepted_only(NOT_YET);
    /// Give scripts functions that Lua and Redis have deprecated.
    LUA_ENABLE_DEPRECATED_API: Boolean =
        boolean("lua-enable-deprecated-api", false).immutable().hidden().accepted_only(NOT_YET);
    /// Give scripts functions that reach out of their sandbox.
    LUA_ENABLE_INSECURE_API: Boolean =
        boolean("lua-enable-insecure-api", false).protected().hidden().accepted_only(NOT_YET);
    /// Scripts were once replicated as scripts.
    LUA_REPLICATE_COMMANDS: Text =
        text("lua-replicate-commands", "yes").file_only().accepted_only(REMOVED);
    /// A free text for tests that crash the server.
    DEBUG_CONTEXT: Text = text("debug-context", "").hidden().accepted_only(NOT_YET);
    /// Check invariants that are dear to check.
    ENABLE_DEBUG_ASSERT: Boolean =
        boolean("enable-debug-assert", false).immutable().hidden().accepted_only(NOT_YET);
    /// Milliseconds after which a stuck event loop is logged.
    WATCHDOG_PERIOD: Integer =
        integer("watchdog-period", 0..=INT_MAX, 0).hidden().accepted_only(NOT_YET);
}
