//! Elections over the in-process API server, in paused time unless a test says otherwise.

mod bad_input;
pub(crate) mod blocked_log;
mod faults;
mod guards;
mod leading;
mod replica;
mod simulation;
