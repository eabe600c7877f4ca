//! Intrusive doubly linked lists of slot numbers: a slot anywhere in a list is removed in constant time. One set of links
//! serves any number of lists. The caller must ensure that a slot is in at most one of them.

/// The number of a slot.
pub(crate) type SlotId = u32;

/// The neighbours of a slot. The previous of the first slot and the next of the last slot are never read, and stale. So the
/// first slot is removed without a write to the second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Link {
    previous: SlotId,
    next: SlotId,
}

/// Storage of the links of slots.
pub(crate) trait Links {
    fn link_mut(&mut self, slot: SlotId) -> &mut Link;
}

/// One list of slots, first in, first out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct List {
    /// In an empty list, `first` and `last` are stale.
    first: SlotId,
    last: SlotId,
    len: usize,
}

impl List {
    #[inline]
    pub(crate) fn first(&self) -> Option<SlotId> {
        (self.len > 0).then_some(self.first)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a slot that is in no list.
    #[inline]
    pub(crate) fn push(&mut self, links: &mut impl Links, slot: SlotId) {
        links.link_mut(slot).previous = self.last;
        if self.len == 0 {
            self.first = slot;
        } else {
            links.link_mut(self.last).next = slot;
        }
        self.last = slot;
        self.len += 1;
    }

    /// Removes a slot that is in this list.
    #[inline]
    pub(crate) fn remove(&mut self, links: &mut impl Links, slot: SlotId) {
        let Link { previous, next } = *links.link_mut(slot);
        if slot == self.first {
            self.first = next;
        } else if slot == self.last {
            self.last = previous;
        } else {
            links.link_mut(previous).next = next;
            links.link_mut(next).previous = previous;
        }
        self.len -= 1;
    }
}

/// Grows as needed.
impl Links for Vec<Link> {
    fn link_mut(&mut self, slot: SlotId) -> &mut Link {
        let at = slot as usize;
        if self.len() <= at {
            self.resize(at + 1, Link::default());
        }
        &mut self[at]
    }
}
