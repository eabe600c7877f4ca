//! The cache: objects by key, and indexes over them, with one writer and any number of readers.
//!
//! [`indexer`] returns both ends. The [`Writer`] stores objects and publishes them in batches. A [`Reader`] reads the
//! last published state, and a [`Snapshot`] keeps one published state. Readers never wait for the writer and never see
//! half a batch. Nothing here depends on the Rust type of an object, and nothing decodes an object except a typed index
//! function.
//!
//! The structure is a persistent (copy-on-write) one, in four layers:
//!
//! | file | what it is |
//! |---|---|
//! | `cow_chunks` | a sparse vector as a radix tree, with path copying |
//! | `linear_hash` | a hash table from key hashes to slot numbers, in such a vector |
//! | `table` | objects in numbered slots, plus the hash table that finds the slot of a key |
//! | `inverted`, `slot_set` | an index: from a value to the set of slots that have it, a B+ tree with path copying |
//!
//! All of them share unchanged nodes behind `Arc`s. So the state of the whole cache is a handful of pointers:
//! publishing it is one atomic store, and a snapshot costs one reference count. Example: with 100,000 pods cached, an
//! update of `shop/web-0` copies one chunk per level on the path to its slot, and in each index one path of the value
//! that changed. A snapshot taken before the update keeps the old chunks.

mod cow_chunks;
mod linear_hash;
mod slot_set;
mod table;

mod index;
mod inverted;
mod registry;

mod reader;
mod replace;
mod snapshot;
mod writer;

pub use index::{Index, IndexError, IndexFault, IndexFaultCause, NAMESPACE_INDEX};
pub use reader::{IndexState, Reader};
pub use replace::ReplaceSummary;
pub use snapshot::{IndexMemory, Snapshot, SnapshotChange};
#[doc(hidden)]
pub use writer::indexer_with_seed;
pub use writer::{Writer, indexer};

#[cfg(test)]
mod tests;
