//! The reflector with a scripted source, in paused time: its requests, their times, and what reaches the sink.

mod bad_input;
mod harness;
mod list;
mod model;
mod observed;
mod retry;
mod silence;
mod stop;
mod stream_list;
mod watch;
