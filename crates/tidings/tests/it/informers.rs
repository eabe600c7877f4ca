//! Informers against the in-process API server: their guarantees, also under faults.

mod bad_input;
mod busy;
mod errors;
mod factory;
mod odd_objects;
mod sharing;
mod silence;
mod simulation;
mod sockets;
mod views;
mod waits;
