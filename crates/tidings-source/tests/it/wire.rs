//! The source with a server whose responses are scripted chunk by chunk: requests, results, and bad input.

mod bad_input;
mod body;
mod events;
mod lists;
mod negotiation;
mod requests;
mod server;
mod shards;
