//! Why a reconcile was requested: which objects changed, from which version to which, and in which fields.
//!
//! A request is a key and nothing else, because more may have happened before its reconcile starts. Its causes travel
//! beside it, in a [log](CauseLog) by key: they merge like the requests on the queue, and the worker that takes a
//! request takes its causes.
//!
//! ```text
//! secret s 41 -> 42    requests m      queue [m]    causes of m: updated s 41 -> 42
//! secret s 42 -> 43    requests m      queue [m]    causes of m: updated s 41 -> 43, 2 changes
//! a worker takes m                     queue []     the causes belong to this reconcile
//! ```
//!
//! A cause keeps pointers to the objects and copies nothing. Fields are compared only when they are read. A cause must
//! never decide what a reconciler does: after a restart, every request comes from a list.

mod buffer;
mod change;
mod fields;
#[cfg(feature = "endpoints")]
mod history;
mod log;
mod loops;
mod own_writes;

use std::fmt;
use std::sync::Arc;

use tidings_informer::Notification;
use tidings_object::{KeyRef, ResourceKind, Version};
use tokio::time::Instant;

pub(crate) use buffer::CauseBuffer;
pub(crate) use change::ChangeId;
use change::ObjectChange;
#[cfg(feature = "endpoints")]
pub(crate) use history::EndedReconcile;
pub(crate) use log::CauseLog;
pub(crate) use loops::LoopDetection;
pub use loops::{LoopObject, LoopReport};

use crate::controller::stats::RequestReason;

/// How many causes of one request are kept. Further ones are counted.
const CAUSES_PER_REQUEST_MAX: usize = 16;

/// How many of the further changes are remembered, to decide whether the controller made them.
const OMITTED_PER_REQUEST_MAX: usize = 1024;

/// The causes of one reconcile. See [`Context::causes`](crate::Context::causes).
///
/// It prints as one line: `updated secrets default/s from version 41 to 43 (2 changes)`.
#[derive(Clone, Default)]
pub struct Causes {
    /// Most requests have one cause, which needs no allocation.
    first: Option<Cause>,
    more: Vec<Cause>,
    omitted: Option<Box<OmittedCauses>>,
}

/// Causes above the bound.
#[derive(Clone, Default)]
struct OmittedCauses {
    count: u64,
    changes: Vec<ChangeId>,
    /// Whether this controller made all of these changes.
    are_own: bool,
}

/// One cause of a reconcile: a change of an object, or a reason without an object, such as a requeue.
///
/// Changes of one object before the reconcile are one cause: from the version before the first change to the version
/// after the last one.
#[derive(Clone)]
pub struct Cause {
    reason: RequestReason,
    count: u32,
    subject: Subject,
}

/// What a cause is about.
#[derive(Clone)]
enum Subject {
    /// The request itself.
    Request,
    /// The request itself, from this time on. If it is reconciled earlier, this is no cause.
    RequestFrom(Instant),
    /// Objects of this kind that did not change.
    Kind(Arc<ResourceKind>),
    Object(ObjectChange),
}

impl Causes {
    /// The causes, the oldest first. There may be none: if a change arrives in the moment in which a reconcile starts,
    /// it is a cause of that reconcile, and may also request another one.
    pub fn iter(&self) -> impl Iterator<Item = &Cause> {
        self.first.iter().chain(&self.more)
    }

    /// The number of causes, at most 16.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// The number of further causes that are not kept.
    pub fn omitted(&self) -> u64 {
        self.omitted.as_ref().map_or(0, |omitted| omitted.count)
    }

    /// Whether objects changed, and this controller made all of these changes.
    pub fn are_own_writes(&self) -> bool {
        let mut changes = self.changes().peekable();
        changes.peek().is_some()
            && changes.all(|change| change.is_own)
            && self.omitted.as_ref().is_none_or(|omitted| omitted.are_own)
    }

    fn changes(&self) -> impl Iterator<Item = &ObjectChange> {
        self.iter().filter_map(Cause::change)
    }

