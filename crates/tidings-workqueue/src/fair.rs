//! Shares of one priority: each share with waiting items has a turn before any has a second one. Within a share,
//! first in, first out.

use std::collections::VecDeque;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::links::{Link, List, SlotId};

/// What `fair_by` made of an item, hashed. Two shares with one hash would be served as one.
pub(crate) type Share = u64;

/// The lines of the shares, and whose turn it is.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    /// A share is here iff it is in `turns`.
    lines: HashMap<Share, List, FixedState>,
    /// Each share once. One whose last item left out of turn stays until its turn comes.
    turns: VecDeque<Share>,
}

impl Shares {
    pub(crate) fn push(&mut self, links: &mut Vec<Link>, share: Share, slot: SlotId) {
        let line = self.lines.entry(share).or_insert_with(|| {
            self.turns.push_back(share);
            List::default()
        });
        line.push(links, slot);
    }

    /// Takes a slot out of its line.
    pub(crate) fn remove(&mut self, links: &mut Vec<Link>, share: Share, slot: SlotId) {
        let line = self.lines.get_mut(&share).expect("a waiting slot stands in the line of its share");
        line.remove(links, slot);
    }

    /// The first slot of the share whose turn it is.
    pub(crate) fn first(&mut self) -> Option<SlotId> {
        while let Some(share) = self.turns.front() {
            if let Some(slot) = self.lines[share].first() {
                return Some(slot);
            }
            self.end_turn();
        }
        None
    }

    /// Gives the turn to the next share.
    pub(crate) fn end_turn(&mut self) {
        let Some(share) = self.turns.pop_front() else { return };
        if self.lines[&share].is_empty() {
            self.lines.remove(&share);
        } else {
            self.turns.push_back(share);
        }
    }
}
