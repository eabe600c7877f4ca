//! Objects of every kind, as Go writes them in both formats: whatever is read from the protobuf is what the JSON says.
//!
//! The generator filled them by chance and wrote them to `tests/corpus`; see the crate's page.

mod encoding;
mod hostile;
mod pairs;
mod paths;
mod pruning;
mod rules;
mod text;
