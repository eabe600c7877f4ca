//! Shards with real tasks over the in-process API server, most of them in paused time.

mod fence;
mod hand_over;
mod joining;
mod losing;
mod replica;
