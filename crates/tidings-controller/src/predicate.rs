//! Predicates: which notifications of a watched kind become requests. They combine with and, or, not.
//!
//! A predicate sees a notification of one object, never a request. Notifications that it rejects are counted.

use std::fmt;
use std::sync::Arc;

use tidings_informer::Notification;
use tidings_object::{LabelSelector, Object};

/// Whether a notification becomes a request. It is called for every notification; none are merged before. It must be
/// fast and must not block, because it slows down its informer.
///
/// Predicates about updates accept every addition and every deletion. If a predicate can't decide, because a body can't
/// be read or because it panics, it accepts: an extra reconcile costs little, a missing one leaves an error in the
/// cluster.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_controller::Predicate;
///
/// let interesting: Predicate<Pod> = Predicate::generation_changed()
///     .or(Predicate::labels_changed())
///     .and(Predicate::new(|notification| notification.object().namespace() != Some("kube-system")));
/// ```
pub struct Predicate<K> {
    passes: Arc<PredicateFn<K>>,
}

type PredicateFn<K> = dyn Fn(&Notification<K>) -> bool + Send + Sync;

impl<K: 'static> Predicate<K> {
    /// A predicate from a closure.
    pub fn new(passes: impl Fn(&Notification<K>) -> bool + Send + Sync + 'static) -> Self {
        Predicate { passes: Arc::new(passes) }
    }

    /// A predicate about updates, with the old and the new object. An object that was deleted and created again counts
    /// as an addition.
    pub fn on_update(passes: impl Fn(&Object<K>, &Object<K>) -> bool + Send + Sync + 'static) -> Self {
        Predicate::new(move |notification| match notification {
            Notification::Updated { old, new, .. } => old.uid() != new.uid() || passes(old, new),
            Notification::Added { .. } | Notification::Deleted { .. } => true,
        })
    }

    /// Accepts an update if `metadata.generation` changed, which the server increments with each change of the spec,
    /// not of the status. Kinds without a generation are compared by their version. It decodes nothing.
    pub fn generation_changed() -> Self {
        Predicate::on_update(|old, new| match (old.generation(), new.generation()) {
            (None, None) => old.version() != new.version(),
            (old, new) => old != new,
        })
    }

    /// Accepts an update if labels changed. It decodes nothing.
    pub fn labels_changed() -> Self {
        Predicate::on_update(|old, new| !old.labels().iter().eq(new.labels().iter()))
    }

    /// Accepts an update if annotations changed. It reads them from the body and decodes nothing else.
    pub fn annotations_changed() -> Self {
        const ANNOTATIONS: &str = ".metadata.annotations";
        Predicate::on_update(|old, new| match (old.field(ANNOTATIONS), new.field(ANNOTATIONS)) {
            (Ok(old), Ok(new)) => old.values() != new.values(),
            _ => true,
        })
    }

    /// Accepts an update if anything changed. It rejects only resyncs.
    pub fn version_changed() -> Self {
        Predicate::on_update(|old, new| !old.is_unchanged(new))
    }

    /// Accepts a notification if the labels of the object match, or matched before. It decodes nothing. An object that
    /// stops matching is accepted once more: with the update that removed the label, even if the object is deleted
    /// right after it.
    pub fn labels(selector: LabelSelector) -> Self {
        Predicate::new(move |notification| {
            notification.objects().any(|object| selector.matches(|key| object.labels().value(key)))
        })
    }

    /// Accepts what both accept.
    #[must_use]
    pub fn and(self, other: Predicate<K>) -> Self {
        Predicate::new(move |notification| (self.passes)(notification) && (other.passes)(notification))
    }

    /// Accepts what at least one of them accepts.
    #[must_use]
    pub fn or(self, other: Predicate<K>) -> Self {
        Predicate::new(move |notification| (self.passes)(notification) || (other.passes)(notification))
    }

    /// Accepts what this rejects, also additions and deletions.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a method beside `and` and `or`")]
    pub fn not(self) -> Self {
        Predicate::new(move |notification| !(self.passes)(notification))
    }

    /// Whether this accepts the notification.
    pub fn passes(&self, notification: &Notification<K>) -> bool {
        (self.passes)(notification)
    }
}

impl<K> Clone for Predicate<K> {
    fn clone(&self) -> Self {
        Predicate { passes: Arc::clone(&self.passes) }
    }
}

impl<K> fmt::Debug for Predicate<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Predicate").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
