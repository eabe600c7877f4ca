//! From the wire to handlers and readers: reflector → delta queue → indexer → informer → lister.
//!
//! The stages stand below in the order in which data flows; each imports only from those above it. Nothing
//! here speaks HTTP or knows a work queue, and nothing up to the lister knows a Rust type of an object.

mod coop_budget;
mod sync;

pub mod reflector;

pub mod delta;

pub mod indexer;

pub mod informer;

pub mod lister;
