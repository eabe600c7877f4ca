//! Which slot owns which output key, and which of several owners wins.
//!
//! Two inputs may produce the same output key. That is a mistake of the function: it is reported, and the input with the
//! lowest key wins. The winner does not depend on the order of events.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Outputs, Transform};
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

    fn add(&mut self, key: &Arc<str>, slot: SlotId) {
        let owners = self.by_key.entry(Arc::clone(key)).or_default();
        owners.push(slot);
        self.duplicates += usize::from(owners.len() == 2);
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

impl<O: Element> Transform<O> {
    /// Applies the outputs of all evaluations of the round.
    pub(super) fn apply(&mut self) {
        let mut touched = BTreeSet::new();
        for (at, outputs) in std::mem::take(&mut self.round.evaluated) {
            let is_gone = outputs.is_none();
            self.set_outputs(at, outputs.unwrap_or_default(), &mut touched);
            if is_gone {
                self.free_slot(at);
            }
        }
        for key in touched {
            let old = self.output.table.get(&key);
            let new = self.winner(&key);
            if old != new {
                self.output.change(key, old, new);
            }
        }
    }

    /// Replaces the outputs of a slot, which are sorted by key, and collects the keys whose value or owner has changed.
    fn set_outputs(&mut self, at: SlotId, mut new: Outputs<O>, touched: &mut BTreeSet<Arc<str>>) {
        let Some(slot) = self.slots[at as usize].as_mut() else { return };
        let old = std::mem::take(&mut slot.outputs);
        let input = Arc::clone(&slot.key);
        // Stable: of two outputs with one key, the first one counts.
        new.sort_by(|one, other| one.key().cmp(&other.key()));
        let mut kept = Outputs::with_capacity(new.len());
        let mut gone = old.into_iter().peekable();
        let touched_before = touched.len();
        let mut release = |owners: &mut Owners, gone: &Value<O>| {
            owners.remove(&gone.key(), at);
            touched.insert(gone.shared_key());
        };
        let mut changed = Vec::new();
        for value in new {
            if kept.last().is_some_and(|last: &Value<O>| last.key() == value.key()) {
                self.fault(&value.key(), FaultKind::DuplicateKey { inputs: vec![input.to_string()] });
                continue;
            }
            while let Some(gone) = gone.next_if(|old| old.key() < value.key()) {
                release(&mut self.owners, &gone);
            }
            match gone.next_if(|old| old.key() == value.key()) {
                // The same allocation as before, so that equal values are kept once.
                Some(old) if old == value => kept.push(old),
                Some(_) => {
                    changed.push(value.shared_key());
                    kept.push(value);
                }
                None => {
                    self.owners.add(&value.shared_key(), at);
                    changed.push(value.shared_key());
                    kept.push(value);
                }
            }
        }
        gone.for_each(|gone| release(&mut self.owners, &gone));
        let is_unchanged = changed.is_empty() && touched.len() == touched_before;
        touched.extend(changed);
        self.round.counts.unchanged += u64::from(is_unchanged);
        if let Some(slot) = self.slots[at as usize].as_mut() {
            slot.outputs = kept;
        }
    }

    /// The value of an output key: that of the owner with the lowest input key.
    fn winner(&mut self, key: &str) -> Option<Value<O>> {
        let owners = self.owners.of(key).iter().filter_map(|at| self.slots[*at as usize].as_ref());
        let mut owners: Vec<_> = owners.collect();
        owners.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        let outputs = &owners.first()?.outputs;
        let at = outputs.binary_search_by(|value| (*value.key()).cmp(key)).ok()?;
        let value = Some(outputs[at].clone());
        if owners.len() > 1 {
            let inputs = owners.iter().map(|slot| slot.key.to_string()).collect();
            self.fault(key, FaultKind::DuplicateKey { inputs });
        }
        value
    }
}
