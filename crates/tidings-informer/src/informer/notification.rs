//! What a handler is told: an object came, changed, or went.

use std::sync::Arc;

use tidings_object::{KeyRef, RawObject};

/// One thing that a handler is told.
#[derive(Debug, Clone)]
pub enum Notification {
    /// An object that the handler did not know.
    Added {
        /// The object.
        object: Arc<RawObject>,
        /// Whether it was there before the handler, or the informer, came.
        is_initial: bool,
    },
    /// Another version of an object that the handler knows.
    Updated {
        /// What the handler was told last.
        old: Arc<RawObject>,
        /// What it is now.
        new: Arc<RawObject>,
        /// Whether nothing changed and this handler's resync period came round.
        is_resync: bool,
    },
    /// An object is gone.
    Deleted {
        /// What the handler was told last. Mostly only the version differs from the final state.
        old: Arc<RawObject>,
        /// Its final state, or the last that was seen of it.
        object: Arc<RawObject>,
        /// Whether it went while nobody watched, so that the state may be stale.
        is_final_state_unknown: bool,
    },
}

impl Notification {
    /// An object of a resync.
    pub(super) fn again(object: Arc<RawObject>) -> Self {
        Notification::Updated { old: Arc::clone(&object), new: object, is_resync: true }
    }

    /// The deletion of an object whose final state nobody saw.
    pub(super) fn vanished(last_known: Arc<RawObject>) -> Self {
        let (old, object) = (Arc::clone(&last_known), last_known);
        Notification::Deleted { old, object, is_final_state_unknown: true }
    }

    /// The object's key.
    pub fn key(&self) -> KeyRef<'_> {
        self.object().key()
    }

    /// The object in its newest state.
    pub fn object(&self) -> &Arc<RawObject> {
        match self {
            Notification::Added { object, .. } | Notification::Deleted { object, .. } => object,
            Notification::Updated { new, .. } => new,
        }
    }

    /// Whether nothing changed and a resync came round.
    pub fn is_resync(&self) -> bool {
        matches!(self, Notification::Updated { is_resync: true, .. })
    }

    /// Whether it is part of what a handler is told first.
    pub fn is_initial(&self) -> bool {
        matches!(self, Notification::Added { is_initial: true, .. })
    }
}
