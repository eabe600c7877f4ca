//! The manager over the API server in the process: what it starts in which order, and how it ends.

#[cfg(unix)]
#[path = "../election/blocked_log.rs"]
#[allow(dead_code, reason = "its other parts are for elections and shards")]
mod blocked_log;
#[cfg(feature = "endpoints")]
mod endpoints;
mod failing;
mod harness;
mod leading;
mod order;
#[cfg(unix)]
mod signals;
mod stopping;
