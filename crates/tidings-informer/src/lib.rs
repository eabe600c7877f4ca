//! From the server to handlers and readers: reflector → delta queue → indexer → informer → lister.
//!
//! The modules below are in the order in which data flows, and each imports only from those above it. Nothing here
//! knows HTTP or a work queue. Nothing before the lister knows the Rust type of an object.

mod coop_budget;
mod sync;

pub mod reflector;

pub mod delta;

pub mod indexer;

pub mod informer;

pub mod lister;
