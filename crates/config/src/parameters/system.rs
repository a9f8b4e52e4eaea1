//! The operating system.

use super::reasons::*;
use crate::choices::*;
use crate::composite::{DEFAULT_OOM_SCORES, OomScoreAdjust};
use crate::definition::*;
use crate::handle::*;

super::section! { System, from super::observation::END;
    /// Turn transparent huge pages off for this process.
    DISABLE_THP: Boolean = boolean("disable-thp", true).immutable().accepted_only(NOT_YET);
    /// How the kernel's out-of-memory score is adjusted.
    OOM_SCORE_ADJ: Choice<OomScoreAdj> = choice("oom-score-adj", "no").accepted_only(NOT_YET);
    /// The score of a primary, a replica and a background child.
    OOM_SCORE_ADJ_VALUES: Parsed<OomScoreAdjust> =
        composite("oom-score-adj-values", DEFAULT_OOM_SCORES).accepted_only(NOT_YET);
    /// Cores for the worker threads.
    SERVER_CPULIST: Text = optional("server-cpulist")
        .aliases(&["server_cpulist"])
        .immutable()
        .accepted_only(NOT_YET);
    /// Cores for background threads.
    BIO_CPULIST: Text =
        optional("bio-cpulist").aliases(&["bio_cpulist"]).immutable().accepted_only(NOT_YET);
    /// Cores for the child that rewrites the append-only file.
    AOF_REWRITE_CPULIST: Text = optional("aof-rewrite-cpulist")
        .aliases(&["aof_rewrite_cpulist"])
        .immutable()
        .accepted_only(NO_FORK);
    /// Cores for the child that writes a snapshot.
    BGSAVE_CPULIST: Text =
        optional("bgsave-cpulist").aliases(&["bgsave_cpulist"]).immutable().accepted_only(NO_FORK);
}
