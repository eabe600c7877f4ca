//! What a handler receives: an object was added, updated or deleted.

use std::fmt;
use std::sync::Arc;

use tidings_object::{KeyRef, Object, RawObject};

/// One notification about one object, seen as a `K`. Handlers, streams, predicates and maps all receive this type.
///
/// Nothing is decoded until [`decoded`](Object::decoded) is called on one of its objects.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::Notification;
///
/// fn describe(notification: &Notification<Pod>) -> String {
///     match notification {
///         Notification::Added { object, is_initial: true } => format!("exists {}", object.key()),
///         Notification::Added { object, .. } => format!("added {}", object.key()),
///         Notification::Updated { new, is_resync: true, .. } => format!("resync of {}", new.key()),
///         Notification::Updated { old, new, .. } => {
///             format!("updated {} from version {} to {}", new.key(), old.version(), new.version())
///         }
///         Notification::Deleted { object, .. } => format!("deleted {}", object.key()),
///     }
/// }
/// ```
pub enum Notification<K> {
    /// The receiver did not know this object.
    Added {
        /// The object.
        object: Object<K>,
        /// Whether the object existed before the receiver was added, or before the informer had synced.
        is_initial: bool,
    },
    /// The receiver knows this object in another version, or this is a resync.
    Updated {
        /// The state that the receiver got last.
        old: Object<K>,
        /// The current state.
        new: Object<K>,
        /// Whether nothing changed: the resync period of the receiver has passed.
        is_resync: bool,
    },
    /// The object no longer exists, or no longer matches.
    Deleted {
        /// The state that the receiver got last. It differs from `object` if the deletion itself changed the object
        /// (at least its version), or if updates were merged into the deletion because the receiver is slow.
        old: Object<K>,
        /// The final state, or the last known state if the final one is unknown.
        object: Object<K>,
        /// Whether the informer missed the deletion, for instance while it was disconnected. `object` may then be
        /// stale.
        is_final_state_unknown: bool,
    },
}

/// The view of an object inside the pipeline, which has no type parameter.
pub(crate) enum Untyped {}

/// A notification inside the pipeline. It becomes a [`Notification<K>`] when it reaches its receiver.
pub(crate) type RawNotification = Notification<Untyped>;

impl<K> Notification<K> {
    /// The key of the object: `namespace/name`, or `name` in cluster scope.
    pub fn key(&self) -> KeyRef<'_> {
        self.object().key()
    }

    /// The object in its newest known state. For a deletion this is its final, or last known, state.
    pub fn object(&self) -> &Object<K> {
        match self {
            Notification::Added { object, .. } | Notification::Deleted { object, .. } => object,
            Notification::Updated { new, .. } => new,
        }
    }

    /// The state that the receiver got last. `None` for an addition.
    pub fn old(&self) -> Option<&Object<K>> {
        match self {
            Notification::Added { .. } => None,
            Notification::Updated { old, .. } | Notification::Deleted { old, .. } => Some(old),
        }
    }

    /// The current state. `None` for a deletion.
    #[expect(clippy::new_ret_no_self, reason = "a getter, the counterpart of `old`")]
    pub fn new(&self) -> Option<&Object<K>> {
        match self {
            Notification::Added { object, .. } => Some(object),
            Notification::Updated { new, .. } => Some(new),
            Notification::Deleted { .. } => None,
        }
    }

    /// All states in the notification: the old one, if there is one, and the newest one. Code that maps an object to
    /// its owners needs both, because a change can move an object from one owner to another.
    pub fn objects(&self) -> impl Iterator<Item = &Object<K>> {
        match self {
            Notification::Added { object, .. } => [Some(object), None],
            Notification::Updated { old, new, .. } => [Some(old), Some(new)],
            Notification::Deleted { old, object, .. } => [Some(old), Some(object)],
        }
        .into_iter()
        .flatten()
    }

    /// Whether this is an addition of an object that existed before the receiver was added.
    pub fn is_initial(&self) -> bool {
        matches!(self, Notification::Added { is_initial: true, .. })
    }

    /// Whether nothing changed and the resync period of the receiver has passed.
    pub fn is_resync(&self) -> bool {
        matches!(self, Notification::Updated { is_resync: true, .. })
    }
}

impl RawNotification {
    pub(crate) fn added(object: Arc<RawObject>, is_initial: bool) -> Self {
        Notification::Added { object: Object::new(object), is_initial }
    }

    pub(crate) fn updated(old: Arc<RawObject>, new: Arc<RawObject>) -> Self {
        Notification::Updated { old: Object::new(old), new: Object::new(new), is_resync: false }
    }

    pub(crate) fn deleted(old: Arc<RawObject>, object: Arc<RawObject>, is_final_state_unknown: bool) -> Self {
        Notification::Deleted { old: Object::new(old), object: Object::new(object), is_final_state_unknown }
    }

    /// A resync of one object.
    pub(crate) fn resync(object: Arc<RawObject>) -> Self {
        let (old, new) = (Object::new(Arc::clone(&object)), Object::new(object));
        Notification::Updated { old, new, is_resync: true }
    }

    /// The deletion of an object whose final state is unknown.
    pub(crate) fn vanished(last_known: Arc<RawObject>) -> Self {
        Self::deleted(Arc::clone(&last_known), last_known, true)
    }

    /// The same notification for a receiver of `K`. This moves the objects: no reference count changes.
    pub(crate) fn typed<K>(self) -> Notification<K> {
        let typed = |object: Object<Untyped>| Object::new(object.into_raw());
        match self {
            Notification::Added { object, is_initial } => {
                Notification::Added { object: typed(object), is_initial }
            }
            Notification::Updated { old, new, is_resync } => {
                Notification::Updated { old: typed(old), new: typed(new), is_resync }
            }
            Notification::Deleted { old, object, is_final_state_unknown } => {
                Notification::Deleted { old: typed(old), object: typed(object), is_final_state_unknown }
            }
        }
    }
}

/// Derived, it would require `K: Clone`.
impl<K> Clone for Notification<K> {
    fn clone(&self) -> Self {
        match self {
            Notification::Added { object, is_initial } => {
                Notification::Added { object: object.clone(), is_initial: *is_initial }
            }
            Notification::Updated { old, new, is_resync } => {
                Notification::Updated { old: old.clone(), new: new.clone(), is_resync: *is_resync }
            }
            Notification::Deleted { old, object, is_final_state_unknown } => Notification::Deleted {
                old: old.clone(),
                object: object.clone(),
                is_final_state_unknown: *is_final_state_unknown,
            },
        }
    }
}

/// Derived, it would require `K: Debug`.
impl<K> fmt::Debug for Notification<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notification::Added { object, is_initial } => {
                f.debug_struct("Added").field("object", object).field("is_initial", is_initial).finish()
            }
            Notification::Updated { old, new, is_resync } => f
                .debug_struct("Updated")
                .field("old", old)
                .field("new", new)
                .field("is_resync", is_resync)
                .finish(),
            Notification::Deleted { old, object, is_final_state_unknown } => f
                .debug_struct("Deleted")
                .field("old", old)
                .field("object", object)
                .field("is_final_state_unknown", is_final_state_unknown)
                .finish(),
        }
    }
}
