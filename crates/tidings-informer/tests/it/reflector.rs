//! The reflector against a scripted source, in paused time: what it asks, when, and what reaches the sink.

mod bad_input;
mod list;
mod model;
mod observed;
mod retry;
mod scene;
mod silence;
mod stop;
mod stream_list;
mod watch;
