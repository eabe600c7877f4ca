//! Objects of every kind, as Go writes them in both formats: each reader of the protobuf returns what the JSON has.
//!
//! The generator fills them with random values and writes them to `tests/corpus`; see the README of the crate.

mod encoding;
mod hostile;
mod pairs;
mod paths;
mod pruning;
mod rules;
mod text;
