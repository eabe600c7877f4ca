//! Doubly linked lists of slot numbers, so that a slot anywhere in a line leaves it in constant time. One `Links`
//! carries any number of `List`s, and a slot is in at most one of them: whoever calls keeps to that.

/// The number of a slot.
pub(crate) type SlotId = u32;

const NONE: SlotId = SlotId::MAX;

/// Who stands before and behind each slot.
#[derive(Debug, Default)]
pub(crate) struct Links(Vec<Link>);

/// One line of slots, first in, first out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List {
    first: SlotId,
    last: SlotId,
    len: usize,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    before: SlotId,
    behind: SlotId,
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
}

impl Default for List {
    fn default() -> Self {
        List { first: NONE, last: NONE, len: 0 }
    }
}

impl Links {
    /// Puts a slot that is in no list behind all others of this one.
    #[inline]
    pub(crate) fn push(&mut self, list: &mut List, slot: SlotId) {
        let at = slot as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, Link { before: NONE, behind: NONE });
        }
        self.0[at] = Link { before: list.last, behind: NONE };
        match list.last {
            NONE => list.first = slot,
            last => self.0[last as usize].behind = slot,
        }
        list.last = slot;
        list.len += 1;
    }

    /// Takes a slot out of the list that it is in.
    #[inline]
    pub(crate) fn remove(&mut self, list: &mut List, slot: SlotId) {
        let Link { before, behind } = self.0[slot as usize];
        match before {
            NONE => list.first = behind,
            before => self.0[before as usize].behind = behind,
        }
        match behind {
            NONE => list.last = before,
            behind => self.0[behind as usize].before = before,
        }
        list.len -= 1;
    }
}
