//! Where items live from the moment they are added until nobody waits for them or works on them: a slot each, found
//! by the item's hash when it is added and by its number ever after.

use hashbrown::HashTable;

use crate::clock::Moment;
use crate::links::SlotId;
use crate::priority::Priority;

/// All slots. An item has at most one.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    slots: Vec<Option<Slot<T>>>,
    free: Vec<SlotId>,
    by_item: HashTable<SlotId>,
}

/// One item: what it waits for, and whether somebody works on it. One of the two holds, or the slot is freed.
#[derive(Debug)]
pub(crate) struct Slot<T> {
    pub(crate) item: T,
    pub(crate) hash: u64,
    pub(crate) pending: Pending,
    /// The best of all adds since it was last handed out; while it is worked on and nothing is pending, the one it
    /// was handed out with.
    pub(crate) priority: Priority,
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
    Ready { since: Moment },
}

impl<T> Slots<T> {
    pub(crate) fn new() -> Self {
        Slots { slots: Vec::new(), free: Vec::new(), by_item: HashTable::new() }
    }

    pub(crate) fn find(&self, hash: u64, item: &T) -> Option<SlotId>
    where
        T: Eq,
    {
        let same = |id: &SlotId| self.at(*id).is_some_and(|slot| slot.hash == hash && slot.item == *item);
        self.by_item.find(hash, same).copied()
    }

    /// Gives a slot to an item that has none.
    pub(crate) fn insert(&mut self, slot: Slot<T>) -> SlotId {
        let hash = slot.hash;
        let id = match self.free.pop() {
            Some(id) => {
                self.slots[id as usize] = Some(slot);
                id
            }
            None => {
                let id = SlotId::try_from(self.slots.len()).expect("fewer than 2^32 items are queued");
                self.slots.push(Some(slot));
                id
            }
        };
        let slots = &self.slots;
        let hash_of = |id: &SlotId| slots[*id as usize].as_ref().map_or(0, |slot| slot.hash);
        self.by_item.insert_unique(hash, id, hash_of);
        id
    }

    /// Frees a slot. What was in it is to be dropped outside the lock.
    pub(crate) fn remove(&mut self, id: SlotId) -> T {
        let slot = self.slots[id as usize].take().expect("a slot is freed once");
        self.by_item.find_entry(slot.hash, |other| *other == id).expect("a slot can be found").remove();
        self.free.push(id);
        slot.item
    }

    pub(crate) fn slot_mut(&mut self, id: SlotId) -> &mut Slot<T> {
        let slot = self.slots[id as usize].as_mut();
        slot.expect("the slot of an item that is pending or worked on is not free")
    }

    /// What is in a slot, unless it is free.
    pub(crate) fn at(&self, id: SlotId) -> Option<&Slot<T>> {
        self.slots[id as usize].as_ref()
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.by_item.is_empty() && self.slots.iter().all(Option::is_none)
    }
}
