//! Controllers over an API server in the process: what makes requests, how reconciles end, what they see and what is counted.

mod blocking;
mod context;
mod dynamic;
mod harness;
#[cfg(feature = "metrics")]
mod metrics;
mod missed_updates;
mod outcomes;
mod preconditions;
mod read_your_writes;
mod requests;
mod sharding;
mod simulation;
mod stop;
mod write_responses;
