//! An interactive client with the flags and output of redis-cli.
