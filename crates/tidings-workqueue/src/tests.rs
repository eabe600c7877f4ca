//! The state without a lock and without a clock, against a model and against its own promises.

mod fairness;
mod model;
mod structures;
mod wakes;
