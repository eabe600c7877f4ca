//! The source over a client whose server answers by hand, chunk by chunk: what is asked, what comes out, and
//! what every sort of bad input does.

mod bad_input;
mod body;
mod events;
mod lists;
mod negotiation;
mod requests;
mod server;
mod shards;
