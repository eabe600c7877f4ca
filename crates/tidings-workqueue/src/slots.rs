//! Where items live from the moment they are added until nobody waits for them or works on them: a slot each, found
//! by the item's hash when it is added and by its number ever after.
//!
//! All that is known of one item stands together, in 64 bytes if the item has no more than 16: a step of the queue that
//! another processor has just worked on fetches every line of memory anew, and these fetches are most of what it costs.

use hashbrown::HashTable;

use crate::clock::Moment;
use crate::fair::Share;
use crate::links::{Link, Links, SlotId};
use crate::priority::Priority;

/// All slots. An item has at most one.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<SlotId>,
    by_item: HashTable<SlotId>,
}

/// One item: what it waits for, and whether somebody works on it. One of the two holds, or the slot is free.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    /// None iff the slot is free.
    item: Option<T>,
    hash: u64,
    /// When its next turn was asked for, or its delay ended; meaningless unless it is ready.
    pub(crate) ready_since: Moment,
    /// While it waits, its deadline; while it is worked on, when it was handed out.
    pub(crate) stamp: Moment,
    pub(crate) share: Share,
    /// In the line of those that wait as it does.
    link: Link,
    pub(crate) pending: Pending,
    /// The best of all adds since it was last handed out; while it is worked on and nothing is pending, the one it
    /// was handed out with.
    pub(crate) priority: Priority,
    /// The one whose line it waits in; meaningless while it does not wait.
    pub(crate) waits_with: Priority,
    pub(crate) is_worked_on: bool,
}

/// The next turn of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pending {
    /// None was asked for since it was handed out.
    Nothing,
    /// It is to wait its turn when its delay is over.
    Delayed,
    /// It waits its turn, or is dirty if somebody works on it.
    Ready,
}

impl<T> Slots<T> {
    pub(crate) fn new() -> Self {
        Slots { slots: Vec::new(), free: Vec::new(), by_item: HashTable::new() }
    }

    #[inline]
    pub(crate) fn find(&self, hash: u64, item: &T) -> Option<SlotId>
    where
        T: Eq,
    {
        let same = |id: &SlotId| {
            let slot = self.slot(*id);
            slot.hash == hash && slot.item.as_ref() == Some(item)
        };
        self.by_item.find(hash, same).copied()
    }

    /// Gives a slot to an item that has none: nothing is pending, and nobody works on it.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u64, item: T) -> SlotId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            SlotId::try_from(self.slots.len() - 1).expect("fewer than 2^32 items are queued")
        });
        let slot = self.slot_mut(id);
        slot.item = Some(item);
        slot.hash = hash;
        let slots = &self.slots;
        self.by_item.insert_unique(hash, id, |id| slots[*id as usize].hash);
        id
    }

    /// Frees a slot of which nothing is pending and on which nobody works. What was in it is to be dropped outside the
    /// lock.
    #[inline]
    pub(crate) fn remove(&mut self, id: SlotId) -> T {
        let slot = self.slot_mut(id);
        let item = slot.item.take().expect("a slot is freed once");
        let hash = slot.hash;
        self.by_item.find_entry(hash, |other| *other == id).expect("a slot can be found").remove();
        self.free.push(id);
        item
    }

    #[inline]
    pub(crate) fn slot(&self, id: SlotId) -> &Slot<T> {
        &self.slots[id as usize]
    }

    #[inline]
    pub(crate) fn slot_mut(&mut self, id: SlotId) -> &mut Slot<T> {
        &mut self.slots[id as usize]
    }

    /// All of them, the free ones too.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Slot<T>> {
        self.slots.iter()
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.by_item.is_empty() && self.slots.iter().all(|slot| slot.item.is_none())
    }
}

impl<T> Slot<T> {
    #[inline]
    pub(crate) fn item(&self) -> &T {
        self.item.as_ref().expect("the slot of an item that is pending or worked on is not free")
    }
}

/// A free slot.
impl<T> Default for Slot<T> {
    fn default() -> Self {
        Slot {
            item: None,
            hash: 0,
            ready_since: Moment::default(),
            stamp: Moment::default(),
            share: 0,
            link: Link::default(),
            pending: Pending::Nothing,
            priority: Priority::LIVE,
            waits_with: Priority::LIVE,
            is_worked_on: false,
        }
    }
}

impl<T> Links for Slots<T> {
    #[inline]
    fn link_mut(&mut self, slot: SlotId) -> &mut Link {
        &mut self.slot_mut(slot).link
    }
}
