//! The last writes of a controller, to recognize the changes that it made itself.
//!
//! A direct-mapped table: the place of a write is its number modulo the size, and a later write at the same place
//! replaces it. So the memory is constant, and a lookup is one comparison. A controller whose change waits behind more
//! than about a thousand of its writes may take it for the change of another client.

use super::ChangeId;

const SLOTS: usize = 1024;

#[derive(Default)]
pub(super) struct OwnWrites {
    /// Empty before the first write.
    slots: Vec<Option<OwnWrite>>,
}

#[derive(Clone, Copy)]
struct OwnWrite {
    change: u64,
    reconcile: u64,
}

impl OwnWrites {
    pub(super) fn record(&mut self, change: ChangeId, reconcile: u64) {
        let Some(change) = change.number() else { return };
        if self.slots.is_empty() {
            self.slots = vec![None; SLOTS];
        }
        self.slots[slot(change)] = Some(OwnWrite { change, reconcile });
    }

    /// The reconcile that made a change.
    pub(super) fn reconcile(&self, change: ChangeId) -> Option<u64> {
        let change = change.number()?;
        let write = (*self.slots.get(slot(change))?)?;
        (write.change == change).then_some(write.reconcile)
    }
}

fn slot(change: u64) -> usize {
    (change % SLOTS as u64) as usize
}

#[cfg(test)]
mod tests {
    use tidings_object::Version;

    use super::*;

    #[test]
    fn the_last_writes_are_recognized_and_others_are_not() {
        let mut writes = OwnWrites::default();
        let change = |number: u64| ChangeId::written(&Version::from(number));
        assert_eq!(writes.reconcile(change(7)), None);
        for number in 1..=3 * SLOTS as u64 {
            writes.record(change(number), number + 1);
        }
        assert_eq!(writes.reconcile(change(3 * SLOTS as u64)), Some(3 * SLOTS as u64 + 1));
        assert_eq!(writes.reconcile(change(7)), None, "it was replaced");
        assert_eq!(writes.reconcile(change(3 * SLOTS as u64 + 1)), None, "it was never written");
        writes.record(ChangeId::deleted("uid-1"), 5);
        assert_eq!(writes.reconcile(ChangeId::deleted("uid-1")), Some(5));
        writes.record(ChangeId::written(&Version::new("a1b2")), 6);
        assert_eq!(writes.reconcile(ChangeId::written(&Version::new("a1b2"))), None, "it has no number");
    }
}
