//! The manager over the API server in the process: what it starts in which order, and how it ends.

#[cfg(feature = "endpoints")]
mod endpoints;
mod failing;
mod harness;
mod leading;
mod order;
#[cfg(unix)]
mod signals;
mod stopping;
