//! Informers over the API server in the process: what they promise, under whatever faults.

mod bad_input;
mod busy;
mod errors;
mod factory;
mod heard;
mod odd_objects;
mod sharing;
mod silence;
mod simulation;
mod sockets;
mod views;
mod waits;
