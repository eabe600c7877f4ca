//! Runs the example controllers against the in-process API server.

#![allow(clippy::duplicate_mod, reason = "each example includes the shared module")]

#[allow(dead_code, reason = "only users run its main")]
#[path = "../../examples/gateway.rs"]
mod gateway;
#[allow(dead_code, reason = "only users run its main")]
#[path = "../../examples/pod_set.rs"]
mod pod_set;
#[allow(dead_code, reason = "only users run its main")]
#[path = "../../examples/sample_controller.rs"]
mod sample_controller;

mod gateway_tests;
mod pod_set_tests;
mod sample_controller_tests;
