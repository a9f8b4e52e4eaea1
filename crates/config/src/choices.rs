//! The parameters' enums: what a choice reads as, and the names it goes by, in the order in which
//! error messages list them.

/// An enum whose variants have names in the configuration.
pub trait Choices: Copy + 'static {
    /// Each name and its number; synonyms share a number, and the first name is the one reported.
    const NAMES: &'static [(&'static str, i64)];
    /// The variant of a number that [`Self::NAMES`] holds; the first variant for any other.
    fn from_number(number: i64) -> Self;
}

macro_rules! choices {
    ($($(#[doc = $doc:literal])+ $name:ident {
        $($(#[doc = $variant_doc:literal])+ $variant:ident = $text:literal $(| $synonym:literal)*,)+
    })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name {
            $($(#[doc = $variant_doc])+ $variant,)+
        }
        impl Choices for $name {
            const NAMES: &'static [(&'static str, i64)] = &[
                $(($text, $name::$variant as i64), $(($synonym, $name::$variant as i64),)*)+
            ];
            fn from_number(number: i64) -> Self {
                const ALL: &[$name] = &[$($name::$variant),+];
                ALL.get(number as usize).copied().unwrap_or(ALL[0])
            }
        }
        impl $name {
            /// The name in the configuration.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }
    )+};
}

choices! {
    /// What a full memory does to keys.
    MaxmemoryPolicy {
        /// The least recently used key that has a time to live goes.
        VolatileLru = "volatile-lru",
        /// The least frequently used key that has a time to live goes.
        VolatileLfu = "volatile-lfu",
        /// A random key that has a time to live goes.
        VolatileRandom = "volatile-random",
        /// The key that would expire soonest goes.
        VolatileTtl = "volatile-ttl",
        /// The least recently used key goes.
        AllkeysLru = "allkeys-lru",
        /// The least frequently used key goes.
        AllkeysLfu = "allkeys-lfu",
        /// A random key goes.
        AllkeysRandom = "allkeys-random",
        /// None goes: writes are refused.
        NoEviction = "noeviction",
    }
    /// The least severe message that is logged.
    LogLevel {
        /// Everything, for development.
        Debug = "debug",
        /// Much that is rarely useful.
        Verbose = "verbose",
        /// What one wants to know in production.
        Notice = "notice",
        /// Only what is important or critical.
        Warning = "warning",
        /// Nothing at all.
        Nothing = "nothing",
    }
    /// The shape of log lines.
    LogFormat {
        /// Redis's classic line.
        Legacy = "legacy",
        /// `key=value` pairs.
        Logfmt = "logfmt",
        /// A JSON object a line.
        Json = "json",
    }
    /// How log lines say the time.
    LogTimestampFormat {
        /// Redis's classic `05 Sep 2024 18:55:29.453`.
        Legacy = "legacy",
        /// ISO 8601 with the offset from UTC.
        Iso8601 = "iso8601",
        /// Milliseconds since 1970.
        Milliseconds = "milliseconds",
    }
    /// Which supervisor is told when the server is ready.
    Supervised {
        /// Upstart, by stopping itself.
        Upstart = "upstart",
        /// systemd, by a message to its socket.
        Systemd = "systemd",
        /// Whichever the environment shows.
        Auto = "auto",
        /// None.
        No = "no",
    }
    /// Facility of syslog messages.
    SyslogFacility {
        /// LOG_USER.
        User = "user",
        /// LOG_LOCAL0.
        Local0 = "local0",
        /// LOG_LOCAL1.
        Local1 = "local1",
        /// LOG_LOCAL2.
        Local2 = "local2",
        /// LOG_LOCAL3.
        Local3 = "local3",
        /// LOG_LOCAL4.
        Local4 = "local4",
        /// LOG_LOCAL5.
        Local5 = "local5",
        /// LOG_LOCAL6.
        Local6 = "local6",
        /// LOG_LOCAL7.
        Local7 = "local7",
    }
    /// When the append-only file is flushed to disk.
    AppendFsync {
        /// Once a second.
        Everysec = "everysec",
        /// Before each reply.
        Always = "always",
        /// When the operating system likes.
        No = "no",
    }
    /// How a replica takes a full synchronisation that comes without a file.
    ReplDisklessLoad {
        /// Through a file on disk.
        Disabled = "disabled",
        /// From the socket if the data set is empty.
        OnEmptyDb = "on-empty-db",
        /// From the socket, with the old data set kept until the new one is complete.
        Swapdb = "swapdb",
        /// From the socket, after the old data set is dropped.
        FlushBeforeLoad = "flush-before-load",
    }
    /// Whether TLS clients must show a certificate.
    TlsAuthClients {
        /// They need not, and it is not looked at.
        No = "no",
        /// They must.
        Yes = "yes",
        /// They may; one that is shown must be valid.
        Optional = "optional",
    }
    /// Which part of a client certificate names the user.
    TlsAuthClientsUser {
        /// The common name.
        CommonName = "CN",
        /// A URI among the alternative names.
        Uri = "URI",
        /// None.
        Off = "off",
    }
    /// How the kernel's out-of-memory score is adjusted.
    OomScoreAdj {
        /// Not at all.
        No = "no",
        /// Relative to the score at start.
        Relative = "yes" | "relative",
        /// To the values as they are.
        Absolute = "absolute",
    }
    /// Which channels a new ACL user may use.
    AclPubsubDefault {
        /// All.
        Allchannels = "allchannels",
        /// None.
        Resetchannels = "resetchannels",
    }
    /// When a payload is checked in depth before it is loaded.
    SanitizeDumpPayload {
        /// Never.
        No = "no",
        /// Always.
        Yes = "yes",
        /// When it comes from a client that is no replication link.
        Clients = "clients",
    }
    /// Who may use a dangerous command.
    ProtectedAction {
        /// No one.
        No = "no",
        /// Everyone.
        Yes = "yes",
        /// Clients on this machine.
        Local = "local",
    }
    /// What cluster nodes give clients as their address.
    ClusterPreferredEndpointType {
        /// The address.
        Ip = "ip",
        /// The announced host name.
        Hostname = "hostname",
        /// Nothing: the client keeps the address it used.
        UnknownEndpoint = "unknown-endpoint",
    }
    /// Whether a node waits for its cluster file to be on disk.
    ClusterConfigSaveBehavior {
        /// It does.
        Sync = "sync",
        /// It does not.
        BestEffort = "best-effort",
    }
    /// What an error in a replicated command does.
    PropagationErrorBehavior {
        /// It is logged.
        Ignore = "ignore",
        /// The server stops.
        Panic = "panic",
        /// A replica stops.
        PanicOnReplicas = "panic-on-replicas",
    }
    /// Whether RDB files of newer or foreign versions are loaded.
    RdbVersionCheck {
        /// They are refused.
        Strict = "strict",
        /// They are tried.
        Relaxed = "relaxed",
    }
}

/// The words of `shutdown-on-sigint` and `shutdown-on-sigterm`, as bits.
pub mod shutdown {
    /// Save if there are save points.
    pub const DEFAULT: i64 = 0;
    /// Save in any case.
    pub const SAVE: i64 = 1;
    /// Do not save.
    pub const NOSAVE: i64 = 2;
    /// Do not wait for replicas.
    pub const NOW: i64 = 4;
    /// Go on when saving fails.
    pub const FORCE: i64 = 8;
    /// Refuse if that would lose data.
    pub const SAFE: i64 = 16;
    /// Hand over to a replica first.
    pub const FAILOVER: i64 = 32;

    pub(crate) const NAMES: &[(&str, i64)] = &[
        ("default", DEFAULT),
        ("save", SAVE),
        ("nosave", NOSAVE),
        ("now", NOW),
        ("force", FORCE),
        ("safe", SAFE),
        ("failover", FAILOVER),
    ];
}
