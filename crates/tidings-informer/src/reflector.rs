//! The reflector: keeps a sink equal to one stream of a resource. It lists, watches, and starts again after every
//! error.
//!
//! `phase` decides what to do next and is pure; the other files do it. Nothing here depends on a cache or a queue:
//! objects are written to a [`Sink`].

mod initial_progress;
mod phase;
mod probe;
mod run;

mod list;
mod stream_list;
mod watch;

mod liveness;
mod timer;

mod config;
mod observer;
mod sink;

pub use config::{ListMode, LivenessConfig, Paging, ReflectorConfig, StopPolicy};
pub use observer::{CompletedList, Observer, ReflectorActivity, RelistReason, StopReason};
pub use run::Reflector;
pub use sink::{Epoch, Replacement, Sink};
pub use tidings_util::backoff::BackoffConfig;

/// The number of events, or of objects of a list, that cost the reflector's task one unit of its coop budget. 128 units
/// are a thousand events of a few microseconds each: short enough between two yields.
const EVENTS_PER_UNIT: u8 = 8;
