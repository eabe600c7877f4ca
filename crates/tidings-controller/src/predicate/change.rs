//! What happened to an object, with what it was and what it is.

use std::fmt;
use std::sync::Arc;

use tidings_informer::informer::Notification;
use tidings_object::Object;

/// What happened to an object that is watched.
pub enum Change<K> {
    /// It was not known before.
    Added {
        /// The object.
        object: Object<K>,
        /// Whether it was there before the controller came.
        is_initial: bool,
    },
    /// It has another version, or it is told again in a resync.
    Updated {
        /// What was known.
        old: Object<K>,
        /// What is.
        new: Object<K>,
    },
    /// It is gone.
    Deleted {
        /// What was known.
        old: Object<K>,
        /// Its final state, or the last that was seen of it.
        object: Object<K>,
        /// Whether it went while nobody watched.
        is_final_state_unknown: bool,
    },
}

impl<K> Change<K> {
    /// What was, unless the object is new.
    pub fn old(&self) -> Option<&Object<K>> {
        match self {
            Change::Added { .. } => None,
            Change::Updated { old, .. } | Change::Deleted { old, .. } => Some(old),
        }
    }

    /// What is, unless the object is gone.
    #[expect(clippy::new_ret_no_self, reason = "it stands beside `old`")]
    pub fn new(&self) -> Option<&Object<K>> {
        match self {
            Change::Added { object, .. } => Some(object),
            Change::Updated { new, .. } => Some(new),
            Change::Deleted { .. } => None,
        }
    }

    /// The object in its newest known state.
    pub fn object(&self) -> &Object<K> {
        match self {
            Change::Added { object, .. } | Change::Deleted { object, .. } => object,
            Change::Updated { new, .. } => new,
        }
    }

    /// What was and what is: what a map should look at, since a change may leave one owner for another. A deletion may
    /// change the object too, so that its final state is not what was known.
    pub fn objects(&self) -> impl Iterator<Item = &Object<K>> {
        match self {
            Change::Added { object, .. } => [Some(object), None],
            Change::Updated { old, new } => [Some(old), Some(new)],
            Change::Deleted { old, object, .. } => [Some(old), Some(object)],
        }
        .into_iter()
        .flatten()
    }

    /// Whether it was there before the controller came.
    pub fn is_initial(&self) -> bool {
        matches!(self, Change::Added { is_initial: true, .. })
    }

    /// Whether nothing has changed: it is told again because a resync period has passed.
    pub fn is_resync(&self) -> bool {
        matches!(self, Change::Updated { old, new } if old.is_unchanged(new))
    }
}

impl<K> From<&Notification> for Change<K> {
    fn from(notification: &Notification) -> Self {
        let object = |raw: &Arc<_>| Object::new(Arc::clone(raw));
        match notification {
            Notification::Added { object: added, is_initial } => {
                Change::Added { object: object(added), is_initial: *is_initial }
            }
            Notification::Updated { old, new, .. } => Change::Updated { old: object(old), new: object(new) },
            Notification::Deleted { old, object: gone, is_final_state_unknown } => Change::Deleted {
                old: object(old),
                object: object(gone),
                is_final_state_unknown: *is_final_state_unknown,
            },
        }
    }
}

impl<K> fmt::Debug for Change<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Added { object, .. } => f.debug_tuple("Added").field(object).finish(),
            Change::Updated { old, new } => f.debug_tuple("Updated").field(old).field(new).finish(),
            Change::Deleted { object, .. } => f.debug_tuple("Deleted").field(object).finish(),
        }
    }
}
