//! The integration tests of the simulation: a gallery of faulty controllers, our own examples, bad input, and speed.

#![allow(clippy::print_stdout, reason = "the reports are part of what a test shows")]

mod bad_input;
mod examples;
mod gallery;
mod garbage_collection;
mod guarantees;
mod reports;
mod stand_ins;

use tidings_test_types as _;
