//! A Redis-compatible in-memory data store.
