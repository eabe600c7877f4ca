//! The error type of this crate's functions, other than those of leases and of the manager.

use std::time::Duration;

use tidings_informer::{InformerError, WaitError};
use tidings_object::ReadError;
use tidings_util::WithCauses;

use crate::finalizer::ATTEMPTS_MAX;

/// Why a controller can't be attached or has ended, or why a helper of reconcilers (finalizers, owner references,
/// conditions) did not do its work.
///
/// A reconciler returns it with `?`, like every other error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControllerError {
    /// A controller needs a name.
    #[error("a controller needs a name that is not empty")]
    EmptyName,
    /// A controller without workers reconciles nothing.
    #[error("controller {controller:?} has no workers: give it at least one")]
    NoWorkers {
        /// The controller.
        controller: String,
    },
    /// There is no informer of a resource, because of its name or its options, or it rejected the controller's handler.
    #[error("attaching controller {controller:?} to the informer of {resource}: {source}")]
    Resource {
        /// The controller.
        controller: String,
        /// The resource, by its plural and group.
        resource: String,
        /// The cause.
        r#source: Box<InformerError>,
    },
    /// One of the controller's informers failed, so its cache no longer follows the server.
    #[error("controller {controller:?} can't continue: {source}")]
    Informer {
        /// The controller.
        controller: String,
        /// The cause.
        r#source: Box<InformerError>,
    },
    /// Code outside of a reconcile panicked, such as a rate limiter.
    #[error("{part} of controller {controller:?} panicked: {message}")]
    Panicked {
        /// The controller.
        controller: String,
        /// The part that panicked.
        part: &'static str,
        /// The panic's message.
        message: String,
    },
    /// A cache will never be filled.
    #[error("waiting for the caches of controller {controller:?}: {source}")]
    NotSynced {
        /// The controller.
        controller: String,
        /// Which cache, and why.
        r#source: WaitError,
    },
    /// The collection of a controller can't be used, or no longer follows its inputs.
    #[error("controller {controller:?} can't follow its collection: {}", WithCauses(.source.as_ref()))]
    KeySource {
        /// The controller.
        controller: String,
        /// Which collection, and why.
        r#source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A reconcile took longer than [`reconcile_timeout`](crate::ControllerBuilder::reconcile_timeout) and was dropped.
    #[error("the reconcile took longer than {limit:?} and was dropped")]
    ReconcileTimeout {
        /// The limit.
        limit: Duration,
    },
    /// The reconciler panicked.
    #[error("the reconciler panicked: {message}")]
    ReconcilePanicked {
        /// The panic's message.
        message: String,
    },
    /// A reconciler, or the map of a watched kind, reads a kind that its controller does not declare.
    #[error("controller {controller:?} has no cache of {resource}: declare it with {declaration}")]
    NotDeclared {
        /// The controller.
        controller: String,
        /// The resource.
        resource: String,
        /// The call that declares it, in backticks, and where it must stand.
        declaration: String,
    },
    /// The map of a watched kind returned an error, so that requests are missing.
    #[error("mapping a change of {resource} to requests of controller {controller:?}: {source}")]
    Map {
        /// The controller.
        controller: String,
        /// The watched resource.
        resource: String,
        /// The cause.
        r#source: crate::reconciler::Error,
    },
    /// A cache does not show a write of this process within the bound.
    #[error(
        "reading {object}: its cache does not show this process's own write after {within:?}; the request is retried \
         (`.late_reads(LateReads::Live)` reads from the server instead): {source}"
    )]
    LateCache {
        /// What was read.
        object: String,
        /// The bound.
        within: Duration,
        /// Which write is missing.
        r#source: WaitError,
    },
    /// A cache was late, and an index can't be read from the server.
    #[error(
        "reading {resource} by the index {index:?}: its cache is late, and a server has no indexes; the request is retried"
    )]
    IndexNotLive {
        /// The resource.
        resource: String,
        /// The index.
        index: String,
    },
    /// A read from the server failed.
    #[error("reading {object} from the server{}: {}", read_advice(.source), WithCauses(.source))]
    LiveRead {
        /// What was read.
        object: String,
        /// The cause.
        r#source: Box<kube_client::Error>,
    },
    /// A reference of a controller is invalid, or its path is not in the schema of the controller's kind.
    #[error("controller {controller:?} can't follow its references at {path:?}: {reason}")]
    Reference {
        /// The controller.
        controller: String,
        /// The path.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// An object of a set can't be applied. Nothing was sent.
    #[error("applying a set of objects: {resource}: {reason}")]
    InvalidChild {
        /// Its resource.
        resource: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A set contains one object twice. Nothing was sent.
    #[error("applying a set of objects: {object} is in the set twice")]
    ChildTwice {
        /// The object.
        object: String,
    },
    /// A request for an object of a set failed.
    #[error("{verb} {object}: {}", WithCauses(.source))]
    ChildRequest {
        /// What was attempted: applying or deleting.
        verb: &'static str,
        /// The object.
        object: String,
        /// The cause.
        r#source: Box<kube_client::Error>,
    },
    /// The cache does not show which controller applied an object, so that nothing is deleted.
    #[error(
        "objects of {resource} have no managedFields in the cache, so that it is unknown which ones this controller \
         applied: do not prune this field"
    )]
    NoManagedFields {
        /// The resource.
        resource: String,
    },
    /// A cached object can't be decoded.
    #[error("{source}")]
    Unreadable {
        /// The cause.
        r#source: ReadError,
    },
    /// A status can't be written.
    #[error("writing the status of {object}: {reason}")]
    InvalidStatus {
        /// The object.
        object: String,
        /// What is wrong with the status.
        reason: String,
    },
    /// The server would reject this name of a finalizer.
    #[error(
        "{name:?} can't be the name of a finalizer: use a domain and a path, such as example.com/cleanup"
    )]
    FinalizerName {
        /// The name.
        name: String,
    },
    /// The request that adds or removes a finalizer failed.
    #[error("{verb} finalizer {finalizer} on {object} {}: {}", finalizer_advice(.source), WithCauses(.source))]
    FinalizerRequest {
        /// What was attempted: adding or removing.
        verb: &'static str,
        /// The finalizer.
        finalizer: String,
        /// The object.
        object: String,
        /// The cause.
        r#source: Box<kube_client::Error>,
    },
    /// Other clients changed the object's finalizers at every attempt.
    #[error(
        "other clients changed {object} at each of {ATTEMPTS_MAX} attempts to change its finalizers: try again later"
    )]
    FinalizerContended {
        /// The object.
        object: String,
    },
    /// The object was never written to the server.
    #[error("{object} has no {missing}: use the object as the server or a lister returned it")]
    NotWritten {
        /// The object.
        object: String,
        /// The missing field of its metadata.
        missing: &'static str,
    },
    /// Another object is the controller of this one.
    #[error("{object} is controlled by {controller} already: choose another name, or have it released")]
    AlreadyControlled {
        /// The object.
        object: String,
        /// Its controller: kind, name and uid.
        controller: String,
    },
    /// The owner is in another namespace than the object.
    #[error("{owner} can't own {object}: an owner is in the same namespace, or cluster-scoped")]
    OwnerInOtherNamespace {
        /// The owner.
        owner: String,
        /// The object.
        object: String,
    },
    /// The owner has a namespace and the object has none.
    #[error(
        "{owner} can't own {object}, which has no namespace: set the namespace, or give a cluster-scoped object a \
         cluster-scoped owner"
    )]
    ObjectWithoutNamespace {
        /// The owner.
        owner: String,
        /// The object.
        object: String,
    },
    /// The owner, or the object, is being deleted.
    #[error("{object} is being deleted: it can neither adopt nor be adopted")]
    BeingDeleted {
        /// The object or the owner that is being deleted.
        object: String,
    },
    /// A condition did not hold before the deadline.
    #[error("{object}: not within {within:?} that it {condition}; last seen: {last_seen}")]
    ConditionTimeout {
        /// The resource and the key.
        object: String,
        /// The condition.
        condition: String,
        /// The time that was allowed.
        within: Duration,
        /// The last state that was checked: the version and the status, or that there was none.
        last_seen: String,
    },
    /// The informer can't say whether a condition holds.
    #[error("{object}: can't determine whether it {condition}: {source}")]
    ConditionUnknown {
        /// The resource and the key.
        object: String,
        /// The condition.
        condition: String,
        /// The cause.
        r#source: WaitError,
    },
    /// The key of an object has a namespace or a name that no cluster accepts.
    #[error("{object} can't exist: its namespace or name is not valid")]
    InvalidKey {
        /// The resource and the key.
        object: String,
    },
}

fn is_forbidden(error: &kube_client::Error) -> bool {
    matches!(error, kube_client::Error::Api(status) if status.code == 403)
}

fn read_advice(error: &kube_client::Error) -> &'static str {
    match is_forbidden(error) {
        true => " is not permitted: let the role `get` and `list` this resource in its namespace",
        false => "",
    }
}

fn finalizer_advice(error: &kube_client::Error) -> &'static str {
    match is_forbidden(error) {
        true => {
            "is not permitted: let the role `get` and `patch` this resource, and `update` its `finalizers`"
        }
        false => "failed, and the next reconcile tries it again",
    }
}
