//! Elections over the in-process API server, most of them in paused time.

mod bad_input;
pub(crate) mod blocked_log;
mod faults;
mod guards;
mod leading;
mod replica;
mod simulation;
