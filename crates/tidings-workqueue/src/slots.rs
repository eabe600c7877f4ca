//! The slots of the items: an item has a slot from its add until nothing is pending for it and no worker has it. The slot is
//! found by the hash of the item at an add, and by its number afterwards.
//!
//! All data of one item are in one slot of 64 bytes, one cache line, if the item has at most 16 bytes. If another core
//! has just used the queue, a step must fetch every cache line again, and these fetches are most of its cost.

use hashbrown::HashTable;

use crate::clock::Moment;
use crate::flows::FlowId;
use crate::links::{Link, Links, SlotId};
use crate::priority::Priority;

/// All slots. An item has at most one.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<SlotId>,
    by_item: HashTable<SlotId>,
}

/// One item: what is pending for it, and whether a worker has it. If neither, the slot is free.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    /// `None` if the slot is free.
    item: Option<T>,
    hash: u64,
    /// When it was added, or its delay ended. Only valid if it is ready.
    pub(crate) ready_since: Moment,
    /// While it waits, its deadline. While it is worked on, when it was handed out.
    pub(crate) stamp: Moment,
    pub(crate) flow: FlowId,
    /// Its neighbours in the queue of its priority.
    link: Link,
    pub(crate) pending: Pending,
    /// The best of all adds since it was last handed out. While it is worked on and nothing is pending, the one that it was
    /// handed out with.
    pub(crate) priority: Priority,
    /// The priority whose queue it is in. Only valid while it waits.
    pub(crate) queued_priority: Priority,
    pub(crate) is_worked_on: bool,
}

/// What is pending for an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pending {
    /// It was not added since it was handed out.
    Nothing,
    /// It waits for the end of its delay.
    Delayed,
    /// It waits for a worker; or, if a worker has it, it is dirty.
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

    /// Gives a slot to an item that has none.
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

    /// Frees a slot for which nothing is pending and that no worker has. The caller drops the item outside the lock.
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

    /// All slots, free ones included.
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
        self.item.as_ref().expect("a slot that is pending or worked on is not free")
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
            flow: 0,
            link: Link::default(),
            pending: Pending::Nothing,
            priority: Priority::LIVE,
            queued_priority: Priority::LIVE,
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
