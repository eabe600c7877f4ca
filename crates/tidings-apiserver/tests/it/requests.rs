//! What clients observe, over the in-process transport and over sockets.

mod bad_input;
mod custom_resources;
mod deletes;
mod faults;
mod http_calls;
mod lagging;
mod lists;
mod protobuf;
mod request_log;
mod transports;
mod typed_client;
mod watches;
mod writes;
