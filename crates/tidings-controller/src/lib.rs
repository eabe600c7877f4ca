//! From a notification to Reconcile: the only crate that joins informers and the work queue.
//!
//! An informer tells `enqueue` of a change, a predicate lets it pass, its key goes on a
//! queue, a worker takes it and calls the reconciler. A request is a key and nothing
//! more: what is to be done is read from the caches, when it is done.

mod sync;

pub mod request;

pub mod action;

pub mod reconciler;

pub mod predicate;

pub mod enqueue;

pub mod writes;

pub mod context;

pub mod worker;

pub mod controller;

pub mod owner;

pub mod finalizer;

pub mod condition;

pub mod recorder;

pub mod election;

pub mod shard;

pub mod manager;
