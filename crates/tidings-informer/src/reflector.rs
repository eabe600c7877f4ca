//! Keeps a sink equal to one stream of a resource: lists, watches, and does so again after any fault.
//!
//! Deciding is pure and stands in [`phase`]; doing is elsewhere. Nothing here knows a cache or a queue: what
//! arrives goes into a [`Sink`].

mod initial_progress;
mod phase;
mod probe;
mod run;

mod list;
mod stream_list;
mod watch;

mod liveness;
mod timer;

pub mod config;
pub mod observer;
pub mod sink;

pub use config::{ListMode, Paging, ReflectorConfig, StopPolicy};
pub use liveness::LivenessConfig;
pub use observer::{CompletedList, Observer, ReflectorActivity, RelistReason, StopReason};
pub use run::Reflector;
pub use sink::{Epoch, Replacement, Sink};
pub use tidings_util::backoff::BackoffConfig;

/// How many events, or items of a list, cost the reflector's task one unit of its budget: a thousand of them, of a few
/// microseconds each, are a turn that nobody minds.
const EVENTS_PER_UNIT: u8 = 8;
