//! Listeners, workers and connections.
