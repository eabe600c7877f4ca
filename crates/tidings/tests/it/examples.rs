//! The example controllers, run over the API server in the process: what they show holds.

#![allow(clippy::duplicate_mod, reason = "each example stands by itself and brings what they share")]

#[allow(dead_code, reason = "its main is for people")]
#[path = "../../examples/replica_keeper.rs"]
mod replica_keeper;
#[allow(dead_code, reason = "its main is for people")]
#[path = "../../examples/sample_controller.rs"]
mod sample_controller;

mod keeper;
mod sample;
