//! Controllers: the only crate that joins informers and the work queue.
//!
//! An informer notifies `enqueue` of a change. If the predicates accept it, the key of the object is added to a queue.
//! A worker takes the key and calls the reconciler. A request is a key and nothing else: the reconciler reads the
//! current state from the caches.

mod sync;

mod fence;

mod lease_error;

mod request;

mod action;

mod reconciler;

mod error;

mod predicate;

mod caches;

mod causes;

mod enqueue;

mod writes;

mod context;

mod apply;

mod status;

mod worker;

mod controller;

mod owner;

mod finalizer;

mod condition;

mod recorder;

mod election;

mod shard;

mod manager;

pub use action::{Action, ObjectWait};
pub use apply::{Applied, Child};
pub use causes::{Cause, Causes, LoopObject, LoopReport};
pub use condition::{Condition, await_condition, await_condition_on};
pub use context::{Context, LateReads, ListRead, Staleness, TestContext, WhenStale};
#[cfg(feature = "metrics")]
pub use controller::ControllerMetrics;
pub use controller::{
    Controller, ControllerBuilder, ControllerHandle, ControllerStats, ControllerTask, MapContext, Owned,
    Reference, RequestCount, RequestReason, Watched,
};
pub use error::ControllerError;
pub use finalizer::{Finalize, FinalizerApi, finalizer};
pub use owner::{
    adoption_patch, controller_of, controller_reference, controller_reference_of, is_controlled_by,
    owner_reference, owner_reference_of, release_patch, set_controller,
};
pub use predicate::Predicate;
pub use reconciler::{Error, Reconciler};
pub use recorder::{NewEvent, Recorder, RecorderBuilder, RecorderStats, RecorderTask};
pub use request::Request;
pub use shard::{Permit, Shard, ShardStatus, ShardTask, Sharding};
pub use status::{ConditionStatus, StatusWrite};
pub use tidings_informer::Notification;
pub use worker::Signals;
pub use writes::{IfUnchanged, TrackedApi, Written};

#[cfg(feature = "metrics")]
pub use election::ElectionMetrics;
pub use election::{Election, ElectionTask, Guard, Leadership, OnOverrun, Overrun, Term};
pub use lease_error::LeaseError;
pub use manager::{Manager, ManagerError};

#[cfg(test)]
use tidings_test_types as _;

/// The examples of the page are documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/reconciling.md")]
mod reconciling {}