    /// Whether one of the kept causes includes this change.
    #[cfg(feature = "endpoints")]
    fn contains(&self, change: ChangeId) -> bool {
        self.changes().any(|cause| cause.contains(change))
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut Cause> {
        self.first.iter_mut().chain(&mut self.more)
    }

    /// The number of objects whose bodies are kept.
    fn bodies(&self) -> usize {
        self.changes().map(ObjectChange::bodies).sum()
    }

    /// Keeps keys and versions only. Fields can't be compared any more.
    pub(crate) fn release_bodies(&mut self) {
        self.iter_mut().for_each(Cause::release_bodies);
    }

    /// Adds a cause, or merges it into the cause with the same object.
    fn merge(&mut self, cause: Cause) {
        if let Some(same) = self.iter_mut().find(|known| known.is_mergeable(&cause)) {
            same.absorb(cause);
        } else if self.first.is_none() {
            self.first = Some(cause);
        } else if self.more.len() + 1 < CAUSES_PER_REQUEST_MAX {
            self.more.push(cause);
        } else {
            let omitted = self.omitted.get_or_insert_default();
            omitted.count += 1;
            if omitted.changes.len() < OMITTED_PER_REQUEST_MAX {
                omitted.changes.extend(cause.change().map(ObjectChange::id));
            }
        }
    }

    /// Adds the causes of a later request.
    fn extend(&mut self, later: Causes) {
        later.first.into_iter().chain(later.more).for_each(|cause| self.merge(cause));
        if let Some(later) = later.omitted {
            let omitted = self.omitted.get_or_insert_default();
            omitted.count += later.count;
            omitted.changes.extend(later.changes);
            omitted.changes.truncate(OMITTED_PER_REQUEST_MAX);
        }
    }

    /// Removes requeues that are not due: another cause came first, and the queue has dropped the delay.
    fn remove_not_due(&mut self) {
        let is_due = |cause: &Cause| match cause.subject {
            Subject::RequestFrom(at) => at <= Instant::now(),
            _ => true,
        };
        self.more.retain(is_due);
        if self.first.as_ref().is_some_and(|first| !is_due(first)) {
            self.first = (!self.more.is_empty()).then(|| self.more.remove(0));
        }
    }

    /// Sets which reconcile of this controller made each change.
    fn resolve(&mut self, writer: impl Fn(ChangeId) -> Option<u64>) {
        for cause in self.iter_mut() {
            if let Subject::Object(change) = &mut cause.subject {
                change.resolve(&writer);
            }
        }
        if let Some(omitted) = &mut self.omitted {
            let is_complete = omitted.changes.len() as u64 == omitted.count;
            omitted.are_own = is_complete && omitted.changes.iter().all(|change| writer(*change).is_some());
        }
    }
}

impl Cause {
    /// A cause without an object.
    pub(crate) fn of(reason: RequestReason) -> Self {
        Cause { reason, count: 1, subject: Subject::Request }
    }

    /// A cause that applies from this time on.
    pub(crate) fn from_time(reason: RequestReason, at: Instant) -> Self {
        Cause { reason, count: 1, subject: Subject::RequestFrom(at) }
    }

    /// The cause that a notification is. Objects of an initial list and of a resync did not change, so that only their
    /// kind is kept.
    pub(crate) fn notified<K>(
        reason: RequestReason,
        notification: &Notification<K>,
        resource: &Arc<ResourceKind>,
    ) -> Self {
        let subject = match reason {
            RequestReason::Initial | RequestReason::Resync => Subject::Kind(Arc::clone(resource)),
            _ => Subject::Object(ObjectChange::of(notification)),
        };
        Cause { reason, count: 1, subject }
    }

    /// The reason of the request. For several changes of one object it is that of the last one; an object that was
    /// added and then updated was added.
    pub fn reason(&self) -> RequestReason {
        self.reason
    }

