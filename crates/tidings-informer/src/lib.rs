//! From the server to handlers and readers: reflector → delta queue → indexer → informer → lister.
//!
//! The root has what programs use: [`SharedInformer`] with its handlers, health and statistics, and [`Lister`]. The
//! stages below it are modules, for programs that assemble an informer by hand.
//!
//! The modules below are in the order in which data flows, and each imports only from those above it. Nothing here
//! knows HTTP or a work queue. Nothing before the lister knows the Rust type of an object.

mod coop_budget;
mod key_source;
mod sync;

pub mod reflector;

pub mod delta;

pub mod indexer;

mod informer;

mod lister;

#[cfg(feature = "testing")]
pub mod testing;

pub use informer::{
    AppliedCounts, CompletedCounts, ErrorHook, FaultCounts, Handler, HandlerStats, Health, Histogram,
    InformerConfig, InformerError, InformerFault, InformerStats, InformerTask, Lifecycle, MemoryStats,
    Notification, Notifications, Publications, RESYNC_MIN, Registration, RequestCounts, SharedInformer,
    Sources, StreamFailure, StreamHealth, StreamState, Unsynced, WaitError, WeakInformer, Wire, informer,
};
pub use key_source::{KeyChange, KeySource, KeySubscriber, KeySubscription};
pub use lister::{Lister, NamespaceLister};

#[cfg(test)]
use tidings_test_types as _;
