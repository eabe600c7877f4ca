//! Replicas that share keys, with real tasks over the API server in the process, in paused time.

mod hand_over;
mod joining;
mod losing;
mod replica;
