//! A Kubernetes API server in the process, for tests and demos without a cluster.

pub mod clock;
pub mod request;
pub mod resource;
pub mod status;
pub mod store;
mod sync;

pub mod crd;
pub mod discovery;
pub mod openapi;
pub mod patch;
pub mod schema;
pub mod table;
pub mod validate;
