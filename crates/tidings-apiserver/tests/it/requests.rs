//! What clients observe, over the in-process transport and over sockets.

mod admission;
mod bad_input;
mod cluster_start;
mod conversion;
mod custom_resources;
mod deletes;
mod external;
mod faults;
mod http_calls;
mod lagging;
mod lists;
mod protobuf;
mod request_log;
mod shards;
mod subresources;
mod transports;
mod typed_client;
mod watches;
mod webhook_server;
mod writes;
