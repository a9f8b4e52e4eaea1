//! stub
use anyhow::Result;
pub(crate) fn run(_: &[String]) -> Result<()> { Ok(()) }
pub(crate) fn null_server(_: &[String]) -> Result<()> { Ok(()) }
