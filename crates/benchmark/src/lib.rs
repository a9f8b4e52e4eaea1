//! A load generator with the flags and output of redis-benchmark.
