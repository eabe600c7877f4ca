//! Controllers over an API server in the process: what makes requests, how reconciles end, what they see and what is counted.

mod answers;
mod blocking;
mod dynamic;
mod ends;
mod figures;
mod own_writes;
mod preconditions;
mod requests;
mod scene;
mod sharing;
mod simulation;
mod stop;
mod views;
