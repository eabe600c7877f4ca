//! The example controllers, run over the API server in the process: what they show holds.

#[allow(dead_code, reason = "its main is for people")]
#[path = "../../examples/replica_keeper.rs"]
mod replica_keeper;
#[allow(dead_code, reason = "its main is for people")]
#[path = "../../examples/sample_controller.rs"]
mod sample_controller;

mod keeper;
mod sample;
