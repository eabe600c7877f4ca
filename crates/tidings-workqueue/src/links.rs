//! Doubly linked lists of slot numbers, so that a slot anywhere in a line leaves it in constant time. Whoever keeps the
//! links carries any number of `List`s, and a slot is in at most one of them: whoever calls keeps to that.

/// The number of a slot.
pub(crate) type SlotId = u32;

const NONE: SlotId = SlotId::MAX;

/// Who stands before and behind a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    before: SlotId,
    behind: SlotId,
}

/// Where the links of slots are kept.
pub(crate) trait Links {
    fn link_mut(&mut self, slot: SlotId) -> &mut Link;
}

/// One line of slots, first in, first out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List {
    first: SlotId,
    last: SlotId,
    len: usize,
}

impl List {
    #[inline]
    pub(crate) fn first(&self) -> Option<SlotId> {
        (self.first != NONE).then_some(self.first)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Puts a slot that is in no list behind all others of this one.
    #[inline]
    pub(crate) fn push(&mut self, links: &mut impl Links, slot: SlotId) {
        *links.link_mut(slot) = Link { before: self.last, behind: NONE };
        match self.last {
            NONE => self.first = slot,
            last => links.link_mut(last).behind = slot,
        }
        self.last = slot;
        self.len += 1;
    }

    /// Takes a slot out of this list, which it is in.
    #[inline]
    pub(crate) fn remove(&mut self, links: &mut impl Links, slot: SlotId) {
        let Link { before, behind } = *links.link_mut(slot);
        match before {
            NONE => self.first = behind,
            before => links.link_mut(before).behind = behind,
        }
        match behind {
            NONE => self.last = before,
            behind => links.link_mut(behind).before = before,
        }
        self.len -= 1;
    }
}

impl Default for List {
    fn default() -> Self {
        List { first: NONE, last: NONE, len: 0 }
    }
}

impl Default for Link {
    fn default() -> Self {
        Link { before: NONE, behind: NONE }
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