    /// The resource that changed. `None` if the controller itself made the request.
    pub fn resource(&self) -> Option<&ResourceKind> {
        match &self.subject {
            Subject::Request | Subject::RequestFrom(_) => None,
            Subject::Kind(resource) => Some(resource),
            Subject::Object(change) => Some(change.resource()),
        }
    }

    /// The key of the object that changed. `None` if none did.
    pub fn key(&self) -> Option<KeyRef<'_>> {
        self.change().map(ObjectChange::key)
    }

    /// The version before the first change. `None` if the object was added, or if none changed.
    pub fn old_version(&self) -> Option<&Version> {
        self.change()?.old_version()
    }

    /// The version after the last change. `None` if no object changed.
    pub fn version(&self) -> Option<&Version> {
        self.change().map(ObjectChange::version)
    }

    /// How many changes, or how many requests without a change, this cause is.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The [number](crate::Context::reconcile_id) of the reconcile of this controller that made the last change,
    /// through the writes of its context. `None` if another client made it, or if the controller has made many writes
    /// since then.
    pub fn written_by(&self) -> Option<u64> {
        self.change()?.written_by
    }

    /// The paths that differ between the two versions of an update, at most 16. It reads both objects. `None` if the
    /// object was not updated, or if its old state is no longer known because many causes were waiting.
    /// `.metadata.resourceVersion` and `.metadata.managedFields` are left out.
    pub fn fields(&self) -> Option<Vec<String>> {
        let (old, new) = self.change()?.states()?;
        fields::changed(old, new)
    }

    fn change(&self) -> Option<&ObjectChange> {
        match &self.subject {
            Subject::Object(change) => Some(change),
            _ => None,
        }
    }

    fn release_bodies(&mut self) {
        if let Subject::Object(change) = &mut self.subject {
            change.release_bodies();
        }
    }

    fn is_mergeable(&self, later: &Cause) -> bool {
        match (&self.subject, &later.subject) {
            (Subject::Request, Subject::Request) | (Subject::RequestFrom(_), Subject::RequestFrom(_)) => {
                self.reason == later.reason
            }
            (Subject::Kind(one), Subject::Kind(other)) => {
                self.reason == later.reason && (Arc::ptr_eq(one, other) || one == other)
            }
            (Subject::Object(one), Subject::Object(other)) => one.is_same_object(other),
            _ => false,
        }
    }

    /// Merges a later cause with the same subject.
    fn absorb(&mut self, later: Cause) {
        match (&mut self.subject, later.subject) {
            (Subject::Object(change), Subject::Object(next)) => {
                // Two watches of one kind notify of the same change.
                if change.is_same_change(&next) {
                    return;
                }
                change.absorb(next);
                if (self.reason, later.reason) != (RequestReason::Added, RequestReason::Updated) {
                    self.reason = later.reason;
                }
            }
            // The queue keeps the earliest of several delays.
            (Subject::RequestFrom(at), Subject::RequestFrom(next)) => *at = (*at).min(next),
            _ => {}
        }
        self.count = self.count.saturating_add(later.count);
    }
}

impl fmt::Display for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, cause) in self.iter().enumerate() {
            write!(f, "{}{cause}", if at == 0 { "" } else { "; " })?;
        }
        match self.omitted() {
            0 => Ok(()),
            omitted => write!(f, "; and {omitted} more"),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason.as_str())?;
        if let Some(resource) = self.resource() {
            write!(f, " {resource}")?;
        }
        if let Some(change) = self.change() {
            write!(f, " {}", change.key())?;
            if let Some(old) = change.old_version() {
                write!(f, " from version {old}")?;
            }
            write!(
                f,
                " to {}{}",
                if change.old_version().is_some() { "" } else { "version " },
                change.version()
            )?;
        }
        if self.count > 1 {
            write!(f, " ({} changes)", self.count)?;
        }
        match self.written_by() {
            None => Ok(()),
            Some(reconcile) => write!(f, ", written by reconcile {reconcile}"),
        }
    }
}

impl fmt::Debug for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Causes({self})")
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cause({self})")
    }
}

#[cfg(test)]
mod tests;
