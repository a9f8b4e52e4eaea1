//! The loaded modules: none.

use engine::Server;

use super::Report;

pub(super) fn write(_: &Server, _: &mut Report) {}
