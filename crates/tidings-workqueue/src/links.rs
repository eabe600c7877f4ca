//! Doubly linked lists of slot numbers, so that a slot anywhere in a line leaves it in constant time. Whoever keeps the
//! links carries any number of `List`s, and a slot is in at most one of them: whoever calls keeps to that.

/// The number of a slot.
pub(crate) type SlotId = u32;

/// Who stands before and behind a slot. Nobody looks before the first of a list or behind the last: what stands there is
/// left as it is, so that the first can leave without a touch of the second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Link {
    before: SlotId,
    behind: SlotId,
}

/// Where the links of slots are kept.
pub(crate) trait Links {
    fn link_mut(&mut self, slot: SlotId) -> &mut Link;
}

/// One line of slots, first in, first out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct List {
    /// This and the next mean nothing in an empty list.
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

    /// Puts a slot that is in no list behind all others of this one.
    #[inline]
    pub(crate) fn push(&mut self, links: &mut impl Links, slot: SlotId) {
        links.link_mut(slot).before = self.last;
        if self.len == 0 {
            self.first = slot;
        } else {
            links.link_mut(self.last).behind = slot;
        }
        self.last = slot;
        self.len += 1;
    }

    /// Takes a slot out of this list, which it is in.
    #[inline]
    pub(crate) fn remove(&mut self, links: &mut impl Links, slot: SlotId) {
        let Link { before, behind } = *links.link_mut(slot);
        if slot == self.first {
            self.first = behind;
        } else if slot == self.last {
            self.last = before;
        } else {
            links.link_mut(before).behind = behind;
            links.link_mut(behind).before = before;
        }
        self.len -= 1;
    }
}

/// Grows with the slots that are given.
impl Links for Vec<Link> {
    fn link_mut(&mut self, slot: SlotId) -> &mut Link {
        let at = slot as usize;
        if self.len() <= at {
            self.resize(at + 1, Link::default());
        }
        &mut self[at]
    }
}
