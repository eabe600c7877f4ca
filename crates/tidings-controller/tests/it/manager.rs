//! The manager over the in-process API server: the order of its start, its failures, its stop.

#[cfg(feature = "endpoints")]
mod endpoints;
mod failing;
mod harness;
mod leading;
mod order;
#[cfg(unix)]
mod signals;
mod stopping;
