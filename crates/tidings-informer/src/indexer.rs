//! The cache: objects by key, and indexes over them, written by one and read by all.
//!
//! [`indexer`] gives the two ends. The [`Writer`] stores what arrives and publishes it a batch at a time; a
//! [`Reader`] reads what was last published, and a [`Snapshot`] keeps one such state. Readers never wait for
//! the writer and never see half a batch. Nothing here knows a Rust type of an object, and nothing decodes one
//! except an index function that asks for it.
//!
//! Objects stand in numbered slots, in a vector of copy-on-write chunks; a key leads to its slot, and an index
//! value to a set of slots. All three are trees behind `Arc`s that share what did not change, so that the
//! state of the whole cache is a handful of pointers, and publishing it is one store.

mod cow_chunks;
mod linear_hash;
mod slot_set;
mod table;

pub mod index;
mod inverted;
mod registry;

pub mod reader;
pub mod replace;
pub mod snapshot;
pub mod writer;

pub use index::{Index, IndexError, IndexFault, IndexFaultError, NAMESPACE_INDEX};
pub use reader::{IndexState, Reader};
pub use replace::ReplaceSummary;
pub use snapshot::{IndexMemory, Snapshot};
pub use writer::{Writer, indexer, indexer_with_seed};

#[cfg(test)]
mod tests;
