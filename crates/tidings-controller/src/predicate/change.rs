//! What happened to an object, with what it was and what it is.

use std::fmt;

use tidings_informer::informer::Deleted;
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
        /// Its final state, or the last that was seen of it.
        object: Object<K>,
        /// Whether it went while nobody watched.
        is_final_state_unknown: bool,
    },
}

impl<K> Change<K> {
    pub(crate) fn deleted(gone: &Deleted<K>) -> Self {
        Change::Deleted {
            object: gone.object().clone(),
            is_final_state_unknown: gone.is_final_state_unknown(),
        }
    }

    /// What was, unless the object is new.
    pub fn old(&self) -> Option<&Object<K>> {
        match self {
            Change::Added { .. } => None,
            Change::Updated { old, .. } => Some(old),
            Change::Deleted { object, .. } => Some(object),
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

    /// What was and what is: what a map should look at, since a change may leave one owner for another.
    pub fn objects(&self) -> impl Iterator<Item = &Object<K>> {
        match self {
            Change::Updated { old, new } => [Some(old), Some(new)],
            Change::Added { object, .. } | Change::Deleted { object, .. } => [Some(object), None],
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

impl<K> fmt::Debug for Change<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Added { object, .. } => f.debug_tuple("Added").field(object).finish(),
            Change::Updated { old, new } => f.debug_tuple("Updated").field(old).field(new).finish(),
            Change::Deleted { object, .. } => f.debug_tuple("Deleted").field(object).finish(),
        }
    }
}
