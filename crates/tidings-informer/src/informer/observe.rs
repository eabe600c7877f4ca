//! What an informer reports about itself. `monitor` observes one reflector, `health` and `stats` are what users read,
//! `fault` is what the error hook receives, and `failure` records why an informer no longer follows the server.

pub(crate) mod failure;
pub(crate) mod fault;
pub(crate) mod health;
pub(crate) mod monitor;
pub(crate) mod stats;
