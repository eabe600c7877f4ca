//! Which changes are worth a request: questions about what was and what is, joined with and, or, not.
//!
//! A predicate never sees a request, only a change of one watched object. What it does not let pass is counted.

use std::fmt;
use std::sync::Arc;

use tidings_informer::informer::Notification;
use tidings_object::{LabelSelector, Object};

/// Whether a change is worth a request. It is asked about every change, none merged with another; it must be quick and must not
/// block, since a slow one slows its informer.
///
/// The questions about updates let every addition and every deletion pass. A change that can't be judged passes: a request too
/// many costs little, one too few is lost.
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
    /// A question of one's own.
    pub fn new(passes: impl Fn(&Notification<K>) -> bool + Send + Sync + 'static) -> Self {
        Predicate { passes: Arc::new(passes) }
    }

    /// A question of one's own about updates. An object that was deleted and created again counts as an addition.
    pub fn on_update(passes: impl Fn(&Object<K>, &Object<K>) -> bool + Send + Sync + 'static) -> Self {
        Predicate::new(move |notification| match notification {
            Notification::Updated { old, new, .. } => old.uid() != new.uid() || passes(old, new),
            Notification::Added { .. } | Notification::Deleted { .. } => true,
        })
    }

    /// Whether `metadata.generation` changed: the server counts changes of what is wished for, not of what is. Kinds without a
    /// generation are judged by their version. Nothing is decoded.
    pub fn generation_changed() -> Self {
        Predicate::on_update(|old, new| match (old.generation(), new.generation()) {
            (None, None) => old.version() != new.version(),
            (old, new) => old != new,
        })
    }

    /// Whether labels changed. Nothing is decoded.
    pub fn labels_changed() -> Self {
        Predicate::on_update(|old, new| !old.labels().iter().eq(new.labels().iter()))
    }

    /// Whether annotations changed. They are read from the body, without decoding the rest.
    pub fn annotations_changed() -> Self {
        const ANNOTATIONS: &str = ".metadata.annotations";
        Predicate::on_update(|old, new| match (old.field(ANNOTATIONS), new.field(ANNOTATIONS)) {
            (Ok(old), Ok(new)) => old.values() != new.values(),
            _ => true,
        })
    }

    /// Whether anything changed: only resyncs do not pass.
    pub fn version_changed() -> Self {
        Predicate::on_update(|old, new| !old.is_unchanged(new))
    }

    /// Whether the labels match, or matched before. Nothing is decoded. An object that stops matching passes once more, with the
    /// change that took the label away, also if it is deleted at once.
    pub fn labels(selector: LabelSelector) -> Self {
        Predicate::new(move |notification| {
            notification.objects().any(|object| selector.matches(|key| object.labels().value(key)))
        })
    }

    /// What both let pass.
    #[must_use]
    pub fn and(self, other: Predicate<K>) -> Self {
        Predicate::new(move |notification| (self.passes)(notification) && (other.passes)(notification))
    }

    /// What one of them lets pass.
    #[must_use]
    pub fn or(self, other: Predicate<K>) -> Self {
        Predicate::new(move |notification| (self.passes)(notification) || (other.passes)(notification))
    }

    /// What this does not let pass, additions and deletions too.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "it stands in a row with `and` and `or`")]
    pub fn not(self) -> Self {
        Predicate::new(move |notification| !(self.passes)(notification))
    }

    /// Whether this lets the change pass.
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
