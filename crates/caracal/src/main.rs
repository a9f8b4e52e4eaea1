//! The `caracal` binary.
fn main() {}
