//! Controllers against an API server in the process: requests, outcomes of reconciles, what they read, metrics.

mod applying;
mod awaiting;
mod blocking;
mod causes;
mod context;
mod dynamic;
mod fresh_reads;
mod harness;
mod loops;
#[cfg(feature = "metrics")]
mod metrics;
mod missed_updates;
mod outcomes;
mod preconditions;
mod read_your_writes;
mod references;
mod requests;
mod sharding;
mod simulation;
mod staleness;
mod stop;
mod write_responses;
