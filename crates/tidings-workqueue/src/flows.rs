//! Fair queueing: the flows of one priority are served round robin. Each flow with waiting items has one turn before any
//! has a second one. Within a flow, first in, first out. See Nagle, RFC 970.
//!
//! ```text
//! waiting in order of arrival: a1 a2 a3 b1 c1 (flows a, b, c)
//! handed out:                  a1 b1 c1 a2 a3
//! ```

use std::collections::VecDeque;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::links::{Link, List, SlotId};

/// The hash of what `fair_by` returns for an item. Two flows with the same hash are served as one.
pub(crate) type FlowId = u64;

/// The queues of the flows, and whose turn it is.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    /// A flow is here iff it is in `turns`.
    queues: HashMap<FlowId, List, FixedState>,
    /// Each flow once. A flow whose last item was removed out of turn stays until its turn.
    turns: VecDeque<FlowId>,
}

impl Flows {
    pub(crate) fn push(&mut self, links: &mut Vec<Link>, flow: FlowId, slot: SlotId) {
        let queue = self.queues.entry(flow).or_insert_with(|| {
            self.turns.push_back(flow);
            List::default()
        });
        queue.push(links, slot);
    }

    /// Removes a slot from the queue of its flow.
    pub(crate) fn remove(&mut self, links: &mut Vec<Link>, flow: FlowId, slot: SlotId) {
        let queue = self.queues.get_mut(&flow).expect("a waiting slot is in the queue of its flow");
        queue.remove(links, slot);
    }

    /// The first slot of the flow whose turn it is.
    pub(crate) fn first(&mut self) -> Option<SlotId> {
        while let Some(flow) = self.turns.front() {
            if let Some(slot) = self.queues[flow].first() {
                return Some(slot);
            }
            self.end_turn();
        }
        None
    }

    /// Gives the turn to the next flow.
    pub(crate) fn end_turn(&mut self) {
        let Some(flow) = self.turns.pop_front() else { return };
        if self.queues[&flow].is_empty() {
            self.queues.remove(&flow);
        } else {
            self.turns.push_back(flow);
        }
    }
}
