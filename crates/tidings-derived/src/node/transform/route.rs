//! From the changes of the collections below to the slots that are affected.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Transform;
use crate::change::AnyChange;
use crate::dependency::{NodeId, SlotId};
use crate::element::Element;
use crate::node::{NodeEntry, RoundContext};
use crate::reads::{ReadSetId, ReadTable};
use crate::stats::CollectionReads;
use crate::table::IndexChange;

/// Which keys a computed collection evaluates.
pub(crate) struct Route {
    keys: RouteKeys,
    /// A collection that an evaluation read before it had synced.
    waits_for: Option<NodeId>,
}

pub(crate) enum RouteKeys {
    /// The keys of one collection.
    Each(NodeId),
    /// The values of an index of one collection.
    Groups(NodeId, u32),
    /// The keys of several collections.
    Union(Vec<NodeId>),
    /// One key, the empty one.
    One,
}

impl From<RouteKeys> for Route {
    fn from(keys: RouteKeys) -> Self {
        Route { keys, waits_for: None }
    }
}

impl Route {
    fn sources(&self) -> &[NodeId] {
        match &self.keys {
            RouteKeys::Each(node) | RouteKeys::Groups(node, _) => std::slice::from_ref(node),
            RouteKeys::Union(nodes) => nodes,
            RouteKeys::One => &[],
        }
    }

    pub(super) fn wait_for(&mut self, node: Option<NodeId>) {
        self.waits_for = node;
    }

    /// All keys, in an order that depends on the state of the inputs alone. The keys of several collections may repeat.
    fn all_keys(&self, lower: &[NodeEntry]) -> Vec<Arc<str>> {
        let node = |id: NodeId| find(lower, id).map(|entry| &entry.node);
        match &self.keys {
            RouteKeys::Each(id) => node(*id).map(|node| node.keys()).unwrap_or_default(),
            RouteKeys::Groups(id, index) => {
                node(*id).map(|node| node.index_values(*index)).unwrap_or_default()
            }
            RouteKeys::Union(ids) => {
                ids.iter().filter_map(|id| node(*id)).flat_map(|node| node.keys()).collect()
            }
            RouteKeys::One => vec![Arc::from("")],
        }
    }
}

pub(super) fn find(lower: &[NodeEntry], id: NodeId) -> Option<&NodeEntry> {
    lower.binary_search_by_key(&id, |entry| entry.id).ok().map(|at| &lower[at])
}

fn is_synced(lower: &[NodeEntry], id: NodeId) -> bool {
    find(lower, id).is_some_and(|entry| entry.node.is_synced())
}

impl<O: Element> Transform<O> {
    /// The collection that it waits for before its first evaluation.
    pub(super) fn waits_for(&self, round: &RoundContext<'_>) -> Option<NodeId> {
        let all = self.route.sources().iter().copied().chain(self.route.waits_for);
        all.into_iter().find(|id| !is_synced(round.lower, *id))
    }

    /// Puts every affected slot into the queue of the round.
    pub(super) fn mark(&mut self, round: &RoundContext<'_>) {
        if !self.output.is_synced {
            let waits_for = self.waits_for(round);
            let name = waits_for
                .and_then(|id| find(round.lower, id))
                .map(|entry| entry.node.shared().name().to_owned());
            self.output.shared.set_waits_for(name);
            if waits_for.is_none() {
                self.mark_all(round.lower);
            }
            return;
        }
        let unblocked: Vec<_> =
            self.blocked.iter().filter(|(_, id)| is_synced(round.lower, **id)).map(|(at, _)| *at).collect();
        unblocked.into_iter().for_each(|at| self.mark_slot(at));
        let reads = round.reads.borrow();
        self.mark_inputs(round.lower, &reads);
        self.mark_dependants(round.lower, &reads);
        self.round.queue.sort_unstable();
    }

    fn mark_all(&mut self, lower: &[NodeEntry]) {
        let keys = self.route.all_keys(lower);
        self.slots.reserve(keys.len());
        self.slot_by_key.reserve(keys.len());
        self.round.queue.reserve(keys.len());
        for key in keys {
            let at = self.slot_of(&key);
            self.mark_slot(at);
        }
    }

    fn mark_slot(&mut self, at: SlotId) {
        if let Some(slot) = self.slots.get_mut(at as usize).and_then(Option::as_mut)
            && !std::mem::replace(&mut slot.is_marked, true)
        {
            self.round.queue.push(at);
        }
    }

    fn mark_inputs(&mut self, lower: &[NodeEntry], reads: &ReadTable) {
        let keys = std::mem::replace(&mut self.route.keys, RouteKeys::One);
        match &keys {
            RouteKeys::One => {}
            RouteKeys::Each(id) => for_each_change(lower, *id, |change| {
                self.mark_input(change.key(), (change.existed(), change.exists()), change, reads);
            }),
            RouteKeys::Union(ids) => {
                for id in ids {
                    for_each_change(lower, *id, |change| {
                        let at = self.slot_of(change.key());
                        self.mark_slot(at);
                    });
                }
            }
            RouteKeys::Groups(id, index) => for_each_change(lower, *id, |change| {
                let Some(IndexChange { before, now, .. }) = change.index(*index) else { return };
                for value in before {
                    self.mark_input(value, (true, now.contains(value)), change, reads);
                }
                for value in now.iter().filter(|value| !before.contains(value)) {
                    self.mark_input(value, (false, true), change, reads);
                }
            }),
        }
        self.route.keys = keys;
    }

    /// Marks the slot of an input key, if its input comes, goes, or changes in what was read of it.
    fn mark_input<K: AsRef<str> + Clone + Into<Arc<str>>>(
        &mut self,
        key: &K,
        (existed, exists): (bool, bool),
        change: &dyn AnyChange,
        reads: &ReadTable,
    ) {
        let at = match self.slot_by_key.get(key.as_ref()) {
            Some(at) => *at,
            None if exists => self.slot_of(key),
            None => return,
        };
        let input_reads = self.slots[at as usize].as_ref().map_or(ReadSetId::WHOLE, |slot| slot.input_reads);
        if existed != exists || change.differs(input_reads, reads) {
            self.mark_slot(at);
        }
    }

    fn mark_dependants(&mut self, lower: &[NodeEntry], reads: &ReadTable) {
        let mut affected = Vec::new();
        for (id, maps) in &self.reverse {
            for_each_change(lower, *id, |change| {
                maps.affected(change, reads, &mut |slot| affected.push(slot));
            });
        }
        affected.into_iter().for_each(|at| self.mark_slot(at));
    }

    pub(super) fn describe_reads(
        &self,
        reads: &ReadTable,
        names: &dyn Fn(NodeId) -> String,
    ) -> Vec<CollectionReads> {
        let mut by_node: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
        for (node, set) in &self.reads_seen {
            let nodes = match node {
                Some(node) => std::slice::from_ref(node),
                None => self.route.sources(),
            };
            for node in nodes {
                by_node.entry(*node).or_default().extend(reads.describe(*set));
            }
        }
        let described = by_node.into_iter().map(|(node, mut parts)| {
            parts.sort_unstable();
            parts.dedup();
            CollectionReads { collection: names(node), parts }
        });
        described.collect()
    }
}

fn for_each_change(lower: &[NodeEntry], id: NodeId, mut show: impl FnMut(&dyn AnyChange)) {
    if let Some(entry) = find(lower, id) {
        (0..entry.node.change_count()).for_each(|at| show(entry.node.change(at)));
    }
}
