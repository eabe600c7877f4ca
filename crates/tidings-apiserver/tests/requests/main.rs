//! What a client sees, part by part, over both doors.

mod bad_input;
mod custom_resources;
mod deletes;
mod faults;
mod http_calls;
mod lagging;
mod lists;
mod protobuf;
mod transports;
mod typed_client;
mod watches;
mod writes;
