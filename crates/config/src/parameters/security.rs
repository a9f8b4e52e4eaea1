//! Who may do what.

use super::bounds::*;
use super::reasons::*;
use crate::choices::*;
use crate::definition::*;
use crate::handle::*;

super::section! { Security, from super::tls::END;
    /// Password of the default user; empty is none.
    REQUIREPASS: Text = optional("requirepass").secret();
    /// File of ACL users.
    ACLFILE: Text = text("aclfile", "").immutable().accepted_only(NOT_YET);
    /// Refused commands and logins that ACL LOG remembers.
    ACLLOG_MAX_LEN: Integer = integer("acllog-max-len", 0..=MAX, 128).accepted_only(NOT_YET);
    /// Which channels a new ACL user may use.
    ACL_PUBSUB_DEFAULT: Choice<AclPubsubDefault> = choice("acl-pubsub-default", "resetchannels").accepted_only(NOT_YET);
    /// Who may change `dir` and `dbfilename` at run time.
    ENABLE_PROTECTED_CONFIGS: Choice<ProtectedAction> =
        choice("enable-protected-configs", "no").immutable();
    /// Who may use DEBUG.
    ENABLE_DEBUG_COMMAND: Choice<ProtectedAction> =
        choice("enable-debug-command", "no").immutable();
    /// Who may use MODULE.
    ENABLE_MODULE_COMMAND: Choice<ProtectedAction> =
        choice("enable-module-command", "no").immutable().accepted_only(NOT_YET);
}
