//! Events, finalizers, owners and conditions over the API server in the process.

mod condition;
mod finalizer;
mod owner;
mod recorder;
