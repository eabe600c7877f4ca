//! Replicas that share keys, with real tasks over the API server in the process, in paused time unless a test says
//! otherwise.

mod fence;
mod hand_over;
mod joining;
mod losing;
mod replica;
