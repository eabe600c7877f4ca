//! From a notification to Reconcile: the only crate that joins informers and the work queue.
//!
//! An informer tells `enqueue` of a change, a predicate lets it pass, its key goes on a
//! queue, a worker takes it and calls the reconciler. A request is a key and nothing
//! more: what is to be done is read from the caches, when it is done.

mod sync;

mod fence;

pub mod request;

pub mod action;

pub mod reconciler;

pub mod predicate;

mod caches;

mod enqueue;

pub mod writes;

pub mod context;

mod worker;

pub mod controller;

pub mod owner;

pub mod finalizer;

pub mod condition;

pub mod recorder;

pub mod election;

pub mod shard;

pub mod manager;

pub use action::Action;
pub use condition::{Condition, ConditionError, await_condition, await_condition_on};
pub use context::Context;
#[cfg(feature = "metrics")]
pub use controller::ControllerMetrics;
pub use controller::{
    Controller, ControllerBuilder, ControllerError, ControllerHandle, ControllerStats, ControllerTask, Owned,
    Watched,
};
pub use finalizer::{Finalize, FinalizerError, finalizer};
pub use owner::{OwnerError, controller_reference, is_controlled_by, owner_reference, set_controller};
pub use predicate::{Change, Predicate};
pub use reconciler::{Error, Reconciler};
pub use recorder::{EventType, NewEvent, Recorder, RecorderBuilder, RecorderStats, RecorderTask};
pub use request::Request;
pub use shard::{
    Permit, Shard, ShardCheckError, ShardError, ShardStatus, ShardTask, Sharding, ShardingError,
};
pub use worker::Signals;
pub use writes::{IfUnchanged, TrackedApi, Written};

#[cfg(feature = "metrics")]
pub use election::ElectionMetrics;
pub use election::{
    Election, ElectionError, ElectionTask, Guard, GuardError, Leadership, OnOverrun, Overrun, Stalled, Term,
};
pub use manager::{Manager, ManagerError};
