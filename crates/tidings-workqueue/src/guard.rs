//! The guard of an item that is being worked on. Dropping it ends the work. So neither a panic nor a cancelled future can
//! leave an item in work for ever, and no work can end twice.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use crate::item::Item;
use crate::links::SlotId;
use crate::priority::Priority;
use crate::queue::Handle;

/// An item that is being worked on until this is dropped. No other worker gets it meanwhile.
#[must_use = "dropping it ends the work"]
pub struct ItemGuard<T: Item> {
    pub(crate) handle: Arc<Handle<T>>,
    pub(crate) slot: SlotId,
    pub(crate) item: T,
    pub(crate) priority: Priority,
    pub(crate) waited: Duration,
}

impl<T: Item> ItemGuard<T> {
    /// The best priority of its adds. Use it again to add the item for a retry.
    pub fn priority(&self) -> Priority {
        self.priority
    }

    /// How long it waited for a worker, since it was added or its delay ended. Zero in a queue without a name, which does
    /// not measure times.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

impl<T: Item> Deref for ItemGuard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T: Item> Drop for ItemGuard<T> {
    fn drop(&mut self) {
        self.handle.finish(self.slot);
    }
}

impl<T: Item + fmt::Debug> fmt::Debug for ItemGuard<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemGuard").field("item", &self.item).field("priority", &self.priority).finish()
    }
}
