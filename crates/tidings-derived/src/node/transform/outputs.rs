//! Which slot owns which output key, and which of several owners wins.
//!
//! Two inputs may produce the same output key. That is a mistake of the function: it is reported, and the input with the
//! lowest key wins. The winner does not depend on the order of events.

use std::collections::HashMap;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Outputs, Slot, Transform};
use crate::dependency::SlotId;
use crate::element::{Element, Value};
use crate::error::FaultKind;

/// The slots that produce each output key.
#[derive(Default)]
pub(super) struct Owners {
    by_key: HashMap<Arc<str>, SmallVec<[SlotId; 4]>, foldhash::fast::RandomState>,
    duplicates: usize,
}

impl Owners {
    /// The number of output keys that several inputs produce.
    pub(super) fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Returns whether the slot is the only owner.
    fn add(&mut self, key: &Arc<str>, slot: SlotId) -> bool {
        let owners = self.by_key.entry(Arc::clone(key)).or_default();
        owners.push(slot);
        self.duplicates += usize::from(owners.len() == 2);
        owners.len() == 1
    }

    fn remove(&mut self, key: &str, slot: SlotId) {
        let Some(owners) = self.by_key.get_mut(key) else { return };
        self.duplicates -= usize::from(owners.len() == 2);
        owners.retain(|other| *other != slot);
        if owners.is_empty() {
            self.by_key.remove(key);
            if self.by_key.capacity() > 4 * self.by_key.len() + 64 {
                self.by_key.shrink_to(2 * self.by_key.len());
            }
        }
    }

    fn of(&self, key: &str) -> &[SlotId] {
        self.by_key.get(key).map_or(&[], |owners| owners)
    }
}

/// An output key whose value or owner may have changed.
struct Touched {
    key: Arc<str>,
    /// Whether its only owner has another value than before.
    is_changed: bool,
}

impl<O: Element> Transform<O> {
    /// Applies the outputs of all evaluations of the round.
    pub(super) fn apply(&mut self) {
        let evaluated = std::mem::take(&mut self.round.evaluated);
        let mut touched = Vec::new();
        if !self.output.is_synced {
            self.owners.by_key.reserve(evaluated.len());
        }
        for (at, outputs) in evaluated {
            let is_gone = outputs.is_none();
            self.set_outputs(at, outputs.unwrap_or_default(), &mut touched);
            if is_gone {
                self.free_slot(at);
            }
        }
        touched.sort_unstable_by(|one: &Touched, other| one.key.cmp(&other.key));
        touched.dedup_by(|later, first| {
            let is_same = later.key == first.key;
            // The key has changed its owner: only a comparison shows whether its value has changed.
            first.is_changed &= !is_same;
            is_same
        });
        for Touched { key, is_changed } in touched {
            let old = self.output.table.get(&key);
            let (new, owners) = self.winner(&key);
            if is_changed && owners == 1 || old != new {
                self.output.change(key, old, new);
            }
        }
    }

    /// Replaces the outputs of a slot, which are sorted by key, and collects the keys whose value or owner has changed.
    fn set_outputs(&mut self, at: SlotId, mut new: Outputs<O>, touched: &mut Vec<Touched>) {
        let Some(slot) = self.slots[at as usize].as_mut() else { return };
        let old = std::mem::take(&mut slot.outputs);
        let input = Arc::clone(&slot.key);
        if new.len() > 1 {
            // Stable: of two outputs with one key, the first one counts.
            new.sort_by(|one, other| one.key().cmp(&other.key()));
        }
        let mut kept = Outputs::with_capacity(new.len());
        let mut gone = old.into_iter().peekable();
        let (touched_before, mut is_added) = (touched.len(), false);
        let release = |owners: &mut Owners, touched: &mut Vec<Touched>, gone: &Value<O>| {
            owners.remove(&gone.key(), at);
            touched.push(Touched { key: gone.shared_key(), is_changed: false });
        };
        for value in new {
            if kept.last().is_some_and(|last: &Value<O>| last.key() == value.key()) {
                self.fault(&value.key(), FaultKind::DuplicateKey { inputs: vec![input.to_string()] });
                continue;
            }
            while let Some(gone) = gone.next_if(|old| old.key() < value.key()) {
                release(&mut self.owners, touched, &gone);
            }
            match gone.next_if(|old| old.key() == value.key()) {
                // The same allocation as before, so that equal values are kept once.
                Some(old) if old == value => kept.push(old),
                Some(_) => {
                    touched.push(Touched { key: value.shared_key(), is_changed: true });
                    kept.push(value);
                }
                None => {
                    let key = value.shared_key();
                    let is_only = self.owners.add(&key, at);
                    if is_only && !self.output.is_synced {
                        // The first build: nothing is in the table, and nothing is compared.
                        is_added = true;
                        self.output.change(key, None, Some(value.clone()));
                    } else {
                        touched.push(Touched { key, is_changed: false });
                    }
                    kept.push(value);
                }
            }
        }
        gone.for_each(|gone| release(&mut self.owners, touched, &gone));
        let is_unchanged = !is_added && touched.len() == touched_before;
        self.round.counts.unchanged += u64::from(is_unchanged);
        if let Some(slot) = self.slots[at as usize].as_mut() {
            slot.outputs = kept;
        }
    }

    /// The value of an output key, that of the owner with the lowest input key, and the number of owners.
    fn winner(&mut self, key: &str) -> (Option<Value<O>>, usize) {
        let owners = self.owners.of(key);
        let mut owners: SmallVec<[&Slot<O>; 2]> =
            owners.iter().filter_map(|at| self.slots[*at as usize].as_ref()).collect();
        owners.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        let value = owners.first().and_then(|owner| owner.output(key));
        let count = owners.len();
        if count > 1 {
            let inputs = owners.iter().map(|slot| slot.key.to_string()).collect();
            drop(owners);
            self.fault(key, FaultKind::DuplicateKey { inputs });
        }
        (value, count)
    }
}

impl<O: Element> Slot<O> {
    fn output(&self, key: &str) -> Option<Value<O>> {
        let at = self.outputs.binary_search_by(|value| (*value.key()).cmp(key)).ok()?;
        Some(self.outputs[at].clone())
    }
}
