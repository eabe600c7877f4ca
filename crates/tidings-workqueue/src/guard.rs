//! An item in a worker's hands. Dropping it is what ends the work, so that neither a panic nor a cancelled future
//! can leave an item worked on for ever, and nobody can end a work twice.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use crate::item::Item;
use crate::links::SlotId;
use crate::priority::Priority;
use crate::queue::Handle;

/// An item that is being worked on, by nobody else, until this is dropped.
#[must_use = "dropping it says that the work is done"]
pub struct Working<T: Item> {
    pub(crate) handle: Arc<Handle<T>>,
    pub(crate) slot: SlotId,
    pub(crate) item: T,
    pub(crate) priority: Priority,
    pub(crate) waited: Duration,
}

impl<T: Item> Working<T> {
    /// The best priority that it was added with. One that is added again, for a retry, should keep it.
    pub fn priority(&self) -> Priority {
        self.priority
    }

    /// How long it waited for a worker, from the moment it was added or its delay ended. A queue without a name keeps
    /// no times, and says zero.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

impl<T: Item> Deref for Working<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T: Item> Drop for Working<T> {
    fn drop(&mut self) {
        self.handle.finish(self.slot);
    }
}

impl<T: Item + fmt::Debug> fmt::Debug for Working<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Working").field("item", &self.item).field("priority", &self.priority).finish()
    }
}
