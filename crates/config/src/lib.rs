//! Configuration as data: every parameter, redis.conf syntax, CONFIG GET, SET and REWRITE.
