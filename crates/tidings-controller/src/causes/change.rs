//! A change of one object, as a cause. It keeps pointers to both states, or their keys and versions if too many bodies
//! would stay in memory.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use tidings_informer::Notification;
use tidings_object::{Key, KeyRef, RawObject, ResourceKind, Version};

/// How many merged changes of one object are remembered, to decide whether the controller made them.
const MERGED_MAX: usize = 64;

#[derive(Clone)]
pub(super) struct ObjectChange {
    states: States,
    is_deletion: bool,
    /// The changes before the last one, if several were merged.
    merged: Vec<ChangeId>,
    /// The reconcile of this controller that made the last change.
    pub(super) written_by: Option<u64>,
    /// Whether this controller made all of the changes.
    pub(super) is_own: bool,
}

/// The object before the first change, and after the last one.
#[derive(Clone)]
enum States {
    Bodies { old: Option<Arc<RawObject>>, new: Arc<RawObject> },
    Identity(Arc<ChangedIdentity>),
}

/// A change of which no body is kept.
struct ChangedIdentity {
    resource: ResourceKind,
    key: Key,
    old_version: Option<Version>,
    version: Version,
    uid: String,
}

/// Identifies one change: the number of its version, or a hash of the uid for a deletion, because the response to a
/// deletion has no version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChangeId(u64);

impl ChangeId {
    /// A version without a number is never recognized.
    const UNKNOWN: ChangeId = ChangeId(0);

    pub(crate) fn written(version: &Version) -> ChangeId {
        version.number().map_or(ChangeId::UNKNOWN, ChangeId)
    }

    pub(crate) fn deleted(uid: &str) -> ChangeId {
        match uid {
            "" => ChangeId::UNKNOWN,
            uid => ChangeId(BuildHasherDefault::<DefaultHasher>::default().hash_one(uid)),
        }
    }

    pub(super) fn number(self) -> Option<u64> {
        (self != ChangeId::UNKNOWN).then_some(self.0)
    }
}

impl ObjectChange {
    pub(super) fn of<K>(notification: &Notification<K>) -> Self {
        let old = notification.old().map(|old| Arc::clone(old.raw()));
        let new = Arc::clone(notification.object().raw());
        let is_deletion = matches!(notification, Notification::Deleted { .. });
        let states = States::Bodies { old, new };
        ObjectChange { states, is_deletion, merged: Vec::new(), written_by: None, is_own: false }
    }

    pub(super) fn resource(&self) -> &ResourceKind {
        match &self.states {
            States::Bodies { new, .. } => new.resource(),
            States::Identity(identity) => &identity.resource,
        }
    }

    pub(super) fn key(&self) -> KeyRef<'_> {
        match &self.states {
            States::Bodies { new, .. } => new.key(),
            States::Identity(identity) => identity.key.borrowed(),
        }
    }

    pub(super) fn old_version(&self) -> Option<&Version> {
        match &self.states {
            States::Bodies { old, .. } => old.as_ref().map(|old| old.version()),
            States::Identity(identity) => identity.old_version.as_ref(),
        }
    }

    pub(super) fn version(&self) -> &Version {
        match &self.states {
            States::Bodies { new, .. } => new.version(),
            States::Identity(identity) => &identity.version,
        }
    }

    fn uid(&self) -> &str {
        match &self.states {
            States::Bodies { new, .. } => new.uid(),
            States::Identity(identity) => &identity.uid,
        }
    }

    /// Both states, if their bodies are kept.
    pub(super) fn states(&self) -> Option<(&RawObject, &RawObject)> {
        match &self.states {
            States::Bodies { old: Some(old), new } => Some((old, new)),
            _ => None,
        }
    }

    /// The number of bodies that are kept.
    pub(super) fn bodies(&self) -> usize {
        match &self.states {
            States::Bodies { old, .. } => 1 + usize::from(old.is_some()),
            States::Identity(_) => 0,
        }
    }

    pub(super) fn release_bodies(&mut self) {
        if let States::Bodies { old, new } = &self.states {
            let old = old.as_ref().map(|old| old.version().clone());
            self.states = States::Identity(Arc::new(ChangedIdentity::of(old, new)));
        }
    }

    /// The last change.
    pub(super) fn id(&self) -> ChangeId {
        match self.is_deletion {
            true => ChangeId::deleted(self.uid()),
            false => ChangeId::written(self.version()),
        }
    }

    /// Whether this is the last change, or one that was merged into it.
    #[cfg(feature = "endpoints")]
    pub(super) fn contains(&self, change: ChangeId) -> bool {
        change.number().is_some() && (self.id() == change || self.merged.contains(&change))
    }

    pub(super) fn is_same_object(&self, other: &ObjectChange) -> bool {
        self.key() == other.key() && self.resource() == other.resource()
    }

    /// Whether both are the same change of the same object, from two watches.
    pub(super) fn is_same_change(&self, other: &ObjectChange) -> bool {
        self.version() == other.version()
            && self.uid() == other.uid()
            && self.is_deletion == other.is_deletion
    }

    /// Merges a later change of the same object.
    pub(super) fn absorb(&mut self, later: ObjectChange) {
        if self.merged.len() < MERGED_MAX {
            self.merged.push(self.id());
        }
        self.is_deletion = later.is_deletion;
        self.states = match (&self.states, later.states) {
            (States::Bodies { old, .. }, States::Bodies { new, .. }) => {
                States::Bodies { old: old.clone(), new }
            }
            (_, States::Bodies { new, .. }) => {
                States::Identity(Arc::new(ChangedIdentity::of(self.old_version().cloned(), &new)))
            }
            (_, States::Identity(later)) => States::Identity(Arc::new(ChangedIdentity {
                resource: later.resource.clone(),
                key: later.key.clone(),
                old_version: self.old_version().cloned(),
                version: later.version.clone(),
                uid: later.uid.clone(),
            })),
        };
    }

    pub(super) fn resolve(&mut self, writer: &impl Fn(ChangeId) -> Option<u64>) {
        self.written_by = writer(self.id());
        self.is_own = self.written_by.is_some()
            && self.merged.len() < MERGED_MAX
            && self.merged.iter().all(|change| writer(*change).is_some());
    }
}

impl ChangedIdentity {
    fn of(old_version: Option<Version>, new: &RawObject) -> Self {
        ChangedIdentity {
            resource: new.resource().clone(),
            key: new.key().to_key(),
            old_version,
            version: new.version().clone(),
            uid: new.uid().to_owned(),
        }
    }
}
