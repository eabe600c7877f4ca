//! The manager over the API server in the process: what it starts in which order, and how it ends.

#[cfg(feature = "endpoints")]
mod door;
mod failing;
mod leading;
mod order;
mod scene;
#[cfg(unix)]
mod signals;
mod stopping;
